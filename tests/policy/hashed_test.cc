// SPDX-License-Identifier: Apache-2.0
// Filters that take a key's hash in place of the key: the same bytes, the same
// answers, and no key hidden by a hash that is not theirs.

#include <algorithm>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "hash/xxhash.h"
#include "tamis/filter.h"
#include "tamis/key_hash.h"
#include "tests/support/filters.h"
#include "tests/support/specs.h"

namespace tamis {
namespace {

using testing::Build;
using testing::PolicyOf;

std::vector<std::string> SomeKeys() {
  std::vector<std::string> keys = testing::AwkwardKeys();
  for (const std::string& key : testing::NumberedKeys("user:", 2000)) {
    keys.push_back(key);
    if (keys.size() % 3 == 0) keys.push_back(key);  // a neighbour repeated
  }
  keys.push_back(keys.front());
  return keys;
}

std::vector<std::string> SomeQuestions() {
  std::vector<std::string> keys = SomeKeys();
  for (const std::string& key : testing::NumberedKeys("absent:", 3000)) {
    keys.push_back(key);
  }
  return keys;
}

class HashedPolicy : public ::testing::TestWithParam<std::string> {
 protected:
  bool is_tamis() const { return policy_->name() == "tamis.Filter1"; }

  const std::unique_ptr<const FilterPolicy> policy_ = PolicyOf(GetParam());
};

INSTANTIATE_TEST_SUITE_P(Specs, HashedPolicy,
                         ::testing::ValuesIn(testing::EverySpec()),
                         [](const auto& test) {
                           return testing::TestNameOf(test.param);
                         });

// Builds from hashes alone; nothing if the builder takes none.
std::optional<std::string> BuildFromHashes(
    const FilterPolicy& policy, const std::vector<std::string>& keys) {
  const auto builder = policy.NewBuilder();
  const std::optional<std::uint64_t> seed = builder->hash_seed();
  for (const std::string& key : keys) {
    const KeyHash hash = HashKey(key, seed.value_or(0));
    if (builder->AddHash(hash) != seed.has_value()) {
      ADD_FAILURE() << "hash_seed() and AddHash() contradict each other";
    }
  }
  if (!seed.has_value()) return std::nullopt;
  std::string filter;
  EXPECT_TRUE(builder->Finish(&filter).ok());
  return filter;
}

TEST_P(HashedPolicy, AddHashWritesTheBytesOfAdd) {
  for (const auto& keys : {std::vector<std::string>(), SomeKeys()}) {
    const std::optional<std::string> filter = BuildFromHashes(*policy_, keys);
    ASSERT_EQ(filter.has_value(), is_tamis());
    if (!filter.has_value()) continue;
    EXPECT_EQ(*filter, Build(*policy_, keys));
  }
}

TEST_P(HashedPolicy, HashesAndKeysMayBeMixed) {
  const std::vector<std::string> keys = SomeKeys();
  const auto builder = policy_->NewBuilder();
  const std::uint64_t seed = builder->hash_seed().value_or(0);
  for (std::size_t i = 0; i < keys.size(); ++i) {
    if (i % 2 != 0 || !builder->AddHash(HashKey(keys[i], seed))) {
      builder->Add(keys[i]);
    }
  }
  std::string filter;
  ASSERT_TRUE(builder->Finish(&filter).ok());
  EXPECT_EQ(filter, Build(*policy_, keys));
}

TEST_P(HashedPolicy, MayContainHashAnswersAsMayContain) {
  const std::string filter = Build(*policy_, SomeKeys());
  const auto reader = policy_->Open(filter);
  ASSERT_TRUE(reader.ok());
  const std::optional<std::uint64_t> seed = reader->hash_seed();
  ASSERT_EQ(seed.has_value(), is_tamis());
  for (const std::string& key : SomeQuestions()) {
    const KeyHash hash = HashKey(key, seed.value_or(0));
    const bool expected = !seed.has_value() || reader->MayContain(key);
    ASSERT_EQ(reader->MayContainHash(hash), expected);
  }
}

TEST_P(HashedPolicy, MayContainHashesAnswersAsMayContainMany) {
  const std::string filter = Build(*policy_, SomeKeys());
  const auto reader = policy_->Open(filter);
  ASSERT_TRUE(reader.ok());
  const std::vector<std::string> questions = SomeQuestions();
  const std::vector<Slice> all(questions.begin(), questions.end());
  for (const std::size_t count : {0u, 1u, 31u, 33u, 65u, 129u, 5000u}) {
    const auto keys =
        std::span(all).last(std::min<std::size_t>(count, all.size()));
    std::vector<std::uint64_t> values(keys.size());
    const auto by_key = std::make_unique<bool[]>(keys.size());
    const auto by_hash = std::make_unique<bool[]>(keys.size());
    const std::optional<std::uint64_t> seed = reader->hash_seed();
    reader->MayContainMany(keys, {by_key.get(), keys.size()});
    reader->MayContainHashes(HashKeys(keys, values, seed.value_or(0)),
                             {by_hash.get(), keys.size()});
    for (std::size_t i = 0; i < keys.size(); ++i) {
      ASSERT_EQ(by_hash[i], !seed.has_value() || by_key[i]) << i;
    }
  }
}

// The mistake that would hide keys: a hash of another seed than the filter's.
TEST_P(HashedPolicy, AHashOfAnotherSeedIsMaybeAndIsNotAdded) {
  const std::vector<std::string> keys = SomeKeys();
  const std::string filter = Build(*policy_, keys);
  const auto reader = policy_->Open(filter);
  ASSERT_TRUE(reader.ok());
  const auto builder = policy_->NewBuilder();
  const std::uint64_t other = builder->hash_seed().value_or(0) + 1;
  std::vector<std::uint64_t> values(100);
  const std::vector<Slice> some(keys.begin(), keys.begin() + 100);
  const auto maybe = std::make_unique<bool[]>(some.size());
  reader->MayContainHashes(HashKeys(some, values, other),
                           {maybe.get(), some.size()});
  for (std::size_t i = 0; i < some.size(); ++i) {
    ASSERT_TRUE(maybe[i]);
    ASSERT_TRUE(reader->MayContainHash(HashKey(some[i], other)));
    ASSERT_FALSE(builder->AddHash(HashKey(some[i], other)));
  }
  std::string nothing;
  ASSERT_TRUE(builder->Finish(&nothing).ok());
  EXPECT_EQ(nothing, Build(*policy_, {}));
}

// Part of the file format: these values are for ever.
TEST(KeyHash, IsXxh3) {
  EXPECT_EQ(HashKey("").value, 0x2d06800538d394c2u);
  for (const std::string& key : testing::AwkwardKeys()) {
    for (const std::uint64_t seed : {std::uint64_t{0}, ~std::uint64_t{0}}) {
      EXPECT_EQ(HashKey(key, seed).value, Xxh3(key, seed));
      EXPECT_EQ(HashKey(key, seed).seed, seed);
    }
  }
}

}  // namespace
}  // namespace tamis
