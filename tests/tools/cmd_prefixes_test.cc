// SPDX-License-Identifier: Apache-2.0
// Prefixes in filters: tamis db with --prefix-extractor, and tamis query
// --prefix.

#include <string>
#include <vector>

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "tests/tools/db_store_support.h"
#include "tests/tools/in_process.h"

namespace tamis::tools {
namespace {

RunResult LoadUsers(const std::string& db,
                    const std::vector<std::string>& more) {
  std::string pairs;
  for (int i = 0; i < 2000; i += 2) {
    pairs += "user:" + Numbered("u", i) + ":name\tsomebody\n";
  }
  std::vector<std::string> args = {"db", "load", db, "-q", "--create"};
  args.insert(args.end(), more.begin(), more.end());
  return Tamis(args, {.input = pairs});
}

// The extractor of the store's only table; "" if it has none.
std::string ExtractorOf(const std::string& db) {
  const RunResult run = Tamis({"db", "stats", db, "--json"});
  EXPECT_EQ(run.code, kExitOk) << run.err;
  const auto table = nlohmann::json::parse(run.out)["tables"].at(0);
  return table.value("prefix_extractor", "");
}

TEST(DbPrefixes, AreWrittenRememberedAndTakenAway) {
  TempDir dir;
  const std::string db = dir.File("db");
  ASSERT_EQ(
      LoadUsers(db, {"--prefix-extractor", "delimiter=0x3a,count=2"}).code,
      kExitOk);
  ASSERT_EQ(Tamis({"db", "compact", db}).code, kExitOk);
  EXPECT_EQ(ExtractorOf(db), "delimiter=:,count=2");
  EXPECT_EQ(Tamis({"db", "scan", db, "--prefix", "user:u0008:"}).out,
            "user:u0008:name\tsomebody\n");
  EXPECT_EQ(Tamis({"db", "scan", db, "--prefix", "user:u0007:"}).out, "");
  const RunResult stats = Tamis({"db", "stats", db});
  EXPECT_TRUE(Contains(
      stats.out, "prefixes in filters: delimiter=:,count=2, of 1 table\n"))
      << stats.out;
  EXPECT_TRUE(Contains(stats.out, "prefix_extractor delimiter=:,count=2"))
      << stats.out;
  // As it was created, until somebody says otherwise.
  ASSERT_EQ(Tamis({"db", "compact", db}).code, kExitOk);
  EXPECT_EQ(ExtractorOf(db), "delimiter=:,count=2");
  ASSERT_EQ(
      Tamis({"db", "compact", db, "--prefix-extractor", "none", "--remember"})
          .code,
      kExitOk);
  EXPECT_EQ(ExtractorOf(db), "");
  EXPECT_FALSE(Contains(Tamis({"db", "stats", db}).out, "prefix"));
}

TEST(DbPrefixes, OfAnUnknownExtractorAreRefused) {
  TempDir dir;
  const RunResult run = LoadUsers(dir.File("db"), {"--prefix-extractor", "8"});
  EXPECT_EQ(run.code, kExitError);
  EXPECT_TRUE(Contains(run.err, "--prefix-extractor: prefix extractor \"8\""))
      << run.err;
}

TEST(QueryPrefix, AsksOwnFiltersByWhatTheySay) {
  TempDir dir;
  const std::string filter = dir.File("f.tamis");
  ASSERT_EQ(Tamis({"build", "-o", filter, "--policy",
                   "prefix:delimiter=:,bloom:20", "-q"},
                  {.input = "a:1\na:2\nb:1\n"})
                .code,
            kExitOk);
  const RunResult run =
      Tamis({"query", filter, "--prefix", "-k", "a:", "-k", "c:", "-k", "b:7"});
  EXPECT_EQ(run.out, "maybe\ta:\nno\tc:\nmaybe\tb:7\n") << run.err;
  EXPECT_EQ(run.err, "");
  EXPECT_EQ(Tamis({"query", filter, "--range", "c:1", "c:9"}).out,
            "no\tc:1\tc:9\n");
  const RunResult inspected = Tamis({"inspect", filter, "--json"});
  EXPECT_EQ(nlohmann::json::parse(inspected.out).at(0)["prefixes"],
            "delimiter=:,count=1")
      << inspected.out;
  const RunResult refused = Tamis({"query", filter, "--prefix",
                                   "--prefix-extractor", "fixed=1", "-k", "a"});
  EXPECT_EQ(refused.code, kExitError);
  EXPECT_TRUE(Contains(refused.err, "is for filters of RocksDB"));
}

TEST(QueryPrefix, SaysThatAFilterHasNone) {
  TempDir dir;
  const std::string filter = dir.File("f.tamis");
  ASSERT_EQ(Tamis({"build", "-o", filter, "-q"}, {.input = "a:1\n"}).code,
            kExitOk);
  const RunResult run = Tamis({"query", filter, "--prefix", "-k", "zz"});
  EXPECT_EQ(run.out, "maybe\tzz\n");
  EXPECT_TRUE(Contains(run.err, "every prefix is a maybe")) << run.err;
}

TEST(QueryPrefix, AsksFiltersOfRocksDbByTheExtractorOfTheCaller) {
  TempDir dir;
  const std::string filter = dir.File("f.rocksdb");
  // As RocksDB makes it with fixed prefixes of 4: both are entries.
  ASSERT_EQ(Tamis({"build", "-o", filter, "--policy", "rocksdb:20", "-q"},
                  {.input = "aaaa\naaaa1\naaaa2\nbbbb\nbbbb1\n"})
                .code,
            kExitOk);
  const auto ask = [&](const char* extractor) {
    return Tamis({"query", filter, "--prefix", "--prefix-extractor", extractor,
                  "-k", "aaaa", "-k", "cccc", "-k", "bbbb7", "-k", "c"});
  };
  EXPECT_EQ(ask("fixed=4").out,
            "maybe\taaaa\nno\tcccc\nmaybe\tbbbb7\nmaybe\tc\n");
  EXPECT_EQ(ask("rocksdb.FixedPrefix.4").out, ask("fixed=4").out);
  EXPECT_EQ(ask("four").code, kExitError);
  EXPECT_EQ(
      Tamis({"query", filter, "--prefix-extractor", "fixed=4", "-k", "a"}).code,
      kExitError);
}

}  // namespace
}  // namespace tamis::tools
