// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <array>
#include <memory>
#include <random>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "formats/tamis/container.h"
#include "formats/tamis/ribbon.h"
#include "hash/xxhash.h"
#include "tests/formats/page_dumps.h"
#include "tests/support/filters.h"
#include "tests/support/golden.h"
#include "tests/support/rates.h"

// Damaged bytes, and bytes that nobody built, are in
// tamis_ribbon_damage_test.cc.

namespace tamis {
namespace {

using testing::NumberedKeys;
using testing::PolicyOf;
using testing::ToHex;

BuildOptions LimitedTo(std::uint64_t memory_bytes, unsigned threads) {
  BuildOptions options;
  options.memory_bytes = memory_bytes;
  options.threads = threads;
  return options;
}

std::string BuildWith(const FilterPolicy& policy, const BuildOptions& options,
                      const std::vector<std::string>& keys) {
  const auto builder = policy.NewBuilder(options);
  const std::vector<Slice> slices(keys.begin(), keys.end());
  builder->AddMany(slices);
  std::string filter;
  const Status status = builder->Finish(&filter);
  EXPECT_TRUE(status.ok()) << status.ToString();
  return filter;
}

// How many of the keys the filter denies, one by one and all at once.
std::size_t Denied(const std::string& filter,
                   const std::vector<std::string>& keys) {
  const auto reader = PolicyOf("tamis")->Open(filter);
  if (!reader.ok()) return keys.size() + 1;
  const std::vector<Slice> slices(keys.begin(), keys.end());
  const auto answers = std::make_unique<bool[]>(keys.size());
  reader->MayContainMany(slices, {answers.get(), keys.size()});
  std::size_t denied = 0;
  for (std::size_t i = 0; i < keys.size(); ++i) {
    denied += reader->MayContain(keys[i]) && answers[i] ? 0u : 1u;
  }
  return denied;
}

// These bytes were computed from the page of the format by
// tamis_ribbon_reference.py, without this library.
TEST(TamisRibbon, WritesTheFrozenBytes) {
  const nlohmann::json golden = testing::LoadGolden("tamis_ribbon.json");
  ASSERT_GE(golden["built"].size(), 46u);
  for (const auto& row : golden["built"]) {
    const std::string spec = row["spec"];
    SCOPED_TRACE(spec + ", " + row["keys"].dump() + " keys");
    const auto keys = NumberedKeys("key-", row["keys"].get<std::uint64_t>());
    const std::string filter = testing::Build(*PolicyOf(spec), keys);
    if (row.contains("filter")) {
      EXPECT_EQ(ToHex(filter), row["filter"].get<std::string>());
    } else {
      EXPECT_EQ(filter.size(), row["bytes"].get<std::size_t>());
      EXPECT_EQ(Xxh3(filter),
                testing::HexNumber(row["xxh3"].get<std::string>()));
    }
    const auto reader = PolicyOf("tamis")->Open(filter);
    ASSERT_TRUE(reader.ok());
    std::string absent;
    for (const std::string& key : NumberedKeys("absent-", 256)) {
      absent += reader->MayContain(key) ? '1' : '0';
    }
    EXPECT_EQ(absent, row["absent"].get<std::string>());
    const FilterInfo info = reader->Describe();
    EXPECT_EQ(info.kind, keys.empty() ? "empty" : "ribbon");
    EXPECT_EQ(info.keys, keys.size());
  }
}

TEST(TamisRibbon, WritesTheExamplesOfItsPage) {
  const auto dumps = testing::DumpsOfPage("tamis-ribbon.md");
  ASSERT_EQ(dumps.size(), 2u);
  EXPECT_EQ(ToHex(dumps[0]),
            ToHex(testing::Build(*PolicyOf("ribbon:8"),
                                 {"apple", "banana", "cherry"})));
  EXPECT_EQ(ToHex(dumps[1]), ToHex(testing::Build(*PolicyOf("ribbon:3"),
                                                  NumberedKeys("key-", 400))));
}

TEST(TamisRibbon, DeniesNoKeyWhateverTheirNumber) {
  const std::array<const char*, 10> specs = {
      "ribbon:1", "ribbon:1.5", "ribbon:2",    "ribbon:2.9", "ribbon:3",
      "ribbon:4", "ribbon:5.5", "ribbon:6.25", "ribbon:8",   "ribbon:32"};
  std::uint64_t round = 0;
  for (std::uint64_t n = 0; n <= 20'000; n += 1 + n / 12, ++round) {
    const auto keys = NumberedKeys("key-", n);
    for (std::size_t i = round % 3; i < specs.size(); i += 3) {
      ASSERT_EQ(Denied(testing::Build(*PolicyOf(specs[i]), keys), keys), 0u)
          << specs[i] << ", " << n << " keys";
    }
  }
}

TEST(TamisRibbon, DeniesNoneOf100000Keys) {
  const auto keys = NumberedKeys("key-", 100'000);
  for (const char* spec :
       {"ribbon:1.25", "ribbon:2", "ribbon:3.5", "ribbon:7", "ribbon:15.99"}) {
    const std::string filter = testing::Build(*PolicyOf(spec), keys);
    EXPECT_EQ(Denied(filter, keys), 0u) << spec;
  }
}

TEST(TamisRibbon, TakesAwkwardKeys) {
  const auto keys = testing::AwkwardKeys();
  EXPECT_EQ(Denied(testing::Build(*PolicyOf("ribbon:10,seed=9"), keys), keys),
            0u);
}

TEST(TamisRibbon, BytesDependOnTheSetOfKeysAlone) {
  for (const char* spec : {"ribbon:1", "ribbon:2.5", "ribbon:8,seed=3"}) {
    const auto policy = PolicyOf(spec);
    for (const std::uint64_t n : {5u, 700u, 30'000u}) {
      std::vector<std::string> keys = NumberedKeys("key-", n);
      const std::string filter = testing::Build(*policy, keys);
      std::shuffle(keys.begin(), keys.end(), std::mt19937_64(n));
      const std::vector<std::string> repeated = keys;
      keys.insert(keys.end(), repeated.begin() + 2, repeated.end());
      EXPECT_TRUE(testing::Build(*policy, keys) == filter) << spec << " " << n;
      // It counts the different ones.
      EXPECT_EQ((*policy->Open(filter))->Describe().keys, n);
      EXPECT_TRUE(BuildWith(*policy, LimitedTo(1, 1), keys) == filter);
    }
  }
}

TEST(TamisRibbon, FinishAppendsBehindWhatIsThere) {
  const auto keys = NumberedKeys("key-", 600);
  const auto policy = PolicyOf("ribbon:6");
  const auto builder = policy->NewBuilder();
  for (const std::string& key : keys) builder->Add(key);
  std::string dst = "before";
  ASSERT_TRUE(builder->Finish(&dst).ok());
  EXPECT_EQ(dst, "before" + testing::Build(*policy, keys));
}

// Many layers, and more parts than one thread takes at a time.
TEST(TamisRibbonThreads, DoNotChangeTheBytes) {
  const auto keys = NumberedKeys("key-", 700'000);
  const auto policy = PolicyOf("ribbon:3");
  std::string by_one;
  for (const unsigned threads : {1u, 2u, 3u}) {
    double done = 0;
    bool ascends = true;
    BuildOptions options;
    options.threads = threads;
    options.progress = [&](double part) {
      ascends &= part >= done && part <= 1;
      done = part;
    };
    const std::string filter = BuildWith(*policy, options, keys);
    EXPECT_TRUE(ascends);
    EXPECT_GT(done, 0.9);
    if (threads == 1) by_one = filter;
    EXPECT_TRUE(filter == by_one) << threads;
  }
}

TEST(TamisRibbon, BatchesOfAnySizeAnswerAsSingleQueriesAtAnyAddress) {
  for (const char* spec :
       {"ribbon:1", "ribbon:2.5", "ribbon:3", "ribbon:4.5", "ribbon:11"}) {
    const std::string filter =
        testing::Build(*PolicyOf(spec), NumberedKeys("key-", 2000));
    const auto keys = NumberedKeys("key-", 4000);
    const std::vector<Slice> slices(keys.begin() + 1800, keys.begin() + 2300);
    for (std::size_t offset = 0; offset < 9; ++offset) {
      const auto bytes = std::make_unique<char[]>(filter.size() + offset);
      filter.copy(bytes.get() + offset, filter.size());
      const auto reader =
          PolicyOf("tamis")->Open({bytes.get() + offset, filter.size()});
      ASSERT_TRUE(reader.ok());
      for (const std::size_t count :
           {0u, 1u, 2u, 63u, 64u, 65u, 127u, 128u, 129u, 192u, 193u, 500u}) {
        const auto answers = std::make_unique<bool[]>(count);
        reader->MayContainMany({slices.data(), count}, {answers.get(), count});
        for (std::size_t i = 0; i < count; ++i) {
          ASSERT_EQ(answers[i], reader->MayContain(slices[i])) << spec;
        }
      }
    }
  }
}

// Payload bytes above n keys times the columns, as a share of these.
double Overhead(double columns, std::uint64_t n) {
  const auto policy = PolicyOf("ribbon:" + std::to_string(columns));
  const auto keys = NumberedKeys("key-", n);
  const std::string filter = testing::Build(*policy, keys);
  EXPECT_EQ(Denied(filter, {keys.begin(), keys.begin() + 1000}), 0u);
  const double bits = 8.0 * static_cast<double>(filter.size() - 64);
  const double predicted = static_cast<double>(policy->Predict(n).bytes);
  EXPECT_NEAR(static_cast<double>(filter.size()) / predicted, 1.0, 0.02)
      << columns << " columns, " << n << " keys";
  return bits / (columns * static_cast<double>(n)) - 1;
}

TEST(TamisRibbon, TakesHardlyMoreBitsThanItsColumns) {
  for (const double columns : {1, 2, 3, 4, 5, 8, 12, 16, 32}) {
    EXPECT_LE(Overhead(columns, 1000), 0.10) << columns;
    EXPECT_LE(Overhead(columns, 10'000), 0.03) << columns;
  }
  EXPECT_LE(Overhead(8, 1'000'000), 0.01);
}

TEST(TamisRibbonLarge, TakesLessThanOnePercentMoreBitsThanItsColumns) {
  for (const double columns : {1.0, 2.0, 3.0, 4.0, 5.0, 6.0, 7.0, 8.0, 12.0,
                               16.0, 32.0, 1.5, 2.25, 3.75, 7.5, 9.125}) {
    EXPECT_LE(Overhead(columns, 1'000'000), 0.01) << columns;
  }
}

TEST(TamisRibbonLarge, ALimitOfMemoryDoesNotChangeTheBytes) {
  const auto keys = NumberedKeys("", 9'000'000);
  const auto policy = PolicyOf("ribbon:2");
  const std::string filter = BuildWith(*policy, {}, keys);
  EXPECT_EQ(Denied(filter, keys), 0u);
  EXPECT_TRUE(BuildWith(*policy, LimitedTo(64 << 20, 2), keys) == filter);
}

TEST(TamisRibbon, RefusesWhatItCannotBe) {
  for (const char* spec :
       {"ribbon:0.9", "ribbon:33", "ribbon:0", "ribbon:m=100,k=3",
        "ribbon:8,k=3", "ribbon:fpr=1e-10", "ribbon:32.1"}) {
    const auto policy = MakePolicy(spec);
    ASSERT_FALSE(policy.ok()) << spec;
    EXPECT_EQ(policy.status().code(), StatusCode::kInvalidArgument) << spec;
  }
  for (const char* spec : {"ribbon", "ribbon:1", "ribbon:32", "ribbon:fpr=0.5",
                           "ribbon:fpr=0.0000000003"}) {
    EXPECT_TRUE(MakePolicy(spec).ok()) << spec;
  }
}

TEST(TamisRibbon, CannotBeCombined) {
  const std::string filter = testing::Build(*PolicyOf("ribbon"), {"a"});
  const std::vector<Slice> both = {filter, filter};
  std::string dst;
  EXPECT_EQ(PolicyOf("tamis")->Combine(both, SetOperation::kUnion, &dst).code(),
            StatusCode::kNotSupported);
}

TEST(TamisRibbonRates, AreWhatTheColumnsSay) {
  for (const char* spec : {"ribbon:1", "ribbon:2", "ribbon:5", "ribbon:8"}) {
    for (const std::uint64_t n : {1u, 2u, 40u, 300u}) {
      const auto rate =
          testing::Measure(*PolicyOf(spec), n, testing::SequentialKey, 300'000);
      EXPECT_TRUE(rate.Within(1, 1)) << spec << ", " << rate.ToString();
    }
  }
  for (const char* spec :
       {"ribbon:1", "ribbon:1.5", "ribbon:2", "ribbon:2.75", "ribbon:3",
        "ribbon:4.25", "ribbon:5", "ribbon:6.9", "ribbon:8", "ribbon:10.5",
        "ribbon:fpr=0.01", "ribbon:fpr=0.3"}) {
    for (const std::uint64_t n : {1u, 40u, 300u, 5000u, 100'000u}) {
      const auto rate = testing::Measure(
          *PolicyOf(spec), n,
          n % 2 == 0 ? testing::SequentialKey : testing::ScrambledKey, 400'000);
      // The last table, which is all that few keys have, has no fractions.
      EXPECT_TRUE(rate.Within(n < 1000 ? 0.5 : 1, 1))
          << spec << ", " << n << " keys: " << rate.ToString();
    }
  }
}

}  // namespace
}  // namespace tamis
