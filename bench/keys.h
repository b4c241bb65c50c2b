// SPDX-License-Identifier: Apache-2.0
// bench/keys.h -- an endless sequence of keys, some thousands at a time.

#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "tamis/slice.h"

namespace tamis::bench {

// Keys are numbered; different numbers give different keys, which look
// random.  A chunk has the keys of some numbers in memory that is reused: so
// they are in cache when they are queried, and the filter is measured, not how
// fast keys stream in from memory.
class KeyChunk {
 public:
  static constexpr std::size_t kFewestKeyBytes = 8;  // a whole number fits in

  // REQUIRES: key_bytes >= kFewestKeyBytes
  KeyChunk(std::size_t most_keys, std::size_t key_bytes);
  KeyChunk(const KeyChunk&) = delete;
  KeyChunk& operator=(const KeyChunk&) = delete;

  // The keys of first, first + 1, ...  REQUIRES: count <= most_keys
  void FillFrom(std::uint64_t first, std::size_t count);
  // Keys of numbers below `end`: at random, but draw number `first_draw` and
  // those after it are always the same.
  void FillBelow(std::uint64_t end, std::uint64_t first_draw,
                 std::size_t count);

  std::size_t most_keys() const { return slices_.size(); }
  std::span<const Slice> keys() const { return {slices_.data(), count_}; }
  std::span<const std::uint64_t> numbers() const {
    return {numbers_.data(), count_};
  }

 private:
  void Write();  // the keys of numbers()

  std::size_t key_bytes_;
  std::size_t count_ = 0;
  std::string bytes_;
  std::vector<Slice> slices_;  // each of its place in bytes_
  std::vector<std::uint64_t> numbers_;
};

}  // namespace tamis::bench
