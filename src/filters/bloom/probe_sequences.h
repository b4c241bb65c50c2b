// SPDX-License-Identifier: Apache-2.0
// filters/bloom/probe_sequences.h -- from a key's hash to its bit positions.
// Each sequence is constructed from (hash, bits,
// prepared), and its Next() yields positions in [0, bits), as many as are
// requested.  `prepared` is what the sequence's Prepare(bits) returns: for
// those that need nothing, 0. REQUIRES, for all of them: 0 < bits <= 2^63

#pragma once

#include <cstdint>

#include "base/wide_math.h"
#include "hash/hash_pair.h"

namespace tamis {

// Tamis's own.  Position: the hash as a fraction of 2^64, times bits; next
// hash: multiplied by an odd constant.  Unlike a sum (a + i b), whose step may
// share a divisor with the number of bits or be a multiple of it, this behaves
// like k independent probes, in small filters, too.  (Only the four hashes that
// are multiples of 2^62 stay at one position in a large filter.)
class MultiplicativeProbes {
 public:
  static std::uint64_t Prepare(std::uint64_t /*bits*/) noexcept { return 0; }

  MultiplicativeProbes(std::uint64_t hash, std::uint64_t bits,
                       std::uint64_t /*prepared*/ = 0) noexcept
      : hash_(hash), bits_(bits) {}

  std::uint64_t Next() noexcept {
    const std::uint64_t position = MultiplyHigh(hash_, bits_);
    hash_ *= kMultiplier;
    return position;
  }

 private:
  // A multiplier for 64-bit congruential generators with a good spectrum in
  // all small dimensions (Steele and Vigna, "Computationally easy, spectrally
  // good multipliers for congruential pseudorandom number generators", 2021).
  static constexpr std::uint64_t kMultiplier = 0xd1342543de82ef95;

  std::uint64_t hash_;
  std::uint64_t bits_;
};

// LevelDB's: a 32-bit hash plus multiples of itself, rotated.  The sum
// wraps at 32 bits, so positions from 2^32 on are never reached.
//
// The remainder comes from two multiplications instead of a division: exact
// for 32-bit numbers (Lemire, Kaser, Kurz, "Faster remainder by direct
// computation", 2019).
class RotatedSumProbes {
 public:
  // Returns 2^64 / bits, rounded up; 0 if every 32-bit sum is its own
  // remainder.
  static std::uint64_t Prepare(std::uint64_t bits) noexcept {
    return (bits >> 32) != 0 ? 0 : ~std::uint64_t{0} / bits + 1;
  }

  RotatedSumProbes(std::uint32_t hash, std::uint64_t bits,
                   std::uint64_t prepared) noexcept
      : sum_(hash),
        step_((hash >> 17) | (hash << 15)),
        bits_(bits),
        prepared_(prepared) {}
  RotatedSumProbes(std::uint32_t hash, std::uint64_t bits) noexcept
      : RotatedSumProbes(hash, bits, Prepare(bits)) {}

  std::uint64_t Next() noexcept {
    const std::uint64_t sum = sum_;
    sum_ += step_;
    // With one bit, 2^64 / 1 wraps to 0, and every remainder is 0.
    if (prepared_ == 0) return bits_ == 1 ? 0 : sum;
    return MultiplyHigh(prepared_ * sum, bits_);
  }

 private:
  std::uint32_t sum_;
  std::uint32_t step_;
  std::uint64_t bits_;
  std::uint64_t prepared_;
};

// RocksDB's, up to format_version 4: as LevelDB's, but within one line of 2^x
// bits, which the hash's remainder selects.  `prepared` is a line's bits.
class LineSumProbes {
 public:
  static std::uint64_t Prepare(std::uint64_t /*bits*/) noexcept { return 512; }

  // REQUIRES: bits is a multiple of line_bits, line_bits a power of two
  LineSumProbes(std::uint32_t hash, std::uint64_t bits,
                std::uint64_t line_bits) noexcept
      : sum_(hash),
        step_((hash >> 17) | (hash << 15)),
        line_start_(hash % (bits / line_bits) * line_bits),
        line_mask_(line_bits - 1) {}

  std::uint64_t Next() noexcept {
    const std::uint64_t position = line_start_ + (sum_ & line_mask_);
    sum_ += step_;
    return position;
  }

 private:
  std::uint32_t sum_;
  std::uint32_t step_;
  std::uint64_t line_start_;
  std::uint64_t line_mask_;
};

// Cassandra's: signed 64-bit sums that wrap, reduced by a remainder whose
// sign is then dropped.
class SignedSumProbes {
 public:
  static std::uint64_t Prepare(std::uint64_t /*bits*/) noexcept { return 0; }

  SignedSumProbes(HashPair hash, std::uint64_t bits,
                  std::uint64_t /*prepared*/ = 0) noexcept
      : sum_(hash.first), step_(hash.second), bits_(bits) {}

  std::uint64_t Next() noexcept {
    const bool negative = (sum_ >> 63) != 0;
    const std::uint64_t magnitude = negative ? 0 - sum_ : sum_;
    sum_ += step_;
    return magnitude % bits_;
  }

 private:
  std::uint64_t sum_;
  std::uint64_t step_;
  std::uint64_t bits_;
};

// The lab format's: the halves of a 64-bit hash, as a + i b; cannot wrap
// within 2^31 probes.
class HalvesSumProbes {
 public:
  static std::uint64_t Prepare(std::uint64_t /*bits*/) noexcept { return 0; }

  HalvesSumProbes(std::uint64_t hash, std::uint64_t bits,
                  std::uint64_t /*prepared*/ = 0) noexcept
      : sum_(hash & 0xffffffff), step_(hash >> 32), bits_(bits) {}

  std::uint64_t Next() noexcept {
    const std::uint64_t position = sum_ % bits_;
    sum_ += step_;
    return position;
  }

 private:
  std::uint64_t sum_;
  std::uint64_t step_;
  std::uint64_t bits_;
};

// The MD5 filter's: (a + i b) mod bits over exact integers, that is without
// wrapping at 64 bits: summed in residues, which stay below 2 * bits.
class ExactSumProbes {
 public:
  static std::uint64_t Prepare(std::uint64_t /*bits*/) noexcept { return 0; }

  ExactSumProbes(HashPair hash, std::uint64_t bits,
                 std::uint64_t /*prepared*/ = 0) noexcept
      : position_(hash.first % bits), step_(hash.second % bits), bits_(bits) {}

  std::uint64_t Next() noexcept {
    const std::uint64_t position = position_;
    position_ += step_;
    if (position_ >= bits_) position_ -= bits_;
    return position;
  }

 private:
  std::uint64_t position_;
  std::uint64_t step_;
  std::uint64_t bits_;
};

}  // namespace tamis
