// SPDX-License-Identifier: Apache-2.0
// One filter at a time: our bytes and answers beside those of the LevelDB
// that is installed here.

#include <cstdint>
#include <memory>
#include <random>
#include <span>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "formats/leveldb/bloom.h"
#include "tests/peers/peer_policy.h"
#include "tests/support/random.h"

namespace tamis::testing {
namespace {

constexpr int kMaxBitsPerKey = 50;

struct NamedKeySet {
  std::string name;
  std::vector<std::string> keys;
};

// `count` keys of random bytes, `shortest` to `longest` long.
std::vector<std::string> RandomBinaryKeys(std::uint64_t seed, std::size_t count,
                                          std::size_t shortest,
                                          std::size_t longest) {
  std::mt19937_64 random(seed);
  std::vector<std::string> keys;
  for (std::size_t i = 0; i < count; ++i) {
    const std::size_t size = shortest + random() % (longest - shortest + 1);
    keys.push_back(RandomBytes(&random, size));
  }
  return keys;
}

// One key of every length to 300, all of whose bytes are 0x80 or more.
std::vector<std::string> HighBitKeys() {
  std::mt19937_64 random(7);
  std::vector<std::string> keys;
  for (std::size_t size = 0; size <= 300; ++size) {
    std::string key = RandomBytes(&random, size);
    for (char& byte : key) byte = static_cast<char>(byte | '\x80');
    keys.push_back(key);
  }
  return keys;
}

std::vector<std::string> Numbered(const std::string& prefix, int count) {
  std::vector<std::string> keys;
  for (int i = 0; i < count; ++i) keys.push_back(prefix + std::to_string(i));
  return keys;
}

std::vector<NamedKeySet> NamedKeySets() {
  std::vector<NamedKeySet> sets = {
      {"no key", {}},
      {"the empty key", {""}},
      {"one key", {"k"}},
      {"one high byte", {"\xff"}},
      {"two keys", {"hello", "world"}},
      {"one key twice", {"same", "same"}},
      {"all equal", std::vector<std::string>(500, "all equal")},
      {"every length, high bytes", HighBitKeys()},
      {"sequential text", Numbered("key", 3000)},
      {"zero bytes",
       {std::string(1, '\0'), std::string(2, '\0'), std::string(3, '\0'),
        std::string(4, '\0'), std::string(300, '\0')}},
  };
  for (std::uint64_t seed = 1; seed <= 4; ++seed) {
    const std::string name = "random, seed " + std::to_string(seed);
    sets.push_back({name, RandomBinaryKeys(seed, 50 * seed * seed, 0, 300)});
  }
  NamedKeySet doubled{"random, each twice", RandomBinaryKeys(9, 200, 0, 20)};
  const std::vector<std::string> once = doubled.keys;
  doubled.keys.insert(doubled.keys.end(), once.begin(), once.end());
  sets.push_back(doubled);
  return sets;
}

// LevelDB's answers, one character each: '1' maybe, '0' certainly absent.
std::string TheirAnswers(const leveldb::FilterPolicy& policy, Slice filter,
                         std::span<const std::string> keys) {
  std::string answers;
  for (const std::string& key : keys) {
    answers += policy.KeyMayMatch(ToPeer(key), ToPeer(filter)) ? '1' : '0';
  }
  return answers;
}

// Ours, by each of the three ways to ask; they must agree.
std::string OurLevelDbAnswers(const FilterPolicy& policy, Slice filter,
                              std::span<const std::string> keys) {
  auto reader = policy.Open(filter);
  if (!reader.ok()) return reader.status().ToString();
  const std::vector<Slice> slices(keys.begin(), keys.end());
  const auto many = std::make_unique<bool[]>(keys.size());
  reader->MayContainMany(slices, {many.get(), keys.size()});
  std::string answers;
  for (std::size_t i = 0; i < keys.size(); ++i) {
    const bool maybe = reader->MayContain(keys[i]);
    if (many[i] != maybe) return "MayContainMany() differs";
    if (LevelDbBloomMayContain(filter, keys[i]) != maybe) {
      return "LevelDbBloomMayContain() differs";
    }
    answers += maybe ? '1' : '0';
  }
  return answers;
}

TEST(LevelDbBloomPeer, PoliciesHaveOneName) {
  EXPECT_EQ(OurPolicy(10)->name(), TheirPolicy(10)->Name());
}

TEST(LevelDbBloomPeer, WritesTheBytesLevelDbWrites) {
  const std::vector<NamedKeySet> sets = NamedKeySets();
  for (int bits = 1; bits <= kMaxBitsPerKey; ++bits) {
    const auto theirs = TheirPolicy(bits);
    const auto ours = OurPolicy(bits);
    for (const NamedKeySet& set : sets) {
      const std::string filter = OurFilter(*ours, set.keys);
      ASSERT_EQ(filter, TheirFilter(*theirs, set.keys))
          << set.name << " at " << bits << " bits per key";
      ASSERT_EQ(filter.size(), ours->Predict(set.keys.size()).bytes);
    }
  }
}

TEST(LevelDbBloomPeer, AppendsAsLevelDbDoes) {
  const std::vector<std::string> keys = Numbered("k", 100);
  const std::vector<leveldb::Slice> slices(keys.begin(), keys.end());
  std::string theirs = "before";
  TheirPolicy(10)->CreateFilter(slices.data(), 100, &theirs);
  std::string ours = "before";
  const auto policy = OurPolicy(10);
  const auto builder = policy->NewBuilder();
  for (const std::string& key : keys) builder->Add(key);
  ASSERT_TRUE(builder->Finish(&ours).ok());
  EXPECT_EQ(ours, theirs);
}

TEST(LevelDbBloomPeer, AnswersAsLevelDbDoes) {
  const std::vector<std::string> absent = RandomBinaryKeys(99, 1000, 0, 300);
  std::uint64_t strangers_let_through = 0;
  for (int bits = 1; bits <= kMaxBitsPerKey; ++bits) {
    const auto theirs = TheirPolicy(bits);
    const auto ours = OurPolicy(bits);
    for (const NamedKeySet& set : NamedKeySets()) {
      SCOPED_TRACE(set.name + " at " + std::to_string(bits));
      const std::string filter = TheirFilter(*theirs, set.keys);
      ASSERT_EQ(OurLevelDbAnswers(*ours, filter, set.keys),
                std::string(set.keys.size(), '1'));
      const std::string expected = TheirAnswers(*theirs, filter, absent);
      ASSERT_EQ(OurLevelDbAnswers(*ours, filter, absent), expected);
      for (char answer : expected) {
        if (answer == '1') ++strangers_let_through;
      }
    }
  }
  // Both kinds of answer did occur.
  EXPECT_GT(strangers_let_through, 1000u);
  EXPECT_LT(strangers_let_through, 500'000u);
}

class DamagedLevelDbBloomPeer : public ::testing::TestWithParam<int> {
 protected:
  void SetUp() override {
    const std::vector<std::string> present = RandomBinaryKeys(3, 40, 0, 40);
    filter_ = TheirFilter(*theirs_, present);
    asked_ = RandomBinaryKeys(4, 60, 0, 40);
    asked_.insert(asked_.end(), present.begin(), present.end());
  }

  // REQUIRES: at least 2 bytes
  void ExpectEqualAnswers(Slice filter) {
    ASSERT_EQ(OurLevelDbAnswers(*ours_, filter, asked_),
              TheirAnswers(*theirs_, filter, asked_));
  }

  const std::unique_ptr<const leveldb::FilterPolicy> theirs_ =
      TheirPolicy(GetParam());
  const std::unique_ptr<const FilterPolicy> ours_ = OurPolicy(GetParam());
  std::string filter_;
  std::vector<std::string> asked_;
};

TEST_P(DamagedLevelDbBloomPeer, CutFiltersAnswerAlike) {
  for (std::size_t size = 2; size < filter_.size(); ++size) {
    SCOPED_TRACE(size);
    ASSERT_NO_FATAL_FAILURE(ExpectEqualAnswers(filter_.substr(0, size)));
    ASSERT_NO_FATAL_FAILURE(
        ExpectEqualAnswers(filter_.substr(filter_.size() - size)));
  }
}

TEST_P(DamagedLevelDbBloomPeer, FlippedBitsAnswerAlike) {
  for (std::size_t bit = 0; bit < filter_.size() * 8; ++bit) {
    SCOPED_TRACE(bit);
    std::string damaged = filter_;
    damaged[bit / 8] = static_cast<char>(damaged[bit / 8] ^ 1 << bit % 8);
    ASSERT_NO_FATAL_FAILURE(ExpectEqualAnswers(damaged));
  }
}

TEST_P(DamagedLevelDbBloomPeer, EveryNumberOfProbesAnswersAlike) {
  for (int probes = 0; probes <= 255; ++probes) {
    SCOPED_TRACE(probes);
    std::string damaged = filter_;
    damaged.back() = static_cast<char>(probes);
    ASSERT_NO_FATAL_FAILURE(ExpectEqualAnswers(damaged));
    // No probes, or a number reserved for later encodings: always "maybe".
    if (probes == 0 || probes > 30) {
      ASSERT_EQ(OurLevelDbAnswers(*ours_, damaged, asked_),
                std::string(asked_.size(), '1'));
    }
  }
}

INSTANTIATE_TEST_SUITE_P(BitsPerKey, DamagedLevelDbBloomPeer,
                         ::testing::Values(1, 3, 10, 30, 50));

// The one intended difference.  No writer makes filters this short, so the
// bytes are what damage left over: LevelDB then hides every key, we none.
TEST(LevelDbBloomPeer, FewerThanTwoBytesHideKeysInLevelDbOnly) {
  const auto theirs = TheirPolicy(10);
  const auto ours = OurPolicy(10);
  std::vector<std::string> shorts = {""};
  for (int byte = 0; byte <= 255; ++byte) {
    shorts.emplace_back(1, static_cast<char>(byte));
  }
  for (const std::string& filter : shorts) {
    EXPECT_FALSE(theirs->KeyMayMatch("key", ToPeer(filter)));
    const auto reader = ours->Open(filter);
    ASSERT_FALSE(reader.ok());
    EXPECT_EQ(reader.status().code(), StatusCode::kCorruption);
  }
}

// Above 2^32 bits the 32-bit hash leaves the end of the array untouched.
TEST(LevelDbBloomPeerLarge, WritesTheBytesLevelDbWritesBeyondFourGibibits) {
  constexpr int kBitsPerKey = 10'000;
  const std::vector<std::string> keys = Numbered("large", 430'000);
  const auto ours = OurPolicy(kBitsPerKey);
  const std::string filter = OurFilter(*ours, keys);
  ASSERT_GT(std::uint64_t{filter.size()} * 8, std::uint64_t{1} << 32);
  const auto theirs = TheirPolicy(kBitsPerKey);
  // Not EXPECT_EQ, which would print both.
  EXPECT_TRUE(filter == TheirFilter(*theirs, keys));
  const std::vector<std::string> absent = Numbered("absent", 1000);
  EXPECT_EQ(OurLevelDbAnswers(*ours, filter, absent),
            TheirAnswers(*theirs, filter, absent));
  EXPECT_EQ(OurLevelDbAnswers(*ours, filter, keys),
            std::string(keys.size(), '1'));
}

}  // namespace
}  // namespace tamis::testing
