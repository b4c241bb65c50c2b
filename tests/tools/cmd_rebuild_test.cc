// SPDX-License-Identifier: Apache-2.0
// tamis rebuild, of stores; see tests/peers/ and tests/sstable/ for engines.

#include <filesystem>
#include <fstream>
#include <iterator>
#include <sstream>
#include <string>
#include <vector>

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "sstable_report.h"
#include "tests/tools/in_process.h"

namespace tamis::tools {
namespace {

namespace fs = std::filesystem;

class RebuildCommand : public ::testing::Test {
 protected:
  RebuildCommand() {
    for (int i = 10000; i < 12000; ++i) {
      pairs_ += "user" + std::to_string(i) + "\tvalue\n";
    }
    EXPECT_EQ(Tamis({"db", "load", store_, "--create"}, {.input = pairs_}).code,
              0);
  }
  void Compact(const std::vector<std::string>& options) {
    std::vector<std::string> args = {"db", "compact", store_};
    args.insert(args.end(), options.begin(), options.end());
    EXPECT_EQ(Tamis(args).code, 0);
  }
  // The store is sound, has all pairs, and no filter needs attention.
  void ExpectWell(const std::string& store) {
    EXPECT_EQ(Tamis({"verify", store}).code, 0);
    EXPECT_EQ(Tamis({"scan", store}).code, 0);
    EXPECT_EQ(Tamis({"db", "check", store}).code, 0);
    EXPECT_EQ(Tamis({"db", "scan", store}).out, pairs_);
  }
  nlohmann::json FirstTable() {
    const std::string text = Tamis({"scan", store_, "--json"}).out;
    return nlohmann::json::parse(text.substr(0, text.find('\n')));
  }

