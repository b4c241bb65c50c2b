// SPDX-License-Identifier: Apache-2.0
#include "bench/store_floor.h"

#include <algorithm>
#include <cstring>
#include <utility>

#include "base/coding.h"
#include "hash/xxhash.h"

namespace tamis::bench {
namespace {

// As the store sizes the filter of a memtable: 10 bits for 64 bytes.
constexpr std::uint64_t kMemtableFilterBytes = kStoreWriteBuffer / 64 * 10 / 8;

}  // namespace

Status MissFloor::Prepare(std::span<const std::uint64_t> filter_bytes) {
  std::vector<std::uint64_t> sizes(filter_bytes.begin(), filter_bytes.end());
  sizes.push_back(kMemtableFilterBytes);
  for (const std::uint64_t bytes : sizes) {
    const std::uint64_t lines = std::max<std::uint64_t>(1, bytes / kLineBytes);
    auto memory = NewMemory(lines * kLineBytes);
    if (memory == nullptr) {
      return Status::ResourceExhausted("no memory for the floor");
    }
    std::memset(memory.get(), 0, lines * kLineBytes);
    filters_.push_back({.lines = memory.get(), .count = lines});
    memory_.push_back(std::move(memory));
  }
  return Status::Ok();
}

std::uint64_t MissFloor::Ask(const KeySpan& keys) const {
  std::uint64_t found = 0;
  for (std::size_t i = keys.begin; i < keys.end; ++i) {
    // Nothing is ever found, which the compiler does not know.
    const Slice key = (*keys.keys)[i + found];
    const std::uint64_t hash = Xxh3(key, 0);
    const std::size_t word = hash % (kLineBytes / 8) * 8;
    for (const LineFilter& filter : filters_) {
      found |= LoadLittle64(filter.LineOf(hash) + word);
    }
  }
  return found;
}

}  // namespace tamis::bench
