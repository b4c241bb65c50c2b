// SPDX-License-Identifier: Apache-2.0
// formats/blocked_engine.h -- BloomPolicy's engine for filters whose keys are
// confined to one block each: one memory access per query, and batches that run
// at the speed of memory.  F is a BlockedFormat (bloom_format.h).

#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>

#include "base/cpu.h"
#include "filters/batch_loop.h"
#include "filters/batch_plan.h"
#include "filters/bloom/bit_array.h"
#include "filters/bloom/block_locks.h"
#include "filters/bloom/block_shapes.h"
#include "filters/kernels/kernels.h"
#include "formats/bloom_format.h"
#include "formats/bloom_parameters.h"
#include "formats/taken_hash.h"
#include "math/blocked_bloom.h"
#include "sort/hash_buckets.h"
#include "tamis/filter.h"

namespace tamis {

template <typename F>
class BlockedEngine {
 public:
  using Hash = std::uint64_t;
  using Hashes = HashBuckets;
  using Shape = typename F::Shape;
  static_assert(BlockedFormat<F>);
  static constexpr bool kConcurrent = true;

  // REQUIRES: parameters.bits is a positive multiple of the block's
  BlockedEngine(const F& format, const BloomParameters& parameters)
      : format_(format),
        shape_(format.ShapeOf(parameters)),
        blocks_(parameters.bits / (8 * Shape::kBytes)),
        probes_(parameters.probes),
        plan_(PlanBatch({.filter_bytes = blocks_ * Shape::kBytes,
                         .lines_per_key = 1,
                         .group_keys = kQueryGroup,
                         .max_ahead = kMaxAhead},
                        ThisCpuCaches())) {}

  bool Check(const unsigned char* bytes, Hash hash) const noexcept {
    return shape_.Check(kernels_, bytes + OffsetOf(hash), BitsOf(hash));
  }

  // out[i] = Check() of format.HashOf(keys[i], seed), with the memory accesses
  // overlapped.
  template <typename Hasher, typename Key>
  void CheckMany(const Hasher& format, std::uint64_t seed,
                 const unsigned char* bytes, std::span<const Key> keys,
                 std::span<bool> out) const noexcept {
    using Group = std::array<BlockQuery, kQueryGroup>;
    const Memory memory(bytes);
    ForEachGroupAhead<Group, kQueryGroup, kMaxAhead>(
        keys, plan_.ahead,
        // Hashing and prefetching alternate: evenly spaced memory requests are
        // faster than a burst of them.
        [&](std::span<const Key> some, Group* group) {
          for (std::size_t i = 0; i < some.size(); ++i) {
            const Hash hash = format.HashOf(some[i], seed);
            const std::uint64_t offset = OffsetOf(hash);
            memory.Prefetch(offset);
            (*group)[i] = {memory.bytes + offset, BitsOf(hash)};
          }
        },
        [&](std::size_t first, std::size_t count, const Group& group) {
          shape_.CheckMany(kernels_, group.data(), count, out.data() + first);
        });
  }

  void Mark(unsigned char* bytes, Hash hash) const noexcept {
    const BlockMark mark{bytes + OffsetOf(hash), BitsOf(hash)};
    shape_.MarkMany(kernels_, &mark, 1);
  }
  // Mark() of format.HashOf(key, seed) for each of the keys, with the memory
  // accesses overlapped.
  template <typename Hasher, typename Key>
  void MarkMany(const Hasher& format, std::uint64_t seed, unsigned char* bytes,
                std::span<const Key> keys) const noexcept {
    ForEachMark(format, seed, bytes, keys,
                [this](std::span<const BlockMark> marks) {
                  shape_.MarkMany(kernels_, marks.data(), marks.size());
                });
  }
  void MarkAll(unsigned char* bytes, const Hashes& hashes) const noexcept {
    hashes.ForEach([&](std::span<const Hash> some) {
      MarkMany(TakesHashes(), 0, bytes, some);
    });
  }

