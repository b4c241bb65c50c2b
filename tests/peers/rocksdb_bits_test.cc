// SPDX-License-Identifier: Apache-2.0
// One filter at a time: our bytes and answers beside those of the RocksDB that
// is installed here.

#include "tests/peers/rocksdb_bits.h"

#include <algorithm>
#include <initializer_list>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "hash/xxph3.h"
#include "tests/peers/rocksdb_keys.h"
#include "tests/support/filters.h"
#include "tests/support/golden.h"

namespace tamis::testing {
namespace {

using Counts = std::initializer_list<std::size_t>;

std::vector<std::string> Repeated(const std::vector<std::string>& keys,
                                  std::size_t times_in_a_row,
                                  std::size_t rounds) {
  std::vector<std::string> out;
  for (std::size_t round = 0; round < rounds; ++round) {
    for (const std::string& key : keys) {
      out.insert(out.end(), times_in_a_row, key);
    }
  }
  return out;
}

// The sets that every policy is tried on: small ones, and those that catch
// hashes and counts out.
std::vector<std::vector<std::string>> KeySets() {
  std::vector<std::vector<std::string>> sets = {
      {""},
      {"k"},
      {"\xff"},
      {"same", "same"},
      {"a", "b", "a", "b", "a"},
      AwkwardKeys(),
      Repeated(AwkwardKeys(), 3, 1),
      Repeated(RandomKeys(5, 400), 1, 2),
      Repeated(RandomKeys(6, 40), 2, 3),
  };
  for (const std::size_t count :
       Counts{2,   3,   7,   24,  25,  26,  50,  51,  52,  60,
              102, 127, 128, 129, 179, 249, 250, 499, 500, 700}) {
    sets.push_back(RandomKeys(count, count));
  }
  for (const std::size_t count :
       Counts{1001, 1002, 2003, 2004, 4005, 4006, 8000}) {
    sets.push_back(SortedKeys(TableKeys::kText, count));
  }
  return sets;
}

class RocksDbBits : public ::testing::TestWithParam<std::string> {
 protected:
  void SetUp() override {
    if (const auto why = WhyNotThisRocksDb()) GTEST_SKIP() << *why;
  }

