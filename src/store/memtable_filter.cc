// SPDX-License-Identifier: Apache-2.0
#include "store/memtable_filter.h"

#include <algorithm>
#include <atomic>
#include <cstdlib>
#include <utility>

#include "math/blocked_bloom.h"

namespace tamis {
namespace {

// An entry takes at least about this much, with the overhead of the list; most
// take more, and then the rate is lower.
constexpr std::size_t kBytesPerKey = 64;
constexpr std::size_t kBitsPerKey = 10;
constexpr std::size_t kFewestLines = 16;

std::size_t LinesFor(std::size_t expected_bytes) noexcept {
  const std::size_t keys = expected_bytes / kBytesPerKey;
  return std::max(keys / (kLineBits / kBitsPerKey) + 1, kFewestLines);
}

}  // namespace

std::unique_ptr<MemtableFilter> MemtableFilter::New(
    std::size_t expected_bytes) {
  const std::size_t lines = LinesFor(expected_bytes);
  // Not NewMemory(): fresh pages from the system are zero already, and those
  // of a memtable that stays small are never touched.
  MemoryBlock<unsigned char> memory(
      static_cast<unsigned char*>(std::calloc(lines + 1, kLineBytes)));
  if (memory == nullptr) return nullptr;
  return std::unique_ptr<MemtableFilter>(
      new MemtableFilter(std::move(memory), lines));
}

MemtableFilter::MemtableFilter(MemoryBlock<unsigned char> memory,
                               std::uint64_t lines_count) noexcept
    : memory_(std::move(memory)) {
  const auto start = reinterpret_cast<std::uintptr_t>(memory_.get());
  filter_ = {
      .lines = memory_.get() + (kLineBytes - start % kLineBytes) % kLineBytes,
      .count = lines_count,
      .probes = TamisLineProbes(BestLineProbes(kBitsPerKey))};
}

void MemtableFilter::Add(std::uint64_t hash) noexcept {
  unsigned char* const line = filter_.LineOf(hash);
  const std::uint32_t bits = LineBitsOf(hash);
  for (unsigned i = 0; i < filter_.probes.count; ++i) {
    const unsigned position = filter_.probes.PositionOf(bits, i);
    const auto word = WordAt(line, position);
    // One thread writes, so no other write can intervene.
    word.store(word.load(std::memory_order_relaxed) | WordMask(position),
               std::memory_order_relaxed);
  }
}

double MemtableFilter::RateAt(std::uint64_t keys) const noexcept {
  return BlockedRate({.kind = BlockKind::kLine,
                      .blocks = filter_.count,
                      .probes = filter_.probes.count},
                     keys);
}

}  // namespace tamis
