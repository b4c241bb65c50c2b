// SPDX-License-Identifier: Apache-2.0
// Filters that are cut, changed or made up: what RocksDB's reader says to
// them, and ours.

#include <algorithm>
#include <memory>
#include <random>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "base/coding.h"
#include "tests/peers/rocksdb_bits.h"
#include "tests/peers/rocksdb_keys.h"
#include "tests/support/filters.h"
#include "tests/support/golden.h"
#include "tests/support/random.h"

namespace tamis::testing {
namespace {

constexpr char kNewBloom = '\xff';

// RocksDB multiplies a legacy filter's number of lines in 32 bits, and takes
// a number that is too large for one that fits.
bool HasWrappingLines(Slice filter) {
  const std::size_t data = filter.size() - kRocksDbTrailerBytes;
  const std::uint32_t lines = LoadLittle32(&filter[data + 1]);
  const std::uint32_t product = lines * std::uint32_t{kRocksDbLineBytes};
  return product == data && std::uint64_t{lines} * kRocksDbLineBytes != data;
}

// The places where we differ on purpose.  RocksDB answers "absent" to
// everything if there is no more than a trailer, whereas we take that for what
// damage left over, unless there is nothing at all.  And it reads beyond the
// end of a new Bloom filter of less than a line, and of a legacy one with a
// wrapping number of lines.
bool MustBeMaybe(Slice filter) {
  if (filter.empty()) return false;
  if (filter.size() <= kRocksDbTrailerBytes) return true;
  const std::size_t data = filter.size() - kRocksDbTrailerBytes;
  if (filter[data] == kNewBloom) return data < kRocksDbLineBytes;
  const bool is_legacy = filter[data] != 0 && (filter[data] & 0x80) == 0;
  return is_legacy && HasWrappingLines(filter);
}

// How the trailer of 10 bits per key starts.
char KindOf(Slice policy) {
  constexpr char kLegacyProbes = 6;
  constexpr char kRibbon = '\xfe';
  if (policy == "rocksdb-legacy") return kLegacyProbes;
  return policy == "rocksdb-ribbon" ? kRibbon : kNewBloom;
}

class RocksDbDamage : public ::testing::TestWithParam<std::string> {
 protected:
  void SetUp() override {
    if (const auto why = WhyNotThisRocksDb()) GTEST_SKIP() << *why;
    present_ = RandomKeys(3, 300);
    asked_ = RandomKeys(4, 40);
    asked_.insert(asked_.end(), present_.begin(), present_.begin() + 20);
    filter_ = BuildWithRocksDb(GetParam() + ":10", present_);
    ASSERT_EQ(filter_[filter_.size() - kRocksDbTrailerBytes],
              KindOf(GetParam()));
    for (const char* spec :
         {"rocksdb:10", "rocksdb-legacy:10", "rocksdb-ribbon:10"}) {
      policies_.push_back(PolicyOf(spec));
    }
  }

  void ExpectEqualAnswers(Slice filter) {
    const std::string expected = MustBeMaybe(filter)
                                     ? std::string(asked_.size(), '1')
                                     : RocksDbAnswers(filter, asked_);
    for (const auto& policy : policies_) {
      ASSERT_EQ(OurAnswers(*policy, filter, asked_), expected)
          << policy->name() << ", " << filter.size() << " bytes ending in "
          << ToHex(
                 filter.substr(filter.size() -
                               std::min(filter.size(), kRocksDbTrailerBytes)));
    }
  }

