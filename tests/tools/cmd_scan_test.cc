// SPDX-License-Identifier: Apache-2.0
// tamis scan, and tamis inspect of what it reads.

#include <sstream>
#include <string>
#include <vector>

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "sstable_report.h"
#include "tests/support/golden.h"
#include "tests/tools/in_process.h"

namespace tamis::tools {
namespace {

// A store with one table; see tests/sstable/ and tests/peers/ for the engines.
class ScanCommand : public ::testing::Test {
 protected:
  ScanCommand() {
    std::string pairs;
    for (int i = 10000; i < 12000; ++i) {
      pairs += "user" + std::to_string(i) + "\tvalue\n";
    }
    EXPECT_EQ(Tamis({"db", "load", store_, "--create"}, {.input = pairs}).code,
              0);
    Compact("bloom:10");
  }
  void Compact(const std::string& filter) {
    EXPECT_EQ(Tamis({"db", "compact", store_, "--filter", filter}).code, 0);
  }

  TempDir dir_{TempDir::InMemory()};
  const std::string store_ = dir_.File("store");
};

std::vector<nlohmann::json> JsonLines(const std::string& text) {
  std::vector<nlohmann::json> lines;
  std::istringstream in(text);
  for (std::string line; std::getline(in, line);) {
    lines.push_back(nlohmann::json::parse(line));
  }
  return lines;
}

TEST_F(ScanCommand, AllIsWellOrNeedsAttentionByItsExitCode) {
  const RunResult good = Tamis({"scan", store_});
  EXPECT_EQ(good.code, 0) << good.out << good.err;
  EXPECT_TRUE(Contains(good.out, "a lookup of a missing key reads 0.00"));
  EXPECT_TRUE(Contains(good.out, " ok "));
  Compact("none");
  const RunResult bad = Tamis({"scan", store_});
  EXPECT_EQ(bad.code, 1);
  EXPECT_TRUE(Contains(bad.out, "1 table has no filter")) << bad.out;
  EXPECT_TRUE(
      Contains(bad.out, "a lookup of a missing key reads 1 table needlessly"))
      << bad.out;
}

TEST_F(ScanCommand, JsonIsOneObjectPerLine) {
  const auto lines = JsonLines(Tamis({"scan", store_, "--json"}).out);
  ASSERT_EQ(lines.size(), 3u);
  const nlohmann::json& table = lines[0];
  for (const nlohmann::json& line : lines) {
    EXPECT_EQ(line.at("schema_version"), kSchemaVersion);
  }
  EXPECT_EQ(table.at("type"), "sstable");
  EXPECT_EQ(table.at("engine"), "leveldb");
  EXPECT_EQ(table.at("verdict"), "ok");
  EXPECT_EQ(table.at("entries"), 2000);
  EXPECT_EQ(table.at("filter").at("kind"), "bloom");
  EXPECT_EQ(table.at("filter").at("keys"), 2000);
  EXPECT_EQ(lines[1].at("type"), "group");
  EXPECT_EQ(lines[1].at("sstables"), 1);
  EXPECT_NEAR(lines[1].at("needless_reads"),
              table.at("filter").at("expected_rate"), 1e-9);
  EXPECT_EQ(lines[2].at("type"), "summary");
}

TEST_F(ScanCommand, CsvHasOneLinePerFileAndOnlyChoosesAmongThem) {
  const std::string csv = Tamis({"scan", store_, "--csv"}).out;
  EXPECT_TRUE(csv.starts_with("file,engine,"));
  EXPECT_TRUE(Contains(csv, ".ldb,leveldb,,level "));
  const RunResult none =
      Tamis({"scan", store_, "--csv", "--only", "saturated"});
  EXPECT_EQ(none.out, csv.substr(0, csv.find('\n') + 1));
  EXPECT_EQ(none.code, 0);
  EXPECT_EQ(Tamis({"scan", store_, "--only", "bad"}).code, kExitError);
  EXPECT_EQ(Tamis({"scan", store_, "--csv", "--json"}).code, kExitError);
  EXPECT_EQ(CsvLine({"a,b", "c\"d", ""}), "\"a,b\",\"c\"\"d\",\n");
}

TEST_F(ScanCommand, WhatCannotBeReadHasAnExitCodeOfItsOwn) {
  dir_.Write("000099.sst", "neither LevelDB's nor RocksDB's");
  const RunResult run = Tamis({"scan", dir_.path()});
  EXPECT_EQ(run.code, kExitUnreadable);
  EXPECT_TRUE(Contains(run.out, "000099.sst: its last bytes are not"))
      << run.out;
  // The rest is scanned all the same.
  EXPECT_TRUE(Contains(run.out, "level ")) << run.out;
  EXPECT_EQ(Tamis({"scan", dir_.File("missing")}).code, kExitUnreadable);
  // Wrong use: a file that is something else.
  const RunResult text = Tamis({"scan", dir_.Write("notes.txt", "text")});
  EXPECT_EQ(text.code, kExitError);
  EXPECT_TRUE(IsOneLineFrom("scan", text.err)) << text.err;
  EXPECT_EQ(Tamis({"scan"}).code, kExitError);
}

TEST_F(ScanCommand, InspectShowsTheSameOfATableAndADirectory) {
  const RunResult scanned = Tamis({"scan", store_});
  const RunResult inspected = Tamis({"inspect", store_});
  EXPECT_EQ(inspected.out, scanned.out);
  EXPECT_EQ(inspected.code, 0);
  const std::string table =
      JsonLines(Tamis({"scan", store_, "--json"}).out).front().at("file");
  const auto json =
      nlohmann::json::parse(Tamis({"inspect", table, "--json"}).out);
  EXPECT_EQ(json.at(0).at(0).at("verdict"), "ok");
  Compact("none");
  EXPECT_EQ(Tamis({"inspect", store_}).code, 1);
}

// Levels weigh by keys; level 0 adds up.
TEST(ScanReport, CountsTheTablesThatALookupReadsNeedlessly) {
  const auto table = [](int level, std::uint64_t keys, double rate) {
    SstableInfo info;
    info.path = "db/" + std::to_string(level) + ".sst";
    info.engine = "rocksdb";
    info.level = level;
    info.group = "level " + std::to_string(level);
    info.entries = keys;
    info.filter.kind = rate < 1 ? "bloom" : "";
    info.filter.rate = rate;
    info.filter.bytes = keys;
    return info;
  };
  ScanReport report;
  report.sstables = {table(0, 10, 0.01), table(0, 10, 0.02),
                     table(1, 100, 0.02), table(1, 300, 1)};
  AddTotals(&report);
  ASSERT_EQ(report.groups.size(), 2u);
  EXPECT_NEAR(report.groups[0].needless_reads, 0.03, 1e-9);
  EXPECT_NEAR(report.groups[1].needless_reads, 0.25 * 0.02 + 0.75, 1e-9);
  const std::vector<std::string> sentences = Sentences(report);
  EXPECT_EQ(sentences.at(0),
            "a lookup of a missing key reads 0.785 tables needlessly");
  EXPECT_EQ(sentences.at(1), "filters take 420 B; 95 % of that is on level 1");
}

TEST(ScanCorpus, RocksDbDatabasesAreShownByLevel) {
  const auto corpus = tamis::testing::CorpusPath("rocksdb-databases/ribbonlow");
  if (!corpus) GTEST_SKIP() << tamis::testing::kNoCorpus;
  const RunResult run = Tamis({"scan", *corpus});
  EXPECT_EQ(run.code, 0) << run.err;
  EXPECT_TRUE(Contains(run.out, "level 6  ribbon   7  7,040")) << run.out;
  EXPECT_TRUE(Contains(run.out, "tables needlessly")) << run.out;
}

}  // namespace
}  // namespace tamis::tools