  BlockLocks NewLocks() const { return BlockLocks(blocks_); }
  // The same while other threads do the same with the same locks.  REQUIRES:
  // `bytes` is aligned to 8, and written by nothing else.
  void MarkShared(unsigned char* bytes, const BlockLocks& locks,
                  Hash hash) const noexcept {
    const BlockMark mark{bytes + OffsetOf(hash), BitsOf(hash)};
    if (!HasAll(mark)) MarkLocked(bytes, locks, mark);
  }
  template <typename Hasher, typename Key>
  void MarkManyShared(const Hasher& format, std::uint64_t seed,
                      unsigned char* bytes, const BlockLocks& locks,
                      std::span<const Key> keys) const noexcept {
    ForEachMark(format, seed, bytes, keys,
                [&](std::span<const BlockMark> marks) {
                  for (const BlockMark& mark : marks) {
                    if (!HasAll(mark)) MarkLocked(bytes, locks, mark);
                  }
                });
  }
  [[gnu::always_inline]] void PrefetchToCheck(unsigned char* bytes,
                                              Hash hash) const noexcept {
    Memory(bytes).Prefetch(OffsetOf(hash));
  }
  bool CheckAtomic(unsigned char* bytes, Hash hash) const noexcept {
    return shape_.CheckAtomic(bytes + OffsetOf(hash), BitsOf(hash));
  }

  // Fills in FilterInfo from the bits: exact, because each block has its own
  // rate.
  void Describe(std::span<const unsigned char> bytes, FilterInfo* info) const {
    info->kind = F::kKindName;
    info->set_bits = CountSetBits(bytes);
    double rates = 0;
    for (std::uint64_t i = 0; i < blocks_; ++i) {
      rates += shape_.Rate(bytes.data() + i * Shape::kBytes);
    }
    info->rate = rates / static_cast<double>(blocks_);
    info->keys_by_fill = BlockedKeysFromFill(
        {.kind = F::kBlockKind, .blocks = blocks_, .probes = probes_},
        info->set_bits);
  }

 private:
  static constexpr std::size_t kGroup = 64;  // docs/design/3-lines.md
  static constexpr std::size_t kQueryGroup = 32;
  static constexpr std::size_t kMaxAhead = 8;

  // Where the blocks are, and whether one may span two cache lines.
  struct Memory {
    explicit Memory(const unsigned char* start) noexcept
        : bytes(start),
          straddles(reinterpret_cast<std::uintptr_t>(start) % Shape::kBytes !=
                    0) {}

    // Prefetches into the second-level cache, which can have more requests in
    // flight than the first, and is fast to read from.
    [[gnu::always_inline]] void Prefetch(std::uint64_t offset) const noexcept {
      __builtin_prefetch(bytes + offset, 0, 2);
      if (straddles) {
        __builtin_prefetch(bytes + offset + Shape::kBytes - 1, 0, 2);
      }
    }

    // Prefetches what is in the second level into the first: a mark is several
    // stores, which keep their order, and each would wait for the second level.
    [[gnu::always_inline]] void PrefetchToMark(
        std::span<const BlockMark> marks) const noexcept {
      for (const BlockMark& mark : marks) {
        __builtin_prefetch(mark.block, 1, 3);
        if (straddles) __builtin_prefetch(mark.block + Shape::kBytes - 1, 1, 3);
      }
    }

    const unsigned char* bytes;
    bool straddles;
  };

  // A key that is maybe present changes nothing, so that caches can share its
  // block.
  bool HasAll(const BlockMark& mark) const noexcept {
    return shape_.CheckAtomic(mark.block, mark.bits);
  }
  void MarkLocked(const unsigned char* bytes, const BlockLocks& locks,
                  const BlockMark& mark) const noexcept {
    const auto offset = static_cast<std::uint64_t>(mark.block - bytes);
    const auto guard = locks.Lock(offset / Shape::kBytes);
    shape_.MarkLocked(mark.block, mark.bits);
  }

  // Calls mark(std::span<const BlockMark>) for all keys, some at a time.
  template <typename Hasher, typename Key, typename MarkGroup>
  [[gnu::always_inline]] void ForEachMark(
      const Hasher& format, std::uint64_t seed, unsigned char* bytes,
      std::span<const Key> keys, const MarkGroup& mark) const noexcept {
    const Memory memory(bytes);
    ForEachPrepared<kGroup>(
        keys,
        [&](const Key& key) {
          const Hash hash = format.HashOf(key, seed);
          const std::uint64_t offset = OffsetOf(hash);
          memory.Prefetch(offset);
          return BlockMark{bytes + offset, BitsOf(hash)};
        },
        [&](std::size_t /*first*/, std::span<const BlockMark> marks) {
          memory.PrefetchToMark(marks);
          mark(marks);
        });
  }

  static std::uint32_t BitsOf(Hash hash) noexcept {
    return static_cast<std::uint32_t>(hash);
  }
  std::uint64_t OffsetOf(Hash hash) const noexcept {
    return format_.BlockOf(hash, blocks_) * Shape::kBytes;
  }

  F format_;
  Shape shape_;
  const Kernels& kernels_ = ActiveKernels();
  std::uint64_t blocks_;
  unsigned probes_;
  BatchPlan plan_;
};

}  // namespace tamis