  std::vector<std::string> present_;
  std::vector<std::string> asked_;
  std::string filter_;
  std::vector<std::unique_ptr<const FilterPolicy>> policies_;
};

TEST_P(RocksDbDamage, CutFiltersAnswerAlike) {
  for (std::size_t size = 0; size < filter_.size(); ++size) {
    ASSERT_NO_FATAL_FAILURE(ExpectEqualAnswers(filter_.substr(0, size)));
    ASSERT_NO_FATAL_FAILURE(
        ExpectEqualAnswers(filter_.substr(filter_.size() - size)));
  }
}

TEST_P(RocksDbDamage, EveryTrailerByteAnswersAlike) {
  for (std::size_t place = 1; place <= kRocksDbTrailerBytes; ++place) {
    for (int value = 0; value <= 255; ++value) {
      std::string damaged = filter_;
      damaged[damaged.size() - place] = static_cast<char>(value);
      ASSERT_NO_FATAL_FAILURE(ExpectEqualAnswers(damaged));
    }
  }
}

TEST_P(RocksDbDamage, FlippedBitsAnswerAlike) {
  for (std::size_t bit = 0; bit < filter_.size() * 8; bit += 5) {
    std::string damaged = filter_;
    damaged[bit / 8] = static_cast<char>(damaged[bit / 8] ^ 1 << bit % 8);
    ASSERT_NO_FATAL_FAILURE(ExpectEqualAnswers(damaged));
  }
}

// Data of any length before a trailer that this kind may have written.
TEST_P(RocksDbDamage, RandomDataAnswersAlike) {
  std::mt19937_64 random(11);
  for (int i = 0; i < 1500; ++i) {
    std::string made_up = RandomBytes(&random, random() % 700);
    std::string trailer = filter_.substr(filter_.size() - kRocksDbTrailerBytes);
    trailer[1 + random() % 4] = static_cast<char>(random() % 40);
    ASSERT_NO_FATAL_FAILURE(ExpectEqualAnswers(made_up + trailer));
  }
}

INSTANTIATE_TEST_SUITE_P(Policies, RocksDbDamage,
                         ::testing::Values("rocksdb", "rocksdb-legacy",
                                           "rocksdb-ribbon"),
                         [](const auto& test) {
                           return AsTestName(test.param);
                         });

TEST(RocksDbDamageOfAnyKind, RandomBytesAnswerAlike) {
  if (const auto why = WhyNotThisRocksDb()) GTEST_SKIP() << *why;
  std::mt19937_64 random(12);
  const std::vector<std::string> asked = RandomKeys(5, 30);
  const auto policy = PolicyOf("rocksdb:10");
  for (int i = 0; i < 5000; ++i) {
    const std::string filter = RandomBytes(&random, random() % 400);
    const std::string expected = MustBeMaybe(filter)
                                     ? std::string(asked.size(), '1')
                                     : RocksDbAnswers(filter, asked);
    ASSERT_EQ(OurAnswers(*policy, filter, asked), expected) << ToHex(filter);
  }
}

// What the differences are about.
TEST(RocksDbDamageOfAnyKind, RocksDbHidesKeysBehindAMereTrailer) {
  if (const auto why = WhyNotThisRocksDb()) GTEST_SKIP() << *why;
  const std::vector<std::string> asked = {"key"};
  const auto policy = PolicyOf("rocksdb:10");
  for (std::size_t size = 1; size <= kRocksDbTrailerBytes; ++size) {
    const std::string filter(size, '\x06');
    EXPECT_EQ(RocksDbAnswers(filter, asked), "0");
    EXPECT_EQ(OurAnswers(*policy, filter, asked), "1");
  }
}

TEST(RocksDbDamageOfAnyKind, LinesThatWrapAreNotBelieved) {
  const std::vector<std::string> keys = RandomKeys(6, 300);
  const auto policy = PolicyOf("rocksdb-legacy:10");
  std::string filter = Build(*policy, keys);
  ASSERT_FALSE(HasWrappingLines(filter));
  filter.back() = '\x04';  // 2^26 lines more, which are 2^32 bytes more
  ASSERT_TRUE(HasWrappingLines(filter));
  EXPECT_EQ(OurAnswers(*policy, filter, RandomKeys(7, 300)),
            std::string(300, '1'));
}

}  // namespace
}  // namespace tamis::testing
