// SPDX-License-Identifier: Apache-2.0
// fuzz/bytes_file.h -- the input of a target as a file.

#pragma once

#include <string>

#include "tamis/env.h"

namespace tamis::fuzz {

class BytesFile final : public ReadableFile {
 public:
  BytesFile(Slice bytes, bool mapped) : bytes_(bytes), is_mapped_(mapped) {}

  std::uint64_t size() const noexcept override { return bytes_.size(); }
  Result<Slice> Read(std::uint64_t offset, std::size_t bytes,
                     std::string* scratch) const override {
    if (offset > bytes_.size() || bytes > bytes_.size() - offset) {
      return Status::IoError("bytes: they end before");
    }
    scratch->assign(bytes_.substr(offset, bytes));
    return Slice(*scratch);
  }
  Slice mapped() const noexcept override {
    return is_mapped_ ? bytes_ : Slice();
  }

 private:
  Slice bytes_;
  bool is_mapped_;
};

}  // namespace tamis::fuzz
