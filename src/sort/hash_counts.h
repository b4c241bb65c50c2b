// SPDX-License-Identifier: Apache-2.0
// sort/hash_counts.h -- counts occurrences of 64-bit hashes: a hash table of 12
// bytes per slot, between 3/8 and 3/4 full.

#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>

namespace tamis {

class HashCounts {
 public:
  // Counts one more.  False: no memory, or the count is 2^32 - 1 already;
  // nothing was changed.
  bool Add(std::uint64_t hash) noexcept;
  // Counts one less.  False: the count is 0.
  bool Take(std::uint64_t hash) noexcept;

  std::uint32_t CountOf(std::uint64_t hash) const noexcept {
    return places_ == 0 ? 0 : counts_[PlaceOf(hash)];
  }

 private:
  // Returns the slot of the hash, or the empty slot where it would go.
  // REQUIRES: places_ > 0
  std::size_t PlaceOf(std::uint64_t hash) const noexcept;
  // Returns the slot where the search for a hash starts.
  std::size_t HomeOf(std::uint64_t hash) const noexcept {
    return static_cast<std::size_t>(hash) & (places_ - 1);
  }
  // Empties the slot, and keeps everything after it reachable.
  void Remove(std::size_t place) noexcept;
  bool Grow() noexcept;

  std::size_t places_ = 0;  // a power of two, or 0
  std::size_t used_ = 0;
  std::unique_ptr<std::uint64_t[]> hashes_;
  std::unique_ptr<std::uint32_t[]> counts_;  // 0: the slot is empty
};

}  // namespace tamis
