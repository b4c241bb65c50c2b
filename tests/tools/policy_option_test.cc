// SPDX-License-Identifier: Apache-2.0
// --policy, and --format with a size behind it, wherever a filter is chosen;
// and keys from several files.

#include <algorithm>
#include <cstdint>
#include <string>
#include <vector>

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "tamis/filter.h"
#include "tests/tools/in_process.h"

namespace tamis::tools {
namespace {

// The file that `build` makes of the numbers from 0 to 999.
std::string Built(std::vector<std::string> options) {
  TempDir dir;
  const std::string file = dir.File("filter");
  std::vector<std::string> args = {"build", "-o", file};
  args.insert(args.end(), options.begin(), options.end());
  const RunResult run = Tamis(args, {.input = Lines("", 1000)});
  EXPECT_EQ(run.code, kExitOk) << run.err;
  return dir.Read("filter");
}

TEST(PolicyOption, BuildsWhatTheOtherOptionsBuild) {
  const struct {
    std::vector<std::string> options;
    std::string policy;
  } kRows[] = {
      {{"--fpr", "1%"}, "bloom:fpr=0.01"},
      {{"--kind", "ribbon", "--fpr", "1%"}, "ribbon:fpr=0.01"},
      {{"--kind", "fuse8"}, "fuse8"},
      {{"--kind", "splitblock", "--bits-per-key", "12", "--seed", "7"},
       "splitblock:12,seed=7"},
      {{"--format", "leveldb", "--bits-per-key", "10"}, "leveldb:10"},
      {{"--format", "rocksdb", "--bits-per-key", "12"}, "rocksdb:12"},
      {{"--format", "cassandra:ka", "--fpr", "1%"}, "cassandra:ka,fpr=0.01"},
  };
  for (const auto& row : kRows) {
    const std::string expected = Built(row.options);
    EXPECT_EQ(Built({"--policy", row.policy}), expected) << row.policy;
    EXPECT_EQ(Built({"--format", row.policy}), expected) << row.policy;
  }
}

TEST(PolicyOption, LeavesNothingToTheOptionsThatItSaysItselfOrRefusesThem) {
  TempDir dir;
  const std::string file = dir.File("f");
  for (const std::vector<std::string>& options :
       {std::vector<std::string>{"--policy", "bloom:10", "--fpr", "1%"},
        {"--policy", "bloom:10", "--kind", "ribbon"},
        {"--policy", "bloom:10", "--plan-keys", "100"},
        {"--policy", "nope:10"},
        {"--policy", "bloom:10,nope=1"},
        {"--format", "leveldb:10", "--fpr", "1%"},
        {"--format", "ribbon:8", "--kind", "ribbon"},
        {"--format", "leveldb:10", "--plan-keys", "100"},
        {"--format", "leveldb:nope"}}) {
    std::vector<std::string> args = {"build", "-o", file};
    args.insert(args.end(), options.begin(), options.end());
    const RunResult run = Tamis(args, {.input = "a\n"});
    EXPECT_EQ(run.code, kExitError) << options[1];
    EXPECT_TRUE(IsOneLineFrom("build", run.err)) << run.err;
    EXPECT_EQ(dir.Count(), 0u);
  }
}

TEST(PolicyOption, AFormatWithASizeReadsThatFormat) {
  TempDir dir;
  const std::string file = dir.File("f");
  ASSERT_EQ(
      Tamis({"build", "-o", file, "--format", "leveldb:10"}, {.input = "a\n"})
          .code,
      kExitOk);
  EXPECT_EQ(Tamis({"query", file, "-k", "a", "--format", "leveldb:12"}).out,
            "maybe\ta\n");
  ASSERT_EQ(Tamis({"build", "-o", file, "--force", "--policy", "ribbon:8"},
                  {.input = "a\n"})
                .code,
            kExitOk);
  EXPECT_EQ(Tamis({"query", file, "-k", "a", "--format", "ribbon:8"}).out,
            "maybe\ta\n");
}

TEST(PolicyOption, SizesAndDedupes) {
  const RunResult size =
      Tamis({"size", "--keys", "1M", "--policy", "ribbon:fpr=0.01", "--json"});
  ASSERT_EQ(size.code, kExitOk) << size.err;
  const nlohmann::json rows = nlohmann::json::parse(size.out)["filters"];
  ASSERT_EQ(rows.size(), 1u);
  EXPECT_EQ(rows[0]["bytes"],
            (*MakePolicy("ribbon:fpr=0.01"))->Predict(1'000'000).bytes);
  EXPECT_FALSE(rows[0].contains("false_positive_rate_at_twice_the_keys"));

  const RunResult dedupe =
      Tamis({"dedupe", "--policy", "cuckoo:fpr=0.001", "--keys", "1k"},
            {.input = "a\nb\na\n"});
  EXPECT_EQ(dedupe.code, kExitOk) << dedupe.err;
  EXPECT_EQ(dedupe.out, "a\nb\n");
  const RunResult solved =
      Tamis({"dedupe", "--policy", "ribbon:8"}, {.input = "a\n"});
  EXPECT_EQ(solved.code, kExitError);
  EXPECT_TRUE(IsOneLineFrom("dedupe", solved.err)) << solved.err;
}

TEST(PolicyOption, OfAStoreIsAnotherNameOfItsFilter) {
  TempDir dir;
  const std::string db = dir.File("db");
  ASSERT_EQ(Tamis({"db", "put", db, "a", "b", "--create", "--policy",
                   "splitblock:12"})
                .code,
            kExitOk);
  EXPECT_TRUE(Contains(Tamis({"db", "stats", db}).out, "filter splitblock:12"));
  EXPECT_EQ(Tamis({"db", "put", db, "a", "b", "--policy", "bloom:9", "--filter",
                   "bloom:9"})
                .code,
            kExitError);
}

TEST(SizeCommand, SaysWhatRateAMemoryGives) {
  const RunResult run =
      Tamis({"size", "--keys", "1M", "--memory", "1.25M", "--json"});
  ASSERT_EQ(run.code, kExitOk) << run.err;
  std::size_t sized = 0;
  const nlohmann::json rows = nlohmann::json::parse(run.out)["filters"];
  for (const nlohmann::json& row : rows) {
    if (row.contains("error")) continue;
    ++sized;
    EXPECT_LE(row["bytes"].get<std::uint64_t>(), 1'250'000u) << row;
    // Parquet has powers of two, and fuse one size; all others use what is
    // there.
    const std::string kind = row.value("kind", row["format"]);
    if (kind == "parquet" || kind.starts_with("fuse")) continue;
    EXPECT_GE(row["bytes"].get<std::uint64_t>(), 1'050'000u) << row;
  }
  EXPECT_GE(sized, 12u) << run.out;
  const RunResult ten = Tamis({"size", "--keys", "1M", "--bits-per-key", "10",
                               "--kind", "bloom", "--json"});
  const RunResult same = Tamis({"size", "--keys", "1M", "--memory", "1250112",
                                "--kind", "bloom", "--json"});
  EXPECT_EQ(nlohmann::json::parse(same.out)["filters"][0]["bytes"],
            nlohmann::json::parse(ten.out)["filters"][0]["bytes"]);
  const RunResult none =
      Tamis({"size", "--keys", "1M", "--memory", "10", "--kind", "classic"});
  EXPECT_EQ(none.code, kExitError);
  EXPECT_TRUE(Contains(none.err, "10 bytes")) << none.err;
}

TEST(KeyFiles, AreReadOneAfterTheOther) {
  TempDir dir;
  const std::string one = dir.Write("1", "a\nb");
  const std::string two = dir.Write("2", "c\n");
  const std::string filter = dir.File("f.tamis");
  const RunResult build =
      Tamis({"build", one, two, "-", "-o", filter}, {.input = "d\n"});
  ASSERT_EQ(build.code, kExitOk) << build.err;
  EXPECT_TRUE(build.err.starts_with("tamis build: 4 keys, ")) << build.err;
  EXPECT_EQ(Tamis({"query", filter, one, two}).out,
            "maybe\ta\nmaybe\tb\nmaybe\tc\n");
  const std::string more = dir.Write("3", "e\n");
  const std::string most = dir.Write("4", "f\n");
  EXPECT_TRUE(Tamis({"add", filter, more, most})
                  .err.starts_with("tamis add: 2 keys added"));
  EXPECT_EQ(Tamis({"dedupe", one, two, one, "-q"}).out, "a\nb\nc\n");
}

TEST(KeyFiles, AMissingOneIsFoundBeforeAnyIsRead) {
  TempDir dir;
  const std::string one = dir.Write("1", "a\n");
  const std::string none = dir.File("none");
  const std::string said = ": " + none + ": no such file or directory\n";
  for (const std::vector<std::string>& args :
       {std::vector<std::string>{"build", one, none, "-o", dir.File("f")},
        {"dedupe", one, none}}) {
    const RunResult run = Tamis(args);
    EXPECT_EQ(run.code, kExitError);
    EXPECT_EQ(run.out, "");
    EXPECT_EQ(run.err, "tamis " + args[0] + said);
  }
  EXPECT_EQ(dir.Count(), 1u);
}

TEST(KeyFiles, NoneOfThemIsReplacedByTheFilter) {
  TempDir dir;
  const std::string one = dir.Write("1", "a\n");
  const std::string two = dir.Write("2", "b\n");
  EXPECT_EQ(Tamis({"build", one, two, "-o", two, "--force"}).code, kExitError);
  EXPECT_EQ(dir.Read("2"), "b\n");
}

TEST(Quiet, SaysNothingButErrorsAndWarnings) {
  TempDir dir;
  const std::string file = dir.File("f.tamis");
  EXPECT_EQ(Tamis({"build", "-o", file, "-q"}, {.input = "a\n"}).err, "");
  EXPECT_EQ(Tamis({"add", file, "-k", "b", "-q"}).err, "");
  EXPECT_EQ(Tamis({"merge", file, file, "-o", dir.File("m"), "-q"}).err, "");
  const RunResult over =
      Tamis({"build", "-o", dir.File("over"), "--plan-keys", "10", "-q"},
            {.input = Lines("", 1000)});
  EXPECT_TRUE(Contains(over.err, "1,000 keys came where 10 were planned"))
      << over.err;
  EXPECT_EQ(std::count(over.err.begin(), over.err.end(), '\n'), 1);
  EXPECT_TRUE(
      Contains(Tamis({"build", "-o", file, "-q"}).err, "already exists"));
}

}  // namespace
}  // namespace tamis::tools
