// SPDX-License-Identifier: Apache-2.0
// BuildOptions::exact_keys: the number of keys is known before they come.

#include <algorithm>
#include <initializer_list>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include <gtest/gtest.h>

#include "tamis/filter.h"
#include "tamis/key_hash.h"
#include "tests/support/filters.h"
#include "tests/support/specs.h"

namespace tamis {
namespace {

using testing::NumberedKeys;
using testing::PolicyOf;

constexpr std::uint64_t kExactKeys = 3000;

BuildOptions Known(std::uint64_t exact_keys) {
  BuildOptions options;
  options.repeats = RepeatedKeys::kNeighbours;
  options.exact_keys = exact_keys;
  return options;
}

enum class WayToAdd { kOneByOne, kMany, kByHash, kMixed };

void AddAll(FilterBuilder* builder, const std::vector<std::string>& keys,
            WayToAdd how) {
  const std::vector<Slice> slices(keys.begin(), keys.end());
  const std::span<const Slice> all(slices);
  if (how == WayToAdd::kMany) return builder->AddMany(all);
  const std::uint64_t seed = builder->hash_seed().value_or(0);
  for (std::size_t i = 0; i < all.size(); ++i) {
    if (how == WayToAdd::kMixed && i % 100 == 7) {
      const std::size_t some = std::min<std::size_t>(70, all.size() - i);
      builder->AddMany(all.subspan(i, some));
      i += some - 1;
    } else if (how == WayToAdd::kOneByOne ||
               !builder->AddHash(HashKey(all[i], seed))) {
      builder->Add(all[i]);
    }
  }
}

class ExactKeys : public ::testing::TestWithParam<std::string> {
 protected:
  const std::unique_ptr<const FilterPolicy> policy_ = PolicyOf(GetParam());

  // Builds with these options, and expects it to succeed.
  std::string Bytes(const BuildOptions& options,
                    const std::vector<std::string>& keys,
                    WayToAdd how = WayToAdd::kMany) const {
    const auto builder = policy_->NewBuilder(options);
    AddAll(builder.get(), keys, how);
    std::string bytes;
    const Status finished = builder->Finish(&bytes);
    EXPECT_TRUE(finished.ok()) << finished.ToString();
    counted_ = builder->counted_keys();
    return bytes;
  }

