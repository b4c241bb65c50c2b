// SPDX-License-Identifier: Apache-2.0
#include "tamis/set_algebra.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstring>

#include "base/no_throw.h"
#include "formats/bloom_policy.h"
#include "math/blocked_bloom.h"
#include "math/key_estimates.h"
#include "policy/bloom_bits.h"
#include "tamis/bloom_math.h"

namespace tamis {
namespace {

// Counts of the bits of a, b, and both operations on them.  Rates are sums over
// all blocks; filters without blocks do not set them.
struct Counts {
  std::uint64_t a = 0;
  std::uint64_t b = 0;
  std::uint64_t either = 0;
  std::uint64_t both = 0;
  double union_rates = 0;
  double intersection_rates = 0;
};

constexpr std::size_t kWordBytes = sizeof(std::uint64_t);

void CountWord(const unsigned char* a, const unsigned char* b,
               std::uint64_t* either, std::uint64_t* both, Counts* counts) {
  std::uint64_t word_a;  // in any byte order: bits are only counted
  std::uint64_t word_b;
  std::memcpy(&word_a, a, kWordBytes);
  std::memcpy(&word_b, b, kWordBytes);
  *either = word_a | word_b;
  *both = word_a & word_b;
  counts->a += static_cast<unsigned>(std::popcount(word_a));
  counts->b += static_cast<unsigned>(std::popcount(word_b));
  counts->either += static_cast<unsigned>(std::popcount(*either));
  counts->both += static_cast<unsigned>(std::popcount(*both));
}

Counts CountClassic(std::span<const unsigned char> a,
                    std::span<const unsigned char> b) {
  Counts counts;
  for (std::size_t at = 0; at < a.size(); at += kWordBytes) {
    std::uint64_t either;
    std::uint64_t both;
    CountWord(&a[at], &b[at], &either, &both, &counts);
  }
  return counts;
}

template <typename Shape>
Counts CountBlocks(const Shape& shape, std::span<const unsigned char> a,
                   std::span<const unsigned char> b) {
  Counts counts;
  for (std::size_t block = 0; block < a.size(); block += Shape::kBytes) {
    std::array<unsigned char, Shape::kBytes> united;
    std::array<unsigned char, Shape::kBytes> common;
    for (std::size_t i = 0; i < Shape::kBytes; i += kWordBytes) {
      std::uint64_t either;
      std::uint64_t both;
      CountWord(&a[block + i], &b[block + i], &either, &both, &counts);
      std::memcpy(&united[i], &either, kWordBytes);
      std::memcpy(&common[i], &both, kWordBytes);
    }
    counts.union_rates += shape.Rate(united.data());
    counts.intersection_rates += shape.Rate(common.data());
  }
  return counts;
}

// Estimates numbers of keys from set bits, and their accuracy.
struct Estimator {
  bool blocked;
  BlockedShape shape;
  std::uint64_t bits;
  unsigned probes;

  double Keys(std::uint64_t set_bits) const noexcept {
    return blocked ? BlockedKeysFromFill(shape, set_bits)
                   : BloomKeysFromFill(bits, set_bits, probes);
  }
  double Variance(double keys) const noexcept {
    const double deviation = blocked ? BlockedKeysDeviation(shape, keys)
                                     : BloomKeysDeviation(bits, probes, keys);
    return deviation * deviation;
  }
};

Estimator EstimatorOf(const TamisBloom& bloom) noexcept {
  const BloomParameters& parameters = bloom.parsed.parameters;
  return {.blocked = HasBlocks(bloom),
          .shape = {.kind = bloom.unit.blocks.value_or(BlockKind::kLine),
                    .blocks = parameters.bits / bloom.unit.bits,
                    .probes = parameters.probes},
          .bits = parameters.bits,
          .probes = parameters.probes};
}

Status CheckComparable(const TamisBloom& a, const TamisBloom& b) {
  if (a.kind != b.kind) {
    return Status::InvalidArgument(
        "the filters differ in their kind; only filters of equal parameters "
        "can be compared");
  }
  return CheckMergeable(a.parsed, b.parsed);
}

Result<Overlap> OverlapOf(Slice a_bytes, Slice b_bytes) {
  Result<TamisBloom> a = ParseTamisBloom(a_bytes);
  if (!a.ok()) return a.status();
  Result<TamisBloom> b = ParseTamisBloom(b_bytes);
  if (!b.ok()) return b.status();
  if (Status fits = CheckComparable(*a, *b); !fits.ok()) return fits;

  const Estimator estimator = EstimatorOf(*a);
  const Counts counts =
      HasBlocks(*a)
          ? VisitShape(*a,
                       [&](const auto& shape) {
                         return CountBlocks(shape, BitsOf(*a), BitsOf(*b));
                       })
          : CountClassic(BitsOf(*a), BitsOf(*b));
  Overlap overlap;
  overlap.keys_a = estimator.Keys(counts.a);
  overlap.keys_b = estimator.Keys(counts.b);
  overlap.keys_union = estimator.Keys(counts.either);
  overlap.keys_in_both =
      std::max(0.0, overlap.keys_a + overlap.keys_b - overlap.keys_union);
  // The errors of the three are correlated, so the true deviation is smaller.
  overlap.deviation = std::sqrt(estimator.Variance(overlap.keys_a) +
                                estimator.Variance(overlap.keys_b) +
                                estimator.Variance(overlap.keys_union));
  if (HasBlocks(*a)) {
    const double blocks = static_cast<double>(estimator.shape.blocks);
    overlap.union_rate = counts.union_rates / blocks;
    overlap.intersection_rate = counts.intersection_rates / blocks;
  } else {
    const double bits = static_cast<double>(estimator.bits);
    overlap.union_rate = BloomRateFromFill(
        static_cast<double>(counts.either) / bits, estimator.probes);
    overlap.intersection_rate = BloomRateFromFill(
        static_cast<double>(counts.both) / bits, estimator.probes);
  }
  return overlap;
}

}  // namespace

Result<Overlap> EstimateOverlap(Slice a, Slice b) {
  return NoThrow([&] { return OverlapOf(a, b); });
}

}  // namespace tamis
