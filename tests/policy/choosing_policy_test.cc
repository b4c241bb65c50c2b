// SPDX-License-Identifier: Apache-2.0
// "fpr:RATE": the kind is chosen when the keys are known.

#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "tamis/advice.h"
#include "tests/support/filters.h"

namespace tamis {
namespace {

using testing::Build;
using testing::NumberedKeys;
using testing::PolicyOf;

std::string KindIn(const FilterPolicy& policy, const std::string& bytes) {
  auto reader = policy.Open(bytes);
  EXPECT_TRUE(reader.ok()) << reader.status().ToString();
  return reader.ok() ? reader->Describe().kind : "";
}

TEST(ChoosingPolicy, WritesTheBytesOfTheKindItChooses) {
  struct Case {
    const char* spec;
    std::uint64_t keys;
    const char* same_as;  // bytes of this policy
  };
  for (const Case& c : {
           Case{"fpr:0.01", 0, "bloom:fpr=0.01"},
           Case{"fpr:0.01", 1, "bloom:fpr=0.01"},
           Case{"fpr:0.01,seed=7", 1000, "bloom:fpr=0.01,seed=7"},
           Case{"fpr:0.01", 300'000, "bloom:fpr=0.01"},
           Case{"fpr:0.001", 100'000, "bloom:fpr=0.001"},
           Case{"fpr:0.01,lifetime=1e7,queries=1,seed=3", 200'000,
                "ribbon:fpr=0.01,seed=3"},
           Case{"fpr:0.01,lifetime=1e7", 1000, "bloom:fpr=0.01"},
           Case{"fpr:1e-9,seed=5", 50'000, "ribbon:fpr=1e-9,seed=5"},
       }) {
    const auto policy = PolicyOf(c.spec);
    const auto same = PolicyOf(c.same_as);
    const std::vector<std::string> keys = NumberedKeys("k", c.keys);
    const std::string bytes = Build(*policy, keys);
    EXPECT_TRUE(bytes == Build(*same, keys))
        << c.spec << " " << c.keys << ": " << KindIn(*policy, bytes);
    const Estimate estimate = policy->Predict(c.keys);
    EXPECT_EQ(estimate.bytes, same->Predict(c.keys).bytes) << c.spec;
  }
}

// Where the rate is that of cells, and the filter is held for about an hour.
TEST(ChoosingPolicy, AgreesWithTheAdviceAlsoOnFuse) {
  constexpr std::uint64_t kKeys = 200'000;
  FilterNeed need = {.keys = kKeys, .rate = 1.0 / 256, .queries_per_key = 20};
  FilterAdvice advice;
  for (; need.lifetime_seconds < 1e6; need.lifetime_seconds *= 1.1) {
    advice = *AdviseFilter(need);
    if (advice.best.kind == "fuse8") break;
  }
  ASSERT_EQ(advice.best.kind, "fuse8");
  const auto policy = PolicyOf("fpr:0.00390625,queries=20,lifetime=" +
                               std::to_string(need.lifetime_seconds));
  const std::vector<std::string> keys = NumberedKeys("k", kKeys);
  EXPECT_TRUE(Build(*policy, keys) == Build(*PolicyOf(advice.best.spec), keys));
}

TEST(ChoosingPolicy, GoesByTheDifferentKeys) {
  const auto policy = PolicyOf("fpr:0.01,lifetime=1e7,queries=1");
  const std::vector<std::string> keys = NumberedKeys("k", 100);
  std::string once;
  auto builder = policy->NewBuilder();
  for (const std::string& key : keys) builder->Add(key);
  ASSERT_TRUE(builder->Finish(&once).ok());
  EXPECT_EQ(KindIn(*policy, once), "bloom");
  std::string often;
  builder = policy->NewBuilder();
  for (int i = 0; i < 1000; ++i) {
    for (const std::string& key : keys) builder->Add(key);
  }
  ASSERT_TRUE(builder->Finish(&often).ok());
  EXPECT_EQ(once, often);
}

TEST(ChoosingPolicy, WhatGrowsIsBloom) {
  const auto policy = PolicyOf("fpr:0.01,lifetime=1e7,queries=1");
  const auto bloom = PolicyOf("bloom:fpr=0.01");
  auto filter = policy->NewMutable(1'000'000);
  ASSERT_TRUE(filter.ok());
  EXPECT_EQ(filter->Describe().kind, "bloom");
  EXPECT_TRUE(policy->NewConcurrent(1000).ok());
  // The rate of what grows.
  EXPECT_EQ(policy->RateAt(1'000'000, 2'000'000),
            bloom->RateAt(1'000'000, 2'000'000));
  EXPECT_EQ(policy->RateAt(1'000'000, 1'000'000),
            policy->Predict(1'000'000).false_positive_rate);
}

TEST(ChoosingPolicyThreads, MarkTheSameBits) {
  const auto policy = PolicyOf("fpr:0.01");
  const std::vector<std::string> keys = NumberedKeys("k", 600'000);
  BuildOptions options;
  options.threads = 4;
  double last = 0;
  options.progress = [&](double part) { last = part; };
  auto builder = policy->NewBuilder(options);
  for (const std::string& key : keys) builder->Add(key);
  std::string bytes;
  ASSERT_TRUE(builder->Finish(&bytes).ok());
  EXPECT_TRUE(bytes == Build(*PolicyOf("bloom:fpr=0.01"), keys));
  EXPECT_GT(last, 0);
}

}  // namespace
}  // namespace tamis
