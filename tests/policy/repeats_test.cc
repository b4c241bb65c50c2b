// SPDX-License-Identifier: Apache-2.0
// A key that is added more than once counts once: in the size of the filter,
// and in the number of keys that it stores.

#include <algorithm>
#include <initializer_list>
#include <memory>
#include <optional>
#include <random>
#include <string>
#include <string_view>
#include <vector>

#include <gtest/gtest.h>

#include "tamis/filter.h"
#include "tests/support/filters.h"
#include "tests/support/specs.h"

namespace tamis {
namespace {

constexpr unsigned kDifferent = 3000;

struct Built {
  std::string bytes;
  std::optional<std::uint64_t> counted;
};

Built BuildWith(const FilterPolicy& policy, RepeatedKeys repeats,
                const std::vector<std::string>& keys) {
  BuildOptions options;
  options.repeats = repeats;
  const auto builder = policy.NewBuilder(options);
  EXPECT_FALSE(builder->counted_keys().has_value());
  const std::vector<Slice> slices(keys.begin(), keys.end());
  builder->AddMany(slices);
  Built built;
  EXPECT_TRUE(builder->Finish(&built.bytes).ok());
  built.counted = builder->counted_keys();
  return built;
}

// Each key three times, one behind the other.
std::vector<std::string> Thrice(const std::vector<std::string>& keys) {
  std::vector<std::string> all;
  for (const std::string& key : keys) all.insert(all.end(), 3, key);
  return all;
}

// The first stays where it is: RocksDB's ribbon takes its seed from it.
std::vector<std::string> Shuffled(std::vector<std::string> keys) {
  std::mt19937 random(1);
  std::shuffle(keys.begin() + 1, keys.end(), random);
  return keys;
}

bool StartsWithAny(const std::string& spec,
                   std::initializer_list<std::string_view> names) {
  return std::any_of(names.begin(), names.end(), [&](std::string_view name) {
    return spec.starts_with(name);
  });
}

// Engines that count a key each time it is added, and those that do so unless
// it equals the one before.
bool CountsAll(const std::string& spec) {
  return StartsWithAny(spec, {"leveldb", "lab", "md5"});
}
bool CountsDistant(const std::string& spec) {
  return spec.starts_with("rocksdb");
}
// Where the order in which keys come leaves its mark.
bool KnowsOrder(const std::string& spec) {
  return StartsWithAny(spec, {"rocksdb-ribbon", "scalable", "rotating"});
}

class EveryPolicyWithRepeats : public ::testing::TestWithParam<std::string> {
 protected:
  // Of one size and one number of keys; of the same bytes, where the order of
  // the keys does not matter.
  void ExpectSame(const Built& a, const Built& b) {
    EXPECT_EQ(a.bytes.size(), b.bytes.size());
    ASSERT_TRUE(a.counted.has_value() && b.counted.has_value());
    EXPECT_EQ(a.counted.value(), b.counted.value());
    if (KnowsOrder(GetParam())) return;
    EXPECT_EQ(a.bytes, b.bytes);
  }

  const std::unique_ptr<const FilterPolicy> policy_ =
      testing::PolicyOf(GetParam());
  const std::vector<std::string> keys_ =
      testing::NumberedKeys("key-", kDifferent);
};

INSTANTIATE_TEST_SUITE_P(Specs, EveryPolicyWithRepeats,
                         ::testing::ValuesIn(testing::EverySpec()),
                         [](const auto& test) {
                           return testing::TestNameOf(test.param);
                         });

TEST_P(EveryPolicyWithRepeats, MakeTheSameFilterOfThemWhereTheyCountOnce) {
  const Built once = BuildWith(*policy_, RepeatedKeys::kOnce, keys_);
  ASSERT_TRUE(once.counted.has_value());
  EXPECT_EQ(once.counted.value(), kDifferent);
  EXPECT_EQ(once.bytes, testing::Build(*policy_, keys_));
  const auto thrice = Thrice(keys_);
  ExpectSame(BuildWith(*policy_, RepeatedKeys::kOnce, thrice), once);
  ExpectSame(BuildWith(*policy_, RepeatedKeys::kOnce, Shuffled(thrice)), once);
}

TEST_P(EveryPolicyWithRepeats, CountThemAsTheirFormatDoesUnlessToldOtherwise) {
  const auto thrice = Thrice(keys_);
  const Built once = BuildWith(*policy_, RepeatedKeys::kAsFormat, keys_);
  const Built neighbours = BuildWith(*policy_, RepeatedKeys::kAsFormat, thrice);
  const Built distant =
      BuildWith(*policy_, RepeatedKeys::kAsFormat, Shuffled(thrice));
  if (CountsAll(GetParam())) {
    EXPECT_EQ(neighbours.counted.value(), 3u * kDifferent);
    EXPECT_EQ(distant.counted.value(), 3u * kDifferent);
  } else if (CountsDistant(GetParam())) {
    ExpectSame(neighbours, once);
    EXPECT_GT(distant.counted.value(), 2u * kDifferent);
  } else {
    ExpectSame(neighbours, once);
    ExpectSame(distant, once);
  }
}

TEST_P(EveryPolicyWithRepeats, NeighboursNeedNoLookingForOthers) {
  if (CountsAll(GetParam())) return;  // counts neighbours, too
  ExpectSame(BuildWith(*policy_, RepeatedKeys::kNeighbours, Thrice(keys_)),
             BuildWith(*policy_, RepeatedKeys::kNeighbours, keys_));
}

// The number that is stored, where one is.
TEST_P(EveryPolicyWithRepeats, StoreTheNumberOfDifferentKeys) {
  const Built built =
      BuildWith(*policy_, RepeatedKeys::kOnce, Shuffled(Thrice(keys_)));
  const auto reader = policy_->Open(built.bytes);
  ASSERT_TRUE(reader.ok());
  const FilterInfo info = reader->Describe();
  for (const std::string& key : keys_) {
    ASSERT_TRUE(reader->MayContain(key));
  }
  if (!info.keys.has_value()) return;  // stores none
  // These count what was not maybe in before.
  const double lost =
      StartsWithAny(GetParam(), {"scalable", "rotating"}) ? 0.03 : 0;
  EXPECT_LE(*info.keys, kDifferent);
  EXPECT_GE(static_cast<double>(*info.keys), kDifferent * (1 - lost));
}

}  // namespace
}  // namespace tamis
