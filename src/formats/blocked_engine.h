// SPDX-License-Identifier: Apache-2.0
// formats/blocked_engine.h -- BloomPolicy's engine for filters whose keys are
// confined to one block each: one memory access per query, and batches that run
// at the speed of memory.  F is a BlockedFormat (bloom_format.h).

#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "filters/batch_loop.h"
#include "filters/bloom/bit_array.h"
#include "filters/bloom/block_shapes.h"
#include "filters/kernels/kernels.h"
#include "formats/bloom_format.h"
#include "formats/bloom_parameters.h"
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
        probes_(parameters.probes) {}

  bool Check(const unsigned char* bytes, Hash hash) const noexcept {
    return shape_.Check(kernels_, bytes + OffsetOf(hash), BitsOf(hash));
  }

  // out[i] = Check() of format.HashOf(keys[i], seed), with the memory accesses
  // overlapped.
  template <typename Hasher, typename Key>
  void CheckMany(const Hasher& format, std::uint64_t seed,
                 const unsigned char* bytes, std::span<const Key> keys,
                 std::span<bool> out) const noexcept {
    const Memory memory(bytes);
    ForEachPrepared<kGroup>(
        keys,
        [&](const Key& key) {
          const Hash hash = format.HashOf(key, seed);
          const std::uint64_t offset = OffsetOf(hash);
          memory.Prefetch(offset);
          return BlockQuery{memory.bytes + offset, BitsOf(hash)};
        },
        [&](std::size_t first, std::span<const BlockQuery> queries) {
          shape_.CheckMany(kernels_, queries.data(), queries.size(),
                           out.data() + first);
        });
  }

  void Mark(unsigned char* bytes, Hash hash) const noexcept {
    shape_.Mark(bytes + OffsetOf(hash), BitsOf(hash));
  }
  void MarkAll(unsigned char* bytes, const Hashes& hashes) const noexcept {
    hashes.ForEach([&](std::span<const Hash> some) {
      ForEachPrepared<kGroup, BatchOrder::kInTurn>(
          some,
          [&](Hash hash) {
            const BlockMark mark{bytes + OffsetOf(hash), BitsOf(hash)};
            __builtin_prefetch(mark.block, 1);
            return mark;
          },
          [&](std::size_t /*first*/, std::span<const BlockMark> marks) {
            shape_.MarkMany(kernels_, marks.data(), marks.size());
          });
    });
  }

  // The same while other threads do the same.  REQUIRES: `bytes` is aligned
  // to 8, and written by nothing else.
  [[gnu::always_inline]] void PrefetchToMark(unsigned char* bytes,
                                             Hash hash) const noexcept {
    __builtin_prefetch(bytes + OffsetOf(hash), 1);
  }
  void MarkAtomic(unsigned char* bytes, Hash hash) const noexcept {
    shape_.MarkAtomic(bytes + OffsetOf(hash), BitsOf(hash));
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

    const unsigned char* bytes;
    bool straddles;
  };

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
};

}  // namespace tamis
