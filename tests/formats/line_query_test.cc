// SPDX-License-Identifier: Apache-2.0
#include "tamis/line_query.h"

#include <random>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "tests/support/filters.h"

namespace tamis {
namespace {

using testing::Build;
using testing::NumberedKeys;
using testing::PolicyOf;

// Asks for random hashes, of which the filter may contain some.
void ExpectAnswersOf(const FilterReader& reader, const LineQuery& query,
                     std::uint64_t seed) {
  std::mt19937_64 random(1);
  unsigned maybes = 0;
  for (unsigned i = 0; i < 20'000; ++i) {
    const KeyHash hash = {.value = random(), .seed = seed};
    const bool expected = reader.MayContainHash(hash);
    ASSERT_EQ(query.MayContain(hash), expected) << hash.value;
    maybes += expected ? 1u : 0u;
  }
  EXPECT_LT(maybes, 20'000u);
}

TEST(LineQuery, AnswersAsTheReaderDoesForEveryNumberOfProbes) {
  const std::vector<std::string> keys = NumberedKeys("key-", 2000);
  for (unsigned probes = 1; probes <= 32; ++probes) {
    for (const char* size : {"bloom:8,k=", "bloom:m=512,k=", "bloom:30,k="}) {
      const auto policy = PolicyOf(size + std::to_string(probes) + ",seed=5");
      const std::vector<std::string> some(
          keys.begin(), keys.begin() + (size[6] == 'm' ? 9 : 2000));
      const testing::ExactBytes filter(Build(*policy, some));
      const auto reader = policy->Open(filter);
      ASSERT_TRUE(reader.ok());
      const auto query = LineQuery::Open(filter);
      ASSERT_TRUE(query.has_value());
      EXPECT_EQ(query->hash_seed(), 5u);
      for (const std::string& key : some) {
        ASSERT_TRUE(query->MayContain(HashKey(key, 5))) << key;
      }
      ExpectAnswersOf(**reader, *query, 5);
    }
  }
}

// The first line and the last, and hashes on both sides of every border
// between them.
TEST(LineQuery, FindsTheLineOfEveryHash) {
  const auto policy = PolicyOf("bloom:m=3584,k=6");  // seven lines
  const std::string filter = Build(*policy, NumberedKeys("key-", 300));
  const auto reader = policy->Open(filter);
  const auto query = LineQuery::Open(filter);
  ASSERT_TRUE(reader.ok() && query.has_value());
  std::uint64_t border = 0;
  for (unsigned line = 0; line < 7; ++line) {
    for (std::uint64_t near = 0; near < 2000; ++near) {
      const KeyHash hash = {.value = border + near - 1000, .seed = 0};
      ASSERT_EQ(query->MayContain(hash), reader->MayContainHash(hash));
    }
    border += ~std::uint64_t{0} / 7;
  }
}

// All that a query reads is there: another filter with that line alone gives
// the same answer.
TEST(LineQuery, TellsWhichLineAHashIsIn) {
  const auto policy = PolicyOf("bloom:m=3584,k=6");
  const std::string filter = Build(*policy, NumberedKeys("key-", 60));
  const auto query = LineQuery::Open(filter);
  ASSERT_TRUE(query.has_value());
  const auto* start = reinterpret_cast<const unsigned char*>(filter.data());
  for (const std::string& key : NumberedKeys("key-", 60)) {
    const std::string alone = Build(*policy, {key});
    const std::ptrdiff_t at = query->LineOf(HashKey(key)) - start;
    ASSERT_GE(at, 64);  // after the header
    ASSERT_EQ(at % 64, 0);
    ASSERT_LE(static_cast<std::size_t>(at) + 64, filter.size());
    std::string others = alone.substr(64);
    others.replace(static_cast<std::size_t>(at) - 64, 64, 64, '\0');
    ASSERT_EQ(others.find_first_not_of('\0'), std::string::npos);
  }
}

TEST(LineQuery, AHashOfAnotherSeedIsMaybe) {
  const std::string filter = Build(*PolicyOf("bloom:10,seed=77"), {"key"});
  const auto query = LineQuery::Open(filter);
  ASSERT_TRUE(query.has_value());
  for (const std::string& key : NumberedKeys("absent-", 1000)) {
    ASSERT_TRUE(query->MayContain(HashKey(key)));
    ASSERT_TRUE(query->MayContain(HashKey(key, 78)));
  }
}

TEST(LineQuery, ThereIsNoneForDamagedBytes) {
  const std::string filter = Build(*PolicyOf("bloom:10"), {"a", "b", "c"});
  for (std::size_t at = 0; at < filter.size(); ++at) {
    std::string damaged = filter;
    damaged[at] = static_cast<char>(damaged[at] ^ 4);
    EXPECT_FALSE(LineQuery::Open(damaged).has_value()) << at;
    EXPECT_FALSE(LineQuery::Open(Slice(filter).substr(0, at)).has_value());
  }
}

TEST(LineQuery, ThereIsNoneForOtherKinds) {
  for (const char* spec : {"classic:10", "splitblock:10", "scalable:10",
                           "ribbon:8", "leveldb:10", "rocksdb:10"}) {
    const std::string filter = Build(*PolicyOf(spec), {"a", "b"});
    EXPECT_FALSE(LineQuery::Open(filter).has_value()) << spec;
  }
}

}  // namespace
}  // namespace tamis
