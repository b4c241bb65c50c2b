// SPDX-License-Identifier: Apache-2.0
// sstable/windowed_file.h -- reads a file from front to back in large pieces.

#pragma once

#include <algorithm>
#include <cstdint>
#include <string>

#include "tamis/env.h"

namespace tamis {

// For one walk, and unlike other files: not safe to share among threads, and
// what Read() returns is valid until the next call.
class WindowedFile final : public ReadableFile {
 public:
  static constexpr std::size_t kWindowBytes = std::size_t{256} << 10;

  // REQUIRES: `file` outlives this
  explicit WindowedFile(const ReadableFile& file) : file_(file) {}

  std::uint64_t size() const noexcept override { return file_.size(); }

  // Reads the bytes alone if the window around them cannot be read: one bad
  // sector costs the blocks that it is in, and no others.
  Result<Slice> Read(std::uint64_t offset, std::size_t bytes,
                     std::string* scratch) const override {
    if (!IsInWindow(offset, bytes) && bytes <= kWindowBytes &&
        offset < file_.size()) {
      Fill(offset);
    }
    if (!IsInWindow(offset, bytes)) return file_.Read(offset, bytes, scratch);
    return Slice(window_).substr(static_cast<std::size_t>(offset - start_),
                                 bytes);
  }

 private:
  bool IsInWindow(std::uint64_t offset, std::size_t bytes) const noexcept {
    return offset >= start_ && bytes <= window_.size() &&
           offset - start_ <= window_.size() - bytes;
  }

  void Fill(std::uint64_t offset) const {
    const std::size_t bytes = static_cast<std::size_t>(
        std::min<std::uint64_t>(kWindowBytes, file_.size() - offset));
    std::string next;
    next.swap(window_);
    const Result<Slice> read = file_.Read(offset, bytes, &next);
    start_ = offset;
    if (!read.ok()) return;
    if (read->data() != next.data()) next.assign(*read);
    next.resize(read->size());
    window_.swap(next);
  }

  const ReadableFile& file_;
  mutable std::string window_;  // of the file, from start_
  mutable std::uint64_t start_ = 0;
};

}  // namespace tamis
