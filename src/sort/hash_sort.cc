// SPDX-License-Identifier: Apache-2.0
#include "sort/hash_sort.h"

#include <algorithm>
#include <array>
#include <bit>
#include <utility>

namespace tamis {
namespace {

constexpr std::size_t kMaxGroup = kMaxSortedWithoutScratch;
constexpr unsigned kMaxGroupBits = 11;
// The first pass uses so many bits that groups have about 2^kGroupBits hashes,
// unless that means more places to write to than caches can follow.
constexpr unsigned kGroupBits = 10;
constexpr unsigned kMaxFirstBits = 11;
// Hardly ever do more than a dozen hashes go to the same place; more are not
// worth an insertion sort.
constexpr std::uint32_t kMaxAtOnePlace = 32;
// If more than this share of a group stays together, the input is not hashes.
constexpr std::size_t kMinSplit = 4;
constexpr std::size_t kAhead = 12;  // hashes

using Hashes = std::span<std::uint64_t>;

std::size_t SortAsNumbers(Hashes hashes) noexcept {
  // Many equal hashes are the most likely reason for being here.
  const auto end = std::unique(hashes.begin(), hashes.end());
  std::sort(hashes.begin(), end);
  return static_cast<std::size_t>(std::unique(hashes.begin(), end) -
                                  hashes.begin());
}

// Turns counts into the positions of the first of each.
template <typename Count>
void TurnIntoStarts(std::span<Count> counts) noexcept {
  Count start = 0;
  for (Count& count : counts) start += std::exchange(count, start);
}

// REQUIRES: sorted[-1] exists and is no larger than any of them
void SortNearlySorted(std::uint64_t* sorted, std::size_t count) noexcept {
  for (std::size_t i = 1; i < count; ++i) {
    const std::uint64_t hash = sorted[i];
    std::uint64_t* place = sorted + i;
    for (; place[-1] > hash; --place) *place = place[-1];
    *place = hash;
  }
}

// Copies the distinct numbers of `sorted` to *to; returns their end.
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
// Changes the group.  REQUIRES: 1 <= group.size() <= kMaxGroup
std::uint64_t* SortGroup(Hashes group, unsigned known_bits,
                         std::uint64_t* to) noexcept {
  const unsigned bits =
      std::min({static_cast<unsigned>(std::bit_width(group.size())),
                kMaxGroupBits, 64 - known_bits});
  const unsigned shift = 64 - known_bits - bits;
  const std::size_t places = std::size_t{1} << bits;
  const std::size_t mask = places - 1;

  std::array<std::uint32_t, std::size_t{1} << kMaxGroupBits> starts;
  std::fill_n(starts.begin(), places, 0);
  std::uint32_t most = 0;
  for (const std::uint64_t hash : group) {
    most = std::max(most, ++starts[(hash >> shift) & mask]);
  }
  if (most > kMaxAtOnePlace) {
    const std::size_t count = SortAsNumbers(group);
    return std::copy_n(group.begin(), count, to);
  }
  TurnIntoStarts(std::span(starts).first(places));
  std::uint64_t ordered[1 + kMaxGroup];
  ordered[0] = 0;
  for (const std::uint64_t hash : group) {
    ordered[1 + starts[(hash >> shift) & mask]++] = hash;
  }
  SortNearlySorted(ordered + 1, group.size());
  return CopyDistinct(ordered + 1, group.size(), to);
}

std::size_t SortLarge(Hashes hashes, Hashes scratch,
                      unsigned known_bits) noexcept {
  const unsigned bits = std::min(
      {static_cast<unsigned>(std::bit_width(hashes.size())) - kGroupBits,
       kMaxFirstBits, 64 - known_bits});
  const unsigned shift = 64 - known_bits - bits;
  const std::size_t groups = std::size_t{1} << bits;
  const std::size_t mask = groups - 1;

  std::array<std::size_t, (std::size_t{1} << kMaxFirstBits)> ends;
  std::fill_n(ends.begin(), groups, 0);
  for (const std::uint64_t hash : hashes) ++ends[(hash >> shift) & mask];
  if (*std::max_element(ends.begin(), ends.begin() + groups) >
      std::max(hashes.size() / kMinSplit, kMaxGroup)) {
    return SortAsNumbers(hashes);
  }
  TurnIntoStarts(std::span(ends).first(groups));
  for (const std::uint64_t hash : hashes) {
    std::uint64_t* const place = &scratch[ends[(hash >> shift) & mask]++];
    *place = hash;
    // No hardware prefetcher follows so many places.  Beyond the end it is
    // harmless.
    __builtin_prefetch(place + kAhead, 1);
  }

  // From here on `hashes` is free, and is written no faster than it is read.
  std::uint64_t* to = hashes.data();
  std::size_t start = 0;
  for (std::size_t i = 0; i < groups; ++i) {
    const Hashes group = scratch.subspan(start, ends[i] - start);
    if (group.size() > kMaxGroup) {
      const std::size_t count = SortDistinct(
          group, hashes.subspan(start, group.size()), known_bits + bits);
      to = std::copy_n(group.begin(), count, to);
    } else if (!group.empty()) {
      to = SortGroup(group, known_bits + bits, to);
    }
    start = ends[i];
  }
  return static_cast<std::size_t>(to - hashes.data());
}

}  // namespace

std::size_t SortDistinct(Hashes hashes, Hashes scratch,
                         unsigned known_bits) noexcept {
  if (hashes.empty()) return 0;
  if (hashes.size() <= kMaxGroup) {
    return static_cast<std::size_t>(
        SortGroup(hashes, known_bits, hashes.data()) - hashes.data());
  }
  if (scratch.size() < hashes.size()) return SortAsNumbers(hashes);
  return SortLarge(hashes, scratch, known_bits);
}

}  // namespace tamis
