// SPDX-License-Identifier: Apache-2.0
#include "tamis/fold.h"

#include <cmath>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "tests/support/filters.h"
#include "tests/support/golden.h"

namespace tamis {
namespace {

using testing::Build;
using testing::NumberedKeys;
using testing::PolicyOf;

std::string Sized(const std::string& kind, std::uint64_t bits, unsigned k) {
  return kind + ":m=" + std::to_string(bits) + ",k=" + std::to_string(k) +
         ",seed=3";
}

double RateOf(const std::string& filter) {
  return (*PolicyOf("tamis")->Open(filter))->Describe().rate;
}

// The whole promise: folding gives the very bytes that the keys would have
// given at the smaller size.
TEST(Fold, GivesTheFilterThatTheKeysWouldHaveGiven) {
  struct Case {
    const char* kind;
    std::uint64_t unit;  // bits
    unsigned k;
  };
  const auto keys = NumberedKeys("key-", 3000);
  for (const Case& c : {Case{"bloom", 512, 7}, Case{"bloom", 512, 1},
                        Case{"splitblock", 256, 8}, Case{"classic", 1, 6},
                        Case{"classic", 97, 9}}) {
    for (std::uint64_t units : {360u, 2 * 3 * 5 * 7 * 11u}) {
      const std::uint64_t bits = units * c.unit;
      const std::string whole =
          Build(*PolicyOf(Sized(c.kind, bits, c.k)), keys);
      for (std::uint64_t divisor = 1; divisor <= units; ++divisor) {
        std::string folded = "before";
        const auto result = FoldFilter(whole, divisor, &folded);
        if (units * (c.unit == 97 ? 97 : 1) % divisor != 0) {
          ASSERT_EQ(result.status().code(), StatusCode::kInvalidArgument);
          ASSERT_EQ(folded, "before");
          continue;
        }
        ASSERT_TRUE(result.ok()) << result.status().ToString();
        const std::string expected =
            Build(*PolicyOf(Sized(c.kind, bits / divisor, c.k)), keys);
        ASSERT_EQ(folded, "before" + expected) << c.kind << " / " << divisor;
        ASSERT_EQ(result->bytes, expected.size());
        ASSERT_NEAR(result->rate_before, RateOf(whole), 1e-9);
        ASSERT_NEAR(result->rate_after, RateOf(expected), 1e-9);
        ASSERT_EQ(*RateWhenFolded(whole, divisor), result->rate_after);
      }
    }
  }
}

TEST(Fold, TheLargestDivisorLeavesTheRateAtMostWhatIsAsked) {
  const auto keys = NumberedKeys("key-", 500);
  for (const char* spec : {"bloom:m=368640,k=6", "splitblock:m=92160,k=8",
                           "classic:m=55440,k=7"}) {
    const std::string filter = Build(*PolicyOf(spec), keys);
    const std::uint64_t units = spec[0] == 'b'   ? 720
                                : spec[0] == 's' ? 360
                                                 : 55440;
    for (double rate : {0.0, 1e-6, 1e-4, 0.01, 0.2, 1.0}) {
      std::uint64_t largest = 1;
      for (std::uint64_t d = 2; d <= units; ++d) {
        if (units % d == 0 && *RateWhenFolded(filter, d) <= rate) largest = d;
      }
      EXPECT_EQ(*LargestDivisorFor(filter, rate), largest) << spec << rate;
    }
    EXPECT_EQ(*LargestDivisorFor(filter, 1.0), units);
    EXPECT_EQ(*LargestDivisorFor(filter, std::nan("")), 1u);
  }
}

TEST(Fold, NamesTheDivisorsThatThereAre) {
  std::string dst = "as it was";
  const auto message = [&](const std::string& spec, std::uint64_t divisor) {
    const std::string filter = Build(*PolicyOf(spec), {"a"});
    const auto result = FoldFilter(filter, divisor, &dst);
    EXPECT_EQ(result.status().code(), StatusCode::kInvalidArgument);
    EXPECT_EQ(LargestDivisorFor(filter, 1.0).ok(), true);
    EXPECT_EQ(RateWhenFolded(filter, divisor).status().code(),
              StatusCode::kInvalidArgument);
    return std::string(result.status().message());
  };
  const auto npos = std::string::npos;
  EXPECT_NE(
      message("bloom:m=6144,k=3", 5)
          .find("12 lines, which 5 does not divide; what does: 1, 2, 3, 4, 6, "
                "12"),
      npos);
  EXPECT_NE(message("splitblock:m=1792,k=8", 0).find("7 blocks, which 0"),
            npos);
  EXPECT_NE(message("classic:m=5040,k=8", 11).find("12, 14, ..."), npos);
  EXPECT_NE(message("classic:m=13,k=8", 26).find("1, 13"), npos);
  EXPECT_EQ(dst, "as it was");
  EXPECT_NE(message("splitblock:m=1792,k=8", 2).find("planned with fold=64"),
            npos);
  EXPECT_EQ(message("bloom:m=6144,k=3", 5).find("fold=64"), npos);
}

class FoldPlanned : public ::testing::TestWithParam<const char*> {};

TEST_P(FoldPlanned, WhatIsPlannedWithFoldCanBeHalvedSoOften) {
  const std::string kind = GetParam();
  for (const std::uint64_t keys : {1u, 77u, 1000u, 30'011u}) {
    const auto policy = PolicyOf(kind + ":10,fold=16");
    std::string filter = Build(*policy, testing::NumberedKeys("key", keys));
    const auto plain = PolicyOf(kind + ":10");
    // A whole number of units is added, and fewer than 16 of them.
    const std::uint64_t unit = kind == "bloom"        ? 512
                               : kind == "splitblock" ? 256
                                                      : 1;
    const std::uint64_t bits = policy->Predict(keys).bits;
    EXPECT_EQ(bits % (16 * unit), 0u);
    EXPECT_GE(bits, plain->Predict(keys).bits);
    EXPECT_LT(bits - plain->Predict(keys).bits, 16 * unit);
    EXPECT_EQ(policy->Predict(keys).probes, plain->Predict(keys).probes);
    for (unsigned i = 0; i < 4; ++i) {
      std::string half;
      const auto folded = FoldFilter(filter, 2, &half);
      ASSERT_TRUE(folded.ok()) << folded.status().message();
      filter = half;
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Kinds, FoldPlanned,
                         ::testing::Values("bloom", "splitblock", "classic"));

TEST(Fold, RefusesOtherKindsAndDamage) {
  std::string dst = "as it was";
  for (const char* spec : {"scalable:fpr=0.01", "rotating:10"}) {
    const std::string filter = Build(*PolicyOf(spec), {"a", "b"});
    const auto result = FoldFilter(filter, 1, &dst);
    EXPECT_EQ(result.status().code(), StatusCode::kNotSupported);
    EXPECT_NE(result.status().message().find("only for classic"),
              std::string_view::npos);
  }
  std::string filter = Build(*PolicyOf("bloom:m=6144,k=3"), {"a", "b"});
  filter[100] = static_cast<char>(filter[100] ^ 4);
  EXPECT_EQ(FoldFilter(filter, 2, &dst).status().code(),
            StatusCode::kCorruption);
  EXPECT_EQ(LargestDivisorFor(filter, 0.1).status().code(),
            StatusCode::kCorruption);
  EXPECT_EQ(FoldFilter("", 2, &dst).status().code(), StatusCode::kCorruption);
  EXPECT_EQ(dst, "as it was");
}

// The table of docs/shape.md.
TEST(FoldRates, ClimbAsTheShapePageSays) {
  const std::string filter =
      Build(*PolicyOf("bloom:m=4096000,k=6"), NumberedKeys("key-", 100'000));
  struct Row {
    std::uint64_t divisor;
    double percent, with_16_probes, with_the_best;
  };
  const auto predicted = [](const std::string& spec) {
    return PolicyOf(spec)->Predict(1'000'000).false_positive_rate * 100;
  };
  for (const Row& row :
       {Row{1, 0.00147, 0.00006, 0.00006}, Row{2, 0.0394, 0.0239, 0.0168},
        Row{4, 0.876, 3.13, 0.870}, Row{5, 2.15, 9.90, 2.14},
        Row{8, 11.2, 48.8, 8.83}}) {
    SCOPED_TRACE(row.divisor);
    EXPECT_NEAR(*RateWhenFolded(filter, row.divisor) * 100 / row.percent, 1,
                0.05);
    const std::string bits = std::to_string(40'960'000 / row.divisor);
    EXPECT_NEAR(predicted("bloom:m=" + bits + ",k=6") / row.percent, 1, 0.005);
    EXPECT_NEAR(predicted("bloom:m=" + bits + ",k=16") / row.with_16_probes, 1,
                row.divisor == 1 ? 0.1 : 0.005);
    EXPECT_NEAR(predicted("bloom:" + std::to_string(40.96 / static_cast<double>(
                                                                row.divisor))) /
                    row.with_the_best,
                1, row.divisor == 1 ? 0.1 : 0.005);
  }
}

}  // namespace
}  // namespace tamis
