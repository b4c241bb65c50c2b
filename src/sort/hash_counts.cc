#include "sort/hash_counts.h"

#include <limits>
#include <new>
#include <utility>

namespace tamis {

bool DigestCounts::Add(std::uint64_t digest) noexcept {
  if (used_ >= places_ / 4 * 3 && !Grow()) return false;
  const std::size_t place = PlaceOf(digest);
  std::uint32_t& count = counts_[place];
  if (count == std::numeric_limits<std::uint32_t>::max()) return false;
  if (count == 0) {
    digests_[place] = digest;
    ++used_;
  }
  ++count;
  return true;
}

bool DigestCounts::Take(std::uint64_t digest) noexcept {
  if (CountOf(digest) == 0) return false;
  const std::size_t place = PlaceOf(digest);
  if (--counts_[place] == 0) Remove(place);
  return true;
}

std::size_t DigestCounts::PlaceOf(std::uint64_t digest) const noexcept {
  std::size_t place = HomeOf(digest);
  while (counts_[place] != 0 && digests_[place] != digest) {
    place = (place + 1) & (places_ - 1);
  }
  return place;
}

void DigestCounts::Remove(std::size_t place) noexcept {
  const std::size_t mask = places_ - 1;
  std::size_t hole = place;
  for (std::size_t next = (hole + 1) & mask; counts_[next] != 0;
       next = (next + 1) & mask) {
    // It may move into the hole unless its search begins behind that.
    const std::size_t from_home = (next - HomeOf(digests_[next])) & mask;
    if (from_home < ((next - hole) & mask)) continue;
    digests_[hole] = digests_[next];
    counts_[hole] = counts_[next];
    hole = next;
  }
  counts_[hole] = 0;
  --used_;
}

bool DigestCounts::Grow() noexcept {
  constexpr std::size_t kFirstPlaces = 16;
  DigestCounts larger;
  larger.places_ = places_ == 0 ? kFirstPlaces : 2 * places_;
  larger.digests_.reset(new (std::nothrow) std::uint64_t[larger.places_]);
  larger.counts_.reset(new (std::nothrow) std::uint32_t[larger.places_]());
  if (larger.digests_ == nullptr || larger.counts_ == nullptr) return false;
  for (std::size_t i = 0; i < places_; ++i) {
    if (counts_[i] == 0) continue;
    const std::size_t place = larger.PlaceOf(digests_[i]);
    larger.digests_[place] = digests_[i];
    larger.counts_[place] = counts_[i];
  }
  larger.used_ = used_;
  *this = std::move(larger);
  return true;
}

}  // namespace tamis
