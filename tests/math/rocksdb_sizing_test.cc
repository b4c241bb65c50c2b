// SPDX-License-Identifier: Apache-2.0
#include "math/rocksdb_sizing.h"

#include <cmath>
#include <limits>

#include <gtest/gtest.h>

#include "hash/xxph3.h"
#include "tests/support/filters.h"
#include "tests/support/golden.h"

namespace tamis {
namespace {

TEST(RocksDbSizing, UnderstandsSettingsAsRocksDbDoes) {
  struct Case {
    double setting;
    unsigned millibits;
  };
  for (const Case& c : {Case{-3, 0},
                        {0, 0},
                        {0.499, 0},
                        {0.5, 1000},
                        {0.99, 1000},
                        {1, 1000},
                        {9.9994, 9999},
                        {9.9996, 10000},
                        {10, 10000},
                        {99.9999, 100000},
                        {100, 100000},
                        {1e300, 100000},
                        {std::nan(""), 100000}}) {
    EXPECT_EQ(RocksDbMillibits(c.setting), c.millibits) << c.setting;
  }
}

TEST(RocksDbSizing, ChangesProbesWhereRocksDbDoes) {
  struct Case {
    unsigned millibits;
    unsigned probes;
  };
  for (const Case& c :
       {Case{1000, 1}, {2080, 1},   {2081, 2},   {3580, 2},   {3581, 3},
        {5100, 3},     {5101, 4},   {6640, 4},   {6641, 5},   {8300, 5},
        {8301, 6},     {10070, 6},  {10071, 7},  {11720, 7},  {11721, 8},
        {14001, 8},    {14002, 9},  {16050, 9},  {16051, 10}, {18300, 10},
        {18301, 11},   {22001, 11}, {22002, 12}, {25501, 12}, {25502, 11},
        {28000, 12},   {28001, 13}, {50000, 23}, {50001, 24}, {100000, 24}}) {
    EXPECT_EQ(RocksDbBloomProbes(c.millibits), c.probes) << c.millibits;
  }
}

TEST(RocksDbSizing, GivesBloomFiltersTheBytesRocksDbGives) {
  const nlohmann::json golden = testing::LoadGolden("rocksdb.json");
  ASSERT_GE(golden["fast_local_bloom"].size(), 11u);
  for (const auto& row : golden["fast_local_bloom"]) {
    const unsigned millibits =
        RocksDbMillibits(row["bits_per_key"].get<double>());
    EXPECT_EQ(millibits, row["millibits"].get<unsigned>());
    EXPECT_EQ(RocksDbBloomProbes(millibits), row["probes"].get<unsigned>());
    EXPECT_EQ(RocksDbBloomBytes(row["keys"].size(), millibits) + 5,
              testing::HexBytes(row["filter"]).size())
        << row["keys"].size() << " keys at " << millibits;
  }
}

TEST(RocksDbSizing, BloomFiltersEndBelowFourGiB) {
  constexpr std::uint64_t kHuge = std::numeric_limits<std::uint64_t>::max();
  EXPECT_EQ(RocksDbBloomBytes(0, 10000), 0u);
  EXPECT_EQ(RocksDbBloomBytes(1, 1000), 64u);
  EXPECT_EQ(RocksDbBloomBytes(51, 10000), 64u);
  EXPECT_EQ(RocksDbBloomBytes(52, 10000), 128u);
  EXPECT_EQ(RocksDbBloomBytes(3'435'973'785, 10000), 0xffffffc0u);
  EXPECT_EQ(RocksDbBloomBytes(3'435'973'700, 10000), 0xffffff80u);
  EXPECT_EQ(RocksDbBloomBytes(kHuge, 100000), kMaxRocksDbBloomBytes);
}

TEST(RocksDbSizing, GivesLegacyFiltersTheLinesRocksDbGives) {
  const nlohmann::json golden = testing::LoadGolden("rocksdb.json");
  ASSERT_GE(golden["legacy_bloom"].size(), 7u);
  for (const auto& row : golden["legacy_bloom"]) {
    const std::string filter = testing::HexBytes(row["filter"]);
    const RocksDbLegacySize size = RocksDbLegacySizeFor(
        row["keys"].size(),
        RocksDbMillibits(row["bits_per_key"].get<double>()));
    EXPECT_EQ(size.lines * kRocksDbLineBytes + 5, filter.size());
    EXPECT_EQ(size.probes,
              static_cast<unsigned char>(filter[filter.size() - 5]));
  }
}

TEST(RocksDbSizing, LegacyFiltersHaveAnOddNumberOfLinesBelow2To32Bits) {
  EXPECT_EQ(RocksDbLegacySizeFor(0, 10000).lines, 0u);
  EXPECT_EQ(RocksDbLegacySizeFor(51, 10000).lines, 1u);
  EXPECT_EQ(RocksDbLegacySizeFor(52, 10000).lines, 3u);
  EXPECT_EQ(RocksDbLegacySizeFor(std::uint64_t{1} << 60, 100000).lines,
            0xffff0000 / 512 + 1);
  EXPECT_EQ(RocksDbLegacySizeFor(9, 1000).probes, 1u);
  EXPECT_EQ(RocksDbLegacySizeFor(9, 10499).probes, 6u);
  EXPECT_EQ(RocksDbLegacySizeFor(9, 100000).probes, 30u);
}

TEST(RocksDbSizing, GivesRibbonsTheSlotsRocksDbGives) {
  const nlohmann::json golden = testing::LoadGolden("rocksdb.json");
  ASSERT_GE(golden["ribbon_slots"].size(), 31u);
  for (const auto& row : golden["ribbon_slots"]) {
    EXPECT_EQ(RocksDbRibbonSlots(row[0].get<std::uint64_t>()),
              row[1].get<std::uint64_t>())
        << row;
  }
}

// The key lists of the golden file have no equal neighbours.
TEST(RocksDbSizing, GivesRibbonsTheShapeRocksDbGives) {
  const nlohmann::json golden = testing::LoadGolden("rocksdb.json");
  unsigned ribbons = 0;
  for (const auto& row : golden["ribbon"]) {
    const double bits_per_key =
        RocksDbBitsPerKey(row["bloom_equivalent_bits_per_key"].get<double>());
    const std::uint64_t keys = row["keys"].size();
    const std::uint64_t first = Xxph3(testing::HexBytes(row["keys"][0]));
    const std::uint64_t slots = RocksDbRibbonSlots(keys);
    const RibbonShape shape = RibbonShapeFor(
        slots / kRibbonBlockSlots,
        RocksDbRibbonSegments(slots, RocksDbRibbonOneIn(bits_per_key),
                              static_cast<std::uint32_t>(first >> 32)));
    const bool is_ribbon = row["kind"] == "ribbon";
    EXPECT_EQ(RocksDbPrefersBloom(keys, RocksDbMillibits(bits_per_key), shape),
              !is_ribbon);
    if (!is_ribbon) continue;
    ++ribbons;
    EXPECT_EQ(shape.blocks, row["blocks"].get<std::uint64_t>());
    EXPECT_EQ(shape.segments, row["segments"].get<std::uint64_t>());
    EXPECT_EQ(shape.columns, row["upper_columns"].get<unsigned>());
    EXPECT_EQ(shape.cut, row["upper_start_block"].get<std::uint64_t>());
  }
  EXPECT_EQ(ribbons, 6u);
}

TEST(RocksDbSizing, TheDrawMovesARibbonByAtMostOneSegment) {
  constexpr std::uint32_t kLargest = ~std::uint32_t{0};
  unsigned moved = 0;
  for (std::uint64_t keys = 300; keys < 30000; keys += 7) {
    const std::uint64_t slots = RocksDbRibbonSlots(keys);
    const double one_in = RocksDbRibbonOneIn(10);
    const std::uint64_t least = RocksDbRibbonSegments(slots, one_in, kLargest);
    const std::uint64_t most = RocksDbRibbonSegments(slots, one_in, 0);
    ASSERT_TRUE(most == least || most == least + 1) << keys;
    moved += most != least ? 1 : 0;
  }
  EXPECT_GT(moved, 0u);
}

TEST(RocksDbSizing, RibbonsAsRareInErrorAsCanBeHave32Columns) {
  EXPECT_EQ(RocksDbRibbonSegments(256, 1.0, 7), 1u);
  EXPECT_EQ(RocksDbRibbonSegments(256, 4294967296.0, 7), 64u);
  const RibbonShape shape = RibbonShapeFor(3, 32 * 3 + 50);
  EXPECT_EQ(shape.columns, 32u);
  EXPECT_EQ(shape.cut, 0u);
  EXPECT_EQ(shape.segments, 96u);
}

// Start by start, from the definition.
TEST(RocksDbSizing, TheRateOfARibbonIsTheMeanOverItsStarts) {
  for (const std::uint64_t segments : {1u, 2u, 5u, 13u, 39u, 64u, 65u, 300u}) {
    const RibbonShape shape = RibbonShapeFor(5, segments);
    double sum = 0;
    const unsigned starts = 4 * kRibbonBlockSlots + 1;
    for (unsigned start = 0; start < starts; ++start) {
      const bool few = start / kRibbonBlockSlots < shape.cut;
      sum += std::exp2(-static_cast<double>(shape.columns - (few ? 1 : 0)));
    }
    EXPECT_NEAR(RibbonRate(shape), sum / starts, 1e-12 * sum) << segments;
  }
}

// What the choice of columns is for: the rate that was asked.
TEST(RocksDbSizing, ARibbonErrsAsOftenAsTheBloomFilterItStandsFor) {
  for (const double bits_per_key : {2.0, 5.0, 10.0, 16.0, 30.0}) {
    const double one_in = RocksDbRibbonOneIn(bits_per_key);
    const std::uint64_t slots = RocksDbRibbonSlots(1'000'000);
    const RibbonShape shape =
        RibbonShapeFor(slots / kRibbonBlockSlots,
                       RocksDbRibbonSegments(slots, one_in, 1u << 31));
    EXPECT_NEAR(RibbonRate(shape) * one_in, 1.0, 0.001) << bits_per_key;
  }
  EXPECT_NEAR(1 / RocksDbRibbonOneIn(10), 0.0095, 0.0001);
}

}  // namespace
}  // namespace tamis
