// SPDX-License-Identifier: Apache-2.0
// tamis db check, repair, compact and stats.

#include <cstdint>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <map>
#include <string>
#include <string_view>

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "tests/tools/db_store_support.h"
#include "tests/tools/in_process.h"
#include "text.h"

namespace tamis::tools {
namespace {

TEST(DbCheck, FindsAWholeStoreWell) {
  TempDir dir;
  const std::string db = dir.File("db");
  MakeStore(db);
  const RunResult run = Tamis({"db", "check", db});
  EXPECT_EQ(run.code, kExitOk) << run.err;
  EXPECT_TRUE(run.out.starts_with("store:    " + db + "\ntables:   2, "))
      << run.out;
  EXPECT_TRUE(Contains(run.out, "\nfilters:  4 in 2 tables\n")) << run.out;
  EXPECT_TRUE(Contains(run.out, "\nlogs:     1, ")) << run.out;
  EXPECT_TRUE(Contains(run.out, ", with 2 records\n")) << run.out;
  EXPECT_TRUE(Contains(run.out, "\nentries:  1,002\n")) << run.out;
  EXPECT_TRUE(run.out.ends_with("\nverdict:  ok\n")) << run.out;
  EXPECT_EQ(run.err, "");
}

TEST(DbCheck, NamesTheFileOfAFlippedBit) {
  TempDir dir;
  const std::string db = dir.File("db");
  MakeStore(db);
  const std::string table = db + "/" + TablesOf(db).front();
  FlipBit(table, 100);
  const RunResult run = Tamis({"db", "check", db});
  EXPECT_EQ(run.code, kExitNegative);
  EXPECT_TRUE(Contains(run.out, "\nproblem:  " + table + ": ")) << run.out;
  EXPECT_TRUE(Contains(run.out, "\nverdict:  damaged: ")) << run.out;
  const auto json =
      nlohmann::json::parse(Tamis({"db", "check", db, "--json"}).out);
  EXPECT_EQ(json["verdict"], "damaged");
  ASSERT_GE(json["problems"].size(), 1u);
  EXPECT_TRUE(Contains(std::string(json["problems"][0]), table));
}

TEST(DbCheck, ShowsItsProgressOnATerminalOnly) {
  TempDir dir;
  MakeStore(dir.File("db"));
  const RunResult run =
      Tamis({"db", "check", dir.File("db")}, {.terminal = true});
  EXPECT_TRUE(Contains(run.err, " checked")) << run.err;
  EXPECT_TRUE(run.err.ends_with("\r\x1b[K"));
}

// The same store in the words of both commands.
TEST(DbCheck, CountsWhatStatsCounts) {
  TempDir dir;
  const std::string db = dir.File("db");
  MakeStore(db);
  // A table of an old LevelDB, a log that is not needed, and a file of others.
  const std::string table = db + "/" + TablesOf(db).front();
  std::filesystem::rename(table, table.substr(0, table.size() - 3) + "sst");
  std::ofstream(db + "/000001.log") << "old";
  std::ofstream(db + "/notes.log") << "somebody's notes";
  const auto check =
      nlohmann::json::parse(Tamis({"db", "check", db, "--json"}).out);
  const auto stats =
      nlohmann::json::parse(Tamis({"db", "stats", db, "--json"}).out);
  std::uint64_t tables = 0;
  std::uint64_t bytes = 0;
  std::uint64_t filters = 0;
  for (const auto& level : stats["levels"]) {
    tables += level["tables"].get<std::uint64_t>();
    bytes += level["bytes"].get<std::uint64_t>();
    filters += level["filters_loaded"].get<std::uint64_t>();
  }
  EXPECT_EQ(check["tables"], tables);
  EXPECT_EQ(check["table_bytes"], bytes);
  EXPECT_EQ(check["filtered_tables"], filters);
  EXPECT_EQ(check["logs"], 2);
  EXPECT_EQ(check["verdict"], "ok");
  EXPECT_EQ(check["notes"].size(), 1u);
  EXPECT_TRUE(Contains(
      Tamis({"db", "stats", db}).out,
      "\nlogs:      2 files, " + HumanBytes(check["log_bytes"]) + "\n"));
}

// Names, bytes, and when each was last changed.
std::map<std::string, std::string> AllOf(const std::string& db) {
  std::map<std::string, std::string> all;
  for (const auto& entry : std::filesystem::recursive_directory_iterator(db)) {
    std::ifstream file(entry.path(), std::ios::binary);
    const std::string bytes{std::istreambuf_iterator<char>(file), {}};
    all[entry.path().string()] =
        bytes + " at " +
        std::to_string(entry.last_write_time().time_since_epoch().count());
  }
  all["."] = std::to_string(
      std::filesystem::last_write_time(db).time_since_epoch().count());
  return all;
}

TEST(DbRepair, LeavesAStoreAloneInWhichNothingIsDamaged) {
  TempDir dir;
  const std::string db = dir.File("db");
  MakeStore(db);
  const auto before = AllOf(db);
  const RunResult run = Tamis({"db", "repair", db});
  EXPECT_EQ(run.code, kExitOk) << run.err;
  EXPECT_TRUE(run.out.ends_with("\nverdict:  nothing to repair\n")) << run.out;
  EXPECT_TRUE(AllOf(db) == before);
}

TEST(DbRepair, SaysInADryRunWhatItWouldDo) {
  TempDir dir;
  const std::string db = dir.File("db");
  MakeStore(db);
  const std::string table = TablesOf(db).front();
  FlipBit(db + "/" + table, 100);
  std::filesystem::remove(db + "/LOCK");
  const auto before = AllOf(db);
  const RunResult run = Tamis({"db", "repair", db, "--dry-run"});
  EXPECT_EQ(run.code, kExitNegative) << run.err;
  EXPECT_TRUE(Contains(run.out, "\naction:   " + table + " would be replaced"))
      << run.out;
  EXPECT_TRUE(Contains(run.out, "\nverdict:  nothing was changed")) << run.out;
  const auto json = nlohmann::json::parse(
      Tamis({"db", "repair", db, "--dry-run", "--json"}).out);
  EXPECT_EQ(json["dry_run"], true);
  EXPECT_EQ(json["was_clean"], false);
  EXPECT_GE(json["actions"].size(), 4u);
  EXPECT_GE(json["lost"].size(), 1u);
  EXPECT_TRUE(AllOf(db) == before);
}

TEST(DbRepair, SaysWhatMayComeBack) {
  TempDir dir;
  const std::string db = dir.File("db");
  MakeStore(db);
  for (const auto& entry : std::filesystem::directory_iterator(db)) {
    if (entry.path().filename().string().starts_with("MANIFEST")) {
      std::filesystem::remove(entry.path());
    }
  }
  const RunResult run = Tamis({"db", "repair", db});
  EXPECT_EQ(run.code, kExitNegative) << run.err;
  EXPECT_TRUE(Contains(run.out, "\ncaution:  ")) << run.out;
}

TEST(DbRepair, SavesWhatTheDamageLeft) {
  TempDir dir;
  const std::string db = dir.File("db");
  MakeStore(db);
  const std::string table = TablesOf(db).front();
  FlipBit(db + "/" + table, 100);
  const RunResult run = Tamis({"db", "repair", db});
  EXPECT_EQ(run.code, kExitNegative) << run.err;
  EXPECT_TRUE(Contains(run.out, "\ndamage:   " + db + "/" + table)) << run.out;
  EXPECT_TRUE(Contains(run.out, "\nverdict:  opens again")) << run.out;
  EXPECT_TRUE(std::filesystem::exists(db + "/lost/" + table));
  EXPECT_EQ(Tamis({"db", "check", db}).code, kExitOk);
  EXPECT_EQ(Tamis({"db", "get", db, "m0123"}).code, kExitOk);
  EXPECT_EQ(Tamis({"db", "get", db, "z"}).code, kExitOk);
}

TEST(DbRepair, TellsWhereNothingWasLost) {
  TempDir dir;
  const std::string db = dir.File("db");
  {
    auto store = Store::Open(db, QuietOptions());
    ASSERT_TRUE(store.ok());
    for (const std::string_view prefix : {"a", "m"}) {
      PutNumbered(store.value().get(), prefix, 500);
      ASSERT_TRUE(store->Flush().ok());
    }
    ASSERT_TRUE(store->Put({}, "z", "last").ok());
  }
  const std::string before = Tamis({"db", "scan", db}).out;
  std::filesystem::remove(db + "/CURRENT");
  const RunResult run = Tamis({"db", "repair", db, "--json"});
  EXPECT_EQ(run.code, kExitOk) << run.err;
  const auto json = nlohmann::json::parse(run.out);
  EXPECT_EQ(json["lost"].size(), 0u);
  EXPECT_EQ(json["tables"], 3);
  EXPECT_EQ(json["entries"], 1001);
  EXPECT_EQ(json["logs"], 1);
  EXPECT_EQ(Tamis({"db", "scan", db}).out, before);
}

TEST(DbCompact, MergesTheTablesAndDropsWhatIsDeleted) {
  TempDir dir;
  const std::string db = dir.File("db");
  MakeStore(db);
  const std::string before = Tamis({"db", "scan", db}).out;
  const RunResult run = Tamis({"db", "compact", db});
  EXPECT_EQ(run.code, kExitOk) << run.err;
  EXPECT_TRUE(run.err.starts_with("tamis db compact: 3 tables, ")) << run.err;
  EXPECT_EQ(Tamis({"db", "scan", db}).out, before);
  EXPECT_TRUE(Contains(Tamis({"db", "check", db}).out, "\nentries:  1,000\n"));
}

TEST(DbCompact, GivesTablesTheFilterThatIsAskedFor) {
  TempDir dir;
  const std::string db = dir.File("db");
  MakeStore(db);
  const auto filters = [&] {
    const auto json =
        nlohmann::json::parse(Tamis({"db", "stats", db, "--json"}).out);
    std::uint64_t loaded = 0;
    for (const auto& level : json["levels"]) {
      loaded += static_cast<std::uint64_t>(level["filters_loaded"]);
    }
    return loaded;
  };
  EXPECT_EQ(filters(), 2u);
  ASSERT_EQ(Tamis({"db", "compact", db, "--filter", "none", "--compression",
                   "none", "--json"})
                .code,
            kExitOk);
  EXPECT_EQ(filters(), 0u);
  ASSERT_EQ(
      Tamis({"db", "put", db, "b", "1", "--filter", "splitblock:12"}).code,
      kExitOk);
  ASSERT_EQ(Tamis({"db", "compact", db, "--filter", "splitblock:12"}).code,
            kExitOk);
  const auto told = nlohmann::json::parse(
      Tamis({"db", "explain", db, "m0001", "--json"}).out);
  EXPECT_EQ(told["steps"].back()["filter"], "splitblock");
}

TEST(DbStats, TellsTablesOfLevelsAndFiles) {
  TempDir dir;
  const std::string db = dir.File("db");
  MakeStore(db);
  const RunResult run = Tamis({"db", "stats", db});
  EXPECT_EQ(run.code, kExitOk);
  EXPECT_TRUE(run.out.starts_with("level  tables ")) << run.out;
  EXPECT_TRUE(Contains(run.out, "\n0           2 ")) << run.out;
  EXPECT_TRUE(Contains(run.out, "\nall         2 ")) << run.out;
  EXPECT_TRUE(Contains(run.out, "\nlogs:      1 file, ")) << run.out;
}

TEST(DbAdvise, TellsWhatFiltersSaveAndWould) {
  TempDir dir;
  const std::string db = dir.File("db");
  MakeStore(db);
  const RunResult run = Tamis({"db", "advise", db, "--memory", "1Ki"});
  EXPECT_EQ(run.code, kExitOk);
  EXPECT_TRUE(run.out.starts_with(
      "A lookup of a missing key asks 2 sorted runs, and reads "))
      << run.out;
  EXPECT_TRUE(Contains(run.out, "with 1.00 KiB divided:")) << run.out;
  const RunResult json = Tamis({"db", "advise", db, "--memory", "7", "--json"});
  const auto told = nlohmann::json::parse(json.out);
  EXPECT_EQ(told["runs"].size(), 2u);
  EXPECT_GT(told["keys"], 0);
  EXPECT_EQ(told["budgets"].size(), 7u);
  EXPECT_EQ(told["budgets"][0]["memory"], 7);
  EXPECT_EQ(told["budgets"][0]["divided"]["needless_reads"], 2);
}

TEST(DbAdvise, RefusesWhatItCannotUse) {
  TempDir dir;
  const std::string db = dir.File("db");
  const RunResult missing = Tamis({"db", "advise", db});
  EXPECT_EQ(missing.code, kExitError);
  EXPECT_TRUE(Contains(missing.err, "there is no store here")) << missing.err;
  MakeStore(db);
  const RunResult wrong = Tamis({"db", "advise", db, "--memory", "much"});
  EXPECT_EQ(wrong.code, kExitError);
  EXPECT_TRUE(Contains(wrong.err, "--memory: ")) << wrong.err;
}

TEST(DbStats, SpeaksJsonAndPrometheus) {
  TempDir dir;
  const std::string db = dir.File("db");
  MakeStore(db);
  const auto json =
      nlohmann::json::parse(Tamis({"db", "stats", db, "--json"}).out);
  EXPECT_EQ(json["levels"][0]["tables"], 2);
  EXPECT_TRUE(Contains(Tamis({"db", "stats", db, "--prometheus"}).out,
                       "\ntamis_store_level_tables{level=\"0\"} 2\n"));
}

}  // namespace
}  // namespace tamis::tools
