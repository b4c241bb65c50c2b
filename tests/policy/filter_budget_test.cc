// SPDX-License-Identifier: Apache-2.0
#include "tamis/filter_budget.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <limits>
#include <random>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "tamis/filter.h"

namespace tamis {
namespace {

// Full levels, each ten times the one above, and tables of level 0 that are a
// tenth of the first.
std::vector<FilterRun> Tree(int levels, int level0_tables,
                            const std::string& kind = "bloom") {
  std::vector<FilterRun> runs;
  std::uint64_t keys = 1'000'000;
  for (int i = 0; i < level0_tables; ++i) {
    runs.push_back({.keys = keys / 10, .kind = kind});
  }
  for (int i = 0; i < levels; ++i, keys *= 10) {
    runs.push_back({.keys = keys, .kind = kind});
  }
  return runs;
}

std::uint64_t KeysOf(const std::vector<FilterRun>& runs) {
  std::uint64_t keys = 0;
  for (const FilterRun& run : runs) keys += run.keys;
  return keys;
}

FilterDivision Divided(const std::vector<FilterRun>& runs, double bits) {
  const auto bytes =
      static_cast<std::uint64_t>(bits * static_cast<double>(KeysOf(runs)) / 8);
  Result<FilterDivision> division = DivideFilterMemory(runs, bytes);
  EXPECT_TRUE(division.ok()) << division.status().message();
  EXPECT_LE(division->bytes, bytes);
  EXPECT_EQ(division->shares.size(), runs.size());
  return *std::move(division);
}

FilterDivision DividedEqually(const std::vector<FilterRun>& runs, double bits) {
  const auto bytes =
      static_cast<std::uint64_t>(bits * static_cast<double>(KeysOf(runs)) / 8);
  Result<FilterDivision> division = DivideFilterMemoryEqually(runs, bytes);
  EXPECT_TRUE(division.ok()) << division.status().message();
  EXPECT_LE(division->bytes, bytes);
  return *std::move(division);
}

// Calculated elsewhere, for filters of the default kind.
TEST(FilterBudget, HasTheKnownFigures) {
  struct Known {
    double bits, equal3, best3, equal4, best4, equal_pile, best_pile;
  };
  constexpr std::array kKnown = {
      Known{5, .279, .133, .372, .133, .650, .141},
      Known{6, .173, .084, .230, .084, .403, .089},
      Known{8, .069, .034, .093, .034, .162, .036},
      Known{10, .0287, .0138, .0383, .0139, .067, .0147},
  };
  const auto is_near = [](double value, double known) {
    return std::abs(value - known) <= 0.04 * known;
  };
  for (const Known& known : kKnown) {
    SCOPED_TRACE(known.bits);
    const auto check = [&](const std::vector<FilterRun>& runs, double equal,
                           double best) {
      const double now = DividedEqually(runs, known.bits).needless_reads;
      EXPECT_PRED2(is_near, now, equal);
      EXPECT_PRED2(is_near, Divided(runs, known.bits).needless_reads, best);
    };
    check(Tree(3, 0), known.equal3, known.best3);
    check(Tree(4, 0), known.equal4, known.best4);
    check(Tree(3, 4), known.equal_pile, known.best_pile);
  }
}

TEST(FilterBudget, RibbonsNeedLess) {
  for (const double bits : {5.0, 6.0, 8.0, 10.0}) {
    const double equal = DividedEqually(Tree(3, 0), bits).needless_reads;
    const double best = Divided(Tree(3, 0, "ribbon"), bits).needless_reads;
    EXPECT_GE(equal / best, 5) << bits;
  }
}

TEST(FilterBudget, DividesMemoryOverFiltersOfOtherEngines) {
  for (const std::string kind :
       {"leveldb", "rocksdb", "rocksdb-ribbon", "cassandra"}) {
    SCOPED_TRACE(kind);
    const FilterDivision division = Divided(Tree(3, 0, kind), 10);
    EXPECT_LT(division.needless_reads,
              DividedEqually(Tree(3, 0, kind), 10).needless_reads / 1.5);
    for (const FilterShare& share : division.shares) {
      const auto policy = MakePolicy(share.spec);
      ASSERT_TRUE(policy.ok()) << share.spec;
      const Estimate estimate = policy->Predict(1'000'000);
      EXPECT_NEAR(8e-6 * static_cast<double>(estimate.bytes),
                  share.bits_per_key, 0.1)
          << share.spec;
      EXPECT_NEAR(estimate.false_positive_rate / share.rate, 1, 0.05)
          << share.spec;
    }
  }
}

TEST(FilterBudget, SmallRunsHaveBetterFilters) {
  const FilterDivision division = Divided(Tree(4, 4), 8);
  for (std::size_t i = 5; i < division.shares.size(); ++i) {
    EXPECT_LT(division.shares[i].bits_per_key,
              division.shares[i - 1].bits_per_key);
  }
}

TEST(FilterBudget, WhatIsNeverAskedGetsNothing) {
  std::vector<FilterRun> runs = Tree(3, 0);
  runs[2].asked = 0;
  const FilterDivision division = Divided(runs, 2);
  EXPECT_EQ(division.shares[2].bits_per_key, 0);
  EXPECT_EQ(division.shares[2].spec, "");
  EXPECT_EQ(division.shares[2].bytes, 0u);
  EXPECT_GT(division.shares[1].bits_per_key, 10);
}

TEST(FilterBudget, WhatIsAskedMoreGetsMore) {
  std::vector<FilterRun> runs(2, FilterRun{.keys = 1'000'000});
  runs[0].asked = 10;
  const FilterDivision division = Divided(runs, 10);
  // 4.8 bits for a factor of ten.
  EXPECT_NEAR(division.shares[0].bits_per_key - division.shares[1].bits_per_key,
              4.8, 0.6);
}

// Moving memory from one run to another never helps.
TEST(FilterBudget, NoOtherDivisionIsBetter) {
  std::mt19937_64 random(7);
  for (int i = 0; i < 200; ++i) {
    std::vector<FilterRun> runs;
    const std::size_t count = 2 + random() % 6;
    for (std::size_t j = 0; j < count; ++j) {
      runs.push_back({.keys = 1000 + random() % 10'000'000,
                      .asked = static_cast<double>(random() % 1000) / 100,
                      .kind = random() % 2 == 0 ? "bloom" : "ribbon"});
    }
    const double bits = 0.5 + static_cast<double>(random() % 160) / 10;
    const FilterDivision best = Divided(runs, bits);
    EXPECT_LE(best.needless_reads,
              DividedEqually(runs, bits).needless_reads * 1.01);
    // The best that two runs can make of what both have together.
    const std::size_t a = random() % count;
    const std::size_t b = (a + 1) % count;
    const std::vector<FilterRun> two = {runs[a], runs[b]};
    const Result<FilterDivision> again =
        DivideFilterMemory(two, best.shares[a].bytes + best.shares[b].bytes);
    ASSERT_TRUE(again.ok());
    EXPECT_GE(again->needless_reads * 1.02 + 1e-9,
              runs[a].asked * best.shares[a].rate +
                  runs[b].asked * best.shares[b].rate);
  }
}

TEST(FilterBudget, MoreMemoryIsNeverWorse) {
  const std::vector<FilterRun> runs = Tree(4, 3);
  double before = std::numeric_limits<double>::infinity();
  for (double bits = 0; bits <= 30; bits += 0.1) {
    const double now = Divided(runs, bits).needless_reads;
    EXPECT_LE(now, before);
    before = now;
  }
}

TEST(FilterBudget, FiltersOfItsSpecsAreAsItSays) {
  for (const char* kind : {"bloom", "ribbon"}) {
    const std::vector<FilterRun> runs = Tree(3, 2, kind);
    for (const double bits : {4.0, 7.3, 12.0}) {
      const FilterDivision division = Divided(runs, bits);
      for (std::size_t i = 0; i < runs.size(); ++i) {
        const FilterShare& share = division.shares[i];
        if (share.spec.empty()) continue;
        const auto policy = MakePolicy(share.spec);
        ASSERT_TRUE(policy.ok()) << share.spec;
        const Estimate estimate = policy->Predict(runs[i].keys);
        EXPECT_LE(static_cast<double>(estimate.bytes),
                  static_cast<double>(share.bytes) * 1.002)
            << share.spec;
        EXPECT_NEAR(estimate.false_positive_rate / share.rate, 1, 0.03)
            << share.spec;
      }
    }
  }
}

TEST(FilterBudget, NothingToDivideIsFine) {
  EXPECT_TRUE(Divided({}, 10).shares.empty());
  EXPECT_TRUE(DividedEqually({}, 10).shares.empty());
  const FilterDivision none = Divided(Tree(3, 0), 0);
  EXPECT_EQ(none.bytes, 0u);
  EXPECT_EQ(none.needless_reads, 3);
  const FilterDivision all = *DivideFilterMemory(
      Tree(3, 0), std::numeric_limits<std::uint64_t>::max());
  EXPECT_LT(all.needless_reads, 1e-3);
  const std::vector<FilterRun> empty = {{.keys = 0}};
  const Result<FilterDivision> of_nothing = DivideFilterMemory(empty, 100);
  ASSERT_TRUE(of_nothing.ok());
  EXPECT_EQ(of_nothing->needless_reads, 0);
}

TEST(FilterBudget, RefusesWhatMakesNoSense) {
  const auto code = [](FilterRun run) {
    const std::vector<FilterRun> runs = {std::move(run)};
    EXPECT_EQ(DivideFilterMemory(runs, 1).status().code(),
              DivideFilterMemoryEqually(runs, 1).status().code());
    return DivideFilterMemory(runs, 1).status().code();
  };
  EXPECT_EQ(code({.keys = 1, .kind = "cuckoo"}), StatusCode::kInvalidArgument);
  EXPECT_EQ(code({.keys = 1, .asked = -1}), StatusCode::kInvalidArgument);
  EXPECT_EQ(code({.keys = 1, .asked = std::nan("")}),
            StatusCode::kInvalidArgument);
}

}  // namespace
}  // namespace tamis
