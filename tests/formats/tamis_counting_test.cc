// SPDX-License-Identifier: Apache-2.0
#include <cmath>
#include <memory>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "formats/tamis/container.h"
#include "formats/tamis/counting.h"
#include "tests/support/filters.h"
#include "tests/support/rates.h"

// Golden bytes, damage, and what holds of cuckoo filters as well are in
// tamis_erasable_test.cc.

namespace tamis {
namespace {

using testing::PolicyOf;
using testing::Saved;

// Of the given spec, with the keys inserted one by one, repeats included.
std::string Lived(const std::string& spec, std::uint64_t planned,
                  const std::vector<std::string>& keys) {
  auto filter = NewErasable(spec, planned);
  EXPECT_TRUE(filter.ok());
  for (const std::string& key : keys) {
    EXPECT_TRUE(filter->Insert(key).ok());
  }
  return Saved(**filter);
}

TEST(TamisCounting, SizesAreWholeLinesOf128Counters) {
  struct Case {
    const char* spec;
    std::uint64_t keys, bits;
    unsigned probes;
  };
  for (const Case& c :
       {Case{"counting:46", 0, 512, 6}, Case{"counting:46", 11, 512, 6},
        Case{"counting:46", 12, 1024, 6}, Case{"counting:m=128,k=3", 9, 512, 3},
        Case{"counting:m=129,k=3", 9, 1024, 3},
        Case{"counting:40,k=2", 1000, 40448, 2},
        Case{"counting:40", 10'000'000'000, 400'000'000'000, 6}}) {
    const Estimate estimate = PolicyOf(c.spec)->Predict(c.keys);
    EXPECT_EQ(estimate.bits, c.bits) << c.spec;
    EXPECT_EQ(estimate.bytes, kTamisHeaderBytes + c.bits / 8) << c.spec;
    EXPECT_EQ(estimate.probes, c.probes) << c.spec;
    EXPECT_TRUE(estimate.status.ok()) << c.spec;
  }
  EXPECT_FALSE(PolicyOf("counting:40")->Predict(~std::uint64_t{0}).status.ok());
  EXPECT_FALSE(MakePolicy("counting:40,k=33").ok());
  EXPECT_FALSE(MakePolicy("counting:fpr=1e-30").ok());
}

TEST(TamisCounting, RatesBecomeSizes) {
  for (double rate : {0.3, 0.1, 0.01, 0.001, 0.0001}) {
    const auto policy = PolicyOf("counting:fpr=" + std::to_string(rate));
    const double predicted = policy->Predict(10'000'000).false_positive_rate;
    EXPECT_LE(predicted, rate * 1.0001);
    EXPECT_GE(predicted, rate * 0.999);
  }
}

// Counters at 15 stay there, so even in a filter with a hundred times the keys
// that it is for, no erasure takes what another key needs.
TEST(TamisCounting, AnOverfullFilterHidesNoKey) {
  auto filter = NewErasable("counting:m=256,k=4", 1);
  ASSERT_TRUE(filter.ok());
  const auto keys = testing::NumberedKeys("key-", 2000);
  for (const std::string& key : keys) {
    ASSERT_TRUE(filter->Insert(key).ok());
  }
  for (std::size_t erased = 0; erased < keys.size(); ++erased) {
    ASSERT_TRUE(filter->Erase(keys[erased]).ok());
    if (erased % 100 != 0) continue;
    for (std::size_t i = erased + 1; i < keys.size(); ++i) {
      ASSERT_TRUE(filter->MayContain(keys[i])) << erased;
    }
  }
  EXPECT_EQ(filter->Describe().keys, 0u);
  EXPECT_GT(filter->Describe().set_bits, 0u);
  EXPECT_EQ(filter->Erase(keys[0]).code(), StatusCode::kNotFound);
}

TEST(TamisCounting, AUnionIsTheFilterOfAllInsertions) {
  const auto policy = PolicyOf("tamis");
  // Overfull, too: sums of counters stick as counters do.
  for (const char* spec : {"counting:m=12800,k=6", "counting:m=128,k=3"}) {
    const auto a = testing::NumberedKeys("a", 300);
    const auto b = testing::NumberedKeys("b", 300);
    auto all = a;
    all.insert(all.end(), b.begin(), b.end());
    all.insert(all.end(), a.begin(), a.end());
    const std::string of_a = Lived(spec, 1, a);
    const std::string of_b = Lived(spec, 1, b);
    const std::vector<Slice> parts = {of_a, of_b, of_a};
    std::string merged = "before";
    ASSERT_TRUE(policy->Combine(parts, SetOperation::kUnion, &merged).ok());
    EXPECT_EQ(merged, "before" + Lived(spec, 1, all)) << spec;

    auto loaded = LoadErasable(Slice(merged).substr(6));
    ASSERT_TRUE(loaded.ok());
    for (const std::string& key : a) {
      ASSERT_TRUE(loaded->Erase(key).ok());
      ASSERT_TRUE(loaded->Erase(key).ok());
    }
    for (const std::string& key : b) {
      ASSERT_TRUE(loaded->MayContain(key)) << spec;
    }
  }
}

TEST(TamisCounting, CombinesOnlyWhatFits) {
  const auto policy = PolicyOf("tamis");
  const std::string filter = Lived("counting:m=256,k=6", 1, {"a"});
  const auto code_with = [&](const std::string& other, SetOperation operation) {
    std::string merged = "as it was";
    const std::vector<Slice> parts = {filter, other};
    const Status status = policy->Combine(parts, operation, &merged);
    EXPECT_EQ(merged, "as it was");
    return status.code();
  };
  for (const char* spec :
       {"counting:m=256,k=5", "counting:m=128,k=6", "counting:m=256,k=6,seed=1",
        "bloom:m=1024,k=6", "cuckoo:m=128,k=8"}) {
    EXPECT_EQ(
        code_with(testing::Build(*PolicyOf(spec), {"a"}), SetOperation::kUnion),
        StatusCode::kInvalidArgument)
        << spec;
  }
  EXPECT_EQ(code_with(filter, SetOperation::kIntersection),
            StatusCode::kNotSupported);
  std::string dst;
  EXPECT_FALSE(
      PolicyOf("counting")->Combine({}, SetOperation::kUnion, &dst).ok());
}

TEST(TamisCountingRates, MeetTheFormula) {
  for (const char* spec : {"counting:20", "counting:46", "counting:80",
                           "counting:fpr=0.01", "counting:40,k=3"}) {
    for (std::uint64_t n : {1u, 3u, 10u, 100u, 1000u, 50'000u}) {
      // As for other kinds: for a few keys the formula itself is low.
      const double high = n > 10 ? 1.01 : n > 3 ? 1.03 : 1.25;
      const auto rate =
          testing::Measure(*PolicyOf(spec), n, testing::SequentialKey, 400'000);
      EXPECT_TRUE(rate.Within(0.99, high))
          << spec << ", " << n << " keys: " << rate.ToString();
    }
  }
}

// After any life, the filter's own rate is what its counters say.
TEST(TamisCountingRates, OfALivedFilterAreWhatItDescribes) {
  auto filter = NewErasable("counting:46", 20'000);
  ASSERT_TRUE(filter.ok());
  const auto keys = testing::NumberedKeys("key-", 40'000);
  for (const std::string& key : keys) ASSERT_TRUE(filter->Insert(key).ok());
  for (std::size_t i = 0; i < 25'000; ++i) {
    ASSERT_TRUE(filter->Erase(keys[i]).ok());
  }
  const FilterInfo info = filter->Describe();
  EXPECT_EQ(info.keys, 15'000u);
  EXPECT_NEAR(info.keys_by_fill, 15'000, 300);
  constexpr double kAsked = 400'000;
  double hits = 0;
  for (const std::string& key : testing::NumberedKeys("absent-", 400'000)) {
    hits += filter->MayContain(key) ? 1 : 0;
  }
  EXPECT_NEAR(hits / kAsked, info.rate, 5 * std::sqrt(info.rate / kAsked));
  const double planned = PolicyOf("counting:46")->RateAt(20'000, 15'000);
  EXPECT_NEAR(info.rate / planned, 1, 0.05);
}

}  // namespace
}  // namespace tamis
