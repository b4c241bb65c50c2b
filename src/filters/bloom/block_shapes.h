// SPDX-License-Identifier: Apache-2.0
// filters/bloom/block_shapes.h -- one interface to the two kinds of block, for
// code that serves both: their size, and how to check and mark them.
//
// A shape is a small value:
//   kBytes                       of one block
//   Check(kernels, block, bits)  one key ...
//   CheckMany(kernels, queries, count, out)   ... and many
//   MarkMany(kernels, marks, count)           marks many keys
//   MarkLocked, CheckAtomic      the same beside other threads, which may read
//                                the block, and not write it
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
#include <type_traits>

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

// REQUIRES, for all: `block` is aligned to 8 bytes

// Others may read the word meanwhile, and must not write it.
inline void SetBitsLocked(std::atomic_ref<std::uint64_t> word,
                          std::uint64_t mask) noexcept {
  word.store(word.load(std::memory_order_relaxed) | mask,
             std::memory_order_relaxed);
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
  void MarkLocked(unsigned char* block, std::uint32_t bits) const noexcept {
    WithCount([&](auto count) {
      for (unsigned i = 0; i < count; ++i) {
        const unsigned position = probes_.PositionOf(bits, i);
        SetBitsLocked(WordAt(block, position), WordMask(position));
      }
    });
  }
  bool CheckAtomic(unsigned char* block, std::uint32_t bits) const noexcept {
    bool all = true;
    WithCount([&](auto count) {
      // An absent key seldom has even so many bits set, so that the branch is
      // predicted; one per bit would not be.
      constexpr unsigned kFirst = 4;
      const unsigned first = count < kFirst ? count : kFirst;
      for (unsigned i = 0; i < first; ++i) {
        all &= HasBitAtomic(block, probes_.PositionOf(bits, i));
      }
      if (!all) return;
      for (unsigned i = first; i < count; ++i) {
        all &= HasBitAtomic(block, probes_.PositionOf(bits, i));
      }
    });
    return all;
  }
  double Rate(const unsigned char* block) const noexcept {
    const double set = static_cast<double>(CountSetBits({block, kLineBytes}));
    return std::pow(set / static_cast<double>(kLineBits), probes_.count);
  }

 private:
  // Calls f(number of probes), which is a constant if it is a usual one, so
  // that loops are unrolled.
  template <typename F>
  [[gnu::always_inline]] void WithCount(const F& f) const noexcept {
    switch (probes_.count) {
      case 6:
        return f(std::integral_constant<unsigned, 6>());
      case 7:
        return f(std::integral_constant<unsigned, 7>());
      case 8:
        return f(std::integral_constant<unsigned, 8>());
      default:
        return f(probes_.count);
    }
  }

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
  void MarkLocked(unsigned char* block, std::uint32_t bits) const noexcept {
    // A word of 64 bits has two of the key's.
    for (unsigned i = 0; i < kSplitBlockWords; i += 2) {
      const unsigned first = PositionOf(bits, i);
      SetBitsLocked(WordAt(block, first),
                    WordMask(first) | WordMask(PositionOf(bits, i + 1)));
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
