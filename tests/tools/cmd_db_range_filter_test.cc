// SPDX-License-Identifier: Apache-2.0
// tamis db: filters for scans, --range-filter.

#include <string>

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "tests/tools/db_store_support.h"
#include "tests/tools/in_process.h"

namespace tamis::tools {
namespace {

std::string Pairs() {
  std::string pairs;
  for (int i = 10'000; i < 30'000; i += 7) {
    pairs += "k" + std::to_string(i) + "\tv\n";
  }
  return pairs;
}

TEST(DbRangeFilter, IsWrittenRememberedCheckedAndShown) {
  TempDir dir;
  const std::string db = dir.File("db");
  ASSERT_EQ(Tamis({"db", "load", db, "-q", "--create", "--range-filter", "10",
                   "--remember"},
                  {.input = Pairs()})
                .code,
            kExitOk);
  ASSERT_EQ(Tamis({"db", "compact", db}).code, kExitOk);
  const RunResult stats = Tamis({"db", "stats", db});
  EXPECT_TRUE(Contains(stats.out, "range filters: in 1 table, ")) << stats.out;
  EXPECT_TRUE(Contains(stats.out, "range_filter_bits 10")) << stats.out;
  const RunResult check = Tamis({"db", "check", db, "--json"});
  // LevelDB's, ours, and that of ranges.
  EXPECT_EQ(nlohmann::json::parse(check.out)["filters"], 3) << check.out;
  EXPECT_EQ(Tamis({"db", "count", db}).out, "2858\n");
  const RunResult found =
      Tamis({"db", "scan", db, "--from", "k10007", "--to", "k10008"});
  EXPECT_EQ(found.out, "k10007\tv\n");
}

TEST(DbRangeFilter, IsAddedToTablesAndTakenAwayByCompact) {
  TempDir dir;
  const std::string db = dir.File("db");
  ASSERT_EQ(
      Tamis({"db", "load", db, "-q", "--create"}, {.input = Pairs()}).code,
      kExitOk);
  const auto rewritten = [&](const std::string& bits) {
    const RunResult run =
        Tamis({"db", "compact", db, "--json", "--range-filter", bits});
    EXPECT_EQ(run.code, kExitOk) << run.err;
    const auto report = nlohmann::json::parse(run.out);
    return !report["nothing_to_do"].get<bool>();
  };
  EXPECT_TRUE(rewritten("0")) << "level 0 is merged";
  EXPECT_FALSE(rewritten("0"));
  EXPECT_TRUE(rewritten("8"));
  EXPECT_FALSE(rewritten("8"));
  EXPECT_TRUE(rewritten("10"));
  EXPECT_TRUE(rewritten("0"));
}

TEST(DbRangeFilter, WithAnImpossibleSizeIsRefused) {
  TempDir dir;
  const std::string db = dir.File("db");
  for (const char* const bits : {"2", "33", "ten", "-1"}) {
    const RunResult run =
        Tamis({"db", "load", db, "-q", "--create", "--range-filter", bits},
              {.input = Pairs()});
    EXPECT_EQ(run.code, kExitError) << bits;
    EXPECT_TRUE(Contains(run.err, "range")) << run.err;
  }
}

}  // namespace
}  // namespace tamis::tools
