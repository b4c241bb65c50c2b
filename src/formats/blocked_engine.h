// formats/blocked_engine.h -- BloomPolicy's engine for filters whose keys keep
// to one block each: one memory access per query, and batches that run as
// fast as memory delivers.
//
// Asks of a format F, beside what bloom_policy.h asks:
//   F::Digest                 std::uint64_t; of two digests the larger never
//                             has the earlier block, and its lower 32 bits
//                             are what the block is asked for
//   F::Shape                  LineShape or SplitBlockShape (block_shapes.h)
//   ShapeOf(facts) -> Shape
//   BlockOf(digest, blocks)   which block
//   F::kKindName              for people: "bloom", "splitblock"

#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <span>
#include <type_traits>

#include "filters/bit_array.h"
#include "filters/block_shapes.h"
#include "filters/digest_buckets.h"
#include "filters/kernels.h"
#include "formats/bloom_facts.h"
#include "math/blocked_bloom.h"
#include "tamis/filter.h"

namespace tamis {

template <typename F>
class BlockedEngine {
 public:
  using Digest = std::uint64_t;
  using Digests = DigestBuckets;
  using Shape = typename F::Shape;
  static_assert(std::is_same_v<typename F::Digest, Digest>);
  static constexpr bool kConcurrent = true;

  // REQUIRES: facts.bits is a positive multiple of the block's
  BlockedEngine(const F& format, const BloomFacts& facts)
      : format_(format),
        shape_(format.ShapeOf(facts)),
        blocks_(facts.bits / (8 * Shape::kBytes)),
        probes_(facts.probes) {}

  bool Check(const unsigned char* bytes, Digest digest) const noexcept {
    return shape_.Check(kernels_, bytes + OffsetOf(digest), BitsOf(digest));
  }

  // out[i] = Check() of format.HashOf(keys[i], seed).  Works on groups in two
  // stages -- hash the keys and ask for their lines; check the lines -- and
  // always asks for the next group's lines before it checks a group: then the
  // memory is busy all the time.  Sizes and order by measurement,
  // docs/design/3-lines.md.
  template <typename Hasher, typename Key>
  void CheckMany(const Hasher& format, std::uint64_t seed,
                 const unsigned char* bytes, std::span<const Key> keys,
                 std::span<bool> out) const noexcept {
    std::array<std::array<BlockQuery, kGroup>, 2> groups;
    const Memory memory(bytes);
    std::size_t asked = std::min(kGroup, keys.size());
    Ask(format, seed, memory, keys.first(asked), groups[0].data());
    unsigned current = 0;
    for (std::size_t done = 0; done < keys.size();) {
      const std::size_t next = std::min(kGroup, keys.size() - asked);
      Ask(format, seed, memory, keys.subspan(asked, next),
          groups[1 - current].data());
      shape_.CheckMany(kernels_, groups[current].data(), asked - done,
                       out.data() + done);
      done = asked;
      asked += next;
      current = 1 - current;
    }
  }

  void Mark(unsigned char* bytes, Digest digest) const noexcept {
    shape_.Mark(bytes + OffsetOf(digest), BitsOf(digest));
  }
  void MarkAll(unsigned char* bytes, const Digests& digests) const noexcept {
    digests.ForEach([&](std::span<const Digest> some) {
      std::array<BlockMark, kGroup> marks;
      for (; !some.empty();
           some = some.subspan(std::min(kGroup, some.size()))) {
        const std::size_t count = std::min(kGroup, some.size());
        for (std::size_t i = 0; i < count; ++i) {
          marks[i] = {bytes + OffsetOf(some[i]), BitsOf(some[i])};
          __builtin_prefetch(marks[i].block, 1);
        }
        shape_.MarkMany(kernels_, marks.data(), count);
      }
    });
  }

  // The same while other threads do the same.  REQUIRES: `bytes` is aligned
  // to 8, and written by nothing else.
  [[gnu::always_inline]] void PrefetchToMark(unsigned char* bytes,
                                             Digest digest) const noexcept {
    __builtin_prefetch(bytes + OffsetOf(digest), 1);
  }
  void MarkAtomic(unsigned char* bytes, Digest digest) const noexcept {
    shape_.MarkAtomic(bytes + OffsetOf(digest), BitsOf(digest));
  }
  bool CheckAtomic(unsigned char* bytes, Digest digest) const noexcept {
    return shape_.CheckAtomic(bytes + OffsetOf(digest), BitsOf(digest));
  }

  // What the bits say, see FilterInfo: exact, for each block has its own rate.
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
  static constexpr std::size_t kGroup = 64;

  // Where the blocks lie, and whether one may reach into two cache lines.
  struct Memory {
    explicit Memory(const unsigned char* start) noexcept
        : bytes(start),
          straddles(reinterpret_cast<std::uintptr_t>(start) % Shape::kBytes !=
                    0) {}

    // Into the second cache: more lines can be on their way to it than to the
    // first, and from there they are quickly had.
    [[gnu::always_inline]] void Prefetch(std::uint64_t offset) const noexcept {
      __builtin_prefetch(bytes + offset, 0, 2);
      if (straddles) {
        __builtin_prefetch(bytes + offset + Shape::kBytes - 1, 0, 2);
      }
    }

    const unsigned char* bytes;
    bool straddles;
  };

  static std::uint32_t BitsOf(Digest digest) noexcept {
    return static_cast<std::uint32_t>(digest);
  }
  std::uint64_t OffsetOf(Digest digest) const noexcept {
    return format_.BlockOf(digest, blocks_) * Shape::kBytes;
  }

  // Hashing and asking alternate: requests that come evenly are served
  // better than a burst of them.
  template <typename Hasher, typename Key>
  void Ask(const Hasher& format, std::uint64_t seed, const Memory& memory,
           std::span<const Key> keys, BlockQuery* queries) const noexcept {
    for (std::size_t i = 0; i < keys.size(); ++i) {
      const Digest digest = format.HashOf(keys[i], seed);
      const std::uint64_t offset = OffsetOf(digest);
      memory.Prefetch(offset);
      queries[i] = {memory.bytes + offset, BitsOf(digest)};
    }
  }

  F format_;
  Shape shape_;
  const Kernels& kernels_ = ActiveKernels();
  std::uint64_t blocks_;
  unsigned probes_;
};

}  // namespace tamis
