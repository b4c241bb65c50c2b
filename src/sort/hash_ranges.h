// SPDX-License-Identifier: Apache-2.0
// sort/hash_ranges.h -- the second half of a KeyHashSet: reads ranges of its
// sorted parts.

#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "base/spill_file.h"
#include "sort/hash_buffer.h"
#include "sort/hash_collector.h"
#include "tamis/result.h"

namespace tamis {

// Sorted parts without duplicates.
struct SortedHashParts {
  std::span<const HashPart> parts;
  unsigned part_bits = 0;
  const SpillFile* file = nullptr;  // null: all are in memory

  std::size_t PartOf(std::uint64_t hash) const noexcept {
    return part_bits == 0 ? 0
                          : static_cast<std::size_t>(hash >> (64 - part_bits));
  }
};

// Reads ranges in ascending order, for one thread.
class HashRangeReader {
 public:
  explicit HashRangeReader(SortedHashParts hashes) noexcept : hashes_(hashes) {}

  // Returns the hashes h with first <= h <= last, valid until the next call.
  // Throws bad_alloc.
  // REQUIRES: first <= last; first is above the previous range
  Result<std::span<const std::uint64_t>> Read(std::uint64_t first,
                                              std::uint64_t last);

 private:
  using Hashes = std::span<const std::uint64_t>;

  Status Load(std::size_t part);
  Status LoadFromFile(std::size_t part);
  // Appends the part's hashes up to and including `last`.
  Status AppendUpTo(std::size_t part, std::uint64_t last);

  const SortedHashParts hashes_;
  std::size_t loaded_part_ = ~std::size_t{0};
  Hashes loaded_;
  std::size_t position_ = 0;           // in loaded_, of the next range
  HashBuffer buffer_;                  // of what is loaded from the file
  std::vector<std::uint64_t> pieces_;  // of a range in several parts
};

}  // namespace tamis
