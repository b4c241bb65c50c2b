// SPDX-License-Identifier: Apache-2.0
#include "base/pooled_memory.h"

#include <pthread.h>
#include <sys/mman.h>
#include <algorithm>
#include <array>
#include <atomic>
#include <cstdint>
#include <map>
#include <new>
#include <utility>

#include "base/mutex.h"

namespace tamis {
namespace {

// Some huge pages, cut into units.
class Slab {
 public:
  static constexpr std::size_t kBytes = 4 * kHugePageBytes;
  static constexpr std::size_t kUnitBytes = 1024;

  explicit Slab(MemoryBlock<unsigned char> memory) noexcept
      : memory_(std::move(memory)) {}

  // Null: no room.
  unsigned char* Take(std::size_t bytes) noexcept;
  // REQUIRES: Take(bytes) returned it
  void Free(const unsigned char* block, std::size_t bytes) noexcept;
  bool is_empty() const noexcept { return used_ == 0; }

 private:
  static constexpr std::size_t kUnits = kBytes / kUnitBytes;
  static constexpr std::size_t kUnitsPerHugePage = kHugePageBytes / kUnitBytes;
  static constexpr std::size_t kBits = 64;

  static std::size_t UnitsOf(std::size_t bytes) noexcept {
    return (bytes + kUnitBytes - 1) / kUnitBytes;
  }
  bool IsUsed(std::size_t unit) const noexcept {
    return (words_[unit / kBits] >> unit % kBits & 1) != 0;
  }
  void Flip(std::size_t first, std::size_t count) noexcept {
    for (std::size_t i = first; i < first + count; ++i) {
      words_[i / kBits] ^= std::uint64_t{1} << i % kBits;
    }
  }
  std::size_t Find(std::size_t count) const noexcept;
  bool IsFree(std::size_t huge_page) const noexcept;

  const MemoryBlock<unsigned char> memory_;
  std::array<std::uint64_t, kUnits / kBits> words_{};  // a bit says: used
  std::size_t used_ = 0;                               // units
  std::size_t most_free_ = kUnits;  // no more are free in a row
};

// Returns the first of so many free units in a row; kUnits: there are none.
std::size_t Slab::Find(std::size_t count) const noexcept {
  std::size_t row = 0;
  for (std::size_t i = 0; i < kUnits; ++i) {
    row = IsUsed(i) ? 0 : row + 1;
    if (row == count) return i + 1 - count;
  }
  return kUnits;
}

unsigned char* Slab::Take(std::size_t bytes) noexcept {
  const std::size_t count = UnitsOf(bytes);
  if (count > most_free_ || count > kUnits - used_) return nullptr;
  const std::size_t first = Find(count);
  if (first == kUnits) {
    most_free_ = count - 1;
    return nullptr;
  }
  Flip(first, count);
  used_ += count;
  return memory_.get() + first * kUnitBytes;
}

bool Slab::IsFree(std::size_t huge_page) const noexcept {
  const auto first =
      words_.begin() +
      static_cast<std::ptrdiff_t>(huge_page * kUnitsPerHugePage / kBits);
  return std::all_of(first, first + kUnitsPerHugePage / kBits,
                     [](std::uint64_t word) { return word == 0; });
}

// Huge pages that have become free are the system's again.
void Slab::Free(const unsigned char* block, std::size_t bytes) noexcept {
  const std::size_t first =
      static_cast<std::size_t>(block - memory_.get()) / kUnitBytes;
  const std::size_t count = UnitsOf(bytes);
  Flip(first, count);
  used_ -= count;
  most_free_ = kUnits;
  for (std::size_t i = first / kUnitsPerHugePage;
       i <= (first + count - 1) / kUnitsPerHugePage; ++i) {
    if (!IsFree(i)) continue;
    static_cast<void>(::madvise(memory_.get() + i * kHugePageBytes,
                                kHugePageBytes, MADV_DONTNEED));
  }
}

class Pool {
 public:
  // Never destroyed: blocks may outlive whatever is.
  static Pool& Only() noexcept {
    alignas(Pool) static unsigned char room[sizeof(Pool)];
    static Pool& pool = *new (room) Pool;
    return pool;
  }

  // Null: no memory.  May throw std::bad_alloc.
  unsigned char* Take(std::size_t bytes) TAMIS_EXCLUDES(mutex_);
  // False: it is not from here.
  bool Free(const unsigned char* block, std::size_t bytes) noexcept
      TAMIS_EXCLUDES(mutex_);
  std::size_t bytes() noexcept TAMIS_EXCLUDES(mutex_) {
    const MutexLock lock(mutex_);
    return slabs_.size() * Slab::kBytes;
  }

 private:
  // A child that is forked while a thread is here can use the pool all the
  // same, as it can malloc.
  Pool() noexcept { ::pthread_atfork(&BeforeFork, &AfterFork, &AfterFork); }
  static void BeforeFork() TAMIS_NOT_ANALYSED { Only().mutex_.Lock(); }
  static void AfterFork() TAMIS_NOT_ANALYSED { Only().mutex_.Unlock(); }

  Mutex mutex_;
  std::map<const unsigned char*, Slab> slabs_ TAMIS_GUARDED_BY(mutex_);
};

unsigned char* Pool::Take(std::size_t bytes) {
  const MutexLock lock(mutex_);
  for (auto& [start, slab] : slabs_) {
    if (unsigned char* const block = slab.Take(bytes)) return block;
  }
  MemoryBlock<unsigned char> memory = NewMemory(Slab::kBytes);
  if (memory == nullptr) return nullptr;
  const unsigned char* const start = memory.get();
  return slabs_.try_emplace(start, std::move(memory)).first->second.Take(bytes);
}

bool Pool::Free(const unsigned char* block, std::size_t bytes) noexcept {
  const MutexLock lock(mutex_);
  auto slab = slabs_.upper_bound(block);
  if (slab == slabs_.begin()) return false;
  --slab;
  if (block >= slab->first + Slab::kBytes) return false;
  slab->second.Free(block, bytes);
  if (slab->second.is_empty()) slabs_.erase(slab);
  return true;
}

// Smaller ones fill no page; larger ones have huge pages of their own.
bool MayBePooled(std::size_t bytes) noexcept {
  constexpr std::size_t kSmallest = 4096;
  return kMapsBlocks && !HasMemorySource() && bytes >= kSmallest &&
         bytes < kHugePageBytes;
}

std::atomic<std::size_t> held_bytes{0};  // bytes of all blocks, pooled or not

}  // namespace

PooledBlock<unsigned char> NewPooledMemory(std::size_t bytes) noexcept {
  unsigned char* memory = nullptr;
  if (MayBePooled(bytes) &&
      held_bytes.load(std::memory_order_relaxed) >= kPoolFrom) {
    try {
      memory = Pool::Only().Take(bytes);
    } catch (const std::bad_alloc&) {
      memory = nullptr;
    }
  }
  if (memory == nullptr) memory = NewMemory(bytes).release();
  if (memory != nullptr) held_bytes.fetch_add(bytes, std::memory_order_relaxed);
  return PooledBlock<unsigned char>(memory, FreePooled{bytes});
}

void FreePooled::operator()(void* memory) const noexcept {
  if (memory == nullptr) return;
  held_bytes.fetch_sub(bytes, std::memory_order_relaxed);
  if (MayBePooled(bytes) &&
      Pool::Only().Free(static_cast<const unsigned char*>(memory), bytes)) {
    return;
  }
  FreeMemoryOf(bytes)(memory);
}

std::size_t PoolBytes() noexcept { return Pool::Only().bytes(); }

}  // namespace tamis
