// SPDX-License-Identifier: Apache-2.0
// tamis db: the second layer of filters, --block-filter.

#include <string>
#include <vector>

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "tests/tools/db_store_support.h"
#include "tests/tools/in_process.h"

namespace tamis::tools {
namespace {

RunResult LoadPairs(const std::string& db,
                    const std::vector<std::string>& more) {
  std::string pairs;
  for (int i = 0; i < 2000; i += 2) {
    pairs += Numbered("k", i) + "\tvalue of " + Numbered("k", i) + "\n";
  }
  std::vector<std::string> args = {"db", "load", db, "-q"};
  args.insert(args.end(), more.begin(), more.end());
  return Tamis(args, {.input = pairs});
}

// Of the last table that a lookup of an absent key asks.
nlohmann::json LastStep(const std::string& db) {
  const RunResult run = Tamis({"db", "explain", db, "k0007", "--json"});
  EXPECT_EQ(run.code, kExitNegative) << run.err;
  return nlohmann::json::parse(run.out)["steps"].back();
}

TEST(DbBlockFilter, IsWrittenRememberedExplainedAndCounted) {
  TempDir dir;
  const std::string db = dir.File("db");
  ASSERT_EQ(LoadPairs(db, {"--create", "--filter", "none", "--block-filter",
                           "20", "--remember"})
                .code,
            kExitOk);
  ASSERT_EQ(Tamis({"db", "compact", db}).code, kExitOk);
  const auto step = LastStep(db);
  EXPECT_EQ(step["outcome"], "filter_absent");
  EXPECT_EQ(step["ruled_out_by"], "block_filter");
  EXPECT_EQ(step["blocks_read"], 0);
  EXPECT_GT(step["block_filter_bytes"], 2000);
  const RunResult drawn = Tamis({"db", "explain", db, "k0007"});
  EXPECT_TRUE(Contains(drawn.out, "block filter: not here")) << drawn.out;
  EXPECT_TRUE(Contains(drawn.out, "  1  ruled out by the filter of a block\n"))
      << drawn.out;
  const RunResult found = Tamis({"db", "explain", db, "k0008"});
  EXPECT_TRUE(Contains(found.out, "block filter: maybe")) << found.out;
  const RunResult stats = Tamis({"db", "stats", db, "--sample", "500"});
  EXPECT_TRUE(Contains(stats.out, "filters of blocks: in 1 table, "))
      << stats.out;
  EXPECT_TRUE(Contains(stats.out, "; queried ")) << stats.out;
  EXPECT_TRUE(Contains(stats.out, "block_filter_bits 20")) << stats.out;
  const RunResult check = Tamis({"db", "check", db, "--json"});
  // LevelDB's goes with ours.
  EXPECT_EQ(nlohmann::json::parse(check.out)["filters"], 1) << check.out;
}

TEST(DbBlockFilter, IsAddedToTablesAndTakenAwayByCompact) {
  TempDir dir;
  const std::string db = dir.File("db");
  ASSERT_EQ(LoadPairs(db, {"--create"}).code, kExitOk);
  const auto rewritten = [&](const std::string& bits) {
    const RunResult run =
        Tamis({"db", "compact", db, "--json", "--block-filter", bits});
    EXPECT_EQ(run.code, kExitOk) << run.err;
    const auto report = nlohmann::json::parse(run.out);
    return !report["nothing_to_do"].get<bool>();
  };
  EXPECT_TRUE(rewritten("0")) << "level 0 is merged";
  EXPECT_FALSE(rewritten("0"));
  EXPECT_TRUE(rewritten("8"));
  EXPECT_FALSE(rewritten("8"));
  EXPECT_TRUE(rewritten("10"));
  EXPECT_EQ(LastStep(db)["ruled_out_by"], "whole_filter");
  EXPECT_TRUE(rewritten("0"));
  EXPECT_FALSE(LastStep(db).contains("block_filter_bytes"));
}

TEST(DbBlockFilter, OfLevelDbIsNamedWhereItSaysNo) {
  TempDir dir;
  const std::string db = dir.File("db");
  // Without a filter of ours, as LevelDB's own tables.
  ASSERT_EQ(LoadPairs(db, {"--create", "--filter", "bloom:10"}).code, kExitOk);
  StoreOptions options;
  options.filter = "";
  options.leveldb_filter_bits = 20;
  {
    auto store = Store::Open(db, options);
    ASSERT_TRUE(store.ok());
    ASSERT_TRUE(store->CompactWith({.rewrite_what_differs = true}).ok());
  }
  EXPECT_EQ(LastStep(db)["ruled_out_by"], "leveldb_block_filter");
  const RunResult drawn = Tamis({"db", "explain", db, "k0007"});
  EXPECT_TRUE(Contains(drawn.out, "LevelDB's filter of the")) << drawn.out;
}

TEST(DbBlockFilter, OfAnImpossibleSizeIsRefused) {
  TempDir dir;
  const std::string db = dir.File("db");
  for (const char* bits : {"x", "-1", "1.5", "65", ""}) {
    const RunResult run = LoadPairs(db, {"--create", "--block-filter", bits});
    EXPECT_EQ(run.code, kExitError) << bits;
    EXPECT_TRUE(Contains(run.err, "block")) << run.err;
  }
}

}  // namespace
}  // namespace tamis::tools
