// What the commands of `tamis db` do with the settings that a store remembers.

#include <string>
#include <vector>

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "tamis/store_settings.h"
#include "tests/tools/db_store_support.h"
#include "tests/tools/in_process.h"

namespace tamis::tools {
namespace {

RunResult Load(const std::string& db, const std::vector<std::string>& more) {
  std::string pairs;
  for (int i = 0; i < 2000; ++i) {
    pairs += Numbered("k", i) + "\tvalue of " + Numbered("k", i) + "\n";
  }
  std::vector<std::string> args = {"db", "load", db, "-q"};
  args.insert(args.end(), more.begin(), more.end());
  return Tamis(args, {.input = pairs});
}

nlohmann::json CompactJson(const std::string& db,
                           const std::vector<std::string>& more = {}) {
  std::vector<std::string> args = {"db", "compact", db, "--json"};
  args.insert(args.end(), more.begin(), more.end());
  const RunResult run = Tamis(args);
  EXPECT_EQ(run.code, kExitOk) << run.err;
  return nlohmann::json::parse(run.out);
}

std::string FilterOf(const std::string& db) {
  const RunResult run = Tamis({"db", "explain", db, "k0007", "--json"});
  return nlohmann::json::parse(run.out)["steps"].back()["filter"];
}

TEST(DbSettings, OfTheStoreThatIsMadeAreKeptByPlainCommands) {
  TempDir dir;
  const std::string db = dir.File("db");
  ASSERT_EQ(Load(db, {"--create", "--filter", "splitblock:12", "--compression",
                      "none"})
                .code,
            kExitOk);
  EXPECT_FALSE(CompactJson(db)["nothing_to_do"].get<bool>());
  EXPECT_EQ(FilterOf(db), "splitblock");
  ASSERT_EQ(Load(db, {}).code, kExitOk);
  CompactJson(db);
  EXPECT_EQ(FilterOf(db), "splitblock");
  const auto again = CompactJson(db);
  EXPECT_TRUE(again["nothing_to_do"].get<bool>()) << again.dump();
  EXPECT_EQ(again["rewritten"], 0);
  const RunResult text = Tamis({"db", "compact", db});
  EXPECT_EQ(text.code, kExitOk);
  EXPECT_TRUE(text.err.starts_with("tamis db compact: nothing to do: 1 table"))
      << text.err;
}

TEST(DbSettings, ThatAreGivenOverrideAndAreForgottenUnlessToBeRemembered) {
  TempDir dir;
  const std::string db = dir.File("db");
  ASSERT_EQ(Load(db, {"--create"}).code, kExitOk);
  CompactJson(db);
  const auto other = CompactJson(db, {"--filter", "ribbon:8"});
  EXPECT_EQ(other["rewritten"], 1) << other.dump();
  EXPECT_EQ(FilterOf(db), "ribbon");
  EXPECT_EQ(CompactJson(db)["rewritten"], 1);
  EXPECT_EQ(FilterOf(db), "bloom");
  EXPECT_EQ(CompactJson(db, {"--filter", "ribbon:8", "--compression", "zstd",
                             "--remember"})["rewritten"],
            1);
  EXPECT_TRUE(CompactJson(db)["nothing_to_do"].get<bool>());
  EXPECT_EQ(FilterOf(db), "ribbon");
  EXPECT_EQ(ReadStoreSettings(db)->compression, Compression::kZstd);
}

TEST(DbSettings, OfOneKindAreComparedByThemselves) {
  TempDir dir;
  const std::string db = dir.File("db");
  ASSERT_EQ(Load(db, {"--create"}).code, kExitOk);
  CompactJson(db);
  for (const std::vector<std::string>& change :
       std::vector<std::vector<std::string>>{{"--compression", "none"},
                                             {"--filter", "bloom:14"},
                                             {"--filter", "none"},
                                             {"--filter", "bloom:10"}}) {
    std::vector<std::string> remembered = change;
    remembered.push_back("--remember");
    EXPECT_EQ(CompactJson(db, remembered)["rewritten"], 1) << change[1];
    EXPECT_TRUE(CompactJson(db, change)["nothing_to_do"].get<bool>());
  }
  EXPECT_EQ(ReadStoreSettings(db)->leveldb_filter_bits, 10u);
}

TEST(DbSettings, AreShownByStatsWithoutTheSeed) {
  TempDir dir;
  const std::string db = dir.File("db");
  ASSERT_EQ(Load(db, {"--create", "--filter", "bloom:12"}).code, kExitOk);
  const RunResult text = Tamis({"db", "stats", db});
  EXPECT_TRUE(Contains(
      text.out,
      "\nremembers: filter bloom:12, leveldb_filter_bits 10, compression "
      "snappy, zstd_level 1, block_bytes 4096, restart_interval 16, "
      "table_bytes 67108864\n"))
      << text.out;
  EXPECT_FALSE(Contains(text.out, "seed"));
  const auto json =
      nlohmann::json::parse(Tamis({"db", "stats", db, "--json"}).out);
  EXPECT_EQ(json["remembered"]["filter"], "bloom:12");
  EXPECT_FALSE(json["remembered"].contains("filter_seed"));
}

TEST(DbSettings, ThatNoTableCouldHaveAreRefusedWithAWordOnWhatToWrite) {
  TempDir dir;
  const std::string db = dir.File("db");
  const RunResult run = Load(db, {"--create", "--filter", "cuckoo:m=8,k=8"});
  EXPECT_EQ(run.code, kExitError);
  EXPECT_TRUE(Contains(run.err, "\"cuckoo:10\"")) << run.err;
  EXPECT_FALSE(Contains(run.err, "comparator")) << run.err;
  EXPECT_FALSE(std::filesystem::exists(db));
}

}  // namespace
}  // namespace tamis::tools