  static std::string Spec(const std::string& bits) {
    return GetParam() + ":" + bits;
  }
};

// Each method of the classes that we declared does what its name says.
TEST_P(RocksDbBits, DeclaredClassesAreTheLibrarys) {
  const std::vector<std::string> keys = {"a", "a", "b", "a"};
  EXPECT_EQ(RocksDbEntryCount(Spec("10"), keys), 3u);
  const std::string filter = BuildWithRocksDb(Spec("10"), keys);
  EXPECT_EQ(filter.size(), kRocksDbLineBytes + kRocksDbTrailerBytes);
  EXPECT_EQ(ToHex(filter.substr(kRocksDbLineBytes)),
            GetParam() == "rocksdb-legacy" ? "0601000000" : "ff00060000");
  EXPECT_EQ(RocksDbAnswers(filter, keys), "1111");
  const std::vector<std::string> absent = NumberedKeys("absent", 100);
  EXPECT_GE(std::ranges::count(RocksDbAnswers(filter, absent), '0'), 95);
}

// Settings at both sides of the places where a number of probes, or a whole
// number of bits, gives way to the next.
TEST_P(RocksDbBits, OurBytesAreTheirs) {
  const std::vector<std::vector<std::string>> sets = KeySets();
  for (const char* bits : {"0.5",    "1.4995",  "2.0804", "2.0804999995",
                           "2.0805", "10.0705", "0.999",  "1",
                           "1.4",    "1.5",     "2",      "2.08",
                           "2.081",  "3.3",     "3.58",   "5",
                           "5.11",   "6.64",    "7",      "8",
                           "9.5",    "10",      "10.07",  "11.72",
                           "12",     "14",      "14.002", "15",
                           "16",     "18.3",    "20",     "22.002",
                           "25.5",   "26",      "30",     "44",
                           "49.999", "50.001",  "75",     "100",
                           "100.5",  "1000"}) {
    SCOPED_TRACE(Spec(bits));
    const auto policy = PolicyOf(Spec(bits));
    for (const std::vector<std::string>& keys : sets) {
      ASSERT_TRUE(Build(*policy, keys) == BuildWithRocksDb(Spec(bits), keys))
          << keys.size() << " keys, the first is " << ToHex(keys.front());
    }
  }
}

TEST_P(RocksDbBits, OurBytesAreTheirsForManyKeys) {
  for (const std::size_t count : Counts{15'966, 15'967, 31'829, 63'448, 65'536,
                                        126'506, 126'507, 200'000}) {
    const std::vector<std::string> keys = NumberedKeys("key", count);
    // Not EXPECT_EQ, which would print both.
    EXPECT_TRUE(Build(*PolicyOf(Spec("10")), keys) ==
                BuildWithRocksDb(Spec("10"), keys))
        << count << " keys";
  }
}

TEST_P(RocksDbBits, OurBytesOfNoKeysAreTheirs) {
  EXPECT_EQ(ToHex(Build(*PolicyOf(Spec("10")), {})),
            ToHex(BuildWithRocksDb(Spec("10"), {})));
}

TEST_P(RocksDbBits, OurAnswersAreTheirs) {
  const std::vector<std::string> absent = RandomKeys(99, 2000);
  std::uint64_t strangers_let_through = 0;
  for (const char* bits : {"1", "3.3", "10", "16", "100"}) {
    const auto policy = PolicyOf(Spec(bits));
    for (const std::vector<std::string>& keys : KeySets()) {
      SCOPED_TRACE(Spec(bits) + ", " + std::to_string(keys.size()) + " keys");
      const std::string filter = BuildWithRocksDb(Spec(bits), keys);
      ASSERT_EQ(OurAnswers(*policy, filter, keys),
                std::string(keys.size(), '1'));
      const std::string expected = RocksDbAnswers(filter, absent);
      ASSERT_EQ(OurAnswers(*policy, filter, absent), expected);
      strangers_let_through +=
          static_cast<std::uint64_t>(std::ranges::count(expected, '1'));
    }
  }
  // Both kinds of answer did occur.
  EXPECT_GT(strangers_let_through, 1000u);
  EXPECT_LT(strangers_let_through, 200'000u);
}

TEST_P(RocksDbBits, OurAnswersAreTheirsForManyKeys) {
  const std::vector<std::string> keys = NumberedKeys("key", 200'000);
  const std::vector<std::string> absent = NumberedKeys("absent", 100'000);
  const std::string filter = BuildWithRocksDb(Spec("10"), keys);
  const auto policy = PolicyOf(Spec("10"));
  const std::string ours = OurAnswers(*policy, filter, keys);
  EXPECT_EQ(std::ranges::count(ours, '1'), 200'000);
  const std::string expected = RocksDbAnswers(filter, absent);
  EXPECT_TRUE(OurAnswers(*policy, filter, absent) == expected);
  EXPECT_GT(std::ranges::count(expected, '1'), 500);
  EXPECT_LT(std::ranges::count(expected, '1'), 2000);
}

// Any of the three policies opens the filters of all three.
TEST_P(RocksDbBits, EveryPolicyReadsTheirFilter) {
  const std::vector<std::string> keys = RandomKeys(7, 3000);
  const std::vector<std::string> absent = RandomKeys(8, 3000);
  const std::string filter = BuildWithRocksDb(Spec("10"), keys);
  const std::string expected = RocksDbAnswers(filter, absent);
  for (const char* reader :
       {"rocksdb:10", "rocksdb-legacy:10", "rocksdb-ribbon:10"}) {
    EXPECT_EQ(OurAnswers(*PolicyOf(reader), filter, keys),
              std::string(keys.size(), '1'))
        << reader;
    EXPECT_EQ(OurAnswers(*PolicyOf(reader), filter, absent), expected)
        << reader;
  }
}

// The first seed does not solve every set of keys; least of all with 1,001 of
// them, the most that RocksDB dares to put into 1,024 slots.
TEST(RocksDbBitsOfRibbon, OurBytesAreTheirsWhereSeedsFail) {
  if (const auto why = WhyNotThisRocksDb()) GTEST_SKIP() << *why;
  constexpr char kRibbonMark = '\xfe';
  const auto policy = PolicyOf("rocksdb-ribbon:10");
  int with_another_seed = 0;
  for (std::uint64_t seed = 1; seed <= 200; ++seed) {
    const std::vector<std::string> keys =
        NumberedKeys(std::to_string(seed) + ".", 1001);
    const std::string filter = BuildWithRocksDb("rocksdb-ribbon:10", keys);
    ASSERT_TRUE(Build(*policy, keys) == filter) << "keys of seed " << seed;
    const std::size_t trailer = filter.size() - kRocksDbTrailerBytes;
    ASSERT_EQ(filter[trailer], kRibbonMark);
    const auto first = static_cast<unsigned char>(Xxph3(keys.front()));
    if (static_cast<unsigned char>(filter[trailer + 1]) != first) {
      ++with_another_seed;
    }
  }
  EXPECT_GT(with_another_seed, 0);
}

INSTANTIATE_TEST_SUITE_P(Policies, RocksDbBits,
                         ::testing::Values("rocksdb", "rocksdb-legacy",
                                           "rocksdb-ribbon"),
                         [](const auto& test) {
                           return AsTestName(test.param);
                         });

class RocksDbBitsLarge : public RocksDbBits {};

TEST_P(RocksDbBitsLarge, OurBytesAndAnswersAreTheirsForMillionsOfKeys) {
  const std::vector<std::string> keys = NumberedKeys("key", 5'000'000);
  const std::string filter = BuildWithRocksDb(Spec("10"), keys);
  const auto policy = PolicyOf(Spec("10"));
  EXPECT_TRUE(Build(*policy, keys) == filter);
  const std::vector<std::string> absent = NumberedKeys("absent", 1'000'000);
  EXPECT_TRUE(OurAnswers(*policy, filter, absent) ==
              RocksDbAnswers(filter, absent));
}

INSTANTIATE_TEST_SUITE_P(Policies, RocksDbBitsLarge,
                         ::testing::Values("rocksdb", "rocksdb-legacy",
                                           "rocksdb-ribbon"),
                         [](const auto& test) {
                           return AsTestName(test.param);
                         });

}  // namespace
}  // namespace tamis::testing
