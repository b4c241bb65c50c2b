// SPDX-License-Identifier: Apache-2.0
#include "sort/hash_buckets.h"

#include <algorithm>
#include <new>
#include <utility>

#include "sort/hash_sort.h"

namespace tamis {
namespace {

constexpr std::size_t kMaxSlabBytes = std::size_t{1} << 20;

}  // namespace

unsigned char* HashChunks::New() noexcept {
  if (free_ < kBytes) {
    MemoryBlock<unsigned char> slab = NewMemory(slab_bytes_, kBytes);
    if (slab == nullptr) return nullptr;
    next_ = slab.get();
    try {
      slabs_.push_back(std::move(slab));
    } catch (const std::bad_alloc&) {
      next_ = nullptr;
      return nullptr;
    }
    free_ = slab_bytes_;
    // Only the last of many slabs is partly unused.
    if (slab_bytes_ == kMaxSlabBytes) PopulatePages(next_, slab_bytes_);
    slab_bytes_ = std::min(2 * slab_bytes_, kMaxSlabBytes);
  }
  unsigned char* chunk = next_;
  next_ += kBytes;
  free_ -= kBytes;
  return chunk;
}

bool DistinctRanks::Start(std::size_t room, unsigned known_bits) noexcept {
  memory_ = NewMemory(2 * room * sizeof(std::uint64_t));
  room_ = memory_ == nullptr ? 0 : room;
  known_bits_ = known_bits;
  return memory_ != nullptr;
}

std::uint64_t DistinctRanks::Take() noexcept {
  DropRepeats();
  return std::exchange(count_, 0);
}

void DistinctRanks::DropRepeats() noexcept {
  count_ =
      SortDistinct({ranks(), count_}, {ranks() + room_, room_}, known_bits_);
}

bool DistinctRanks::MakeRoom() noexcept {
  DropRepeats();
  if (count_ <= room_ / 2) return true;
  MemoryBlock<unsigned char> memory =
      NewMemory(4 * room_ * sizeof(std::uint64_t));
  if (memory == nullptr) return false;
  std::copy_n(memory_.get(), count_ * sizeof(std::uint64_t), memory.get());
  memory_ = std::move(memory);
  room_ *= 2;
  return true;
}

}  // namespace tamis
