// SPDX-License-Identifier: Apache-2.0
// filters/bloom/block_shapes.h -- one interface to the two kinds of block, for
// code that serves both: their size, and how to check and mark them.
//
// A shape is a small value:
//   kBytes                       of one block
//   Check(kernels, block, bits)  one key ...
//   CheckMany(kernels, queries, count, out)   ... and many
//   MarkMany(kernels, marks, count)           marks many keys
//   MarkAtomic, CheckAtomic      the same from many threads
//   Rate(block)                  of false positives, from the bits set

#pragma once

#include <algorithm>
#include <array>
#include <atomic>
#include <bit>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <span>

#include "base/coding.h"
#include "filters/bloom/bit_array.h"
#include "filters/bloom/line_bloom.h"
#include "filters/bloom/split_block.h"
#include "filters/kernels/kernels.h"

namespace tamis {

// Bit `position` of a block, as a bit of the 64-bit word that memory holds:
// the same byte whatever the byte order of the machine.
inline std::uint64_t WordMask(unsigned position) noexcept {
  const std::uint64_t mask = std::uint64_t{1} << (position % 64);
  return std::endian::native == std::endian::little ? mask : ByteSwap(mask);
}

inline std::atomic_ref<std::uint64_t> WordAt(unsigned char* block,
                                             unsigned position) noexcept {
  return std::atomic_ref(
      reinterpret_cast<std::uint64_t*>(block)[position / 64]);
}

// REQUIRES, for both: `block` is aligned to 8 bytes.
inline void SetBitAtomic(unsigned char* block, unsigned position) noexcept {
  WordAt(block, position)
      .fetch_or(WordMask(position), std::memory_order_relaxed);
}

inline bool HasBitAtomic(unsigned char* block, unsigned position) noexcept {
  return (WordAt(block, position).load(std::memory_order_relaxed) &
          WordMask(position)) != 0;
}

class LineShape {
 public:
  static constexpr std::size_t kBytes = kLineBytes;

  explicit LineShape(const LineProbes& probes) noexcept : probes_(probes) {}

  bool Check(const Kernels& kernels, const unsigned char* block,
             std::uint32_t bits) const noexcept {
    return kernels.check_line(block, bits, probes_);
  }
  void CheckMany(const Kernels& kernels, const BlockQuery* queries,
                 std::size_t count, bool* out) const noexcept {
    kernels.check_lines(queries, count, probes_, out);
  }
  void MarkMany(const Kernels& kernels, const BlockMark* marks,
                std::size_t count) const noexcept {
    kernels.mark_lines(marks, count, probes_);
  }
  // A key that is maybe present changes nothing, so that caches can share its
  // line.  For any other key all bits are set: testing each of them would be
  // slower, since no one can predict which are set already.
  void MarkAtomic(unsigned char* block, std::uint32_t bits) const noexcept {
    if (CheckAtomic(block, bits)) return;
    for (unsigned i = 0; i < probes_.count; ++i) {
      SetBitAtomic(block, probes_.PositionOf(bits, i));
    }
  }
  bool CheckAtomic(unsigned char* block, std::uint32_t bits) const noexcept {
    bool all = true;
    for (unsigned i = 0; i < probes_.count; ++i) {
      all &= HasBitAtomic(block, probes_.PositionOf(bits, i));
    }
    return all;
  }
  double Rate(const unsigned char* block) const noexcept {
    const double set = static_cast<double>(CountSetBits({block, kLineBytes}));
    return std::pow(set / static_cast<double>(kLineBits), probes_.count);
  }

 private:
  LineProbes probes_;
};

class SplitBlockShape {
 public:
  static constexpr std::size_t kBytes = kSplitBlockBytes;

  bool Check(const Kernels& kernels, const unsigned char* block,
             std::uint32_t bits) const noexcept {
    return kernels.check_split_block(block, bits);
  }
  void CheckMany(const Kernels& kernels, const BlockQuery* queries,
                 std::size_t count, bool* out) const noexcept {
    kernels.check_split_blocks(queries, count, out);
  }
  void MarkMany(const Kernels& kernels, const BlockMark* marks,
                std::size_t count) const noexcept {
    kernels.mark_split_blocks(marks, count);
  }
  // As LineShape::MarkAtomic(); a word of 64 bits has two of the key's.
  void MarkAtomic(unsigned char* block, std::uint32_t bits) const noexcept {
    if (CheckAtomic(block, bits)) return;
    for (unsigned i = 0; i < kSplitBlockWords; i += 2) {
      const unsigned first = PositionOf(bits, i);
      WordAt(block, first)
          .fetch_or(WordMask(first) | WordMask(PositionOf(bits, i + 1)),
                    std::memory_order_relaxed);
    }
  }
  bool CheckAtomic(unsigned char* block, std::uint32_t bits) const noexcept {
    bool all = true;
    for (unsigned i = 0; i < kSplitBlockWords; ++i) {
      all &= HasBitAtomic(block, PositionOf(bits, i));
    }
    return all;
  }
  double Rate(const unsigned char* block) const noexcept {
    constexpr double kWordBits = 32;
    double rate = 1;
    for (unsigned i = 0; i < kSplitBlockWords; ++i) {
      rate *= std::popcount(LoadLittle32(block + sizeof(std::uint32_t) * i)) /
              kWordBits;
    }
    return rate;
  }

 private:
  // Returns the position within the block's 256 bits.
  static unsigned PositionOf(std::uint32_t bits, unsigned word) noexcept {
    return word * 32 +
           static_cast<unsigned>(std::countr_zero(SplitBlockMask(bits, word)));
  }
};

}  // namespace tamis
