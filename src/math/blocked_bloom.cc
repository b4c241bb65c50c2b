// SPDX-License-Identifier: Apache-2.0
#include "math/blocked_bloom.h"

#include <algorithm>
#include <array>
#include <cmath>

#include "math/binomial.h"
#include "tamis/bloom_math.h"

namespace tamis {
namespace {

constexpr std::uint64_t kBitsOfLine = 512;
constexpr double kBitsOfWord = 32;
constexpr unsigned kWordsOfBlock = 8;
constexpr double kBitsOfSplitBlock = 256;
constexpr unsigned kMaxLineProbes = 32;

// Returns the rate of one block with exactly that many keys.
double RateInBlock(BlockKind kind, unsigned probes,
                   std::uint64_t keys) noexcept {
  if (kind == BlockKind::kLine) return BloomRate(kBitsOfLine, keys, probes);
  const double word =
      -std::expm1(static_cast<double>(keys) * std::log1p(-1 / kBitsOfWord));
  return std::pow(word, kWordsOfBlock);
}

// Returns the mean of RateInBlock() over the numbers of keys a block may get.
double MeanBlockRate(BlockKind kind, unsigned probes,
                     const Binomial& keys_of_block) noexcept {
  return MeanRate(keys_of_block, [kind, probes](std::uint64_t keys) {
    return RateInBlock(kind, probes, keys);
  });
}

// Returns the rate for so many keys that their number does not matter: the
// binomial distribution is then close to Poisson's.
double RateAtBits(BlockKind kind, double bits_per_key) noexcept {
  constexpr double kMany = 1e12;
  const bool lines = kind == BlockKind::kLine;
  const double block_bits =
      lines ? static_cast<double>(kBitsOfLine) : kBitsOfSplitBlock;
  const unsigned probes = lines ? BestLineProbes(bits_per_key) : kWordsOfBlock;
  return MeanBlockRate(kind, probes,
                       {kMany, block_bits / bits_per_key / kMany});
}

double SearchBitsPerKey(BlockKind kind, double rate) noexcept {
  double too_few = 0.1;
  double enough = 1024;
  if (RateAtBits(kind, enough) > rate) return 0;
  // To a thousandth of a percent: finer than the granularity of sizes.
  while (enough - too_few > 1e-5 * enough) {
    const double middle = (too_few + enough) / 2;
    (RateAtBits(kind, middle) <= rate ? enough : too_few) = middle;
  }
  return enough;
}

// Filters of one rate are built one after another, and the search takes as long
// as building a filter of thousands of keys: each thread remembers its last.
double BitsPerKeyAt(BlockKind kind, double rate) noexcept {
  struct Found {
    double rate = -1;  // no rate is negative
    double bits = 0;
  };
  thread_local Found found_of_lines;
  thread_local Found found_of_split_blocks;
  Found& found =
      kind == BlockKind::kLine ? found_of_lines : found_of_split_blocks;
  if (found.rate != rate) found = {rate, SearchBitsPerKey(kind, rate)};
  return found.bits;
}

}  // namespace

double BlockedRate(const BlockedShape& shape, std::uint64_t keys) noexcept {
  if (keys == 0) return 0.0;
  if (shape.blocks <= 1) return RateInBlock(shape.kind, shape.probes, keys);
  const double n = static_cast<double>(keys);
  const double blocks = static_cast<double>(shape.blocks);
  // Far beyond what fills every block, the variance no longer matters.
  constexpr double kFull = 1e5;
  if (n / blocks > kFull) {
    return RateInBlock(shape.kind, shape.probes,
                       static_cast<std::uint64_t>(n / blocks));
  }
  return MeanBlockRate(shape.kind, shape.probes, {n, 1 / blocks});
}

double BlockedKeysFromFill(const BlockedShape& shape,
                           std::uint64_t set_bits) noexcept {
  const bool lines = shape.kind == BlockKind::kLine;
  const double block_bits =
      lines ? static_cast<double>(kBitsOfLine) : kBitsOfSplitBlock;
  const double blocks = static_cast<double>(shape.blocks);
  const double all = blocks * block_bits;
  // As in BloomKeysFromFill(): if every bit is set, count half a bit less.
  const double set = std::min(static_cast<double>(set_bits), all - 0.5);
  // A bit stays clear with probability c for each key of its block; over blocks
  // with Poisson-distributed loads, with probability exp(-load (1 - c)).
  const double hit =
      lines ? -std::expm1(shape.probes * std::log1p(-1 / block_bits))
            : 1 / kBitsOfWord;
  return -blocks * std::log1p(-set / all) / hit;
}

unsigned BestLineProbes(double bits_per_key) noexcept {
  // Up to kUpTo[i] bits per key, i + 1 probes are best; these are the points
  // where the rates of i + 1 and i + 2 probes cross, computed with
  // BlockedRate() and measured (docs/design/3-lines.md).
  constexpr std::array kUpTo = {
      2.08,  3.58,  5.10,  6.67,  8.32,  10.06, 11.92, 13.93, 16.12,
      18.52, 21.18, 24.13, 27.42, 31.13, 35.31, 40.06, 45.46, 51.64,
      58.72, 66.88, 76.30, 87.22, 99.91, 114.7, 132.0, 152.4, 176.3,
  };
  const auto* at = std::lower_bound(kUpTo.begin(), kUpTo.end(), bits_per_key);
  return std::min(static_cast<unsigned>(at - kUpTo.begin()) + 1,
                  kMaxLineProbes);
}

double LineBitsPerKey(double rate) noexcept {
  return BitsPerKeyAt(BlockKind::kLine, rate);
}

double SplitBlockBitsPerKey(double rate) noexcept {
  return BitsPerKeyAt(BlockKind::kSplit, rate);
}

}  // namespace tamis
