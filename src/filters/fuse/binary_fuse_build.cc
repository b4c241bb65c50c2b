// SPDX-License-Identifier: Apache-2.0
#include "filters/fuse/binary_fuse_build.h"

#include <algorithm>
#include <array>
#include <cassert>
#include <cstring>
#include <numeric>

namespace tamis {
namespace {

constexpr std::size_t kStretch = 4096;
constexpr std::size_t kGroup = 8;
constexpr std::size_t kAhead = 64;
// A full array is enlarged after so many seeds.
constexpr unsigned kSeedsPerShape = 4;

// Returns a bound on the distance between a key's cells.
std::size_t ReachOf(const FuseShape& shape, unsigned arity) noexcept {
  return (std::size_t{arity} - 1) << shape.segment_bits | 1;
}

// A cell that was left with one key, and that key.
template <unsigned kArity>
struct Candidate {
  std::uint32_t cell;
  std::uint64_t position;
  std::array<std::uint64_t, kArity> slots;
};

}  // namespace

bool FusePeeler::Reserve(std::uint64_t cells) noexcept {
  static_assert(kBytesPerCell ==
                sizeof(*sums_) + sizeof(*order_) + sizeof(*counts_));
  if (cells <= room_) return true;
  if (cells > std::uint64_t{1} << 32) return false;  // order_ has 32 bits
  room_ = 0;
  memory_.reset();  // frees the old before allocating the new
  // One more in order_: its end is written before it is known to be needed.
  memory_ = NewMemory(static_cast<std::size_t>(cells * kBytesPerCell) +
                      sizeof(*order_));
  if (memory_ == nullptr) return false;
  room_ = cells;
  sums_ = reinterpret_cast<std::uint64_t*>(memory_.get());
  order_ = reinterpret_cast<std::uint32_t*>(sums_ + cells);
  counts_ = reinterpret_cast<std::uint8_t*>(order_ + cells + 1);
  return true;
}

bool FusePeeler::Peel(const FuseKeys& keys, const FuseShape& shape,
                      unsigned arity, std::uint64_t seed) noexcept {
  assert(FuseCells(shape, arity) <= room_);
  shape_ = shape;
  arity_ = arity;
  seed_ = seed;
  return arity == 3 ? PeelAs<3>(keys) : PeelAs<4>(keys);
}

template <unsigned kArity>
bool FusePeeler::PeelAs(const FuseKeys& keys) noexcept {
  if (!Count<kArity>(keys)) return false;
  TakeAll<kArity>();
  return taken_ == keys.hashes.size();
}

// False: a cell has more keys than a byte can count.
template <unsigned kArity>
bool FusePeeler::Count(const FuseKeys& keys) noexcept {
  const auto [shape, seed, sums, order, counts] = InRegisters();
  const std::uint64_t scale = keys.scale;
  const auto cells = static_cast<std::size_t>(FuseCells(shape, kArity));
  const std::size_t reach = ReachOf(shape, kArity);
  // Cells are cleared just before their keys arrive: they are then in a cache.
  std::size_t cleared = 0;
  const auto clear_to = [&, all_sums = sums,
                         all_counts = counts](std::size_t end) {
    std::memset(all_sums + cleared, 0, (end - cleared) * sizeof(*all_sums));
    std::memset(all_counts + cleared, 0, end - cleared);
    cleared = end;
  };
  for (const std::uint64_t hash : keys.hashes) {
    const std::uint64_t position = hash * scale;
    const auto probe = FuseProbeFor<kArity>(position, shape, seed);
    const std::size_t end = static_cast<std::size_t>(probe.slots[0]) + reach;
    if (end > cleared) clear_to(std::min(cells, end + kStretch));
    for (const std::uint64_t slot : probe.slots) {
      sums[slot] ^= position;
      ++counts[slot];
    }
  }
  if (cleared < cells) clear_to(cells);
  return std::accumulate(counts, counts + cells, std::uint64_t{0}) ==
         kArity * keys.hashes.size();
}

// Cells that are left with one key are appended to order_, and processed in
// that order, several at a time, so that their memory accesses overlap; those
// that still have their key then settle it, and stay in order_.  A range of
// cells is searched at a time, so that memory accesses stay close together.
template <unsigned kArity>
void FusePeeler::TakeAll() noexcept {
  const auto [shape, seed, sums, order, counts] = InRegisters();
  const auto cells = static_cast<std::size_t>(FuseCells(shape, kArity));
  const std::size_t reach = ReachOf(shape, kArity) + kStretch;
  std::size_t end = 0;   // of what was appended to order_
  std::size_t next = 0;  // to be processed
  std::size_t taken = 0;
  for (std::size_t from = 0; from < cells; from += kStretch) {
    const std::size_t to = std::min(cells, from + kStretch);
    for (std::size_t cell = from; cell < to; ++cell) {
      order[end] = static_cast<std::uint32_t>(cell);
      end += counts[cell] == 1 ? 1u : 0u;
      if (cell % 8 == 0) __builtin_prefetch(sums + cell + reach, 1, 2);
    }
    while (next < end) {
      std::array<Candidate<kArity>, kGroup> group;
      const std::size_t size = std::min(kGroup, end - next);
      for (std::size_t i = 0; i < size; ++i) {
        const std::uint32_t cell = order[next++];
        group[i] = {cell, sums[cell],
                    FuseProbeFor<kArity>(sums[cell], shape, seed).slots};
      }
      for (std::size_t i = 0; i < size; ++i) {
        const auto& [cell, position, slots] = group[i];
        if (counts[cell] == 0) continue;  // another cell has settled the key
        order[taken++] = cell;
        for (const std::uint64_t slot : slots) {
          sums[slot] ^= position;
          order[end] = static_cast<std::uint32_t>(slot);
          end += --counts[slot] == 1 ? 1u : 0u;
        }
        sums[cell] = position;  // for Assign()
      }
    }
  }
  taken_ = taken;
}

void FusePeeler::Assign(unsigned cell_bits, unsigned char* out) const noexcept {
  if (cell_bits == 8) return AssignCells<std::uint8_t>(out);
  if (cell_bits == 16) return AssignCells<std::uint16_t>(out);
  AssignCells<std::uint32_t>(out);
}

template <typename Cell>
void FusePeeler::AssignCells(unsigned char* out) const noexcept {
  if (arity_ == 3) return AssignAs<Cell, 3>(out);
  AssignAs<Cell, 4>(out);
}

// A key's own cell is still 0, and no later key has it.
template <typename Cell, unsigned kArity>
void FusePeeler::AssignAs(unsigned char* out) const noexcept {
  const auto [shape, seed, sums, order, counts] = InRegisters();
  for (std::size_t i = taken_; i-- > 0;) {
    const std::uint32_t cell = order[i];
    if (i >= kAhead) __builtin_prefetch(sums + order[i - kAhead], 0, 2);
    const auto probe = FuseProbeFor<kArity>(sums[cell], shape, seed);
    StoreLittle(out + std::size_t{cell} * sizeof(Cell),
                FuseDifference<Cell>(out, probe));
  }
}

FuseSolution SolveFuse(const FuseKeys& keys, const FuseShape& planned,
                       unsigned arity, unsigned most_attempts,
                       FusePeeler* peeler) noexcept {
  FuseSolution solution;
  // So many keys for so few cells cannot be by chance.
  if (keys.hashes.size() > FuseCells(planned, arity)) return solution;
  for (unsigned attempt = 0; attempt < most_attempts; ++attempt) {
    solution.shape =
        EnlargedFuseShape(planned, arity, attempt / kSeedsPerShape);
    solution.seed = FuseSeed(attempt);
    if (!peeler->Reserve(FuseCells(solution.shape, arity))) {
      solution.outcome = FuseOutcome::kNoMemory;
      return solution;
    }
    if (peeler->Peel(keys, solution.shape, arity, solution.seed)) {
      solution.outcome = FuseOutcome::kSolved;
      return solution;
    }
  }
  return solution;
}

}  // namespace tamis
