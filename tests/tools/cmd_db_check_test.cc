// tamis db check, repair, compact and stats.

#include <filesystem>
#include <string>
#include <string_view>

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "tests/tools/db_store_support.h"
#include "tests/tools/in_process.h"

namespace tamis::tools {
namespace {

TEST(DbCheck, FindsAWholeStoreWell) {
  TempDir dir;
  const std::string db = dir.File("db");
  MakeStore(db);
  const RunResult run = Tamis({"db", "check", db});
  EXPECT_EQ(run.code, kExitOk) << run.err;
  EXPECT_TRUE(run.out.starts_with("store:    " + db + "\ntables:   2, with "))
      << run.out;
  EXPECT_TRUE(Contains(run.out, "\nlogs:     1, with 2 records\n")) << run.out;
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
      PutNumbered(store->get(), prefix, 500);
      ASSERT_TRUE((*store)->Flush().ok());
    }
    ASSERT_TRUE((*store)->Put({}, "z", "last").ok());
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
