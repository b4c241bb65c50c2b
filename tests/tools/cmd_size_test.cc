// SPDX-License-Identifier: Apache-2.0
#include <string>

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "tamis/filter.h"
#include "tamis/formats.h"
#include "tests/tools/in_process.h"

namespace tamis::tools {
namespace {

TEST(SizeCommand, ShowsOneRowPerKnownFormat) {
  const RunResult run = Tamis({"size", "--keys", "1M"});
  EXPECT_EQ(run.code, kExitOk) << run.err;
  for (const FormatEntry& entry : KnownFormats()) {
    EXPECT_TRUE(Contains(run.out, "\n" + std::string(entry.name) + " "))
        << run.out;
  }
  for (const char* kind :
       {"splitblock", "classic", "ribbon", "fuse8", "fuse16", "fuse32",
        "counting", "cuckoo", "scalable", "rotating"}) {
    EXPECT_TRUE(Contains(run.out, "\ntamis " + std::string(kind) + " "))
        << run.out;
  }
}

TEST(SizeCommand, AKindIsOneRow) {
  for (const std::string kind : {"bloom", "splitblock", "classic"}) {
    const RunResult run =
        Tamis({"size", "--keys", "1M", "--kind", kind, "--json"});
    ASSERT_EQ(run.code, kExitOk) << run.err;
    const nlohmann::json rows = nlohmann::json::parse(run.out)["filters"];
    ASSERT_EQ(rows.size(), 1u);
    EXPECT_EQ(rows[0]["kind"], kind);
    EXPECT_EQ(rows[0]["bytes"],
              (*MakePolicy(kind + ":10"))->Predict(1'000'000).bytes);
  }
}

TEST(SizeCommand, ARibbonTakesNoMoreKeysThanItWasMadeFor) {
  const std::vector<std::string> args = {"size", "--keys", "1M", "--format",
                                         "rocksdb-ribbon"};
  const RunResult table = Tamis(args);
  EXPECT_TRUE(table.out.ends_with("  -\n")) << table.out;
  std::vector<std::string> json = args;
  json.emplace_back("--json");
  const nlohmann::json row =
      nlohmann::json::parse(Tamis(json).out)["filters"][0];
  EXPECT_FALSE(row.contains("false_positive_rate_at_twice_the_keys")) << row;
  EXPECT_NEAR(row["bits_per_key"].get<double>(), 7, 0.3);
}

TEST(SizeCommand, ThousandKeysAtOnePercentTake9586BitsAnd7Probes) {
  const RunResult run = Tamis(
      {"size", "--keys", "1000", "--fpr", "1%", "--format", "lab", "--json"});
  ASSERT_EQ(run.code, kExitOk) << run.err;
  const nlohmann::json rows = nlohmann::json::parse(run.out)["filters"];
  ASSERT_EQ(rows.size(), 1u);
  EXPECT_EQ(rows[0]["format"], "lab");
  EXPECT_EQ(rows[0]["keys"], 1000);
  EXPECT_EQ(rows[0]["bits"], 9586);
  EXPECT_EQ(rows[0]["probes"], 7);
  EXPECT_NEAR(rows[0]["false_positive_rate"].get<double>(), 0.01, 0.0002);
  // 14 fills of a filter made for 7: (1 - e^(-7 * 2 / 9.586))^7.
  EXPECT_NEAR(rows[0]["false_positive_rate_at_twice_the_keys"].get<double>(),
              0.158, 0.001);
}

TEST(SizeCommand, TenBitsPerKeyGive0819Percent) {
  const RunResult run = Tamis({"size", "--keys", "1_000_000", "--bits-per-key",
                               "10", "--kind", "classic"});
  EXPECT_EQ(run.code, kExitOk) << run.err;
  EXPECT_TRUE(Contains(run.out, "tamis")) << run.out;
  EXPECT_FALSE(Contains(run.out, "leveldb")) << run.out;
  EXPECT_TRUE(Contains(run.out, "10.00  7  0.819 %")) << run.out;
}

TEST(SizeCommand, AFormatThatCannotSaysWhyInItsRow) {
  const std::vector<std::string> all = {"size", "--keys", "1000", "--fpr",
                                        "0.00001"};
  const RunResult every = Tamis(all);
  EXPECT_EQ(every.code, kExitOk);
  EXPECT_TRUE(Contains(every.out, "0.0000671")) << every.out;

  std::vector<std::string> one = all;
  one.insert(one.end(), {"--format", "cassandra"});
  const RunResult alone = Tamis(one);
  EXPECT_EQ(alone.code, kExitError);
  EXPECT_EQ(alone.out, "");
  EXPECT_TRUE(IsOneLineFrom("size", alone.err)) << alone.err;
}

// RocksDB puts whatever comes into the largest filter that it has.
bool EndsAtItsLargest(std::string_view format) {
  return format.starts_with("rocksdb");
}

TEST(SizeCommand, WhatCannotBeBuiltHasAReasonInsteadOfNumbers) {
  for (const char* keys : {"1e19", "18446744073709551615"}) {
    const RunResult all = Tamis({"size", "--keys", keys, "--json"});
    EXPECT_EQ(all.code, kExitOk);
    const nlohmann::json rows = nlohmann::json::parse(all.out)["filters"];
    for (const nlohmann::json& row : rows) {
      if (EndsAtItsLargest(row["format"].get<std::string>())) {
        EXPECT_EQ(row["false_positive_rate"], 1) << row;
        continue;
      }
      EXPECT_TRUE(row.contains("error")) << row;
      EXPECT_FALSE(row.contains("bytes")) << row;
    }
    for (const FormatEntry& entry : KnownFormats()) {
      if (EndsAtItsLargest(entry.name)) continue;
      const RunResult one =
          Tamis({"size", "--keys", keys, "--format", std::string(entry.name)});
      EXPECT_EQ(one.code, kExitError) << entry.name;
      EXPECT_TRUE(IsOneLineFrom("size", one.err)) << one.err;
    }
  }
  // 2^33 keys are too many for Cassandra's table alone.
  const RunResult some = Tamis({"size", "--keys", "100G"});
  EXPECT_EQ(some.code, kExitOk);
  EXPECT_TRUE(Contains(some.out, "\ncassandra         Filter.db cannot hold"))
      << some.out;
  EXPECT_TRUE(Contains(some.out, "\ntamis             116.42 GiB")) << some.out;
}

TEST(SizeCommand, ASizingRuleIsForCassandrasRow) {
  const auto rows = [](std::vector<std::string> more) {
    more.insert(more.begin(),
                {"size", "--keys", "1M", "--fpr", "1%", "--json"});
    return nlohmann::json::parse(Tamis(more).out)["filters"];
  };
  const nlohmann::json plain = rows({});
  const nlohmann::json textbook = rows({"--sizing", "textbook"});
  ASSERT_EQ(plain.size(), textbook.size());
  for (std::size_t i = 0; i < plain.size(); ++i) {
    EXPECT_EQ(plain[i] == textbook[i], plain[i]["format"] != "cassandra")
        << textbook[i];
  }
}

TEST(SizeCommand, ReasonsSpeakOfOptionsAndDoNotRepeatTheFormat) {
  const RunResult run =
      Tamis({"size", "--keys", "1000", "--bits-per-key", "100"});
  EXPECT_TRUE(
      Contains(run.out,
               "\ncassandra         its sizing table ends at 20 bits per "
               "key; use textbook sizing for more\n"))
      << run.out;
}

TEST(SizeCommand, AdviceFollowsTheTableAndItsReasonIsInWords) {
  const auto advice = [](std::vector<std::string> more) {
    more.insert(more.begin(), {"size", "--fpr", "1%", "--keys"});
    const RunResult run = Tamis(more);
    EXPECT_EQ(run.code, kExitOk) << run.err;
    const std::size_t at = run.out.find("\n\nadvice: ");
    EXPECT_NE(at, std::string::npos) << run.out;
    return run.out.substr(at + 2);
  };
  EXPECT_TRUE(advice({"10M"}).starts_with("advice: bloom:fpr=0.01\nbloom: "));
  const std::string held = advice({"1G", "--lifetime", "7d", "--queries", "1"});
  EXPECT_TRUE(held.starts_with("advice: ribbon:fpr=0.01\nribbon: "));
  EXPECT_TRUE(Contains(held, "held for 7 days with 1 query per key")) << held;
  EXPECT_TRUE(Contains(advice({"1M", "--deletes", "--lifetime", "24h"}),
                       "cuckoo:fpr=0.01\nKeys can be erased from"));
  EXPECT_TRUE(advice({"1M", "--growth"}).starts_with("advice: scalable:"));
  EXPECT_TRUE(advice({"1M", "--expiry"}).starts_with("advice: rotating:"));
  EXPECT_TRUE(Contains(advice({"2k", "--lifetime", "30d"}), "so few keys"));
}

TEST(SizeCommand, JsonHasTheAdviceAndAllThatWasWeighed) {
  const RunResult run = Tamis({"size", "--keys", "1M", "--bits-per-key", "10",
                               "--lifetime", "90min", "--json"});
  ASSERT_EQ(run.code, kExitOk) << run.err;
  const nlohmann::json advice = nlohmann::json::parse(run.out)["advice"];
  EXPECT_EQ(advice["lifetime_seconds"], 5400);
  EXPECT_EQ(advice["queries_per_key"], 10);
  EXPECT_EQ(advice["kind"], advice["choices"][0]["kind"]);
  EXPECT_GE(advice["choices"].size(), 14u);
  EXPECT_GT(advice["choices"][0]["cost"], 0);
  EXPECT_FALSE(
      nlohmann::json::parse(
          Tamis({"size", "--keys", "1M", "--format", "tamis", "--json"}).out)
          .contains("advice"));
}

TEST(SizeCommand, RefusesNumbersThatAreNone) {
  const std::vector<std::string> kWrong[] = {
      {"size", "--keys", "0"},
      {"size", "--keys", "many"},
      {"size", "--keys", "10", "--fpr", "2"},
      {"size", "--keys", "10", "--bits-per-key", "-3"},
      {"size", "--keys", "10", "--format", "nonsense"},
      {"size", "--keys", "10", "--format", "cassandra:"},
      {"size", "--keys", "10", "--format", "lab", "--sizing", "textbook"},
      {"size", "--keys", "10", "--fpr", ""},
      {"size", "--keys", ""},
      {"size", "--keys", "10", "--format", "tamis:many"},
      {"size", "--keys", "10", "--format", "lab", "--kind", "classic"},
      {"size", "--keys", "10", "--kind", "fuse8", "--fpr", "1%"},
      {"size", "--keys", "10", "--kind", "ribbon", "--deletes"},
      {"size", "--keys", "10", "--format", "tamis", "--lifetime", "1h"},
      {"size", "--keys", "10", "--lifetime", "long"},
      {"size", "--keys", "10", "--lifetime", "-1h"},
      {"size", "--keys", "10", "--queries", "x"},
      {"size", "--keys", "10", "--deletes", "--expiry"},
  };
  for (const auto& args : kWrong) {
    const RunResult run = Tamis(args);
    EXPECT_EQ(run.code, kExitError) << ::testing::PrintToString(args);
    EXPECT_TRUE(IsOneLineFrom("size", run.err)) << run.err;
  }
}

}  // namespace
}  // namespace tamis::tools
