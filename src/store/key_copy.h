// SPDX-License-Identifier: Apache-2.0
// store/key_copy.h -- a copy of a user key that is made and compared for every
// entry of a scan: short keys cost neither an allocation nor a call.

#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string>

#include "base/coding.h"
#include "table/internal_key.h"
#include "tamis/slice.h"

namespace tamis {

class KeyCopy {
 public:
  KeyCopy() = default;  // of the empty key

  // REQUIRES: `internal` has a trailer
  [[gnu::always_inline]] void Assign(Slice internal) {
    size_ = internal.size() - kTrailerBytes;
    if (size_ > kShort) {
      longer_.assign(internal.data(), size_);
      return;
    }
    // The last word may have bytes of the trailer, which do no harm.
    for (std::size_t i = 0; i < size_; i += kWord) {
      std::memcpy(here_ + i, internal.data() + i, kWord);
    }
  }

  Slice key() const noexcept {
    return {size_ > kShort ? longer_.data() : here_, size_};
  }

  // Returns whether the copy comes before that key.
  [[gnu::always_inline]] bool IsBefore(Slice user_key,
                                       const KeyOrder& order) const noexcept {
    const Slice mine = key();
    if (!order.is_bytewise()) return order.CompareUser(mine, user_key) < 0;
    const std::size_t most = std::min(size_, user_key.size());
    std::size_t i = 0;
    for (; i + kWord <= std::min(most, kShort); i += kWord) {
      const auto a = LoadBig<std::uint64_t>(mine.data() + i);
      const auto b = LoadBig<std::uint64_t>(user_key.data() + i);
      if (a != b) return a < b;
    }
    return mine.substr(i).compare(user_key.substr(i)) < 0;
  }

 private:
  static constexpr std::size_t kWord = 8;
  static constexpr std::size_t kShort = 64;

  std::size_t size_ = 0;
  char here_[kShort];
  std::string longer_;
};

}  // namespace tamis
