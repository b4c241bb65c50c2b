// SPDX-License-Identifier: Apache-2.0
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include <gtest/gtest.h>

#include "tamis/sstable_whatif.h"

namespace tamis {
namespace {

SstableInfo Sstable(std::string_view engine, int level, double keys) {
  SstableInfo info;
  info.engine = engine;
  info.level = level;
  info.group = level < 0 ? "ks.table" : "level " + std::to_string(level);
  info.path = "db/some.sst";
  info.version = engine == "cassandra" ? "nb" : "5";
  info.entries = static_cast<std::uint64_t>(keys);
  info.filter.kind = "bloom";
  info.filter.keys = keys;
  info.filter.bytes = static_cast<std::uint64_t>(keys * 10 / 8);
  info.filter.rate = 0.01;
  info.verdict = FilterVerdict::kOk;
  return info;
}

WhatIfAnswer Asked(const std::vector<SstableInfo>& sstables,
                   const WhatIfQuestion& question) {
  const auto answer = AskWhatIf(sstables, GroupSstables(sstables),
                                sstables.front().engine, question);
  EXPECT_TRUE(answer.ok()) << answer.status().message();
  return answer.ok() ? *answer : WhatIfAnswer();
}

Estimate Predicted(const std::string& spec, std::uint64_t keys) {
  const auto policy = MakePolicy(spec);
  EXPECT_TRUE(policy.ok());
  return policy->Predict(keys);
}

TEST(WhatIf, EveryKindOfTheEngineIsPredictedForEveryTable) {
  const std::vector<SstableInfo> sstables = {
      Sstable("rocksdb", 0, 1000), Sstable("rocksdb", 0, 2000),
      Sstable("rocksdb", 1, 10'000), Sstable("rocksdb", 1, 30'000)};
  const WhatIfAnswer answer = Asked(sstables, {.rate = 0.001});
  ASSERT_EQ(answer.now.size(), 2u);
  EXPECT_EQ(answer.now_total.bytes, 53'750u);
  EXPECT_NEAR(answer.now[0].needless_reads, 0.02, 1e-9);
  EXPECT_NEAR(answer.now[1].needless_reads, 0.01, 1e-9);
  EXPECT_TRUE(answer.unmeasured.empty());
  ASSERT_EQ(answer.plans.size(), 2u);
  for (const WhatIfPlan& plan : answer.plans) {
    const std::string spec = std::string(plan.kind.policy) + ":fpr=0.001";
    SCOPED_TRACE(spec);
    EXPECT_EQ(plan.why_not, "");
    std::uint64_t bytes = 0;
    std::vector<double> rates;
    for (const std::uint64_t keys : {1000u, 2000u, 10'000u, 30'000u}) {
      bytes += Predicted(spec, keys).bytes;
      rates.push_back(Predicted(spec, keys).false_positive_rate);
    }
    EXPECT_EQ(plan.filters[0].spec, spec);
    EXPECT_EQ(plan.total.bytes, bytes);
    EXPECT_NEAR(plan.groups[0].needless_reads, rates[0] + rates[1], 1e-9);
    EXPECT_NEAR(plan.groups[1].needless_reads, rates[2] / 4 + rates[3] * 3 / 4,
                1e-9);
  }
  EXPECT_EQ(answer.plans[0].kind.name, "bloom");
  EXPECT_EQ(answer.plans[1].kind.name, "ribbon");
  EXPECT_LT(answer.plans[1].total.bytes, answer.plans[0].total.bytes);
}

TEST(WhatIf, FiltersInPartsArePredictedInParts) {
  std::vector<SstableInfo> sstables = {Sstable("rocksdb", 1, 1001)};
  sstables[0].filter.is_partitioned = true;
  sstables[0].filter.parts = 10;
  const WhatIfAnswer answer = Asked(sstables, {.bits_per_key = 12});
  EXPECT_EQ(answer.plans[0].total.bytes,
            9 * Predicted("rocksdb:12", 100).bytes +
                Predicted("rocksdb:12", 101).bytes);
  // LevelDB's are of stretches of the file.
  sstables = {Sstable("leveldb", 1, 3000)};
  sstables[0].filter_stretches = 100;
  EXPECT_EQ(Asked(sstables, {.bits_per_key = 12}).plans[0].total.bytes,
            100 * Predicted("leveldb:12", 30).bytes);
}

TEST(WhatIf, MemoryIsDividedWithinItsLimitAndBeatsEqualBits) {
  for (const std::string_view engine : {"leveldb", "rocksdb", "cassandra"}) {
    const bool has_levels = engine != "cassandra";
    std::vector<SstableInfo> sstables = {
        Sstable(engine, has_levels ? 0 : -1, 1000),
        Sstable(engine, has_levels ? 0 : -1, 5000),
        Sstable(engine, has_levels ? 1 : -1, 50'000),
        Sstable(engine, has_levels ? 2 : -1, 500'000)};
    for (SstableInfo& info : sstables) {
      info.filter_stretches = info.entries / 30;
    }
    for (const std::uint64_t memory : {50'000u, 300'000u, 700'000u}) {
      const WhatIfAnswer answer = Asked(sstables, {.memory = memory});
      for (const WhatIfPlan& plan : answer.plans) {
        SCOPED_TRACE(std::string(plan.kind.policy) + " in " +
                     std::to_string(memory));
        ASSERT_EQ(plan.why_not, "");
        EXPECT_LE(plan.total.bytes, memory);
        EXPECT_GT(plan.total.bytes, memory * 3 / 5);
        ASSERT_TRUE(plan.equal.has_value());
        EXPECT_LE(plan.equal->bytes, memory);
        // With 0.7 bits per key, equal bits are no filters at all.
        EXPECT_LT(plan.total.needless_reads, plan.equal->needless_reads * 0.8);
        EXPECT_EQ(plan.filters.front().is_new, true);
        EXPECT_LT(plan.filters.front().rate, plan.filters.back().rate);
      }
    }
  }
}

TEST(WhatIf, WhatIsNotMeasuredOrNotChosenKeepsWhatItHas) {
  std::vector<SstableInfo> sstables = {
      Sstable("leveldb", 1, 1000), Sstable("leveldb", 1, 0),
      Sstable("leveldb", 2, 1000), Sstable("rocksdb", 2, 1000)};
  sstables[1].filter = {};
  sstables[1].bytes = 1000;
  sstables[1].verdict = FilterVerdict::kMissing;
  sstables[2].verdict = FilterVerdict::kSaturated;
  WhatIfAnswer answer = Asked(sstables, {.bits_per_key = 20});
  ASSERT_EQ(answer.unmeasured.size(), 1u);
  EXPECT_EQ(answer.unmeasured[0].number, 1u);
  EXPECT_TRUE(answer.plans[0].filters[0].is_new);
  EXPECT_FALSE(answer.plans[0].filters[1].is_new);
  EXPECT_EQ(answer.plans[0].filters[1].rate, 1);
  EXPECT_TRUE(answer.plans[0].filters[2].is_new);
  // Of another engine.
  EXPECT_FALSE(answer.plans[0].filters[3].is_new);
  EXPECT_EQ(answer.now_total.bytes, 2500u);
  answer =
      Asked(sstables, {.bits_per_key = 20, .only = FilterVerdict::kSaturated});
  EXPECT_FALSE(answer.plans[0].filters[0].is_new);
  EXPECT_EQ(answer.plans[0].filters[0].rate, 0.01);
  EXPECT_TRUE(answer.plans[0].filters[2].is_new);
}

TEST(WhatIf, SizesThatAKindDoesNotHaveAreNamedAndTheOthersAnswered) {
  const std::vector<SstableInfo> one = {Sstable("cassandra", -1, 1000)};
  const WhatIfAnswer answer = Asked(one, {.bits_per_key = 21});
  ASSERT_EQ(answer.plans.size(), 1u);
  EXPECT_NE(answer.plans[0].why_not.find("20 bits per key"), std::string::npos);
  const auto code = [&](const WhatIfQuestion& question) {
    return AskWhatIf(one, GroupSstables(one), "cassandra", question)
        .status()
        .code();
  };
  EXPECT_EQ(code({}), StatusCode::kInvalidArgument);
  EXPECT_EQ(code({.rate = 0.01, .memory = 100}), StatusCode::kInvalidArgument);
  // Which row groups a reader comes to is not known.
  const std::vector<SstableInfo> parquet = {Sstable("parquet", -1, 1000)};
  EXPECT_EQ(
      AskWhatIf(parquet, GroupSstables(parquet), "parquet", {.memory = 100})
          .status()
          .code(),
      StatusCode::kInvalidArgument);
}

}  // namespace
}  // namespace tamis
