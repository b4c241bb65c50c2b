// SPDX-License-Identifier: Apache-2.0
// table/part_cache.h -- the parts of filters that are in memory, of all filters
// of a store that are held in parts.
//
// Parts are copied into frames, each as large as the largest part.  A reader
// takes no lock: it copies one line out of a frame, and finds out afterwards
// whether the frame had another part meanwhile.  So a part can make way for
// another one at any time, without waiting for readers.  (The idea: Boehm, "Can
// seqlocks get along with programming language memory models?", 2012.)  Frames
// come and go in slabs; only when slabs go, readers must be waited for.

#pragma once

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>

#include "base/mutex.h"
#include "base/pooled_memory.h"
#include "table/filter_parts.h"
#include "table/filter_room.h"

namespace tamis {

// Thread-safe.
class PartCache {
 public:
  // Where a part is, or was.
  using Frame = std::uint32_t;
  static constexpr Frame kNowhere = 0;
  static constexpr Frame kMaxFrame = (std::uint32_t{1} << 24) - 1;

  struct alignas(kLineBytes) Line {
    std::array<std::uint64_t, kLineBytes / 8> words;

    const unsigned char* bytes() const noexcept {
      return reinterpret_cast<const unsigned char*>(words.data());
    }
  };

  // The frames take their memory from the room.  REQUIRES: it outlives this
  explicit PartCache(FilterRoom& room) noexcept;
  ~PartCache();
  PartCache(const PartCache&) = delete;
  PartCache& operator=(const PartCache&) = delete;

  // Returns the first of so many numbers, which no other parts of this cache
  // have.
  std::uint64_t NewNumbers(std::uint64_t count) noexcept {
    return next_number_.fetch_add(count, std::memory_order_relaxed);
  }

  // Copies a line of the part with that number.  False: it is not there any
  // more.  REQUIRES: line < kLinesPerPart; a guard of the store's readers, if
  // Shrink() is called
  bool CopyLine(Frame frame, std::uint64_t number, std::size_t line,
                Line* copy) const noexcept;
  // What CopyLine() reads, to be prefetched; null: nothing.
  struct Addresses {
    const void* head = nullptr;
    const void* line = nullptr;
  };
  Addresses AddressesOf(Frame frame, std::size_t line) const noexcept;

  // Keeps a copy of a part, in the place of another one if there is no memory.
  // kNowhere: it is not kept, because another thread keeps one, or there is
  // none to replace.  Never waits.
  // REQUIRES: `part` has at most kPartBytes, a multiple of kLineBytes
  Frame Insert(std::uint64_t number, Slice part) noexcept
      TAMIS_EXCLUDES(mutex_);

  // The memory of all frames.
  std::uint64_t bytes() const noexcept {
    return slab_count_.load(std::memory_order_relaxed) * sizeof(Slab);
  }

 private:
  static constexpr std::size_t kFramesPerSlab = 16;
  static constexpr std::size_t kWordsPerFrame = kPartBytes / 8;
  static constexpr std::size_t kFanOut = 1024;

  struct Head {
    std::atomic<std::uint64_t> version{0};  // odd: the frame is being written
    std::atomic<std::uint64_t> number{0};   // of the part; 0: none
    std::atomic<bool> was_asked{false};     // lately
  };
  struct alignas(kLineBytes) Slab {
    std::array<std::array<std::atomic<std::uint64_t>, kWordsPerFrame>,
               kFramesPerSlab>
        words{};
    std::array<Head, kFramesPerSlab> heads{};
    Slab* next = nullptr;  // among removed ones
  };
  using Leaf = std::array<std::atomic<Slab*>, kFanOut>;

 public:
  // Slabs that lookups no longer find, though some may still use them.
  class Removed {
   public:
    Removed() = default;
    Removed(Removed&& other) noexcept;
    Removed& operator=(Removed&& other) noexcept;
    Removed(const Removed&) = delete;
    Removed& operator=(const Removed&) = delete;
    // REQUIRES: no reader uses them
    ~Removed() { Free(); }

    bool empty() const noexcept { return first_ == nullptr; }
    // Frees them, and returns their room.  REQUIRES: as above
    void Free() noexcept;

   private:
    friend class PartCache;
    FilterRoom* room_ = nullptr;
    Slab* first_ = nullptr;
  };

  // Removes what is beyond `bytes`; from now on no more memory is taken than
  // `capacity`.
  Removed Shrink(std::uint64_t bytes, std::uint64_t capacity) noexcept
      TAMIS_EXCLUDES(mutex_);

 private:
  // Null: it is not there.
  Slab* SlabOf(Frame frame) const noexcept;
  bool Grow() noexcept TAMIS_REQUIRES(mutex_);
  Frame FindFrame() noexcept TAMIS_REQUIRES(mutex_);
  Frame FindVictim() noexcept TAMIS_REQUIRES(mutex_);
  static void FreeSlab(Slab* slab, FilterRoom& room) noexcept;

  FilterRoom& room_;
  std::atomic<std::uint64_t> next_number_{1};
  std::atomic<std::uint64_t> slab_count_{0};  // changed under the mutex
  // Slabs by their number, in leaves that stay.
  std::array<std::atomic<Leaf*>, kFanOut> leaves_{};
  Mutex mutex_;
  std::uint64_t capacity_ TAMIS_GUARDED_BY(mutex_) = FilterRoom::kNoLimit;
  Frame used_ TAMIS_GUARDED_BY(mutex_) = 0;  // frames 1 to used_ have parts
  Frame hand_ TAMIS_GUARDED_BY(mutex_) = 0;  // of the clock
};

}  // namespace tamis
