// SPDX-License-Identifier: Apache-2.0
// sort/hash_counts.h -- how often each 64-bit hash is there: a hash
// table of 12 bytes a place, between 3/8 and 3/4 full.

#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>

namespace tamis {

class HashCounts {
 public:
  // One more.  False: no memory, or 2^32 - 1 already; nothing was changed.
  bool Add(std::uint64_t hash) noexcept;
  // One less.  False: there is none.
  bool Take(std::uint64_t hash) noexcept;

  std::uint32_t CountOf(std::uint64_t hash) const noexcept {
    return places_ == 0 ? 0 : counts_[PlaceOf(hash)];
  }

 private:
  // Where the hash is, or the empty place where it would go.
  // REQUIRES: places_ > 0
  std::size_t PlaceOf(std::uint64_t hash) const noexcept;
  // The place from which the search for a hash begins.
  std::size_t HomeOf(std::uint64_t hash) const noexcept {
    return static_cast<std::size_t>(hash) & (places_ - 1);
  }
  // Empties the place, so that whatever lies behind it is found as before.
  void Remove(std::size_t place) noexcept;
  bool Grow() noexcept;

  std::size_t places_ = 0;  // a power of two, or none at all
  std::size_t used_ = 0;
  std::unique_ptr<std::uint64_t[]> hashes_;
  std::unique_ptr<std::uint32_t[]> counts_;  // 0: the place is empty
};

}  // namespace tamis
