// SPDX-License-Identifier: Apache-2.0
#include "tamis/spread.h"

#include <algorithm>
#include <memory>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "tests/support/filters.h"

namespace tamis {
namespace {

using testing::Build;
using testing::NumberedKeys;
using testing::PolicyOf;

constexpr std::uint64_t kAnySize = ~std::uint64_t{0};

std::vector<std::string> PartsOf(const FilterSplitter& splitter) {
  std::vector<std::string> parts(splitter.spread().parts);
  for (std::size_t i = 0; i < parts.size(); ++i) {
    EXPECT_TRUE(splitter.AppendPart(i, &parts[i]).ok());
  }
  return parts;
}

TEST(Spread, EveryPartAnswersAsTheWholeFilterDoes) {
  const auto keys = NumberedKeys("key-", 3000);
  const auto others = NumberedKeys("other-", 20000);
  for (const char* spec : {"bloom:fpr=0.02,fold=64,seed=9",
                           "splitblock:10,fold=64", "bloom:m=30720,k=5"}) {
    const std::string whole = Build(*PolicyOf(spec), keys);
    const auto policy = PolicyOf("tamis");
    const auto reader = policy->Open(whole);
    for (const std::uint64_t count : {1u, 2u, 4u}) {
      auto splitter = FilterSplitter::Open(whole, count, kAnySize);
      ASSERT_TRUE(splitter.ok()) << splitter.status().ToString();
      const FilterSpread& spread = splitter->spread();
      const auto parts = PartsOf(*splitter);
      std::vector<std::unique_ptr<const FilterReader>> readers;
      for (const std::string& part : parts) {
        auto opened = policy->Open(part);
        ASSERT_TRUE(opened.ok()) << opened.status().ToString();
        readers.push_back(*std::move(opened));
      }
      std::vector<std::uint64_t> keys_of(count);
      for (const auto* asked : {&keys, &others}) {
        for (const std::string& key : *asked) {
          const std::uint64_t part = spread.PartOf(key);
          ASSERT_LT(part, count);
          ++keys_of[part];
          ASSERT_EQ(readers[part]->MayContain(key), (*reader)->MayContain(key));
        }
      }
      // No part has many more keys than another.
      const auto [least, most] =
          std::minmax_element(keys_of.begin(), keys_of.end());
      EXPECT_LT(*most, *least + *least / 5);
    }
  }
}

TEST(Spread, PartsAreJoinedToTheSameBytes) {
  const auto keys = NumberedKeys("key-", 2000);
  for (const char* spec : {"bloom:10,fold=64", "splitblock:10,fold=16"}) {
    const std::string whole = Build(*PolicyOf(spec), keys);
    auto splitter = FilterSplitter::Open(whole, 8, kAnySize);
    ASSERT_TRUE(splitter.ok());
    const auto parts = PartsOf(*splitter);
    auto joiner = FilterJoiner::Open(splitter->header(), splitter->spread());
    ASSERT_TRUE(joiner.ok());
    for (std::size_t i = parts.size(); i > 0; --i) {
      ASSERT_TRUE(joiner->Add(i - 1, parts[i - 1]).ok());
    }
    std::string joined = "before";
    ASSERT_TRUE(joiner->Finish(&joined).ok());
    EXPECT_EQ(joined, "before" + whole);
  }
}

TEST(Spread, AFilterOfAnyKindIsOnePart) {
  const auto keys = NumberedKeys("key-", 500);
  for (const char* spec : {"ribbon:8", "fuse8", "classic:10", "cuckoo",
                           "rotating", "prefix:fixed=2,bloom:10"}) {
    const std::string whole = Build(*PolicyOf(spec), keys);
    auto splitter = FilterSplitter::Open(whole, 0, kAnySize);
    ASSERT_TRUE(splitter.ok()) << spec;
    EXPECT_EQ(splitter->spread().parts, 1u);
    EXPECT_EQ(splitter->spread().PartOf("key-1"), 0u);
    EXPECT_EQ(PartsOf(*splitter)[0], whole);
    auto joiner = FilterJoiner::Open(splitter->header(), splitter->spread());
    ASSERT_TRUE(joiner.ok());
    ASSERT_TRUE(joiner->Add(0, whole).ok());
    std::string joined;
    ASSERT_TRUE(joiner->Finish(&joined).ok());
    EXPECT_EQ(joined, whole);
    EXPECT_EQ(FilterSplitter::Open(whole, 2, kAnySize).status().code(),
              StatusCode::kInvalidArgument);
    EXPECT_EQ(FilterSplitter::Open(whole, 0, 100).status().code(),
              StatusCode::kInvalidArgument);
  }
}

TEST(Spread, ThereAreAsFewPartsAsAreSmallEnough) {
  const std::string whole = Build(*PolicyOf("bloom:m=61440,k=5"),
                                  NumberedKeys("k", 10));  // 120 lines
  const auto parts_for = [&](std::uint64_t bytes) {
    const auto splitter = FilterSplitter::Open(whole, 0, bytes);
    return splitter.ok() ? splitter->spread().parts : 0;
  };
  EXPECT_EQ(parts_for(whole.size()), 1u);
  EXPECT_EQ(parts_for(whole.size() - 1), 2u);
  EXPECT_EQ(parts_for(64 + 60 * 64), 2u);
  EXPECT_EQ(parts_for(64 + 60 * 64 - 1), 3u);
  EXPECT_EQ(parts_for(64 + 18 * 64), 8u);  // 7 does not divide 120
  EXPECT_EQ(parts_for(128), 120u);
  EXPECT_EQ(parts_for(127), 0u);
  EXPECT_EQ(parts_for(0), 0u);
  for (const std::uint64_t parts : {7u, 121u, 20000u}) {
    const auto refused = FilterSplitter::Open(whole, parts, kAnySize).status();
    EXPECT_EQ(refused.code(), StatusCode::kInvalidArgument);
    EXPECT_NE(refused.message().find("120"), std::string::npos);
  }
}

TEST(Spread, DamageAndPartsOfOthersAreRefused) {
  const auto keys = NumberedKeys("key-", 600);
  const std::string whole = Build(*PolicyOf("bloom:m=10240,k=5"), keys);
  std::string wrong = whole;
  wrong[100] ^= 1;
  EXPECT_EQ(FilterSplitter::Open(wrong, 2, kAnySize).status().code(),
            StatusCode::kCorruption);
  auto splitter = FilterSplitter::Open(whole, 2, kAnySize);
  ASSERT_TRUE(splitter.ok());
  const auto parts = PartsOf(*splitter);
  const FilterSpread spread = splitter->spread();
  const auto join = [&] {
    auto joiner = FilterJoiner::Open(splitter->header(), spread);
    EXPECT_TRUE(joiner.ok());
    return *std::move(joiner);
  };
  std::string out;
  FilterJoiner missing = join();
  EXPECT_TRUE(missing.Add(0, parts[0]).ok());
  EXPECT_EQ(missing.Finish(&out).code(), StatusCode::kCorruption);
  FilterJoiner swapped = join();
  EXPECT_TRUE(swapped.Add(1, parts[0]).ok() && swapped.Add(0, parts[1]).ok());
  EXPECT_EQ(swapped.Finish(&out).code(), StatusCode::kCorruption);
  FilterJoiner damaged = join();
  std::string part = parts[0];
  part[70] ^= 4;
  EXPECT_EQ(damaged.Add(0, part).code(), StatusCode::kCorruption);
  EXPECT_EQ(damaged.Add(0, parts[0].substr(0, 90)).code(),
            StatusCode::kCorruption);
  EXPECT_EQ(damaged.Add(2, parts[0]).code(), StatusCode::kCorruption);
  EXPECT_EQ(damaged.Add(0, whole).code(), StatusCode::kCorruption);
  EXPECT_EQ(out, "");
  for (const FilterSpread& bad :
       {FilterSpread{.parts = 3, .blocks = 20}, FilterSpread{.parts = 0},
        FilterSpread{.parts = 2, .blocks = kAnySize - 1},
        FilterSpread{.parts = 1 << 20, .blocks = 1 << 20},
        FilterSpread{.parts = 1, .blocks = 20}}) {
    EXPECT_EQ(FilterJoiner::Open(splitter->header(), bad).status().code(),
              StatusCode::kCorruption);
  }
  EXPECT_EQ(FilterJoiner::Open("short", spread).status().code(),
            StatusCode::kCorruption);
}

}  // namespace
}  // namespace tamis
