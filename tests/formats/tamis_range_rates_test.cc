// SPDX-License-Identifier: Apache-2.0
// How often a range filter is wrong, and whether it knows.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "formats/tamis/range.h"
#include "tests/support/filters.h"
#include "tests/support/key_families.h"

namespace tamis {
namespace {

using testing::AnyBetween;
using testing::KeyFamilies;
using testing::KeyFamily;
using testing::Random;

using Keys = std::vector<std::string>;
using Ranges = std::vector<std::pair<std::string, std::string>>;

// Empty ranges that begin where a further key would be, every other one of that
// key alone.  The others are as long as two draws are far apart: a quarter of
// the mean gap, and less.
Ranges EmptyRanges(const KeyFamily& family, const Keys& keys, Random* random) {
  const Keys further = testing::SortedKeys(family, 2 * keys.size(), random);
  Ranges ranges;
  for (std::size_t i = 0; i + 1 < further.size(); ++i) {
    const std::string& hi = further[i + i % 2];
    if (AnyBetween(keys, further[i], hi)) continue;
    ranges.emplace_back(further[i], hi);
  }
  return ranges;
}

double RateOf(const FilterReader& reader, const Ranges& empty) {
  std::size_t maybe = 0;
  for (const auto& [lo, hi] : empty) {
    maybe += reader.MayContainRange(lo, hi) ? 1u : 0u;
  }
  return static_cast<double>(maybe) / static_cast<double>(empty.size());
}

struct Trial {
  double measured = 1;
  double stored = 1;
  double bits = 0;
};

// A refused filter is "maybe" for everything.
Trial Try(const std::string& spec, const Keys& keys, const Ranges& empty) {
  const auto policy = testing::PolicyOf(spec);
  const auto builder = policy->NewBuilder();
  for (const std::string& key : keys) builder->Add(key);
  std::string bytes;
  if (!builder->Finish(&bytes).ok()) return {};
  const auto reader = policy->Open(bytes);
  EXPECT_TRUE(reader.ok());
  return {.measured = RateOf(**reader, empty),
          .stored = reader->Describe().rate,
          .bits = 8.0 * static_cast<double>(bytes.size()) /
                  static_cast<double>(keys.size())};
}

// Half as much again, and some for the few ranges by which a builder judges.
void ExpectHonest(const Trial& trial) {
  EXPECT_LE(trial.measured, 1.5 * trial.stored + 0.01);
  EXPECT_GE(trial.measured, trial.stored / 1.5 - 0.01);
}

TEST(TamisRangeRates, OfEachFamilyAreWithinTheirBoundsAndStored) {
  Random random(42);
  for (const KeyFamily& family : KeyFamilies()) {
    SCOPED_TRACE(family.name);
    const Keys keys = testing::SortedKeys(family, 40'000, &random);
    const Ranges empty = EmptyRanges(family, keys, &random);
    // Sampling aside.
    constexpr double kSlack = 1.08;
    const std::pair<const char*, double> bounds[] = {
        {"range:6", family.rate_at_6},
        {"range:8", family.rate},
        {"range:10", family.rate_at_10}};
    for (const auto& [spec, bound] : bounds) {
      SCOPED_TRACE(spec);
      const Trial trial = Try(spec, keys, empty);
      RecordProperty(std::string(family.name) + " " + spec,
                     std::to_string(trial.measured) + " stored as " +
                         std::to_string(trial.stored));
      EXPECT_LE(trial.measured, bound * kSlack);
      ExpectHonest(trial);
      EXPECT_LE(trial.bits, 1.01 * std::stod(spec + 6));
    }
  }
}

TEST(TamisRangeRatesLarge, OfUrlsAreAtMostHalfAtTwelveBits) {
  Random random(43);
  for (const KeyFamily& family : KeyFamilies()) {
    if (std::string(family.name) != "urls") continue;
    const Keys keys = testing::SortedKeys(family, 200'000, &random);
    const Trial trial =
        Try("range:12", keys, EmptyRanges(family, keys, &random));
    EXPECT_LE(trial.measured, 0.5);
    EXPECT_GT(trial.bits, 0);
  }
}

TEST(TamisRangeRates, OfFewKeysAreStoredAsWell) {
  Random random(44);
  for (const KeyFamily& family : KeyFamilies()) {
    SCOPED_TRACE(family.name);
    for (const std::size_t count : {300u, 3000u}) {
      SCOPED_TRACE(count);
      const Keys keys = testing::SortedKeys(family, count, &random);
      const Trial trial =
          Try("range:8", keys, EmptyRanges(family, keys, &random));
      EXPECT_LE(trial.measured, 1.6 * trial.stored + 0.03);
    }
  }
}

// Keys at regular distances: no two are near to each other, but what is asked
// for may be near to one.
struct Steps {
  const char* name;
  std::uint64_t first;
  std::uint64_t step;
  std::string (*key)(std::uint64_t number);
};

std::string Padded(std::uint64_t number, std::size_t width) {
  const std::string digits = std::to_string(number);
  return std::string(width - digits.size(), '0') + digits;
}

const Steps kSteps[] = {
    {"unpadded", 1000, 7, [](std::uint64_t n) { return std::to_string(n); }},
    {"padded", 1000, 7, [](std::uint64_t n) { return Padded(n, 8); }},
    {"sparse", 0, 1000, [](std::uint64_t n) { return Padded(n, 12); }},
    {"fields", 0, 37,
     [](std::uint64_t n) {
       return "user:" + Padded(n / 100, 6) + ":item:" + Padded(n % 100, 2);
     }},
    {"unpadded fields", 0, 37,
     [](std::uint64_t n) {
       return "user:" + std::to_string(n / 100) +
              ":item:" + std::to_string(n % 100);
     }},
    {"integers", 0, 1'000'003, testing::BigEndian}};

TEST(TamisRangeRates, OfRegularDistancesAreStored) {
  Random random(45);
  for (const Steps& steps : kSteps) {
    SCOPED_TRACE(steps.name);
    Keys keys;
    for (std::uint64_t i = 0; i < 12'715; ++i) {
      keys.push_back(steps.key(steps.first + i * steps.step));
    }
    std::sort(keys.begin(), keys.end());
    Ranges empty;
    while (empty.size() < 8000) {
      const std::uint64_t from =
          steps.first + random() % (keys.size() * steps.step);
      const std::uint64_t length = random() % (steps.step / 4 + 2);
      std::string lo = steps.key(from);
      std::string hi = steps.key(from + length);
      if (hi < lo || AnyBetween(keys, lo, hi)) continue;
      empty.emplace_back(std::move(lo), std::move(hi));
    }
    for (const char* spec : {"range:6", "range:8", "range:10"}) {
      SCOPED_TRACE(spec);
      const Trial trial = Try(spec, keys, empty);
      RecordProperty(std::string(steps.name) + " " + spec,
                     std::to_string(trial.measured) + " stored as " +
                         std::to_string(trial.stored));
      // What is stored may be too high here, and never is too low.
      EXPECT_LE(trial.measured, 1.5 * trial.stored + 0.01);
      EXPECT_GE(trial.measured, trial.stored / 4 - 0.02);
      EXPECT_LE(trial.measured, 0.5);
    }
  }
}

}  // namespace
}  // namespace tamis
