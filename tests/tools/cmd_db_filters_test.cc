// SPDX-License-Identifier: Apache-2.0
// tamis db filters.

#include <filesystem>
#include <fstream>
#include <map>
#include <string>

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "tests/tools/db_store_support.h"
#include "tests/tools/in_process.h"
#include "text.h"

namespace tamis::tools {
namespace {

std::size_t CountFilters(const std::string& dir) {
  std::size_t count = 0;
  for (const auto& [name, bytes] : FilesOf(dir)) {
    if (name.ends_with(".filter")) ++count;
  }
  return count;
}

TEST(DbFilters, MakesThemOnceAndRemovesThem) {
  TempDir dir;
  const std::string db = dir.File("db");
  MakeStore(db);
  const auto before = FilesOf(db);
  RunResult run = Tamis({"db", "filters", db, "--policy", "ribbon:8"});
  EXPECT_EQ(run.code, kExitOk) << run.err;
  EXPECT_TRUE(run.out.ends_with("\n2 files made\n")) << run.out;
  EXPECT_EQ(CountFilters(db), 2u);
  for (const auto& [name, bytes] : before) {
    EXPECT_EQ(FilesOf(db)[name], bytes) << name;
  }
  run = Tamis({"db", "filters", db, "--policy", "ribbon:8"});
  EXPECT_EQ(run.out, "nothing to do: all filters are as wanted\n");
  EXPECT_TRUE(Contains(Tamis({"db", "check", db}).out, "6 in 2 tables"));
  EXPECT_EQ(Tamis({"db", "get", db, "a0001"}).out, "value of a0001\n");
  run = Tamis({"db", "filters", db, "--remove", "--dry-run"});
  EXPECT_EQ(run.out, "2 files would be removed\n");
  run = Tamis({"db", "filters", db, "--remove"});
  EXPECT_EQ(run.out, "2 files removed\n") << run.err;
  EXPECT_EQ(FilesOf(db).size(), before.size());
}

TEST(DbFilters, SaysWhatWouldBeDoneAndDoesNot) {
  TempDir dir;
  const std::string db = dir.File("db");
  MakeStore(db);
  const auto before = FilesOf(db);
  const RunResult run =
      Tamis({"db", "filters", db, "--memory", "500", "--dry-run", "--json"});
  EXPECT_EQ(run.code, kExitOk) << run.err;
  EXPECT_EQ(FilesOf(db), before);
  const auto json = nlohmann::json::parse(run.out);
  EXPECT_EQ(json["dry_run"], true);
  EXPECT_EQ(json["made"], 2);
  ASSERT_EQ(json["tables"].size(), 2u);
  EXPECT_EQ(json["tables"][0]["action"], "made");
  EXPECT_EQ(json["tables"][0]["before"]["kind"], "bloom");
  EXPECT_LT(json["tables"][0]["after"]["bytes"],
            json["tables"][0]["before"]["bytes"]);
}

TEST(DbFilters, NamesATableThatIsDamaged) {
  TempDir dir;
  const std::string db = dir.File("db");
  MakeStore(db);
  const std::string table = TablesOf(db).front();
  FlipBit(db + "/" + table, 100);
  const RunResult run =
      Tamis({"db", "filters", db, "--policy", "bloom:14"}, {.terminal = true});
  EXPECT_EQ(run.code, kExitNegative) << run.err;
  EXPECT_TRUE(Contains(run.out, "problem: " + db + "/" + table + ": "))
      << run.out;
  EXPECT_TRUE(run.out.ends_with("\n1 file made\n")) << run.out;
  EXPECT_TRUE(Contains(run.err, " read")) << run.err;
  EXPECT_EQ(CountFilters(db), 1u);
}

TEST(DbFilters, NamesAndRemovesAFileThatIsOfNoUse) {
  TempDir dir;
  const std::string db = dir.File("db");
  MakeStore(db);
  const auto without = FilesOf(db);
  ASSERT_EQ(Tamis({"db", "filters", db, "--policy", "bloom:14"}).code, kExitOk);
  const std::string path =
      db + "/" + TablesOf(db).front().substr(0, 6) + ".filter";
  FlipBit(path, 100);
  // No table needs one.
  for (const std::string policy : {"none", "bloom:10"}) {
    const std::vector<std::string> command = {
        "db", "filters", db, "--policy", policy, "--dry-run"};
    const RunResult run = Tamis(command);
    if (policy == "none") {
      EXPECT_EQ(run.out, "problem: " + path +
                             ": its checksum does not match\n"
                             "1 file would be removed\n");
    }
    EXPECT_EQ(run.code, kExitOk) << run.err;
  }
  EXPECT_EQ(CountFilters(db), 2u);
  const RunResult run =
      Tamis({"db", "filters", db, "--policy", "none", "--json"});
  EXPECT_EQ(run.code, kExitOk) << run.err;
  const auto json = nlohmann::json::parse(run.out);
  EXPECT_EQ(json["removed"], 1);
  EXPECT_EQ(json["tables"][0]["problem"].get<std::string>().empty(),
            json["tables"][0]["action"] != "removed");
  EXPECT_FALSE(std::filesystem::exists(path));
  EXPECT_EQ(CountFilters(db), 1u);
  EXPECT_EQ(Tamis({"db", "filters", db, "--policy", "none"}).out,
            "nothing to do: all filters are as wanted\n");
}

TEST(DbFilters, RefusesWhatIsOpenMissingOrNotUnderstood) {
  TempDir dir;
  const std::string db = dir.File("db");
  EXPECT_EQ(Tamis({"db", "filters", db}).code, kExitError);
  MakeStore(db);
  for (const char* policy : {"nonsense:3", "bloom:m=100,k=3"}) {
    EXPECT_EQ(Tamis({"db", "filters", db, "--policy", policy}).code, kExitError)
        << policy;
  }
  EXPECT_EQ(Tamis({"db", "filters", db, "--memory", "much"}).code, kExitError);
  auto store = Store::Open(db, QuietOptions());
  ASSERT_TRUE(store.ok());
  const RunResult run = Tamis({"db", "filters", db, "--policy", "bloom:14"});
  EXPECT_EQ(run.code, kExitError);
  EXPECT_TRUE(Contains(run.err, "LOCK")) << run.err;
  EXPECT_EQ(CountFilters(db), 0u);
}

}  // namespace
}  // namespace tamis::tools
