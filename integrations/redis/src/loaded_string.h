// SPDX-License-Identifier: Apache-2.0
// loaded_string.h -- a string of an RDB file or of RESTORE, whose length the
// server bounds by what is there.

#pragma once

#include <cstddef>
#include <string_view>

#include "redis_api.h"

namespace tamis {

class LoadedString {
 public:
  explicit LoadedString(RedisIo* io)
      : bytes_(redis.LoadStringBuffer(io, &length_)) {}
  LoadedString(const LoadedString&) = delete;
  LoadedString& operator=(const LoadedString&) = delete;
  ~LoadedString() {
    if (bytes_ != nullptr) redis.Free(bytes_);
  }

  bool ok() const noexcept { return bytes_ != nullptr; }
  std::string_view bytes() const noexcept { return {bytes_, length_}; }

 private:
  std::size_t length_ = 0;
  char* bytes_;
};

}  // namespace tamis
