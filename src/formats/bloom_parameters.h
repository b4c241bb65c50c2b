// SPDX-License-Identifier: Apache-2.0
// formats/bloom_parameters.h -- the parameters of a Bloom filter in any format,
// and the size that a caller requests.

#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "tamis/filter.h"

namespace tamis {

// No format exceeds this; it leaves room for headers and rounding in every sum.
inline constexpr std::uint64_t kMaxBloomBits = std::uint64_t{1} << 62;

// What a format's header stores, in one form or another.
struct BloomParameters {
  std::uint64_t bits = 1;
  unsigned probes = 1;
  std::uint64_t seed = 0;             // 0 if the format has none
  std::optional<std::uint64_t> keys;  // nothing: not stored, or not known
  std::uint64_t line_bits = 0;        // if lines differ in size
};

// A filter's bytes, parsed and checked.
struct ParsedBloom {
  BloomParameters parameters;
  Slice payload;  // the bit array; every position of parameters is in it
  std::string always_maybe;  // not empty: reserved; do not probe (says why)
  bool no_keys = false;      // by the format; there is nothing to probe
};

// The requested size of a filter.  Exactly one of bits_per_key, rate and bits
// is set (not 0); `probes` may go with bits_per_key and must go with bits.
struct BloomSizing {
  double bits_per_key = 0;
  double rate = 0;
  std::uint64_t bits = 0;
  unsigned probes = 0;  // 0: the best for the size
  // The size, in lines, blocks or bits, is rounded up to a multiple of this, so
  // that it can be folded.
  std::uint64_t fold = 1;
};

// Which repeated keys count again, in the engine whose format it is.
enum class CountedRepeats {
  kNone,
  kDistant,  // all but those that equal the one before
  kAll,
};

// The textbook's size: m = ceil(n log2(1/p) / ln 2), k = round(m/n ln 2) up to
// most_probes.  Even without keys there is one bit, so that every filter can be
// probed.
BloomParameters PlanTextbook(const BloomSizing& sizing, std::uint64_t keys,
                             unsigned most_probes) noexcept;

}  // namespace tamis
