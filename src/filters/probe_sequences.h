// filters/probe_sequences.h -- from a key's digest to the bit positions that
// stand for it.  Each sequence is constructed from (digest, bits) and its
// Next() yields positions in [0, bits), as many as are asked for.
// REQUIRES, for all of them: 0 < bits <= 2^63

#pragma once

#include <cstdint>

#include "base/wide_math.h"

namespace tamis {

// Two independent 64-bit halves of a digest.
struct DigestPair {
  std::uint64_t first;
  std::uint64_t second;
  bool operator==(const DigestPair&) const = default;
};

// Tamis's own.  Position: the digest as a fraction of 2^64, times bits; next
// digest: multiplied by an odd constant.  Unlike a sum (a + i b), whose step
// may share a divisor with the number of bits or be a multiple of it, this
// behaves as k independent probes do, in small filters too.  (Of all digests
// only the four multiples of 2^62 stay where they are in a large filter.)
class MultiplicativeProbes {
 public:
  MultiplicativeProbes(std::uint64_t digest, std::uint64_t bits) noexcept
      : digest_(digest), bits_(bits) {}

  std::uint64_t Next() noexcept {
    const std::uint64_t position = MultiplyHigh(digest_, bits_);
    digest_ *= kMultiplier;
    return position;
  }

 private:
  // A multiplier for 64-bit congruential generators with a good spectrum in
  // all small dimensions (Steele and Vigna, "Computationally easy, spectrally
  // good multipliers for congruential pseudorandom number generators", 2021).
  static constexpr std::uint64_t kMultiplier = 0xd1342543de82ef95;

  std::uint64_t digest_;
  std::uint64_t bits_;
};

// LevelDB's: a 32-bit digest plus multiples of itself, rotated.  The sum
// wraps at 32 bits, so positions from 2^32 on are never reached.
class RotatedSumProbes {
 public:
  RotatedSumProbes(std::uint32_t digest, std::uint64_t bits) noexcept
      : sum_(digest), step_((digest >> 17) | (digest << 15)), bits_(bits) {}

  std::uint64_t Next() noexcept {
    const std::uint64_t position = sum_ % bits_;
    sum_ += step_;
    return position;
  }

 private:
  std::uint32_t sum_;
  std::uint32_t step_;
  std::uint64_t bits_;
};

// Cassandra's: signed 64-bit sums that wrap, reduced by a remainder whose
// sign is then dropped.
class SignedSumProbes {
 public:
  SignedSumProbes(DigestPair digest, std::uint64_t bits) noexcept
      : sum_(digest.first), step_(digest.second), bits_(bits) {}

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

// The lab format's: the halves of a 64-bit digest, as a + i b; cannot wrap
// within 2^31 probes.
class HalvesSumProbes {
 public:
  HalvesSumProbes(std::uint64_t digest, std::uint64_t bits) noexcept
      : sum_(digest & 0xffffffff), step_(digest >> 32), bits_(bits) {}

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
  ExactSumProbes(DigestPair digest, std::uint64_t bits) noexcept
      : position_(digest.first % bits),
        step_(digest.second % bits),
        bits_(bits) {}

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
