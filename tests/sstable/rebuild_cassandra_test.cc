// SPDX-License-Identifier: Apache-2.0
// New Filter.db files: byte for byte those that Cassandra wrote.

#include <cerrno>
#include <cstdio>
#include <filesystem>
#include <string>
#include <vector>

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "sstable/cassandra/scylla_metadata.h"
#include "sstable/open_files.h"
#include "tamis/sstable_rebuild.h"
#include "tests/base/temp_dir.h"
#include "tests/support/cassandra_files.h"
#include "tests/support/golden.h"
#include "tests/support/rebuild_crashes.h"
#include "tests/support/walked_keys.h"

namespace tamis::testing {
namespace {

namespace fs = std::filesystem;

RebuildReport Rebuild(const std::string& dir, const RebuildOptions& options) {
  auto report = RebuildFilters(dir, options);
  EXPECT_TRUE(report.ok()) << report.status().ToString();
  return report.ok() ? *std::move(report) : RebuildReport();
}

// The sstable of some keys, whose Filter.db is `filter`; "none": there is none.
void WriteSstable(const TempDir& dir, const std::string& stem,
                  const std::vector<std::string>& keys,
                  const std::string& filter) {
  dir.Write(stem + "Data.db", "data");
  dir.Write(stem + "Index.db", IndexOf("nb", keys));
  dir.Write(stem + "Statistics.db", StatisticsOf(true, 0.01));
  std::string toc = "Data.db\nIndex.db\nStatistics.db\nTOC.txt\n";
  if (filter != "none") {
    dir.Write(stem + "Filter.db", filter);
    toc += "Filter.db\n";
  }
  dir.Write(stem + "TOC.txt", toc);
}

TEST(RebuildCassandra, ReproducesEveryFilterOfTheCorpusFromItsKeys) {
  const auto corpus = CorpusPath("cassandra");
  if (!corpus) GTEST_SKIP() << kNoCorpus;
  const auto manifest =
      nlohmann::json::parse(ReadFile(*corpus / "manifest.json"));
  int sstables = 0;
  for (const nlohmann::json& entry : manifest) {
    const std::string file = entry.at("file");
    const std::string version = entry.at("sstable_version");
    SCOPED_TRACE(file);
    const TempDir dir{TempDir::InMemory()};
    const std::string stem = StemOf(version);
    const std::string theirs = ReadFile(*corpus / file);
    const std::vector<std::string> keys =
        KeysOf(*corpus / (file.substr(0, file.size() - 10) + ".keys"));
    dir.Write(stem + "Index.db", IndexOf(version, keys));
    dir.Write(stem + "Data.db", "data");
    dir.Write(stem + "Filter.db", theirs);
    // Of the size that it has.
    const RebuildReport same = Rebuild(
        dir.path(),
        {.only = {FilterVerdict::kOk, FilterVerdict::kOversized,
                  FilterVerdict::kSaturated, FilterVerdict::kLegacyHash}});
    ASSERT_EQ(same.sstables.size(), 1u);
    if (same.sstables[0].before.verdict == FilterVerdict::kOk) {
      EXPECT_TRUE(same.sstables[0].is_unchanged);
    }
    // The size by the number of keys, where Cassandra knew it.
    fs::remove(dir.File(stem + "Filter.db"));
    fs::remove_all(dir.File("tamis-rebuild"));
    const RebuildReport made = Rebuild(dir.path(), {.choice = {.rate = 0.01}});
    ASSERT_EQ(made.sstables.size(), 1u);
    EXPECT_EQ(made.sstables[0].keys, keys.size());
    const std::string ours = dir.Read(stem + "Filter.db");
    if (ours.size() == theirs.size()) {
      EXPECT_EQ(ours, theirs);
      ++sstables;
    }
  }
  EXPECT_GE(sstables, 5);
}

TEST(RebuildCassandra, MendsWhatIsMissingOrDamagedAndTellsItsToc) {
  const TempDir dir{TempDir::InMemory()};
  const std::vector<std::string> keys = NumberedKeys(1000);
  const std::string right = FilterOf("nb", keys);
  WriteSstable(dir, "nb-1-big-", keys, "none");
  WriteSstable(dir, "nb-2-big-", keys, right.substr(0, 100));
  WriteSstable(dir, "nb-3-big-", keys, right);
  const std::string toc = dir.Read("nb-1-big-TOC.txt");
  // What needs no attention is left alone.
  const RebuildReport report = Rebuild(dir.path(), {});
  ASSERT_EQ(report.sstables.size(), 2u);
  for (const std::string number : {"1", "2", "3"}) {
    EXPECT_EQ(dir.Read("nb-" + number + "-big-Filter.db"), right);
  }
  EXPECT_EQ(dir.Read("nb-1-big-TOC.txt"), toc + "Filter.db\n");
  EXPECT_EQ(report.sstables[0].after->verdict, FilterVerdict::kOk);

  const auto undone = UndoRebuild(dir.path());
  ASSERT_TRUE(undone.ok()) << undone.status().ToString();
  EXPECT_FALSE(fs::exists(dir.File("nb-1-big-Filter.db")));
  EXPECT_EQ(dir.Read("nb-1-big-TOC.txt"), toc);
  EXPECT_EQ(dir.Read("nb-2-big-Filter.db"), right.substr(0, 100));
  EXPECT_FALSE(fs::exists(dir.File("tamis-rebuild")));
}

TEST(RebuildCassandra, AnotherRateIsThatOfCassandrasTable) {
  const TempDir dir{TempDir::InMemory()};
  const std::vector<std::string> keys = NumberedKeys(500);
  WriteSstable(dir, "nb-1-big-", keys, FilterOf("nb", keys));
  Rebuild(dir.path(), {.choice = {.rate = 0.1}});
  // k = 3 of 5 bits per key: (500 * 5 + 20) / 64 words.
  const std::string filter = dir.Read("nb-1-big-Filter.db");
  EXPECT_EQ(filter.substr(0, 8),
            Big(std::uint32_t{3}) + Big(std::uint32_t{40}));
  const WalkedKeys walked =
      WalkAll(FindSstables(dir.path()).value().sstables[0]);
  EXPECT_EQ(walked.hidden, std::vector<std::string>());
  EXPECT_EQ(walked.keys.size(), 500u);
}

TEST(RebuildCassandra, OfThoseThatWereCompactedMeanwhileNothingComesBack) {
  const TempDir dir{TempDir::InMemory()};
  const std::vector<std::string> keys = NumberedKeys(300);
  const std::string right = FilterOf("nb", keys);
  for (const std::string stem : {"nb-1-big-", "nb-2-big-", "nb-3-big-"}) {
    WriteSstable(dir, stem, keys, right);
  }
  Rebuild(dir.path(), {.choice = {.bits_per_key = 15}});
  const std::string rebuilt = dir.Read("nb-2-big-Filter.db");
  EXPECT_NE(rebuilt, right);
  for (const std::string name : {"Data.db", "Index.db", "Filter.db"}) {
    fs::remove(dir.File("nb-1-big-" + name));
  }
  // Somebody else has rebuilt this one.
  dir.Write("nb-3-big-Filter.db", right + "x");
  const auto undone = UndoRebuild(dir.path());
  ASSERT_TRUE(undone.ok()) << undone.status().ToString();
  EXPECT_EQ(undone->files, std::vector<std::string>{"nb-2-big-Filter.db"});
  EXPECT_EQ(undone->notes.size(), 2u);
  EXPECT_FALSE(fs::exists(dir.File("nb-1-big-Filter.db")));
  EXPECT_EQ(dir.Read("nb-2-big-Filter.db"), right);
  EXPECT_EQ(dir.Read("nb-3-big-Filter.db"), right + "x");
}

TEST(RebuildCassandra, WritesOnlyTheNewComponentsElsewhere) {
  const TempDir dir{TempDir::InMemory()};
  const TempDir out{TempDir::InMemory()};
  const std::vector<std::string> keys = NumberedKeys(300);
  WriteSstable(dir, "nb-1-big-", keys, "none");
  const std::size_t files = dir.Count();
  Rebuild(dir.path(), {.out_directory = out.File("new")});
  EXPECT_EQ(dir.Count(), files);
  EXPECT_EQ(out.Read("new/nb-1-big-Filter.db"), FilterOf("nb", keys));
  EXPECT_TRUE(out.Read("new/nb-1-big-TOC.txt").ends_with("Filter.db\n"));
}

TEST(RebuildCassandra, RefusesWhatItMustNotTouchAndSaysWhy) {
  const TempDir dir{TempDir::InMemory()};
  const std::vector<std::string> keys = NumberedKeys(300);
  WriteSstable(dir, "nb-1-big-", keys, "none");
  const auto why = [&] {
    return Rebuild(dir.path(), {}).sstables.at(0).why_skipped;
  };
  dir.Write("nb-1-big-Statistics.db", StatisticsOf(true, 1.0));
  EXPECT_NE(why().find("configured to have no filter"), std::string::npos);
  dir.Write("nb-1-big-Statistics.db", StatisticsOf(true, 0.01));
  const std::string index = dir.Read("nb-1-big-Index.db");
  dir.Write("nb-1-big-Index.db", index.substr(0, index.size() - 3));
  EXPECT_NE(why().find("Index.db: offset"), std::string::npos);
  dir.Write("nb-1-big-Index.db", index);
  EXPECT_EQ(RebuildFilters(dir.path(), {.choice = {.kind = "ribbon"}})
                .status()
                .code(),
            StatusCode::kInvalidArgument);
  dir.Write("nb_txn_compaction_6f8.log", "ADD");
  EXPECT_EQ(RebuildFilters(dir.path(), {}).status().code(),
            StatusCode::kNotSupported);
  fs::remove(dir.File("nb_txn_compaction_6f8.log"));
  // A process of its own has a file open.
  const std::string path = dir.File("nb-1-big-Data.db");
  FILE* const child =
      ::popen(("exec 3< " + path + "; echo ready; exec sleep 1").c_str(), "r");
  char line[16] = {};
  ASSERT_NE(std::fgets(line, sizeof line, child), nullptr);
  const auto open = RebuildFilters(dir.path(), {});
  EXPECT_EQ(open.status().code(), StatusCode::kNotSupported);
  EXPECT_NE(open.status().message().find("has nb-1-big-Data.db open"),
            std::string::npos)
      << open.status().ToString();
  EXPECT_FALSE(fs::exists(dir.File("nb-1-big-Filter.db")));
  ::pclose(child);
}

TEST(RebuildCassandra, ScyllasChecksumsOfComponentsAreAReasonToRefuse) {
  const auto metadata = [](std::uint32_t tag) {
    return Big(std::uint32_t{2}) + Big(std::uint32_t{4}) +
           Big(std::uint32_t{3}) + "abc" + Big(tag) + Big(std::uint32_t{2}) +
           "de";
  };
  EXPECT_EQ(WhyFilterIsBound(metadata(8)), "");
  EXPECT_NE(WhyFilterIsBound(metadata(12)).find("checksums"),
            std::string::npos);
  EXPECT_NE(WhyFilterIsBound(metadata(99)).find("unknown kind 99"),
            std::string::npos);
  const std::string whole = metadata(8);
  for (std::size_t size = 0; size < whole.size(); ++size) {
    EXPECT_NE(WhyFilterIsBound(Slice(whole).substr(0, size)), "") << size;
  }
  EXPECT_NE(WhyFilterIsBound(whole + "x"), "");
}

// Every filter is the old or the new one, and TOC.txt never names one that is
// not there.
CrashTrial TwoSstables(const TempDir& dir) {
  const std::vector<std::string> keys = NumberedKeys(200);
  const std::string right = FilterOf("nb", keys);
  WriteSstable(dir, "nb-1-big-", keys, "none");
  WriteSstable(dir, "nb-2-big-", keys, right.substr(0, 100));
  CrashTrial trial;
  trial.from = dir.path();
  trial.disk_step = 50;
  trial.check = [right](const std::string& left) {
    const std::string first = left + "/nb-1-big-";
    const std::string toc = ReadFile(first + "TOC.txt");
    const bool is_named = toc.find("Filter.db") != std::string::npos;
    if (fs::exists(first + "Filter.db")) {
      EXPECT_EQ(ReadFile(first + "Filter.db"), right);
    } else {
      EXPECT_FALSE(is_named);
    }
    EXPECT_TRUE(toc.starts_with("Data.db\nIndex.db\nStatistics.db\nTOC.txt\n"));
    const std::string second = ReadFile(left + "/nb-2-big-Filter.db");
    EXPECT_TRUE(second == right || second == right.substr(0, 100));
  };
  return trial;
}

TEST(RebuildCassandra, ACrashAtAnyCallLeavesTheOldOrTheNew) {
  const TempDir dir{TempDir::InMemory()};
  CrashTrial trial = TwoSstables(dir);
  for (const bool undo : {false, true}) {
    trial.undo = undo;
    for (const CrashMode mode :
         {CrashMode::kKillProcess, CrashMode::kDropUnsynced,
          CrashMode::kKeepRandomPrefix, CrashMode::kKeepRandomSectors}) {
      EXPECT_GT(CrashAtEveryCall(trial, mode), undo ? 20 : 80);
    }
  }
}

TEST(RebuildCassandra, AFailureOfAnyCallLeavesTheOldOrTheNew) {
  const TempDir dir{TempDir::InMemory()};
  CrashTrial trial = TwoSstables(dir);
  EXPECT_GT(FailAtEveryCall(trial, EIO, false), 80);
  EXPECT_GT(FailAtEveryCall(trial, ENOSPC, true), 80);
  EXPECT_GT(FillTheDisk(trial), 10);
  trial.undo = true;
  EXPECT_GT(FailAtEveryCall(trial, EIO, false), 20);
}

}  // namespace
}  // namespace tamis::testing
