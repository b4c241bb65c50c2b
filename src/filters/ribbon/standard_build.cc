// SPDX-License-Identifier: Apache-2.0
#include "filters/ribbon/standard_build.h"

#include <algorithm>
#include <array>
#include <bit>
#include <new>
#include <utility>

namespace tamis {
namespace {

// Sorts rehashes by the upper bits of their start, one heap at a time.
//
// The latest starts come first.  In any order an equation hits 5.5 others on
// average, but in this one two thirds find their row free at once and few hit
// very many: branch prediction works better for such a loop.
class StartSorter {
 public:
  explicit StartSorter(std::uint64_t starts) : starts_(starts) {}

  // False: no memory.
  bool Reserve(std::uint64_t rehashes) noexcept {
    const std::uint64_t most = std::min(rehashes, kHeap);
    memory_ = NewMemory(2 * most * sizeof(std::uint64_t));
    if (memory_ == nullptr) return false;
    heap_ = new (memory_.get()) std::uint64_t[2 * most];
    sorted_ = heap_ + most;
    room_ = most;
    return true;
  }

  // Returns how many more fit into the heap.
  std::size_t room() const noexcept { return room_ - count_; }

  // REQUIRES: rehashes.size() <= room()
  void Push(std::span<const std::uint64_t> rehashes) noexcept {
    std::copy(rehashes.begin(), rehashes.end(), heap_ + count_);
    count_ += rehashes.size();
  }

  // Returns all that were pushed, sorted, and empties the heap.
  std::span<const std::uint64_t> Sort() noexcept;

 private:
  // The heap fits a second-level cache, and the rows of one of kPlaces places
  // fit the first.
  static constexpr std::uint64_t kHeap = std::uint64_t{1} << 18;
  static constexpr unsigned kPlaces = 2048;

  std::uint64_t starts_;
  MemoryBlock<unsigned char> memory_;
  std::uint64_t* heap_ = nullptr;
  std::uint64_t* sorted_ = nullptr;
  std::size_t room_ = 0;
  std::size_t count_ = 0;
};

std::span<const std::uint64_t> StartSorter::Sort() noexcept {
  const std::span<const std::uint64_t> heap(heap_, count_);
  count_ = 0;
  if (heap.empty()) return heap;
  // A larger rehash never has an earlier start: the extremes span the rest.
  const auto [least, most] = std::minmax_element(heap.begin(), heap.end());
  const std::uint64_t first = RibbonStart(*least, starts_);
  const std::uint64_t range = RibbonStart(*most, starts_) - first;
  const auto shift = static_cast<unsigned>(std::bit_width(range / kPlaces));
  const auto place_of = [this, first, shift](std::uint64_t rehash) {
    return kPlaces - 1 - ((RibbonStart(rehash, starts_) - first) >> shift);
  };
  std::array<std::uint32_t, kPlaces + 1> next = {};
  for (const std::uint64_t rehash : heap) ++next[place_of(rehash) + 1];
  for (unsigned i = 1; i <= kPlaces; ++i) next[i] += next[i - 1];
  for (const std::uint64_t rehash : heap) {
    sorted_[next[place_of(rehash)]++] = rehash;
  }
  return {sorted_, heap.size()};
}

}  // namespace

bool RibbonBanding::Reserve(std::uint64_t slots) noexcept {
  constexpr std::size_t kRowBytes = sizeof(Row) + sizeof(std::uint32_t);
  memory_ = NewMemory(slots * kRowBytes);
  if (memory_ == nullptr) return false;
  slots_ = slots;
  rows_ = new (memory_.get()) Row[slots]();
  results_ = new (memory_.get() + slots * sizeof(Row)) std::uint32_t[slots]();
  return true;
}

void RibbonBanding::Clear() noexcept {
  std::fill_n(rows_, slots_, Row{});
  std::fill_n(results_, slots_, std::uint32_t{0});
}

bool RibbonBanding::Add(std::span<const std::uint64_t> rehashes,
                        std::uint64_t starts) noexcept {
  for (const std::uint64_t rehash : rehashes) {
    const RibbonEquation equation = RibbonEquationFor(rehash);
    auto low = static_cast<std::uint64_t>(equation.coefficients);
    auto high = static_cast<std::uint64_t>(equation.coefficients >> 64);
    std::uint32_t result = equation.result;
    std::uint64_t at = RibbonStart(rehash, starts);
    while (rows_[at].low != 0) {
      low ^= rows_[at].low;
      high ^= rows_[at].high;
      result ^= results_[at];
      if (low == 0) [[unlikely]] {
        if (high == 0) break;
        low = std::exchange(high, 0);
        at += 64;
      }
      const auto skip = static_cast<unsigned>(std::countr_zero(low));
      low = low >> skip | high << 1 << (63 - skip);
      high >>= skip;
      at += skip;
    }
    if (low != 0) {
      rows_[at] = {low, high};
      results_[at] = result;
    } else if (result != 0) {
      return false;
    }
  }
  return true;
}

// From the last row to the first.  For each column the last 128 solved rows are
// kept, the newest in bit 0, so that a row's coefficients are a mask for them.
// The columns are solved in parallel, because within a column each row depends
// on the row before.
void RibbonBanding::Solve(const RibbonShape& shape,
                          unsigned char* segments) const noexcept {
  std::array<std::uint64_t, kMaxStandardRibbonColumns> low = {};
  std::array<std::uint64_t, kMaxStandardRibbonColumns> high = {};
  unsigned char* out = segments + shape.segments * kRibbonSegmentBytes;
  for (std::uint64_t block = shape.blocks; block-- > 0;) {
    const unsigned columns = shape.columns - (block < shape.cut ? 1 : 0);
    const std::uint64_t first = block * kRibbonBlockSlots;
    for (std::uint64_t i = first + kRibbonBlockSlots; i-- > first;) {
      const Row row = rows_[i];
      const std::uint64_t result = results_[i];
      for (unsigned j = 0; j < columns; ++j) {
        high[j] = high[j] << 1 | low[j] >> 63;
        low[j] <<= 1;
        const std::uint64_t rows = (low[j] & row.low) ^ (high[j] & row.high);
        low[j] |= static_cast<std::uint64_t>(__builtin_parityll(rows)) ^
                  (result >> j & 1);
      }
    }
    out -= columns * kRibbonSegmentBytes;
    for (unsigned j = 0; j < columns; ++j) {
      StoreLittle(out + j * kRibbonSegmentBytes, low[j]);
      StoreLittle(out + j * kRibbonSegmentBytes + 8, high[j]);
    }
  }
}

RibbonOutcome AddSorted(const HashBuckets& rehashes, std::uint64_t starts,
                        RibbonBanding* banding) noexcept {
  StartSorter sorter(starts);
  if (!sorter.Reserve(rehashes.size())) return RibbonOutcome::kNoMemory;
  bool solvable = true;
  rehashes.ForEach([&](std::span<const std::uint64_t> piece) {
    while (solvable && piece.size() > sorter.room()) {
      const std::size_t taken = sorter.room();
      sorter.Push(piece.first(taken));
      piece = piece.subspan(taken);
      solvable = banding->Add(sorter.Sort(), starts);
    }
    if (solvable) sorter.Push(piece);
  });
  solvable = solvable && banding->Add(sorter.Sort(), starts);
  return solvable ? RibbonOutcome::kSolvable : RibbonOutcome::kContradiction;
}

}  // namespace tamis
