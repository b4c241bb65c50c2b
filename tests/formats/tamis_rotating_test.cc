// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <bit>
#include <cmath>
#include <memory>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "base/coding.h"
#include "formats/tamis/container.h"
#include "formats/tamis/rotating.h"
#include "tests/formats/page_dumps.h"
#include "tests/support/filters.h"
#include "tests/support/golden.h"

// What must open and what must not is in tamis_scalable_test.cc.

namespace tamis {
namespace {

using testing::InsertAll;
using testing::NumberedKeys;
using testing::PolicyOf;
using testing::Saved;
using testing::ToHex;

std::unique_ptr<RotatingFilter> NewFilter(const RotatingSettings& settings,
                                          std::uint64_t planned,
                                          std::uint64_t seed = 0) {
  auto filter = NewTamisRotating(settings, seed, planned);
  EXPECT_TRUE(filter.ok()) << filter.status().ToString();
  return *std::move(filter);
}

// As TamisScalable.TakesTheFrozenSteps.
TEST(TamisRotating, TakesTheFrozenSteps) {
  unsigned rows = 0;
  const nlohmann::json golden = testing::LoadGolden("tamis_growing.json");
  for (const auto& row : golden["played"]) {
    const std::string why = row["why"];
    if (!why.starts_with("rotating")) continue;
    SCOPED_TRACE(why);
    ++rows;
    auto filter = LoadTamisRotating(testing::HexBytes(row["before"]));
    ASSERT_TRUE(filter.ok()) << filter.status().ToString();
    for (const std::string step : row["steps"]) {
      const Status done = step == "rotate"
                              ? filter->Rotate()
                              : filter->Insert(testing::FromHex(step));
      ASSERT_TRUE(done.ok());
    }
    EXPECT_EQ(ToHex(Saved(**filter)), row["filter"].get<std::string>());
    EXPECT_EQ(filter->Describe().keys, row["keys"].get<std::uint64_t>());
    for (const std::string& key : testing::KeysFromHex(row["absent"])) {
      EXPECT_FALSE(filter->MayContain(key));
    }
  }
  EXPECT_EQ(rows, 4u);
}

TEST(TamisRotating, WritesTheExampleOfItsPage) {
  const auto dumps = testing::DumpsOfPage("tamis-rotating.md");
  ASSERT_EQ(dumps.size(), 1u);
  const auto filter =
      NewFilter({.sizing = {.bits_per_key = 10}, .generations = 2}, 3);
  InsertAll(filter.get(), {"apple", "banana"});
  ASSERT_TRUE(filter->Rotate().ok());
  InsertAll(filter.get(), {"cherry"});
  EXPECT_EQ(ToHex(dumps[0]), ToHex(Saved(*filter)));
}

// With so many bits that no absent key is "maybe".
TEST(TamisRotating, KeysLiveForAllRotationsButTheLastAndThenAreGone) {
  for (unsigned generations : {2u, 3u, 8u, 64u}) {
    const auto filter = NewFilter(
        {.sizing = {.bits_per_key = 60}, .generations = generations}, 50);
    ASSERT_EQ(filter->generations(), generations);
    for (unsigned round = 0; round < 3 * generations; ++round) {
      InsertAll(filter.get(), NumberedKeys(std::to_string(round) + "-", 20));
      ASSERT_EQ(filter->rotations(), round);
      const std::string saved = Saved(*filter);
      const auto reader = PolicyOf("tamis")->Open(saved);
      for (unsigned old = 0; old <= round; ++old) {
        const bool lives = round - old < generations;
        for (const std::string& key :
             NumberedKeys(std::to_string(old) + "-", 20)) {
          ASSERT_EQ(filter->MayContain(key), lives) << round << " " << key;
          ASSERT_EQ(reader->MayContain(key), lives) << round << " " << key;
        }
      }
      ASSERT_TRUE(filter->Rotate().ok());
    }
  }
}

TEST(TamisRotating, AKeyInsertedAgainLivesOn) {
  const auto filter =
      NewFilter({.sizing = {.bits_per_key = 40}, .generations = 3}, 10);
  for (unsigned round = 0; round < 10; ++round) {
    ASSERT_TRUE(filter->Insert("kept").ok());
    ASSERT_TRUE(filter->Insert("kept").ok());  // counts once
    if (round == 0) {
      ASSERT_TRUE(filter->Insert("not kept").ok());
    }
    ASSERT_TRUE(filter->Rotate().ok());
    EXPECT_TRUE(filter->MayContain("kept"));
    EXPECT_EQ(filter->MayContain("not kept"), round < 2);
  }
  EXPECT_EQ(filter->Describe().keys, 2u);  // once in each but the newest
}

TEST(TamisRotating, SavedAndLoadedItGoesOnAsIfNothingHadBeen) {
  const RotatingSettings settings = {.sizing = {.rate = 0.001},
                                     .generations = 5};
  const auto straight = NewFilter(settings, 100, 77);
  std::unique_ptr<RotatingFilter> broken = NewFilter(settings, 100, 77);
  for (unsigned round = 0; round < 40; ++round) {
    const auto keys = NumberedKeys(std::to_string(round / 2) + "-", 60);
    const std::vector<Slice> slices(keys.begin(), keys.end());
    InsertAll(straight.get(), keys);
    ASSERT_TRUE(broken->InsertMany(slices).ok());
    if (round % 3 == 0) {
      ASSERT_TRUE(straight->Rotate().ok() && broken->Rotate().ok());
    }
    auto loaded = LoadTamisRotating(Saved(*broken));
    ASSERT_TRUE(loaded.ok()) << loaded.status().ToString();
    broken = *std::move(loaded);
    EXPECT_EQ(broken->rotations(), straight->rotations());
  }
  EXPECT_EQ(Saved(*broken), Saved(*straight));
}

TEST(TamisRotating, PiecesOfARotatedFilterAreTogetherWhatSavingReturns) {
  auto filter = NewFilter({.sizing = {.rate = 0.01}, .generations = 3}, 100);
  for (const char* key : {"old", "middle", "new", "newest"}) {
    ASSERT_TRUE(filter->Insert(key).ok() && filter->Rotate().ok());
  }
  const std::string saved = Saved(*filter);
  std::string pieces;
  std::string piece(100, '?');
  std::size_t length = 0;
  std::uint64_t total = 0;
  do {
    ASSERT_TRUE(filter->SavePiece(pieces.size(), piece, &length, &total).ok());
    pieces.append(piece, 0, length);
  } while (length > 0);
  EXPECT_EQ(ToHex(pieces), ToHex(saved));
  EXPECT_EQ(total, saved.size());
}

TEST(TamisRotating, TellsWhatEachGenerationHas) {
  auto filter = NewFilter({.sizing = {.rate = 0.001}, .generations = 3}, 100);
  ASSERT_TRUE(filter->Insert("a").ok() && filter->Insert("b").ok());
  EXPECT_TRUE(filter->NewestMayContain("a"));
  ASSERT_TRUE(filter->Rotate().ok());
  EXPECT_TRUE(filter->MayContain("a"));
  EXPECT_FALSE(filter->NewestMayContain("a"));
  ASSERT_TRUE(filter->Insert("a").ok());
  EXPECT_TRUE(filter->NewestMayContain("a"));
  EXPECT_EQ(filter->generation_keys(0), 1u);
  EXPECT_EQ(filter->generation_keys(1), 2u);
  EXPECT_EQ(filter->generation_keys(2), 0u);
  EXPECT_EQ(filter->generation_keys(3), 0u);
}

TEST(TamisRotating, ABuilderFillsTheNewestGeneration) {
  const auto policy = PolicyOf("rotating:fpr=0.01,generations=6");
  for (std::uint64_t n : {0u, 1u, 1000u}) {
    const auto keys = NumberedKeys("key-", n);
    const std::string built = testing::Build(*policy, keys);
    EXPECT_EQ(built.size(), policy->Predict(n).bytes);
    auto grown = policy->NewMutable(n);
    ASSERT_TRUE(grown.ok());
    InsertAll(grown.value().get(), keys);
    EXPECT_EQ(Saved(**grown), built);
    auto loaded = LoadTamisRotating(built);
    ASSERT_TRUE(loaded.ok());
    for (unsigned i = 0; i < 5; ++i) ASSERT_TRUE(loaded->Rotate().ok());
    for (const std::string& key : keys) {
      ASSERT_TRUE(loaded->MayContain(key));
    }
    ASSERT_TRUE(loaded->Rotate().ok());
    EXPECT_EQ(loaded->Describe().set_bits, 0u);
  }
}

// What a saved filter of k probes says about itself, counted out.
FilterInfo CountedOut(const std::string& saved, std::size_t generations,
                      unsigned k) {
  const Slice lines = Slice(saved).substr(kTamisHeaderBytes + 64);
  std::vector<double> rates(generations);
  FilterInfo info;
  for (std::size_t at = 0; at < lines.size(); at += 64) {
    unsigned set = 0;
    for (const char c : lines.substr(at, 64)) {
      set +=
          static_cast<unsigned>(std::popcount(static_cast<unsigned char>(c)));
    }
    info.set_bits += set;
    rates[at / 64 % generations] += std::pow(set / 512.0, k);
  }
  info.rate = 1;
  for (const double rate : rates) {
    info.rate *= 1 - rate * 64 * static_cast<double>(generations) /
                         static_cast<double>(lines.size());
  }
  info.rate = 1 - info.rate;
  return info;
}

TEST(TamisRotating, DescribesTheBitsOfEveryGeneration) {
  const auto filter = NewFilter(
      {.sizing = {.bits = 512 * 9, .probes = 3}, .generations = 3}, 1);
  for (std::uint64_t keys : {100u, 700u, 20u, 300u}) {
    ASSERT_TRUE(filter->Rotate().ok());
    InsertAll(filter.get(), NumberedKeys(std::to_string(keys) + "-", keys));
    const FilterInfo counted = CountedOut(Saved(*filter), 3, 3);
    const FilterInfo info = filter->Describe();
    EXPECT_EQ(info.set_bits, counted.set_bits);
    EXPECT_NEAR(info.rate, counted.rate, 1e-12);
    EXPECT_EQ(info.bits, 512u * 9 * 3);
    EXPECT_EQ(info.kind, "rotating");
  }
}

// So that a query of all generations touches one stretch of memory.
TEST(TamisRotating, TheLinesOfAKeyAreNeighbours) {
  constexpr std::size_t kGenerations = 4;
  for (const std::string& key : NumberedKeys("key-", 50)) {
    const auto filter = NewFilter({.sizing = {.bits = 512 * 100, .probes = 8},
                                   .generations = kGenerations},
                                  1);
    for (std::size_t i = 0; i < kGenerations; ++i) {
      if (i > 0) {
        ASSERT_TRUE(filter->Rotate().ok());
      }
      ASSERT_TRUE(filter->Insert(key).ok());
    }
    const std::string saved = Saved(*filter);
    const Slice lines = Slice(saved).substr(kTamisHeaderBytes + 64);
    const std::size_t first = lines.find_first_not_of('\0') / 64;
    EXPECT_EQ(first % kGenerations, 0u);
    EXPECT_EQ(lines.find_last_not_of('\0') / 64, first + kGenerations - 1);
  }
}

TEST(TamisRotating, BatchesAnswerAsSingleQueriesAtAnyAddress) {
  const auto filter =
      NewFilter({.sizing = {.bits_per_key = 4}, .generations = 3}, 300);
  for (unsigned round = 0; round < 4; ++round) {
    InsertAll(filter.get(), NumberedKeys(std::to_string(round) + "-", 300));
    if (round < 3) {
      ASSERT_TRUE(filter->Rotate().ok());
    }
  }
  auto keys = NumberedKeys("absent-", 500);
  const auto known = NumberedKeys("2-", 300);
  keys.insert(keys.begin() + 100, known.begin(), known.end());
  const std::vector<Slice> slices(keys.begin(), keys.end());
  const std::string shifted = "???" + Saved(*filter);
  const auto reader = PolicyOf("tamis")->Open(Slice(shifted).substr(3));
  ASSERT_TRUE(reader.ok());
  const std::unique_ptr<bool[]> out(new bool[keys.size()]);
  const std::unique_ptr<bool[]> foreign(new bool[keys.size()]);
  filter->MayContainMany(slices, {out.get(), keys.size()});
  reader->MayContainMany(slices, {foreign.get(), keys.size()});
  for (std::size_t i = 0; i < keys.size(); ++i) {
    ASSERT_EQ(out[i], filter->MayContain(keys[i])) << i;
    ASSERT_EQ(out[i], foreign[i]) << i;
    ASSERT_EQ(out[i], reader->MayContain(keys[i])) << i;
  }
}

TEST(TamisRotating, RefusesWhatItCannotBe) {
  for (const char* spec : {"rotating:generations=1", "rotating:generations=65",
                           "rotating:fpr=1e-30", "rotating:10,k=33"}) {
    EXPECT_EQ(MakePolicy(spec).status().code(), StatusCode::kInvalidArgument)
        << spec;
  }
  EXPECT_FALSE(
      NewTamisRotating({.sizing = {.rate = 0.01}}, 0, ~std::uint64_t{0}).ok());
  EXPECT_FALSE(
      PolicyOf("rotating:fpr=0.01")->Predict(~std::uint64_t{0}).status.ok());
}

// The table of docs/formats/tamis-rotating.md: bits per key of a generation.
TEST(TamisRotating, TakesTheBitsPerKeyThatItsPageStates) {
  constexpr std::uint64_t kKeys = 1'000'000;
  const struct {
    unsigned generations;
    double at_1_percent, at_a_tenth;
  } rows[] = {{2, 11.53, 17.39},
              {4, 13.21, 19.33},
              {8, 14.95, 21.36},
              {16, 16.78, 23.48}};
  for (const auto& row : rows) {
    const auto bits_at = [&](double rate) {
      const auto policy = *NewTamisRotatingPolicy(
          {.sizing = {.rate = rate}, .generations = row.generations}, 0);
      return static_cast<double>(policy->Predict(kKeys).bits) /
             (kKeys * row.generations);
    };
    EXPECT_NEAR(bits_at(0.01), row.at_1_percent, 0.006);
    EXPECT_NEAR(bits_at(0.001), row.at_a_tenth, 0.006);
  }
}

// Every generation full: the rate of the whole is the one that was asked for.
TEST(TamisRotatingRates, AreThatOfAllGenerationsTogether) {
  constexpr std::uint64_t kKeys = 20'000;
  for (unsigned generations : {2u, 7u}) {
    const RotatingSettings settings = {.sizing = {.rate = 0.02},
                                       .generations = generations};
    const auto filter = NewFilter(settings, kKeys);
    for (unsigned i = 0; i < generations; ++i) {
      if (i > 0) {
        ASSERT_TRUE(filter->Rotate().ok());
      }
      InsertAll(filter.get(), NumberedKeys(std::to_string(i) + "-", kKeys));
    }
    const auto strangers = NumberedKeys("absent-", 100'000);
    const auto asked = static_cast<double>(strangers.size());
    const double hits = static_cast<double>(std::count_if(
        strangers.begin(), strangers.end(),
        [&](const std::string& key) { return filter->MayContain(key); }));
    const FilterInfo info = filter->Describe();
    EXPECT_NEAR(hits / asked, info.rate, 5 * std::sqrt(info.rate / asked));
    const auto policy = *NewTamisRotatingPolicy(settings, 0);
    const double predicted = policy->Predict(kKeys).false_positive_rate;
    EXPECT_LE(predicted, 0.02);
    EXPECT_GE(predicted, 0.0195);
    EXPECT_NEAR(info.rate / predicted, 1, 0.04);
    EXPECT_EQ(policy->RateAt(kKeys, kKeys), predicted);
    EXPECT_NEAR(info.keys_by_fill / (kKeys * generations), 1, 0.02);
  }
}

}  // namespace
}  // namespace tamis
