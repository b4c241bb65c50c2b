// SPDX-License-Identifier: Apache-2.0
#include "formats/tamis/block_filter.h"

#include <cmath>
#include <cstdint>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "base/coding.h"
#include "base/crc32c.h"
#include "formats/leveldb/bloom.h"
#include "formats/leveldb/filter_block.h"
#include "formats/tamis/line_view.h"
#include "tests/support/golden.h"

namespace tamis {
namespace {

using testing::FromHex;
using testing::HexNumber;
using testing::LoadGolden;
using testing::ToHex;

using Blocks = std::vector<std::vector<std::uint64_t>>;  // hashes

std::string BuildFilter(unsigned bits, std::uint64_t seed,
                        const Blocks& blocks) {
  BlockFilterBuilder builder(bits, seed);
  for (const auto& block : blocks) {
    for (const std::uint64_t hash : block) builder.AddHash(hash);
    builder.EndBlock();
  }
  std::string filter;
  EXPECT_TRUE(builder.Finish(&filter).ok());
  return filter;
}

// Makes the checksum fit the bytes again.
void Seal(std::string* filter) {
  StoreLittle(filter->data() + 8, Crc32c(Slice(*filter).substr(12)));
}

// Some blocks of some keys each, whose hashes are random.
Blocks RandomBlocks(std::size_t blocks, std::size_t keys) {
  Blocks made(blocks);
  std::uint64_t next = 1;
  for (auto& block : made) {
    for (std::size_t i = 0; i < keys; ++i) block.push_back(SplitMix64(next++));
  }
  return made;
}

TEST(BlockFilter, HasTheBytesOfTheReference) {
  const auto golden = LoadGolden("tamis_block_filter.json");
  for (const auto& row : golden["vectors"]) {
    Blocks blocks;
    for (const auto& block : row["blocks"]) {
      blocks.emplace_back();
      for (const auto& hash : block) {
        blocks.back().push_back(HexNumber(hash.get<std::string>()));
      }
    }
    EXPECT_EQ(ToHex(BuildFilter(row["bits_per_key"], 0, blocks)),
              row["filter"].get<std::string>());
  }
}

TEST(BlockFilter, ContainsEveryKeyInItsBlockAndSaysMaybeBeyondTheLast) {
  for (const unsigned bits : {1u, 10u, kMaxBlockFilterBits}) {
    const Blocks blocks = RandomBlocks(20, 30);
    const std::string filter = BuildFilter(bits, 77, blocks);
    const Result<BlockFilterView> view = ViewBlockFilter(filter);
    ASSERT_TRUE(view.ok()) << view.status().ToString();
    EXPECT_EQ(view->seed, 77u);
    EXPECT_EQ(view->blocks, blocks.size());
    EXPECT_EQ(view->pairs, 600u);
    for (std::size_t i = 0; i < blocks.size(); ++i) {
      for (const std::uint64_t hash : blocks[i]) {
        EXPECT_TRUE(view->MayContain(i, hash));
        EXPECT_TRUE(view->MayContain(blocks.size(), hash));
        EXPECT_TRUE(view->MayContain(~std::uint64_t{0}, hash));
      }
    }
  }
}

// Whether blocks have one key or many.
TEST(BlockFilter, HasTheExpectedRateAlsoForKeysOfOtherBlocks) {
  for (const std::size_t keys : {1u, 7u, 40u}) {
    const std::size_t count = 40'000 / keys;
    const Blocks blocks = RandomBlocks(count, keys);
    const std::string filter = BuildFilter(10, 0, blocks);
    const BlockFilterView view = *ViewBlockFilter(filter);
    std::uint64_t wrong = 0;
    std::uint64_t queries = 0;
    for (std::size_t i = 0; i < count; ++i) {
      // Those of the next block, which this one does not have.
      for (const std::uint64_t hash : blocks[(i + 1) % count]) {
        wrong += view.MayContain(i, hash) ? 1u : 0u;
        wrong += view.MayContain(i, ~hash) ? 1u : 0u;
        queries += 2;
      }
    }
    const double expected = view.expected_rate() * static_cast<double>(queries);
    EXPECT_NEAR(view.expected_rate(), 0.0097, 0.0005);
    EXPECT_NEAR(static_cast<double>(wrong), expected, 5 * std::sqrt(expected));
  }
}

// A key that the filter of the table lets through is ruled out as often as any
// other, although both filters have the same hash of it.
TEST(BlockFilter, IsIndependentOfTheFilterOfTheTable) {
  const auto policy = *MakePolicy("bloom:6");
  const auto whole = policy->NewBuilder();
  BlockFilterBuilder builder(8, 0);
  constexpr int kKeys = 20'000;
  for (int i = 0; i < kKeys; ++i) {
    const std::string key = "key" + std::to_string(i);
    whole->Add(key);
    builder.AddHash(LineHash(key, 0));
    if (i % 30 == 29) builder.EndBlock();
  }
  builder.EndBlock();
  std::string bytes;
  ASSERT_TRUE(whole->Finish(&bytes).ok());
  const auto lines = ViewLines(bytes);
  ASSERT_TRUE(lines.has_value());
  std::string filter;
  ASSERT_TRUE(builder.Finish(&filter).ok());
  const BlockFilterView view = *ViewBlockFilter(filter);
  double passed_first = 0;
  double passed_both = 0;
  for (std::uint64_t i = 0; i < 100'000; ++i) {
    const std::uint64_t hash = LineHash("other" + std::to_string(i), 0);
    if (!lines->Check(hash)) continue;
    ++passed_first;
    if (view.MayContain(i % view.blocks, hash)) ++passed_both;
  }
  const double expected = passed_first * view.expected_rate();
  ASSERT_GT(expected, 80);
  EXPECT_NEAR(passed_both, expected, 5 * std::sqrt(expected));
}

using KeyOf = std::string (*)(std::uint64_t number);

std::string SixteenDigits(std::uint64_t number) {
  const std::string digits = std::to_string(number);
  return std::string(16 - digits.size(), '0') + digits;
}
std::string EightBytes(std::uint64_t number) {
  std::string key(8, '\0');
  StoreBig(key.data(), number);
  return key;
}

struct WrongRates {
  double leveldb = 0;
  double own = 0;
  double own_expected = 0;
};

// Adds the even numbers to both kinds of filters per block, and queries the odd
// ones.
WrongRates RatesOnNeighbours(KeyOf key_of) {
  constexpr std::uint64_t kKeys = 20'000;
  constexpr std::uint64_t kPerBlock = 40;
  constexpr std::uint64_t kBlockBytes = 4096;
  const auto policy = NewLevelDbBloomPolicy({.bits_per_key = 10});
  LevelDbFilterBlockBuilder leveldb(*policy);
  BlockFilterBuilder own(10, 0);
  for (std::uint64_t i = 0; i < kKeys; ++i) {
    if (i % kPerBlock == 0) {
      EXPECT_TRUE(leveldb.StartBlock(i / kPerBlock * kBlockBytes).ok());
    }
    leveldb.AddKey(key_of(2 * i));
    own.AddHash(LineHash(key_of(2 * i), 0));
    if (i % kPerBlock == kPerBlock - 1) own.EndBlock();
  }
  std::string leveldb_bytes;
  std::string own_bytes;
  EXPECT_TRUE(leveldb.Finish(&leveldb_bytes).ok());
  EXPECT_TRUE(own.Finish(&own_bytes).ok());
  const LevelDbFilterBlockReader its(leveldb_bytes);
  const BlockFilterView ours = *ViewBlockFilter(own_bytes);
  WrongRates rates;
  rates.own_expected = ours.expected_rate();
  for (std::uint64_t i = 0; i < kKeys; ++i) {
    const std::string key = key_of(2 * i + 1);
    const std::uint64_t block = i / kPerBlock;
    if (its.MayContain(block * kBlockBytes, key)) rates.leveldb += 1.0 / kKeys;
    if (ours.MayContain(block, LineHash(key, 0))) rates.own += 1.0 / kKeys;
  }
  return rates;
}

// LevelDB's hash maps some neighbouring keys to neighbours: its filters then
// give false positives many times as often as a filter of that size should;
// ours do not.
TEST(BlockFilter, KeepsItsRateOnNeighbouringKeysWhereLevelDbsDoesNot) {
  constexpr double kExpectedOfLevelDb = 0.01;
  const auto expect_ours = [](const WrongRates& rates) {
    EXPECT_NEAR(rates.own, rates.own_expected, 0.2 * rates.own_expected);
  };
  const WrongRates digits = RatesOnNeighbours(SixteenDigits);
  expect_ours(digits);
  EXPECT_GT(digits.leveldb, 8 * kExpectedOfLevelDb);
  const WrongRates bytes = RatesOnNeighbours(EightBytes);
  expect_ours(bytes);
  EXPECT_GT(bytes.leveldb, 20 * kExpectedOfLevelDb);
  // Keys whose last bytes are no whole word of four fare better.
  const WrongRates others = RatesOnNeighbours(
      [](std::uint64_t number) { return SixteenDigits(number) + "ab"; });
  expect_ours(others);
  EXPECT_LT(others.leveldb, 8 * kExpectedOfLevelDb);
  RecordProperty("leveldb_digits", std::to_string(digits.leveldb));
  RecordProperty("leveldb_bytes", std::to_string(bytes.leveldb));
  RecordProperty("own_digits", std::to_string(digits.own));
}

TEST(BlockFilter, RefusesEveryFlippedBitAndEveryTruncation) {
  const std::string filter = BuildFilter(10, 5, RandomBlocks(3, 4));
  for (std::size_t bit = 0; bit < filter.size() * 8; ++bit) {
    std::string damaged = filter;
    damaged[bit / 8] = static_cast<char>(damaged[bit / 8] ^ (1 << bit % 8));
    EXPECT_FALSE(ViewBlockFilter(damaged).ok()) << bit;
  }
  for (std::size_t size = 0; size < filter.size(); ++size) {
    EXPECT_FALSE(ViewBlockFilter(Slice(filter).substr(0, size)).ok()) << size;
  }
  EXPECT_FALSE(ViewBlockFilter(filter + '\0').ok());
}

TEST(BlockFilter, RefusesImpossibleFieldsWithARightChecksum) {
  const std::string filter = BuildFilter(10, 5, RandomBlocks(3, 4));
  const auto with = [&](std::size_t at, std::uint64_t value, bool is_long) {
    std::string changed = filter;
    if (is_long) {
      StoreLittle(changed.data() + at, value);
    } else {
      StoreLittle(changed.data() + at, static_cast<std::uint32_t>(value));
    }
    Seal(&changed);
    return ViewBlockFilter(changed).status().code();
  };
  EXPECT_EQ(with(12, 0, false), StatusCode::kCorruption);
  EXPECT_EQ(with(12, 33, false), StatusCode::kCorruption);
  EXPECT_EQ(with(40, 0, true), StatusCode::kCorruption);
  EXPECT_EQ(with(40, 2, true), StatusCode::kCorruption);
  EXPECT_EQ(with(40, std::uint64_t{1} << 58, true), StatusCode::kCorruption);
  // What a later version may mean.
  EXPECT_EQ(with(48, 1, true), StatusCode::kNotSupported);
  EXPECT_EQ(with(56, std::uint64_t{1} << 63, true), StatusCode::kNotSupported);
  // Without any blocks it rules nothing out.
  std::string none = filter;
  StoreLittle(none.data() + 24, std::uint64_t{0});
  Seal(&none);
  const Result<BlockFilterView> view = ViewBlockFilter(none);
  ASSERT_TRUE(view.ok());
  EXPECT_TRUE(view->MayContain(0, 12345));
}

}  // namespace
}  // namespace tamis
