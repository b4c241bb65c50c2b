// SPDX-License-Identifier: Apache-2.0
#include "tamis/advice.h"

#include <algorithm>
#include <limits>
#include <string>
#include <vector>

#include <gtest/gtest.h>

namespace tamis {
namespace {

constexpr double kMinute = 60;
constexpr double kHour = 3600;
constexpr double kDay = 24 * kHour;

FilterAdvice Advise(const FilterNeed& need) {
  auto advice = AdviseFilter(need);
  EXPECT_TRUE(advice.ok()) << advice.status().ToString();
  return advice.ok() ? *advice : FilterAdvice();
}

const FilterChoice& ChoiceOf(const FilterAdvice& advice,
                             const std::string& kind) {
  return *std::find_if(advice.choices.begin(), advice.choices.end(),
                       [&](const FilterChoice& c) { return c.kind == kind; });
}

bool Says(const FilterAdvice& advice, const std::string& words) {
  return advice.reason.find(words) != std::string::npos;
}

TEST(Advice, EveryChoiceIsWhatItsPolicyPredicts) {
  const FilterAdvice advice = Advise({.keys = 1'000'000, .rate = 0.001});
  EXPECT_GE(advice.choices.size(), 14u);
  EXPECT_EQ(advice.best.spec, advice.choices.front().spec);
  for (const FilterChoice& choice : advice.choices) {
    if (choice.kind == "rotating") continue;  // plans for a generation
    if (choice.estimate.bytes == 0) continue;
    const Estimate predicted = (*MakePolicy(choice.spec))->Predict(1'000'000);
    EXPECT_EQ(choice.estimate.bytes, predicted.bytes) << choice.spec;
    EXPECT_DOUBLE_EQ(choice.bits_per_key,
                     8 * static_cast<double>(predicted.bytes) / 1e6);
  }
  // log2(1000) is 9.97: 1 % over it is a ribbon.
  EXPECT_LT(ChoiceOf(advice, "ribbon").overhead, 0.05);
  EXPECT_GT(ChoiceOf(advice, "bloom").overhead, 0.44);
}

TEST(Advice, RanksByCostAndPutsTheUnfitLast) {
  const FilterAdvice advice = Advise({.keys = 100'000, .rate = 0.01});
  bool unfit = false;
  double cost = 0;
  for (const FilterChoice& choice : advice.choices) {
    EXPECT_FALSE(unfit && choice.unfit.empty()) << choice.spec;
    unfit = !choice.unfit.empty();
    if (unfit) continue;
    EXPECT_GE(choice.cost, cost) << choice.spec;
    cost = choice.cost;
  }
}

// However long they are held: what could be saved is less than a page or two.
TEST(Advice, FewKeysGetABloomFilterAndTheReasonSaysSo) {
  for (const std::uint64_t keys : {1u, 100u, 1000u, 3000u}) {
    for (const double lifetime : {kMinute, kHour, 365 * kDay}) {
      for (const double queries : {0.1, 10.0, 1000.0}) {
        const FilterAdvice advice = Advise({.keys = keys,
                                            .rate = 0.01,
                                            .lifetime_seconds = lifetime,
                                            .queries_per_key = queries});
        EXPECT_EQ(advice.best.kind, "bloom") << keys << " " << lifetime;
        EXPECT_TRUE(keys < 1000 || Says(advice, "so few keys"))
            << advice.reason;
      }
    }
  }
}

TEST(Advice, ShortLivedFiltersAreBloom) {
  for (const std::uint64_t keys : {100'000u, 10'000'000u, 1'000'000'000u}) {
    for (const double rate : {0.05, 0.01, 0.001}) {
      const FilterAdvice advice = Advise({.keys = keys,
                                          .rate = rate,
                                          .lifetime_seconds = 5 * kMinute,
                                          .queries_per_key = 5});
      EXPECT_EQ(advice.best.kind, "bloom") << keys << " " << rate;
      EXPECT_TRUE(Says(advice, "less per key to build")) << advice.reason;
      EXPECT_TRUE(Says(advice, "held for 5 min")) << advice.reason;
    }
  }
}

TEST(Advice, ManyKeysHeldForDaysAndSeldomAskedAreARibbon) {
  const FilterAdvice advice = Advise({.keys = 1'000'000'000,
                                      .rate = 0.01,
                                      .lifetime_seconds = 7 * kDay,
                                      .queries_per_key = 1});
  EXPECT_EQ(advice.best.kind, "ribbon");
  EXPECT_TRUE(Says(advice, "instead of 1.15 GiB, against bloom"))
      << advice.reason;
  EXPECT_TRUE(Says(advice, "held for 7 days")) << advice.reason;
  EXPECT_TRUE(Says(advice, "more per key to build")) << advice.reason;
}

// Where cells of whole bytes fit the rate.
TEST(Advice, FuseLiesBetweenBloomAndRibbon) {
  std::vector<std::string> kinds;
  for (double lifetime = kMinute; lifetime < 30 * kDay; lifetime *= 1.2) {
    const std::string kind = Advise({.keys = 300'000,
                                     .rate = 1.0 / 256,
                                     .lifetime_seconds = lifetime,
                                     .queries_per_key = 20})
                                 .best.kind;
    if (kinds.empty() || kinds.back() != kind) kinds.push_back(kind);
  }
  EXPECT_EQ(kinds, (std::vector<std::string>{"bloom", "fuse8", "ribbon"}));
}

TEST(Advice, DeletesNeedCuckooOrCounting) {
  const FilterAdvice held =
      Advise({.keys = 10'000'000, .deletes = true, .lifetime_seconds = kDay});
  EXPECT_EQ(held.best.kind, "cuckoo");
  EXPECT_TRUE(Says(held, "counting and cuckoo alone")) << held.reason;
  EXPECT_TRUE(Says(held, "against counting")) << held.reason;
  EXPECT_EQ(ChoiceOf(held, "bloom").unfit, "no key can be erased");
  const FilterAdvice asked = Advise({.keys = 100'000'000,
                                     .deletes = true,
                                     .lifetime_seconds = kMinute,
                                     .queries_per_key = 1000});
  EXPECT_EQ(asked.best.kind, "counting");
  EXPECT_TRUE(Says(asked, "less per query, against cuckoo")) << asked.reason;
}

TEST(Advice, GrowthNeedsScalableAndExpiryRotating) {
  const FilterAdvice growth = Advise({.keys = 1'000'000, .growth = true});
  EXPECT_EQ(growth.best.kind, "scalable");
  EXPECT_TRUE(Says(growth, "keeps its rate when more keys come"));
  const FilterAdvice expiry = Advise({.keys = 3'000'000, .expiry = true});
  EXPECT_EQ(expiry.best.kind, "rotating");
  EXPECT_TRUE(Says(expiry, "by their age"));
  // Three full generations hold the keys.
  EXPECT_EQ(expiry.best.estimate.bytes,
            (*MakePolicy(expiry.best.spec))->Predict(1'000'000).bytes);
}

TEST(Advice, RatesThatAreHardForLinesGoToOtherKinds) {
  const FilterAdvice advice = Advise({.keys = 1'000'000, .rate = 1e-9});
  EXPECT_TRUE(advice.best.kind == "ribbon" || advice.best.kind == "fuse32")
      << advice.best.kind;
  EXPECT_TRUE(Says(advice, "instead of 9.55 MiB, against bloom"))
      << advice.reason;
  EXPECT_EQ(ChoiceOf(advice, "fuse8").unfit,
            "has a rate of 0.00390625 or more");
  const FilterAdvice lowest = Advise({.keys = 1000, .rate = 1e-20});
  EXPECT_EQ(lowest.best.kind, "classic");
  EXPECT_FALSE(ChoiceOf(lowest, "bloom").unfit.empty());
}

TEST(Advice, WhatNoKindDoesIsAnError) {
  for (const FilterNeed& need :
       {FilterNeed{.keys = 10, .deletes = true, .growth = true},
        FilterNeed{.keys = 10, .growth = true, .expiry = true},
        FilterNeed{.keys = std::numeric_limits<std::uint64_t>::max()}}) {
    EXPECT_EQ(AdviseFilter(need).status().code(), StatusCode::kNotSupported);
  }
  for (const FilterNeed& need :
       {FilterNeed{.keys = 10, .rate = 0}, FilterNeed{.keys = 10, .rate = 1},
        FilterNeed{.keys = 10, .lifetime_seconds = -1},
        FilterNeed{.keys = 10,
        .queries_per_key = std::numeric_limits<double>::infinity()}}) {
    EXPECT_EQ(AdviseFilter(need).status().code(), StatusCode::kInvalidArgument);
  }
}

}  // namespace
}  // namespace tamis
