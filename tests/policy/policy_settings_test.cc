// SPDX-License-Identifier: Apache-2.0
#include "tamis/policy_settings.h"

#include <cmath>
#include <limits>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "tests/support/filters.h"
#include "tests/support/specs.h"

namespace tamis {
namespace {

using testing::Build;
using testing::NumberedKeys;

TEST(PolicySettings, MakeThePolicyThatTheirTextMakes) {
  const std::vector<std::string> keys = NumberedKeys("key ", 200);
  std::vector<std::string> specs = testing::EverySpec();
  specs.insert(specs.end(),
               {"bloom", "fuse16", "tamis:fpr=0.001,seed=7", "bloom:m=4096,k=5",
                "bloom:10,fold=4", "cassandra:ka,fpr=0.1,sizing=textbook",
                "fuse:8,arity=3", "rotating:generations=8",
                "fpr:0.01,lifetime=0,queries=0.5"});
  for (const std::string& spec : specs) {
    const auto settings = ParsePolicy(spec);
    ASSERT_TRUE(settings.ok()) << spec << settings.status().ToString();
    const auto policy = MakePolicy(*settings);
    ASSERT_TRUE(policy.ok()) << spec << policy.status().ToString();
    EXPECT_TRUE(Build(**policy, keys) == Build(*testing::PolicyOf(spec), keys))
        << spec;
  }
}

TEST(PolicySettings, AreWhatTheTextSays) {
  const auto bare = ParsePolicy("ribbon");
  ASSERT_TRUE(bare.ok());
  EXPECT_EQ(bare->name, "ribbon");
  EXPECT_FALSE(bare->bits_per_key || bare->rate || bare->bits || bare->seed);

  const auto all = ParsePolicy("cassandra:nb,m=640,k=3,sizing=textbook");
  ASSERT_TRUE(all.ok()) << all.status().ToString();
  EXPECT_EQ(all->name, "cassandra");
  EXPECT_EQ(all->version, "nb");
  EXPECT_EQ(all->bits, 640u);
  EXPECT_EQ(all->probes, 3u);
  EXPECT_EQ(all->textbook_sizing, true);

  EXPECT_EQ(ParsePolicy("fpr:0.25").value().rate, 0.25);
  EXPECT_EQ(ParsePolicy("bloom:7.5").value().bits_per_key, 7.5);
  EXPECT_TRUE(ParsePolicy("bloom:seed=random").value().seed.has_value());
}

// Each is refused with the words with which its text is.
TEST(PolicySettings, OutOfTheirLimitsAreRefusedAsTheirTextIs) {
  const struct {
    PolicySettings settings;
    const char* text;
  } kCases[] = {
      {{.bits_per_key = 0}, "bloom:0"},
      {{.bits_per_key = -1}, "bloom:-1"},
      {{.bits_per_key = 10001}, "bloom:10001"},
      {{.rate = 0}, "bloom:fpr=0"},
      {{.rate = 1}, "bloom:fpr=1"},
      {{.bits = 0, .probes = 3}, "bloom:m=0,k=3"},
      {{.bits_per_key = 10, .probes = 0}, "bloom:10,k=0"},
      {{.bits_per_key = 10, .probes = 256}, "bloom:10,k=256"},
      {{.bits_per_key = 10, .fold = 3}, "bloom:10,fold=3"},
      {{.name = "fuse", .arity = 5}, "fuse:arity=5"},
      {{.name = "rotating", .generations = 1}, "rotating:generations=1"},
      {{.name = "fpr", .rate = 0.5, .lifetime_seconds = -1},
       "fpr:0.5,lifetime=-1"},
      {{.name = "fpr", .rate = 0.5, .queries_per_key = -1},
       "fpr:0.5,queries=-1"},
      {{.bits_per_key = 10, .rate = 0.5}, "bloom:10,fpr=0.5"},
      {{.bits = 640}, "bloom:m=640"},
      {{.rate = 0.5, .probes = 3}, "bloom:fpr=0.5,k=3"},
      {{.name = "leveldb", .seed = 1}, "leveldb:seed=1"},
      {{.name = "fuse8", .bits_per_key = 8}, "fuse8:8"},
      {{.name = "blum"}, "blum"},
      {{.name = "fpr"}, "fpr"},
      {{.name = "cassandra", .version = "zz"}, "cassandra:zz"},
  };
  for (const auto& refused : kCases) {
    const Status status = MakePolicy(refused.settings).status();
    EXPECT_EQ(status.code(), StatusCode::kInvalidArgument) << refused.text;
    EXPECT_EQ(status.message(), MakePolicy(refused.text).status().message());
  }
}

TEST(PolicySettings, AreRefusedWhereTheyAreNoNumbers) {
  for (const double none :
       {std::nan(""), -std::nan(""), std::numeric_limits<double>::infinity()}) {
    EXPECT_FALSE(MakePolicy({.bits_per_key = none}).ok());
    EXPECT_FALSE(MakePolicy({.rate = none}).ok());
    EXPECT_FALSE(
        MakePolicy({.name = "fpr", .rate = 0.5, .lifetime_seconds = none})
            .ok());
    EXPECT_FALSE(
        MakePolicy({.name = "fpr", .rate = 0.5, .queries_per_key = none}).ok());
  }
}

}  // namespace
}  // namespace tamis