  TempDir dir_{TempDir::InMemory()};
  const std::string store_ = dir_.File("store");
  std::string pairs_;
};

TEST_F(RebuildCommand, GivesAStoreFiltersOfAnyKind) {
  for (const std::string kind : {"bloom", "ribbon", "fuse8", "leveldb"}) {
    SCOPED_TRACE(kind);
    Compact({"--filter", "none"});
    EXPECT_EQ(FirstTable().at("verdict"), "missing");
    std::vector<std::string> args = {"rebuild", store_, "--in-place", "--kind",
                                     kind};
    const RunResult run = Tamis(args);
    EXPECT_EQ(run.code, 0) << run.out << run.err;
    EXPECT_TRUE(Contains(run.out, "1 filter was rebuilt")) << run.out;
    const std::string shown = FirstTable().at("filter").at("kind");
    EXPECT_EQ(shown.substr(0, 4),
              kind == "leveldb" ? "clas" : kind.substr(0, 4));
    ExpectWell(store_);
    EXPECT_EQ(Tamis({"rebuild", store_, "--undo"}).code, 0);
    EXPECT_EQ(FirstTable().at("verdict"), "missing");
  }
}

TEST_F(RebuildCommand, KeepsTheKindTheSeedAndThePrefixesOfAStore) {
  Compact({"--filter", "ribbon:8", "--prefix-extractor", "fixed=5"});
  const auto before = FirstTable();
  const RunResult run =
      Tamis({"rebuild", store_, "--in-place", "--bits", "12"});
  EXPECT_EQ(run.code, 0) << run.out << run.err;
  const auto after = FirstTable();
  EXPECT_EQ(after.at("filter").at("kind"), "ribbon");
  EXPECT_GT(after.at("filter").at("bytes"), before.at("filter").at("bytes"));
  EXPECT_EQ(after.at("filter").at("keys"), before.at("filter").at("keys"))
      << "with the prefixes";
  ExpectWell(store_);
  EXPECT_EQ(Tamis({"db", "scan", store_, "--prefix", "user1"}).out, pairs_);
}

TEST_F(RebuildCommand, AFilterBesideItsTableGoesWithTheTableAndComesBack) {
  const auto filters_beside = [this] {
    std::size_t count = 0;
    for (const auto& entry : fs::directory_iterator(store_)) {
      count += entry.path().extension() == ".filter" ? 1u : 0u;
    }
    return count;
  };
  Compact({"--filter", "none"});
  EXPECT_EQ(Tamis({"db", "filters", store_, "--policy", "bloom:12"}).code, 0);
  EXPECT_EQ(filters_beside(), 1u);
  const std::string before = Tamis({"scan", store_}).out;
  const RunResult run =
      Tamis({"rebuild", store_, "--in-place", "--bits", "15"});
  EXPECT_EQ(run.code, 0) << run.err;
  EXPECT_EQ(filters_beside(), 0u);
  EXPECT_GT(FirstTable().at("filter").at("bits"), 2000 * 14);
  EXPECT_EQ(Tamis({"rebuild", store_, "--undo"}).code, 0);
  EXPECT_EQ(filters_beside(), 1u);
  EXPECT_EQ(Tamis({"scan", store_}).out, before);
  ExpectWell(store_);
}

TEST_F(RebuildCommand, WithoutAChoiceWhatNeedsNoAttentionStays) {
  Compact({"--filter", "bloom:10"});
  const RunResult run = Tamis({"rebuild", store_, "--in-place"});
  EXPECT_EQ(run.code, 0) << run.err;
  EXPECT_TRUE(Contains(run.out, "no filter needs to be rebuilt")) << run.out;
  EXPECT_FALSE(fs::exists(store_ + "/tamis-rebuild"));
}

TEST_F(RebuildCommand, ADryRunWritesNothingAndUndoBringsAllBack) {
  Compact({"--filter", "none"});
  const std::string before = Tamis({"scan", store_}).out;
  const RunResult dry = Tamis({"rebuild", store_, "--dry-run"});
  EXPECT_EQ(dry.code, 0) << dry.err;
  EXPECT_TRUE(Contains(dry.out, "to be rebuilt"));
  EXPECT_TRUE(Contains(dry.out, "nothing was written"));
  EXPECT_EQ(Tamis({"scan", store_}).out, before);
  EXPECT_EQ(Tamis({"rebuild", store_, "--in-place"}).code, 0);
  EXPECT_NE(Tamis({"scan", store_}).out, before);
  // A second time there would be two sets of old files.
  const RunResult again =
      Tamis({"rebuild", store_, "--in-place", "--bits", "5"});
  EXPECT_EQ(again.code, 1);
  EXPECT_TRUE(IsOneLineFrom("rebuild", again.err)) << again.err;
  const RunResult undone = Tamis({"rebuild", store_, "--undo"});
  EXPECT_EQ(undone.code, 0) << undone.err;
  EXPECT_EQ(Tamis({"scan", store_}).out, before);
  EXPECT_EQ(Tamis({"rebuild", store_, "--undo"}).code, kExitUnreadable);
}

TEST_F(RebuildCommand, WritesElsewhereAndSaysWhatItDidInJson) {
  Compact({"--filter", "none"});
  const std::string out = dir_.File("new");
  const RunResult run =
      Tamis({"rebuild", store_, "--out", out, "--fpr", "1%", "--json"});
  EXPECT_EQ(run.code, 0) << run.err;
  std::istringstream in(run.out);
  std::vector<nlohmann::json> lines;
  for (std::string line; std::getline(in, line);) {
    lines.push_back(nlohmann::json::parse(line));
    EXPECT_EQ(lines.back().at("schema_version"), kSchemaVersion);
  }
  ASSERT_EQ(lines.size(), 2u);
  EXPECT_EQ(lines[0].at("type"), "rebuild");
  EXPECT_EQ(lines[0].at("result"), "rebuilt");
  EXPECT_EQ(lines[0].at("keys"), 2000);
  EXPECT_EQ(lines[0].at("before").at("verdict"), "missing");
  EXPECT_EQ(lines[0].at("after").at("verdict"), "ok");
  EXPECT_EQ(lines[1].at("type"), "directory");
  EXPECT_EQ(lines[1].at("kept_in"), "");
  EXPECT_EQ(FirstTable().at("verdict"), "missing");
  ExpectWell(out);
}

TEST_F(RebuildCommand, PrintsALinePerFileInCsv) {
  Compact({"--filter", "none"});
  const RunResult run =
      Tamis({"rebuild", store_, "--in-place", "--fpr", "1%", "--csv"});
  EXPECT_EQ(run.code, 0) << run.err;
  std::istringstream in(run.out);
  std::vector<std::string> lines;
  for (std::string line; std::getline(in, line);) lines.push_back(line);
  ASSERT_EQ(lines.size(), 2u);
  EXPECT_TRUE(lines[0].starts_with("file,new_file,result,keys,")) << lines[0];
  EXPECT_NE(lines[1].find(",rebuilt,2000,0,"), std::string::npos) << lines[1];
  EXPECT_TRUE(lines[1].ends_with(",missing,")) << lines[1];
  EXPECT_EQ(Tamis({"rebuild", store_, "--undo", "--csv"}).code, kExitError);
}

TEST_F(RebuildCommand, WhatIsNoDatabaseGetsNoFileOfOurs) {
  const std::string foreign = dir_.File("foreign");
  fs::create_directory(foreign);
  const auto write = [&](const char* name, const char* text) {
    std::ofstream(foreign + "/" + name) << text;
  };
  write("000001.ldb", "not a table");
  write("CURRENT", "MANIFEST-000001\n");
  write("MANIFEST-000001", "not a manifest either");
  for (const char* const way : {"--in-place", "--dry-run"}) {
    EXPECT_NE(Tamis({"rebuild", foreign, way, "--bits", "10"}).code, 0);
    EXPECT_EQ(std::distance(fs::directory_iterator(foreign), {}), 3) << way;
  }
}

TEST_F(RebuildCommand, WrongUseAndWhatIsNotThereHaveTheirExitCodes) {
  Compact({"--filter", "none"});
  EXPECT_EQ(Tamis({"rebuild", store_}).code, kExitError);
  EXPECT_EQ(Tamis({"rebuild", store_, "--in-place", "--out", "x"}).code,
            kExitError);
  EXPECT_EQ(Tamis({"rebuild", store_, "--in-place", "--fpr", "2"}).code,
            kExitError);
  EXPECT_EQ(Tamis({"rebuild", store_, "--in-place", "--only", "bad"}).code,
            kExitError);
  EXPECT_EQ(Tamis({"rebuild", store_, "--in-place", "--kind", "nonsense"}).code,
            kExitError);
  EXPECT_EQ(Tamis({"rebuild", dir_.File("missing"), "--in-place"}).code,
            kExitUnreadable);
  EXPECT_EQ(Tamis({"rebuild", dir_.File("missing"), "--undo"}).code,
            kExitUnreadable);
}

}  // namespace
}  // namespace tamis::tools
