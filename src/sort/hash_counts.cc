// SPDX-License-Identifier: Apache-2.0
#include "sort/hash_counts.h"

#include <limits>
#include <new>
#include <utility>

namespace tamis {

bool HashCounts::Add(std::uint64_t hash) noexcept {
  if (used_ >= places_ / 4 * 3 && !Grow()) return false;
  const std::size_t place = PlaceOf(hash);
  std::uint32_t& count = counts_[place];
  if (count == std::numeric_limits<std::uint32_t>::max()) return false;
  if (count == 0) {
    hashes_[place] = hash;
    ++used_;
  }
  ++count;
  return true;
}

bool HashCounts::Take(std::uint64_t hash) noexcept {
  if (CountOf(hash) == 0) return false;
  const std::size_t place = PlaceOf(hash);
  if (--counts_[place] == 0) Remove(place);
  return true;
}

std::size_t HashCounts::PlaceOf(std::uint64_t hash) const noexcept {
  std::size_t place = HomeOf(hash);
  while (counts_[place] != 0 && hashes_[place] != hash) {
    place = (place + 1) & (places_ - 1);
  }
  return place;
}

void HashCounts::Remove(std::size_t place) noexcept {
  const std::size_t mask = places_ - 1;
  std::size_t hole = place;
  for (std::size_t next = (hole + 1) & mask; counts_[next] != 0;
       next = (next + 1) & mask) {
    // It may move into the hole unless its probe sequence starts after the
    // hole.
    const std::size_t from_home = (next - HomeOf(hashes_[next])) & mask;
    if (from_home < ((next - hole) & mask)) continue;
    hashes_[hole] = hashes_[next];
    counts_[hole] = counts_[next];
    hole = next;
  }
  counts_[hole] = 0;
  --used_;
}

bool HashCounts::Grow() noexcept {
  constexpr std::size_t kFirstPlaces = 16;
  HashCounts larger;
  larger.places_ = places_ == 0 ? kFirstPlaces : 2 * places_;
  larger.hashes_.reset(new (std::nothrow) std::uint64_t[larger.places_]);
  larger.counts_.reset(new (std::nothrow) std::uint32_t[larger.places_]());
  if (larger.hashes_ == nullptr || larger.counts_ == nullptr) return false;
  for (std::size_t i = 0; i < places_; ++i) {
    if (counts_[i] == 0) continue;
    const std::size_t place = larger.PlaceOf(hashes_[i]);
    larger.hashes_[place] = hashes_[i];
    larger.counts_[place] = counts_[i];
  }
  larger.used_ = used_;
  *this = std::move(larger);
  return true;
}

}  // namespace tamis
