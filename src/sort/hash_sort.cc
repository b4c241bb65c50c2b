#include "sort/hash_sort.h"

#include <algorithm>
#include <array>
#include <bit>
#include <utility>

namespace tamis {
namespace {

constexpr std::size_t kMostGroup = kMostSortedWithoutScratch;
constexpr unsigned kMostGroupBits = 11;
// A first pass by so many bits that the groups are about 2^kGroupBits large,
// if that is not more places at once than caches can follow.
constexpr unsigned kGroupBits = 10;
constexpr unsigned kMostFirstBits = 11;
// Of hashes hardly ever more than a dozen go to the same place; more are not
// worth shifting one by one.
constexpr std::uint32_t kMostAtOnePlace = 32;
// A group that keeps more than this part of its digests together is no hash's.
constexpr std::size_t kLeastSplit = 4;
constexpr std::size_t kAhead = 12;  // digests

using Digests = std::span<std::uint64_t>;

std::size_t SortAsNumbers(Digests digests) noexcept {
  // Many equal ones are the most likely reason for being here.
  const auto end = std::unique(digests.begin(), digests.end());
  std::sort(digests.begin(), end);
  return static_cast<std::size_t>(std::unique(digests.begin(), end) -
                                  digests.begin());
}

// From how many there are of each to where the first of each goes.
template <typename Count>
void TurnIntoStarts(std::span<Count> counts) noexcept {
  Count start = 0;
  for (Count& count : counts) start += std::exchange(count, start);
}

// REQUIRES: sorted[-1] exists and is no larger than any of them
void SortNearlySorted(std::uint64_t* sorted, std::size_t count) noexcept {
  for (std::size_t i = 1; i < count; ++i) {
    const std::uint64_t digest = sorted[i];
    std::uint64_t* place = sorted + i;
    for (; place[-1] > digest; --place) *place = place[-1];
    *place = digest;
  }
}

// The different ones of `sorted` to *to; returns their end.
std::uint64_t* CopyDistinct(const std::uint64_t* sorted, std::size_t count,
                            std::uint64_t* to) noexcept {
  for (std::size_t i = 0; i + 1 < count; ++i) {
    *to = sorted[i];
    to += sorted[i] != sorted[i + 1] ? 1 : 0;
  }
  *to = sorted[count - 1];
  return to + 1;
}

// Sorts a group into *to, which may be the group's own place; returns the end.
// Changes the group.  REQUIRES: 1 <= group.size() <= kMostGroup
std::uint64_t* SortGroup(Digests group, unsigned known_bits,
                         std::uint64_t* to) noexcept {
  const unsigned bits =
      std::min({static_cast<unsigned>(std::bit_width(group.size())),
                kMostGroupBits, 64 - known_bits});
  const unsigned shift = 64 - known_bits - bits;
  const std::size_t places = std::size_t{1} << bits;
  const std::size_t mask = places - 1;

  std::array<std::uint32_t, std::size_t{1} << kMostGroupBits> starts;
  std::fill_n(starts.begin(), places, 0);
  std::uint32_t most = 0;
  for (const std::uint64_t digest : group) {
    most = std::max(most, ++starts[(digest >> shift) & mask]);
  }
  if (most > kMostAtOnePlace) {
    const std::size_t count = SortAsNumbers(group);
    return std::copy_n(group.begin(), count, to);
  }
  TurnIntoStarts(std::span(starts).first(places));
  std::uint64_t ordered[1 + kMostGroup];
  ordered[0] = 0;
  for (const std::uint64_t digest : group) {
    ordered[1 + starts[(digest >> shift) & mask]++] = digest;
  }
  SortNearlySorted(ordered + 1, group.size());
  return CopyDistinct(ordered + 1, group.size(), to);
}

std::size_t SortLarge(Digests digests, Digests scratch,
                      unsigned known_bits) noexcept {
  const unsigned bits = std::min(
      {static_cast<unsigned>(std::bit_width(digests.size())) - kGroupBits,
       kMostFirstBits, 64 - known_bits});
  const unsigned shift = 64 - known_bits - bits;
  const std::size_t groups = std::size_t{1} << bits;
  const std::size_t mask = groups - 1;

  std::array<std::size_t, (std::size_t{1} << kMostFirstBits)> ends;
  std::fill_n(ends.begin(), groups, 0);
  for (const std::uint64_t digest : digests) ++ends[(digest >> shift) & mask];
  if (*std::max_element(ends.begin(), ends.begin() + groups) >
      std::max(digests.size() / kLeastSplit, kMostGroup)) {
    return SortAsNumbers(digests);
  }
  TurnIntoStarts(std::span(ends).first(groups));
  for (const std::uint64_t digest : digests) {
    std::uint64_t* const place = &scratch[ends[(digest >> shift) & mask]++];
    *place = digest;
    // No processor foresees so many places at once.  Beyond the end: harmless.
    __builtin_prefetch(place + kAhead, 1);
  }

  // From here on `digests` is free, and fills up no faster than it is read.
  std::uint64_t* to = digests.data();
  std::size_t start = 0;
  for (std::size_t i = 0; i < groups; ++i) {
    const Digests group = scratch.subspan(start, ends[i] - start);
    if (group.size() > kMostGroup) {
      const std::size_t count = SortDistinct(
          group, digests.subspan(start, group.size()), known_bits + bits);
      to = std::copy_n(group.begin(), count, to);
    } else if (!group.empty()) {
      to = SortGroup(group, known_bits + bits, to);
    }
    start = ends[i];
  }
  return static_cast<std::size_t>(to - digests.data());
}

}  // namespace

std::size_t SortDistinct(Digests digests, Digests scratch,
                         unsigned known_bits) noexcept {
  if (digests.empty()) return 0;
  if (digests.size() <= kMostGroup) {
    return static_cast<std::size_t>(
        SortGroup(digests, known_bits, digests.data()) - digests.data());
  }
  if (scratch.size() < digests.size()) return SortAsNumbers(digests);
  return SortLarge(digests, scratch, known_bits);
}

}  // namespace tamis