  mutable std::optional<std::uint64_t> counted_;
};

INSTANTIATE_TEST_SUITE_P(Specs, ExactKeys,
                         ::testing::ValuesIn(testing::EverySpec()),
                         [](const auto& test) {
                           return testing::TestNameOf(test.param);
                         });

TEST_P(ExactKeys, GiveTheSameBytes) {
  const auto keys = NumberedKeys("key-", kExactKeys);
  const std::string expected = Bytes(Known(0), keys);
  const auto counted = counted_;
  for (const WayToAdd how : {WayToAdd::kOneByOne, WayToAdd::kMany,
                             WayToAdd::kByHash, WayToAdd::kMixed}) {
    EXPECT_EQ(Bytes(Known(kExactKeys), keys, how), expected);
    EXPECT_EQ(counted_, counted);
  }
}

// In other words: as counted_keys() counts.
TEST_P(ExactKeys, CountRepeatsAsTheFormatDoes) {
  std::vector<std::string> thrice;
  for (const std::string& key : NumberedKeys("key-", kExactKeys)) {
    thrice.insert(thrice.end(), 3, key);
  }
  const std::string expected = Bytes(Known(0), thrice);
  const std::uint64_t counted = counted_.value_or(kExactKeys);
  for (const WayToAdd how :
       {WayToAdd::kOneByOne, WayToAdd::kMany, WayToAdd::kMixed}) {
    EXPECT_EQ(Bytes(Known(counted), thrice, how), expected);
  }
}

// Where repeats must be searched for, the number is not needed and not used.
TEST_P(ExactKeys, ChangeNothingWhereRepeatsMayBeAnywhere) {
  std::vector<std::string> twice = NumberedKeys("key-", kExactKeys);
  twice.insert(twice.end(), twice.begin(), twice.begin() + kExactKeys / 2);
  for (const auto repeats : {RepeatedKeys::kAsFormat, RepeatedKeys::kOnce}) {
    BuildOptions options;
    options.repeats = repeats;
    const std::string expected = Bytes(options, twice);
    options.exact_keys = counted_.value_or(kExactKeys);
    EXPECT_EQ(Bytes(options, twice), expected);
  }
}

// The rule of BuildOptions::exact_keys.  ("fpr" chooses its kind in the end.)
bool IsUsed(const std::string& spec, RepeatedKeys repeats) {
  const auto is_one_of = [&](std::initializer_list<std::string_view> kinds) {
    return std::ranges::count(kinds, spec.substr(0, spec.find(':'))) != 0;
  };
  if (is_one_of({"leveldb", "lab", "md5", "rocksdb"})) {
    return repeats != RepeatedKeys::kOnce;
  }
  return repeats == RepeatedKeys::kNeighbours &&
         is_one_of({"bloom", "tamis", "splitblock", "classic", "cassandra",
                    "parquet"});
}

// Another number: no filter where it is used; where it is ignored, the one
// that is right.
TEST_P(ExactKeys, AnotherNumberIsRefusedWhereItIsUsed) {
  const auto keys = NumberedKeys("key-", kExactKeys);
  for (const auto repeats : {RepeatedKeys::kAsFormat, RepeatedKeys::kOnce,
                             RepeatedKeys::kNeighbours}) {
    BuildOptions options;
    options.repeats = repeats;
    const std::string expected = Bytes(options, keys);
    for (const std::uint64_t promised :
         {std::uint64_t{1}, kExactKeys - 1, kExactKeys + 1}) {
      for (const WayToAdd how : {WayToAdd::kOneByOne, WayToAdd::kMany}) {
        options.exact_keys = promised;
        const auto builder = policy_->NewBuilder(options);
        AddAll(builder.get(), keys, how);
        std::string bytes = "before";
        const Status finished = builder->Finish(&bytes);
        if (!IsUsed(GetParam(), repeats)) {
          EXPECT_TRUE(finished.ok()) << finished.ToString();
          EXPECT_TRUE(bytes == "before" + expected);
          continue;
        }
        EXPECT_EQ(finished.code(), StatusCode::kInvalidArgument);
        EXPECT_TRUE(bytes == "before");
        EXPECT_FALSE(builder->counted_keys().has_value());
      }
    }
  }
}

TEST(ExactKeysOfBloom, AnotherNumberIsRefusedByName) {
  for (const char* spec :
       {"bloom:10", "splitblock:10", "classic:10", "rocksdb:10", "leveldb:10",
        "parquet:10", "cassandra:me", "lab:fpr=0.01", "md5:fpr=0.01"}) {
    const auto policy = PolicyOf(spec);
    for (const std::size_t added : {0u, 9u, 11u}) {
      const auto builder = policy->NewBuilder(Known(10));
      AddAll(builder.get(), NumberedKeys("key-", added), WayToAdd::kOneByOne);
      std::string bytes;
      const Status finished = builder->Finish(&bytes);
      EXPECT_EQ(finished.code(), StatusCode::kInvalidArgument) << spec;
      EXPECT_NE(finished.message().find(std::to_string(added) +
                                        " keys were added, not the 10"),
                std::string::npos)
          << finished.ToString();
    }
  }
}

TEST(ExactKeysOfBloom, AnImpossibleSizeIsRefused) {
  const auto policy = PolicyOf("bloom:10");
  const auto builder = policy->NewBuilder(Known(std::uint64_t{1} << 62));
  AddAll(builder.get(), NumberedKeys("key-", 1000), WayToAdd::kOneByOne);
  AddAll(builder.get(), NumberedKeys("key-", 1000), WayToAdd::kMany);
  std::string bytes;
  EXPECT_EQ(builder->Finish(&bytes).code(), StatusCode::kInvalidArgument);
  EXPECT_TRUE(bytes.empty());
}

}  // namespace
}  // namespace tamis
