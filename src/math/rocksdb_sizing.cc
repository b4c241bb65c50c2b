// SPDX-License-Identifier: Apache-2.0
#include "math/rocksdb_sizing.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>

#include "base/wide_math.h"

namespace tamis {
namespace {

constexpr double kLineBits = 512;

// Returns the textbook's rate at that many bits per key.
double StandardRate(double bits_per_key, unsigned probes) noexcept {
  return std::pow(1.0 - std::exp(-1.0 * probes / bits_per_key), probes);
}

// Returns the keys that fit into 2^exponent slots with a failure every few
// attempts, as measured by RocksDB's authors.  0: so few slots are not used.
double KeysThatFit(unsigned exponent) noexcept {
  constexpr unsigned kFirst = 8;
  constexpr std::array<double, 10> kMeasured = {
      248.851, 499.532, 1001.26, 2003.97, 4005.59,
      8000.39, 15966.6, 31828.1, 63447.3, 126506};
  constexpr unsigned kLast = kFirst + kMeasured.size() - 1;
  // Beyond the table, the slots per key grow by this much with each doubling.
  constexpr double kGrowth = 0.0038;
  if (exponent < kFirst) return 0;
  if (exponent <= kLast) return kMeasured[exponent - kFirst];
  constexpr double kBase =
      double{1 << kLast} / kMeasured.back() - kLast * kGrowth;
  return static_cast<double>(std::uint64_t{1} << exponent) /
         (kBase + exponent * kGrowth);
}

}  // namespace

double RocksDbBitsPerKey(double setting) noexcept {
  if (setting < 0.5) return 0;
  if (setting < 1.0) return 1;
  return setting < 100.0 ? setting : 100.0;  // NaN: 100
}

unsigned RocksDbMillibits(double setting) noexcept {
  // Rounds up by a hair more than a half, as RocksDB does so that settings of
  // three decimals come out as they are written.
  constexpr double kHalf = 0.500001;
  return static_cast<unsigned>(RocksDbBitsPerKey(setting) * 1000.0 + kHalf);
}

unsigned RocksDbBloomProbes(unsigned millibits) noexcept {
  // The largest number of thousandths for which 1, 2, 3 ... probes are used.
  constexpr std::array<unsigned, 12> kMax = {2080,  3580,  5100,  6640,
                                             8300,  10070, 11720, 14001,
                                             16050, 18300, 22001, 25501};
  constexpr unsigned kTop = 50000;
  if (millibits > kTop) return 24;
  if (millibits > kMax.back()) return (millibits - 1) / 2000 - 1;
  const auto* found = std::lower_bound(kMax.begin(), kMax.end(), millibits);
  return static_cast<unsigned>(found - kMax.begin()) + 1;
}

std::uint64_t RocksDbBloomBytes(std::uint64_t keys,
                                unsigned millibits) noexcept {
  const Uint128 wanted = (Uint128{keys} * millibits + 7999) / 8000;
  if (wanted >= kMaxRocksDbBloomBytes) return kMaxRocksDbBloomBytes;
  const auto bytes = static_cast<std::uint64_t>(wanted);
  return (bytes + kRocksDbLineBytes - 1) / kRocksDbLineBytes *
         kRocksDbLineBytes;
}

RocksDbLegacySize RocksDbLegacySizeFor(std::uint64_t keys,
                                       unsigned millibits) noexcept {
  constexpr std::uint64_t kMaxBits = 0xffff0000;
  constexpr double kRocksDbLn2 = 0.69;  // truncated, as in LevelDB
  constexpr std::uint64_t kLine = std::uint64_t{kRocksDbLineBytes} * 8;
  const unsigned whole = (millibits + 500) / 1000;
  RocksDbLegacySize size;
  size.probes = std::clamp(static_cast<unsigned>(whole * kRocksDbLn2), 1U, 30U);
  if (keys == 0) return size;
  const Uint128 wanted = Uint128{keys} * whole;
  const std::uint64_t bits =
      wanted < kMaxBits ? static_cast<std::uint64_t>(wanted) : kMaxBits;
  // Odd, so that the remainder of a hash by it depends on all its bits.
  size.lines = ((bits + kLine - 1) / kLine) | 1;
  return size;
}

double RocksDbRibbonOneIn(double bits_per_key) noexcept {
  const unsigned probes = RocksDbBloomProbes(RocksDbMillibits(bits_per_key));
  const double per_line = kLineBits / bits_per_key;
  const double deviation = std::sqrt(per_line);
  const double crowded =
      StandardRate(kLineBits / (per_line + deviation), probes);
  const double thin = StandardRate(kLineBits / (per_line - deviation), probes);
  return 1.0 / ((crowded + thin) / 2);
}

std::uint64_t RocksDbRibbonSlots(std::uint64_t keys) noexcept {
  constexpr double kLog2OfE = 1.4426950409;
  constexpr double kHalf = 0.5;  // RocksDB rounds by adding it and truncating
  constexpr std::uint64_t kFewest = std::uint64_t{2} * kRibbonBlockSlots;
  const auto n = static_cast<double>(keys);
  auto exponent = static_cast<unsigned>(std::log(n) * kLog2OfE + kHalf);
  double upper = KeysThatFit(exponent);
  if (upper == 0) return kFewest;
  double lower = upper;
  if (n < upper) {
    --exponent;
    lower = KeysThatFit(exponent);
  } else {
    upper = KeysThatFit(exponent + 1);
  }
  // Interpolates linearly between two powers of two.
  const auto base = static_cast<double>(std::uint64_t{1} << exponent);
  const double share = (n - lower) / (upper - lower);
  const auto slots =
      static_cast<std::uint64_t>(share * base + base + 0.999999999);
  const std::uint64_t rounded =
      (slots + kRibbonBlockSlots - 1) / kRibbonBlockSlots * kRibbonBlockSlots;
  return std::max(rounded, kFewest);
}

std::uint64_t RocksDbRibbonSegments(std::uint64_t slots, double one_in,
                                    std::uint32_t draw) noexcept {
  constexpr double kMaxOneIn = 4294967295;
  if (one_in <= 1.0) return 1;
  const std::uint64_t blocks = slots / kRibbonBlockSlots;
  if (one_in > kMaxOneIn) return blocks * kMaxStandardRibbonColumns;
  const auto columns = static_cast<unsigned>(
      std::bit_width(static_cast<std::uint64_t>(one_in)) - 1);
  const double starts = static_cast<double>(slots - kRibbonBlockSlots + 1);
  // The share of starts that have only `columns`, so that the mean is 1 /
  // one_in.
  const double many = std::ldexp(1.0, -static_cast<int>(columns));
  const double few = std::ldexp(1.0, -static_cast<int>(columns) - 1);
  const double part = (1.0 / one_in - few) / (many - few);
  const double bias = (draw + 0.5) / 4294967296.0;
  const auto cut =
      static_cast<std::uint64_t>((part * starts + bias) / kRibbonBlockSlots);
  return blocks * columns + (blocks - std::min(cut, blocks));
}

RibbonShape RibbonShapeFor(std::uint64_t blocks,
                           std::uint64_t segments) noexcept {
  const std::uint64_t columns = (segments + blocks - 1) / blocks;
  if (columns > kMaxStandardRibbonColumns) {
    return {.blocks = blocks,
            .segments = blocks * kMaxStandardRibbonColumns,
            .cut = 0,
            .columns = kMaxStandardRibbonColumns};
  }
  return {.blocks = blocks,
          .segments = segments,
          .cut = columns * blocks - segments,
          .columns = static_cast<unsigned>(columns)};
}

double RibbonRate(const RibbonShape& shape) noexcept {
  const auto starts = static_cast<double>(shape.blocks * kRibbonBlockSlots -
                                          kRibbonBlockSlots + 1);
  // The last block has only one start; all others have 128.
  const auto few = static_cast<double>(shape.cut * kRibbonBlockSlots);
  const double rate = std::ldexp(1.0, -static_cast<int>(shape.columns));
  return (few * 2 * rate + (starts - few) * rate) / starts;
}

bool RocksDbPrefersBloom(std::uint64_t keys, unsigned millibits,
                         const RibbonShape& shape) noexcept {
  constexpr std::uint64_t kFewBlocks = 1024 / kRibbonBlockSlots;
  return shape.blocks < kFewBlocks &&
         RocksDbBloomBytes(keys, millibits) < shape.segments * 16;
}

}  // namespace tamis
