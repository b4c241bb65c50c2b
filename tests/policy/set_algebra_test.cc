// SPDX-License-Identifier: Apache-2.0
#include "tamis/set_algebra.h"

#include <array>
#include <cmath>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "math/key_estimates.h"
#include "tests/support/filters.h"

namespace tamis {
namespace {

using testing::Build;
using testing::PolicyOf;

std::vector<std::string> KeysFrom(std::uint64_t first, std::uint64_t count) {
  std::vector<std::string> keys;
  keys.reserve(count);
  for (std::uint64_t i = first; i < first + count; ++i) {
    keys.push_back("key-" + std::to_string(i));
  }
  return keys;
}

std::string Combined(const std::string& a, const std::string& b,
                     SetOperation operation) {
  const std::vector<Slice> both = {a, b};
  std::string combined;
  EXPECT_TRUE(PolicyOf("tamis")->Combine(both, operation, &combined).ok());
  return combined;
}

FilterInfo InfoOf(const std::string& filter) {
  return (*PolicyOf("tamis")->Open(filter))->Describe();
}

// One standard deviation of keys_by_fill.
double DeviationOf(const FilterInfo& info, double keys) {
  if (info.kind == "classic") {
    return BloomKeysDeviation(info.bits, info.probes, keys);
  }
  const bool lines = info.kind == "bloom";
  return BlockedKeysDeviation(
      {.kind = lines ? BlockKind::kLine : BlockKind::kSplit,
       .blocks = info.bits / (lines ? 512 : 256),
       .probes = info.probes},
      keys);
}

class EveryAlgebraKind : public ::testing::TestWithParam<const char*> {
 protected:
  std::string Make(const std::string& arguments, std::uint64_t first,
                   std::uint64_t count) const {
    return Build(*PolicyOf(GetParam() + arguments), KeysFrom(first, count));
  }
  // About 10 bits for each of 100,000 keys, with the best number of probes.
  std::string Usual() const {
    const std::string kind = GetParam();
    const char* k = kind == "bloom" ? "6" : kind == "splitblock" ? "8" : "7";
    return std::string(":m=1024000,k=") + k;
  }
};

INSTANTIATE_TEST_SUITE_P(Kinds, EveryAlgebraKind,
                         ::testing::Values("bloom", "splitblock", "classic"),
                         [](const auto& test) { return test.param; });

TEST_P(EveryAlgebraKind, SetBitsTellTheKeysWithinFiveDeviations) {
  for (const char* bits : {":4", ":10", ":20"}) {
    for (std::uint64_t n : {100u, 1000u, 20'000u, 100'000u}) {
      const FilterInfo info = InfoOf(Make(bits, 0, n));
      const auto keys = static_cast<double>(n);
      EXPECT_NEAR(info.keys_by_fill, keys, 5 * DeviationOf(info, keys))
          << bits << " " << n;
    }
  }
}

// That deviation is the true one, neither too large to mean much nor too small.
TEST_P(EveryAlgebraKind, TheDeviationIsThatOfManyFilters) {
  constexpr std::uint64_t kKeys = 1500;
  constexpr unsigned kFilters = 300;
  const auto keys = KeysFrom(0, kKeys);
  for (const char* bits : {":5", ":10"}) {
    double sum = 0;
    double expected = 0;
    for (unsigned seed = 0; seed < kFilters; ++seed) {
      const FilterInfo info =
          InfoOf(Build(*PolicyOf(GetParam() + std::string(bits) +
                                 ",seed=" + std::to_string(seed)),
                       keys));
      sum += std::pow(info.keys_by_fill - kKeys, 2);
      expected = std::pow(DeviationOf(info, kKeys), 2);
    }
    EXPECT_NEAR(sum / kFilters / expected, 1, 0.4) << bits;
  }
}

TEST_P(EveryAlgebraKind, OverlapsAreEstimatedWithinFiveDeviations) {
  constexpr std::uint64_t kKeys = 100'000;
  const std::string a = Make(Usual(), 0, kKeys);
  for (std::uint64_t both : {0u, 1000u, 10'000u, 50'000u, 90'000u, 100'000u}) {
    const std::string b = Make(Usual(), kKeys - both, kKeys);
    const auto overlap = EstimateOverlap(a, b);
    ASSERT_TRUE(overlap.ok()) << overlap.status().ToString();
    const double deviation = overlap->deviation;
    EXPECT_NEAR(overlap->keys_in_both, static_cast<double>(both),
                5 * deviation);
    EXPECT_NEAR(overlap->keys_a, kKeys, 5 * deviation);
    EXPECT_NEAR(overlap->keys_b, kKeys, 5 * deviation);
    EXPECT_NEAR(overlap->keys_union, static_cast<double>(2 * kKeys - both),
                5 * deviation);
    EXPECT_LT(deviation, 0.003 * kKeys);
    EXPECT_GE(overlap->keys_in_both, 0);
    // What Combine() makes of them has just these rates.
    EXPECT_NEAR(overlap->union_rate,
                InfoOf(Combined(a, b, SetOperation::kUnion)).rate, 1e-12);
    EXPECT_NEAR(overlap->intersection_rate,
                InfoOf(Combined(a, b, SetOperation::kIntersection)).rate,
                1e-12);
  }
}

TEST_P(EveryAlgebraKind, AUnionIsTheFilterOfAllKeys) {
  const std::string a = Make(Usual(), 0, 3000);
  const std::string b = Make(Usual(), 2000, 3000);
  const std::string all = Make(Usual(), 0, 5000);
  // But for the count of keys, and with it the header's checksum.
  EXPECT_EQ(Combined(a, b, SetOperation::kUnion).substr(64), all.substr(64));
}

// A key of A alone is "maybe" in the intersection as often as B errs; a
// absent key to both much more seldom.
TEST_P(EveryAlgebraKind, AnIntersectionErrsForKeysOfOneAsTheOther) {
  const std::string a = Make(Usual(), 0, 100'000);
  const std::string b = Make(Usual(), 50'000, 100'000);
  const std::string both = Combined(a, b, SetOperation::kIntersection);
  const auto reader = PolicyOf("tamis")->Open(both);
  const auto rate_of = [&](std::uint64_t first, std::uint64_t count) {
    double hits = 0;
    for (const std::string& key : KeysFrom(first, count)) {
      hits += reader->MayContain(key) ? 1 : 0;
    }
    return hits / static_cast<double>(count);
  };
  EXPECT_EQ(rate_of(50'000, 50'000), 1.0);
  const double rate_b = InfoOf(b).rate;
  EXPECT_NEAR(rate_of(0, 50'000), rate_b, 5 * std::sqrt(rate_b / 50'000));
  const double rate = InfoOf(both).rate;
  EXPECT_NEAR(rate_of(1'000'000, 200'000), rate, 5 * std::sqrt(rate / 200'000));
  EXPECT_LT(rate, rate_b / 5);
}

// The tables of docs/shape.md.
TEST(SetAlgebraRates, AreThoseOfTheShapePage) {
  struct Row {
    const char* kind;
    std::array<double, 5> unions;         // percent, by how many times the keys
    std::array<double, 4> intersections;  // percent, by the keys in common
  };
  for (const Row& row : {Row{"bloom",
                             {0.966, 2.36, 4.64, 12.0, 56.5},
                             {0.0079, 0.0137, 0.0986, 0.576}},
                         Row{"splitblock",
                             {1.265, 3.32, 6.80, 17.9, 72.1},
                             {0.0127, 0.0204, 0.122, 0.719}},
                         Row{"classic",
                             {0.819, 2.29, 4.91, 13.8, 64.5},
                             {0.0053, 0.0088, 0.0631, 0.448}}}) {
    const auto policy = PolicyOf(std::string(row.kind) + ":10");
    constexpr std::array kTimes = {1.0, 1.25, 1.5, 2.0, 4.0};
    for (std::size_t i = 0; i < kTimes.size(); ++i) {
      const double rate = policy->RateAt(
          1'000'000, static_cast<std::uint64_t>(kTimes[i] * 1'000'000));
      EXPECT_NEAR(rate * 100 / row.unions[i], 1, 0.003) << row.kind;
    }
    const std::string k = row.kind[0] == 'b'   ? "6"
                          : row.kind[0] == 's' ? "8"
                                               : "7";
    const auto sized = PolicyOf(std::string(row.kind) + ":m=1024000,k=" + k);
    const std::string a = Build(*sized, KeysFrom(0, 100'000));
    constexpr std::array<std::uint64_t, 4> kBoth = {0, 10'000, 50'000, 90'000};
    for (std::size_t i = 0; i < kBoth.size(); ++i) {
      const std::string b =
          Build(*sized, KeysFrom(100'000 - kBoth[i], 100'000));
      EXPECT_NEAR(EstimateOverlap(a, b).value().intersection_rate * 100 /
                      row.intersections[i],
                  1, 0.07)
          << row.kind << kBoth[i];
    }
  }
  EXPECT_NEAR(
      BlockedKeysDeviation(
          {.kind = BlockKind::kLine, .blocks = 19'532, .probes = 6}, 1e6),
      255, 1);
  EXPECT_NEAR(
      BlockedKeysDeviation(
          {.kind = BlockKind::kSplit, .blocks = 39'063, .probes = 8}, 1e6),
      278, 1);
  EXPECT_NEAR(BloomKeysDeviation(10'000'000, 7, 1e6), 253, 1);
  const BlockedShape pair = {
      .kind = BlockKind::kLine, .blocks = 20'000, .probes = 6};
  EXPECT_NEAR(std::hypot(BlockedKeysDeviation(pair, 1e6),
                         BlockedKeysDeviation(pair, 1e6),
                         BlockedKeysDeviation(pair, 2e6)),
              650, 20);
}

TEST(SetAlgebra, RefusesWhatCannotBeCompared) {
  const auto code = [](const char* a, const char* b) {
    return EstimateOverlap(Build(*PolicyOf(a), {"x"}),
                           Build(*PolicyOf(b), {"x"}))
        .status()
        .code();
  };
  EXPECT_EQ(code("bloom:m=512,k=6", "bloom:m=1024,k=6"),
            StatusCode::kInvalidArgument);
  EXPECT_EQ(code("bloom:m=512,k=6", "bloom:m=512,k=5"),
            StatusCode::kInvalidArgument);
  EXPECT_EQ(code("bloom:m=512,k=6", "bloom:m=512,k=6,seed=1"),
            StatusCode::kInvalidArgument);
  EXPECT_EQ(code("bloom:m=512,k=8", "splitblock:m=512,k=8"),
            StatusCode::kInvalidArgument);
  EXPECT_EQ(code("classic:m=512,k=8", "bloom:m=512,k=8"),
            StatusCode::kInvalidArgument);
  EXPECT_EQ(code("bloom:10", "scalable:10"), StatusCode::kNotSupported);
  EXPECT_EQ(code("bloom:m=512,k=6", "bloom:m=512,k=6"), StatusCode::kOk);
  EXPECT_EQ(EstimateOverlap("", "").status().code(), StatusCode::kCorruption);
}

}  // namespace
}  // namespace tamis
