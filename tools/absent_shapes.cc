// SPDX-License-Identifier: Apache-2.0
#include "absent_shapes.h"

#include <algorithm>
#include <cstddef>
#include <utility>

namespace tamis::tools {
namespace {

// Returns the first character of the class, and sets *size to how many it has;
// 256: any byte.
unsigned ClassOf(char c, unsigned* size) {
  *size = 10;
  if (c >= '0' && c <= '9') return '0';
  *size = 26;
  if (c >= 'a' && c <= 'z') return 'a';
  if (c >= 'A' && c <= 'Z') return 'A';
  *size = 256;
  return 0;
}

// Returns whether `key`, which was made from keys[from], is after the first and
// before the last of the keys, and is none of them.  They ascend or descend.
// The search starts where the key came from, which it is mostly close to.
bool IsBetween(std::string_view key, std::span<const std::string_view> keys,
               std::size_t from) {
  const bool ascends = keys.front() < keys.back();
  const auto [least, most] = ascends ? std::pair(keys.front(), keys.back())
                                     : std::pair(keys.back(), keys.front());
  if (key <= least || most <= key) return false;
  const auto is_before = [&](std::string_view a, std::string_view b) {
    return ascends ? a < b : b < a;
  };
  std::size_t low = from;   // all before it are before `key`
  std::size_t high = from;  // it is not, or it is the end
  for (std::size_t step = 1; low > 0 && !is_before(keys[low - 1], key);) {
    high = low - 1;
    low -= std::min(low, step);
    step *= 2;
  }
  for (std::size_t step = 1;
       high < keys.size() && is_before(keys[high], key);) {
    low = high + 1;
    high = std::min(keys.size(), high + step);
    step *= 2;
  }
  const auto at = [&](std::size_t i) {
    return keys.begin() + static_cast<std::ptrdiff_t>(i);
  };
  const auto next = std::lower_bound(at(low), at(high), key, is_before);
  return *next != key;
}

}  // namespace

// SplitMix64.
std::uint64_t AbsentShapes::Random() {
  state_ += 0x9e3779b97f4a7c15;
  std::uint64_t z = state_;
  z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9;
  z = (z ^ (z >> 27)) * 0x94d049bb133111eb;
  return z ^ (z >> 31);
}

void AbsentShapes::Change(std::string_view key, std::string* like) {
  constexpr std::size_t kLast = 8;  // characters that may change
  constexpr std::uint64_t kMaxChanges = 3;
  like->assign(key);
  if (key.empty()) return;
  const std::size_t last = std::min(kLast, key.size());
  const std::uint64_t changes = 1 + Random() % kMaxChanges;
  for (std::uint64_t i = 0; i < changes; ++i) {
    // Mostly one of the very last, which is where neighbours differ.
    const std::size_t at = key.size() - 1 - Random() % (1 + Random() % last);
    unsigned size;
    const unsigned first = ClassOf((*like)[at], &size);
    (*like)[at] = static_cast<char>(first + Random() % size);
  }
}

void AbsentShapes::Lengthen(std::string_view key, std::string* like) {
  like->assign(key);
  unsigned size;
  const unsigned first = ClassOf(key.empty() ? '0' : key.back(), &size);
  *like += static_cast<char>(first + Random() % size);
}

bool AbsentShapes::Between(std::span<const std::string_view> keys,
                           std::string* absent) {
  constexpr int kTries = 8;
  if (keys.size() < 2) return false;
  for (int i = 0; i < 2 * kTries; ++i) {
    const std::size_t from = Random() % keys.size();
    const std::string_view key = keys[from];
    if (i < kTries) {
      Change(key, absent);
    } else {
      Lengthen(key, absent);
    }
    if (IsBetween(*absent, keys, from)) return true;
  }
  return false;
}

}  // namespace tamis::tools
