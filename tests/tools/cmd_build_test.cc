// SPDX-License-Identifier: Apache-2.0
#include <filesystem>
#include <string>

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "tamis/filter.h"
#include "tests/tools/in_process.h"

namespace tamis::tools {
namespace {

// The filter in `bytes`, read as `spec`, must hold Lines("key", count).
void ExpectKeys(std::string_view spec, const std::string& bytes, int count) {
  auto policy = MakePolicy(spec);
  ASSERT_TRUE(policy.ok());
  auto reader = policy->Open(bytes);
  ASSERT_TRUE(reader.ok()) << reader.status().message();
  int strangers = 0;
  for (int i = 0; i < count; ++i) {
    ASSERT_TRUE(reader->MayContain("key" + std::to_string(i))) << i;
    strangers += reader->MayContain("other" + std::to_string(i)) ? 1 : 0;
  }
  EXPECT_LT(strangers, count / 20);
}

class BuildEveryFormat : public ::testing::TestWithParam<const char*> {};

TEST_P(BuildEveryFormat, KeysOfAFileAllAnswerMaybe) {
  TempDir dir;
  const std::string keys = dir.Write("keys", Lines("key", 1000));
  const RunResult run =
      Tamis({"build", keys, "-o", dir.File("filter"), "--format", GetParam()});
  EXPECT_EQ(run.code, kExitOk);
  EXPECT_EQ(run.out, "");
  EXPECT_TRUE(IsOneLineFrom("build", run.err)) << run.err;
  EXPECT_TRUE(run.err.starts_with("tamis build: 1,000 keys, ")) << run.err;
  ExpectKeys(GetParam(), dir.Read("filter"), 1000);
  EXPECT_EQ(dir.Count(), 2u);  // no temporary file stays
}

INSTANTIATE_TEST_SUITE_P(Formats, BuildEveryFormat,
                         ::testing::Values("tamis", "leveldb", "rocksdb",
                                           "rocksdb-legacy", "rocksdb-ribbon",
                                           "cassandra", "cassandra:ka",
                                           "parquet", "lab", "md5"));

class BuildEveryKind : public ::testing::TestWithParam<const char*> {};

TEST_P(BuildEveryKind, IsWhatTheFileSays) {
  TempDir dir;
  const RunResult run =
      Tamis({"build", "-o", dir.File("f"), "--kind", GetParam(), "--seed", "7"},
            {.input = Lines("key", 1000)});
  EXPECT_EQ(run.code, kExitOk) << run.err;
  const std::string bytes = dir.Read("f");
  ExpectKeys("tamis", bytes, 1000);
  auto policy = MakePolicy("tamis");
  const FilterInfo info = (*policy->Open(bytes))->Describe();
  EXPECT_EQ(info.kind, GetParam());
  EXPECT_EQ(info.seed, 7u);
  EXPECT_EQ(info.keys, 1000u);
}

INSTANTIATE_TEST_SUITE_P(Kinds, BuildEveryKind,
                         ::testing::Values("bloom", "splitblock", "classic",
                                           "ribbon", "fuse8", "fuse16",
                                           "fuse32", "counting", "cuckoo"));

// They count a key that looks like one they have as none.
TEST(BuildCommand, KindsThatGrowByPartsHoldTheKeysToo) {
  for (const std::string kind : {"scalable", "rotating"}) {
    const RunResult run = Tamis({"build", "-o", "-", "--kind", kind},
                                {.input = Lines("key", 1000)});
    EXPECT_EQ(run.code, kExitOk) << run.err;
    ExpectKeys("tamis", run.out, 1000);
  }
}

TEST(BuildCommand, TheDefaultKindIsBloom) {
  const std::string keys = Lines("key", 100);
  EXPECT_TRUE(
      Tamis({"build", "-o", "-"}, {.input = keys}).out ==
      Tamis({"build", "-o", "-", "--kind", "bloom"}, {.input = keys}).out);
}

// The batches of the reader end where its buffer does.
TEST(BuildCommand, KeysInBatchesGiveTheBytesOfKeysOneByOne) {
  TempDir dir;
  constexpr int kKeys = 100'000;
  for (const std::string spec :
       {"bloom", "splitblock", "classic", "rocksdb-ribbon", "leveldb"}) {
    std::vector<std::string> args = {"build", "-o", "-"};
    const bool is_kind =
        spec == "bloom" || spec == "splitblock" || spec == "classic";
    args.insert(args.end(), {is_kind ? "--kind" : "--format", spec});
    const RunResult run = Tamis(args, {.input = Lines("key", kKeys)});
    ASSERT_EQ(run.code, kExitOk) << run.err;
    auto policy = MakePolicy(spec);
    const auto builder = policy->NewBuilder();
    for (int i = 0; i < kKeys; ++i) builder->Add("key" + std::to_string(i));
    std::string bytes;
    ASSERT_TRUE(builder->Finish(&bytes).ok());
    EXPECT_TRUE(run.out == bytes) << spec;
  }
}

TEST(BuildCommand, ARandomSeedIsAnotherEachTimeAndIsTold) {
  const auto seed = [](std::vector<std::string> more) {
    TempDir dir;
    std::vector<std::string> args = {"build",  "-o",     dir.File("f"),
                                     "--json", "--seed", "random"};
    args.insert(args.end(), more.begin(), more.end());
    const RunResult run = Tamis(args, {.input = "a\n"});
    EXPECT_EQ(run.code, kExitOk) << run.err;
    auto policy = MakePolicy("tamis");
    const std::string bytes = dir.Read("f");
    const auto stored = (*policy->Open(bytes))->Describe().seed;
    EXPECT_EQ(nlohmann::json::parse(run.out)["seed"], *stored);
    return *stored;
  };
  EXPECT_NE(seed({}), seed({}));
  EXPECT_NE(seed({"--plan-keys", "9"}), seed({"--plan-keys", "9"}));
}

TEST(BuildCommand, ValuesOfATypeAreTheirPlainBytes) {
  const auto build = [](const std::string& option, const std::string& value,
                        std::string_view keys) {
    std::vector<std::string> args = {"build",    "-o",      "-",
                                     "--format", "parquet", option};
    if (!value.empty()) args.push_back(value);
    const RunResult run = Tamis(args, {.input = keys});
    EXPECT_EQ(run.code, kExitOk) << run.err;
    return run.out;
  };
  EXPECT_EQ(build("--type", "int32", "1\n-2\n"),
            build("--hex", "", "01000000\nfeffffff\n"));
  EXPECT_EQ(build("--type", "int64", "258\n"),
            build("--hex", "", "0201000000000000\n"));
  EXPECT_EQ(build("--type", "double", "1.5\n"),
            build("--hex", "", "000000000000f83f\n"));
  EXPECT_EQ(build("--type", "bytes", "258\n"), build("--hex", "", "323538\n"));
  const RunResult bad = Tamis({"build", "-o", "-", "--type", "int32"},
                              {.input = "1\n4294967296\n"});
  EXPECT_EQ(bad.code, kExitError);
  EXPECT_EQ(bad.err,
            "tamis build: standard input: line 2: '4294967296' is not an "
            "int32\n");
}

TEST(BuildCommand, StandardInputAndFileGiveTheSameBytes) {
  TempDir dir;
  const std::string lines = Lines("key", 100);
  const std::string keys = dir.Write("keys", lines);
  EXPECT_EQ(Tamis({"build", keys, "-o", dir.File("a")}).code, kExitOk);
  EXPECT_EQ(Tamis({"build", "-o", dir.File("b")}, {.input = lines}).code,
            kExitOk);
  const RunResult run =
      Tamis({"build", "-", "--output", "-"}, {.input = lines});
  EXPECT_EQ(run.code, kExitOk);
  EXPECT_EQ(dir.Read("a"), dir.Read("b"));
  EXPECT_EQ(dir.Read("a"), run.out);
}

TEST(BuildCommand, HexAndNulAreOtherSpellingsOfTheSameKeys) {
  const RunResult lines = Tamis({"build", "-o", "-"}, {.input = "ab\ncd\n"});
  const RunResult hex =
      Tamis({"build", "-o", "-", "--hex"}, {.input = "6162\n6364"});
  const RunResult nul =
      Tamis({"build", "-o", "-", "-0"}, {.input = {"ab\0cd\0", 6}});
  ASSERT_EQ(lines.code, kExitOk);
  EXPECT_EQ(lines.out, hex.out);
  EXPECT_EQ(lines.out, nul.out);
  EXPECT_NE(lines.out, Tamis({"build", "-o", "-"}, {.input = "ab\n"}).out);
}

TEST(BuildCommand, RefusesToOverwriteBeforeReadingAndForceAllowsIt) {
  TempDir dir;
  dir.Write("f", "precious");
  const RunResult refused =
      Tamis({"build", "/nonexistent", "-o", dir.File("f")}, {.input = "a\n"});
  EXPECT_EQ(refused.code, kExitError);
  EXPECT_TRUE(Contains(refused.err, "--force")) << refused.err;
  EXPECT_EQ(dir.Read("f"), "precious");
  EXPECT_EQ(
      Tamis({"build", "--force", "-o", dir.File("f")}, {.input = "a\n"}).code,
      kExitOk);
  EXPECT_NE(dir.Read("f"), "precious");
}

TEST(BuildCommand, ABadKeyStopsItAndNoFileIsMade) {
  TempDir dir;
  const RunResult run =
      Tamis({"build", "--hex", "-o", dir.File("f")}, {.input = "61\n6\n"});
  EXPECT_EQ(run.code, kExitError);
  EXPECT_EQ(run.err,
            "tamis build: standard input: line 2: an odd number of "
            "hexadecimal digits (1)\n");
  EXPECT_EQ(dir.Count(), 0u);
}

TEST(BuildCommand, RateAndSeedAreHonoured) {
  TempDir dir;
  ASSERT_EQ(
      Tamis({"build", "-o", dir.File("f"), "--fpr", "0.001", "--seed", "0x10"},
            {.input = Lines("key", 1000)})
          .code,
      kExitOk);
  auto policy = MakePolicy("tamis");
  const std::string bytes = dir.Read("f");
  auto reader = policy->Open(bytes);
  ASSERT_TRUE(reader.ok());
  const FilterInfo info = reader->Describe();
  EXPECT_EQ(info.seed, 16u);
  EXPECT_EQ(info.bits, (*MakePolicy("fpr:0.001"))->Predict(1000).bits);
  EXPECT_NEAR(info.rate, 0.001, 0.0003);
}

TEST(BuildCommand, NoKeysMakeAFilterThatRefusesAll) {
  TempDir dir;
  const RunResult run = Tamis({"build", "-o", dir.File("f.tamis")});
  EXPECT_EQ(run.code, kExitOk) << run.err;
  EXPECT_TRUE(Contains(run.err, "0 keys")) << run.err;
  EXPECT_EQ(Tamis({"query", dir.File("f.tamis"), "-k", "x"}).code,
            kExitNegative);
}

TEST(BuildCommand, JsonIsTheSummaryOnStandardOutput) {
  TempDir dir;
  const RunResult run = Tamis({"build", "-o", dir.File("f"), "--json"},
                              {.input = Lines("key", 500)});
  EXPECT_EQ(run.code, kExitOk);
  EXPECT_EQ(run.err, "");
  const auto json = nlohmann::json::parse(run.out);
  EXPECT_EQ(json["keys"], 500);
  EXPECT_EQ(json["bytes"], dir.Read("f").size());
  EXPECT_EQ(json["format"], "tamis");
  EXPECT_NEAR(json["false_positive_rate"].get<double>(), 0.008, 0.004);
}

class BuildToPlan : public ::testing::TestWithParam<const char*> {};

TEST_P(BuildToPlan, FiltersOfOnePlanAreOfOneSizeAndMerge) {
  TempDir dir;
  const auto build = [&](const std::string& name, int keys) {
    const RunResult run =
        Tamis({"build", "-o", dir.File(name), "--format", GetParam(), "--fpr",
               "1%", "--plan-keys", "2k"},
              {.input = Lines("key", keys)});
    EXPECT_EQ(run.code, kExitOk) << run.err;
    EXPECT_TRUE(IsOneLineFrom("build", run.err)) << run.err;
    ExpectKeys(GetParam(), dir.Read(name), keys);
    return dir.File(name);
  };
  const std::string few = build("few", 100);
  const std::string many = build("many", 2000);
  const std::string whole = dir.Read("many");
  EXPECT_EQ(dir.Read("few").size(), whole.size());
  const RunResult merged = Tamis(
      {"merge", few, many, "-o", dir.File("all"), "--format", GetParam()});
  EXPECT_EQ(merged.code, kExitOk) << merged.err;
  // The plan is that of 2,000 keys without a plan.
  ASSERT_EQ(Tamis({"build", "-o", dir.File("free"), "--format", GetParam(),
                   "--fpr", "1%"},
                  {.input = Lines("key", 2000)})
                .code,
            kExitOk);
  EXPECT_TRUE(dir.Read("free") == whole);
}

INSTANTIATE_TEST_SUITE_P(Formats, BuildToPlan,
                         ::testing::Values("tamis", "leveldb", "rocksdb",
                                           "rocksdb-legacy", "cassandra",
                                           "cassandra:ka", "parquet", "lab",
                                           "md5"));

TEST(BuildCommand, KindsAndPlansThatAFormatHasNotAreRefused) {
  const auto error = [](std::vector<std::string> more) {
    more.insert(more.begin(), {"build", "-o", "-"});
    const RunResult run = Tamis(more, {.input = "a\n"});
    EXPECT_EQ(run.code, kExitError);
    EXPECT_EQ(run.out, "");
    return run.err;
  };
  EXPECT_EQ(error({"--format", "rocksdb", "--kind", "splitblock"}),
            "tamis build: --kind goes with --format tamis, not rocksdb\n");
  EXPECT_EQ(error({"--format", "parquet", "--seed", "random"}),
            "tamis build: --seed goes with --format tamis, not parquet\n");
  EXPECT_TRUE(Contains(error({"--kind", "xor"}), "--kind"));
  EXPECT_EQ(
      error({"--kind", "fuse8", "--fpr", "1%"}),
      "tamis build: --kind fuse8 is a size of its own; leave --fpr out\n");
  EXPECT_EQ(error({"--kind", "ribbon", "--plan-keys", "9"}),
            "tamis build: --plan-keys does not go with --kind ribbon, whose "
            "size follows from the keys that come\n");
  EXPECT_EQ(error({"--kind", "ribbon", "--bits-per-key", "40"}),
            "tamis build: ribbon: takes 1 to 32 bits per key, or a rate from "
            "0.5 to 2^-32\n");
  EXPECT_EQ(error({"--format", "rocksdb-ribbon", "--plan-keys", "9"}),
            "tamis build: --plan-keys goes with any format but "
            "rocksdb-ribbon, whose size follows from the keys that come\n");
  EXPECT_TRUE(Contains(error({"--fpr", "1e-90"}), "; a classic filter has"));
}

TEST(BuildCommand, MoreKeysThanPlannedAreTakenAndTheRateIsSaid) {
  TempDir dir;
  const std::vector<std::string> args = {"build",       "-o",   dir.File("f"),
                                         "--plan-keys", "1000", "--force"};
  const RunResult run = Tamis(args, {.input = Lines("key", 2000)});
  EXPECT_EQ(run.code, kExitOk);
  EXPECT_TRUE(run.err.starts_with(
      "tamis build: 2,000 keys came where 1,000 were planned: the expected "
      "rate is 1"))
      << run.err;
  EXPECT_TRUE(Contains(run.err, " instead of 0.8")) << run.err;
  EXPECT_TRUE(Contains(run.err, "5.12 bits per key")) << run.err;
  std::vector<std::string> json = args;
  json.push_back("--json");
  const RunResult exact = Tamis(json, {.input = Lines("key", 1000)});
  EXPECT_EQ(exact.err, "");
  EXPECT_EQ(nlohmann::json::parse(exact.out)["planned_keys"], 1000);
}

TEST(BuildCommand, TooLittleMemorySaysHowMuchAndWhatToDo) {
  const RunResult run =
      Tamis({"build", "-o", "-", "--plan-keys", "1e15"}, {.input = "a\n"});
  EXPECT_EQ(run.code, kExitError);
  EXPECT_TRUE(Contains(run.err, "not enough memory: 1 key takes up to 16 B"))
      << run.err;
  EXPECT_TRUE(Contains(run.err, "(1,250,000,000,000,0")) << run.err;
  EXPECT_TRUE(Contains(run.err, "fewer --bits-per-key")) << run.err;
}

TEST(BuildCommand, NeverReplacesItsOwnKeys) {
  TempDir dir;
  const std::string keys = dir.Write("keys", "a\nb\n");
  std::filesystem::create_symlink("keys", dir.File("link"));
  for (const std::string& output : {keys, dir.File("link")}) {
    const RunResult run = Tamis({"build", keys, "-o", output, "--force"});
    EXPECT_EQ(run.code, kExitError);
    EXPECT_TRUE(Contains(run.err, "holds the keys")) << run.err;
  }
  EXPECT_EQ(dir.Read("keys"), "a\nb\n");
}

TEST(BuildCommand, MessagesSpeakOfOptions) {
  const auto error = [](std::vector<std::string> more) {
    more.insert(more.begin(), {"build", "-o", "-"});
    return Tamis(more, {.input = "a\n"}).err;
  };
  EXPECT_EQ(error({"--format", "cassandra", "--bits-per-key", "25"}),
            "tamis build: cassandra: its sizing table ends at 20 bits per "
            "key; use textbook sizing for more\n");
  EXPECT_EQ(error({"--bits-per-key", "20000"}),
            "tamis build: --bits-per-key: '20000' is too large; the most is "
            "10,000\n");
  EXPECT_TRUE(error({"--bits-per-key", "x"})
                  .starts_with("tamis build: --bits-per-key: 'x' is not"));
  EXPECT_TRUE(
      error({"--plan-keys", "1e30"})
          .starts_with("tamis build: --plan-keys: '1e30' is too large"));
  EXPECT_TRUE(error({"--seed", "x"}).starts_with("tamis build: --seed: 'x'"));
  EXPECT_EQ(Tamis({"build", "-o", ""}).err, "tamis build: -o: no file name\n");
  EXPECT_EQ(Tamis({"build", "", "-o", "-"}).err, "tamis build: no file name\n");
}

TEST(BuildCommand, WrongUseIsCode2) {
  TempDir dir;
  const std::vector<std::string> kWrong[] = {
      {"build", dir.File("no"), "-o", dir.File("f")},
      {"build", dir.path(), "-o", dir.File("f")},
      {"build", "-o", dir.File("no/f")},
      {"build", "-o", dir.path()},
      {"build", "-o", dir.path(), "--force"},
      {"build", "-o", "-", "--json"},
      {"build", "-o", "-", "--plan-keys", "0"},
      {"build", "-o", "-", "--memory", "0"},
      {"build", "-o", "-", "--memory", "much"},
      {"build", "-o", "-", "--threads", "0"},
      {"build", "-o", "-", "--threads", "9999"},
      {"build", "-o", "-", "--temp-dir", dir.File("no")},
      {"build", "-o", "-", "--plan-keys", "1e19"},
      {"build", "-o", "-", "--fpr", ""},
      {"build", "-o", "-", "--fpr="},
      {"build", "-o", dir.File("f"), "--format", "cassandra:zz"},
      {"build", "-o", dir.File("f"), "--format", "lab", "--seed", "1"},
      {"build", "-o", dir.File("f"), "--format", "lab", "--sizing", "textbook"},
  };
  for (const auto& args : kWrong) {
    const RunResult run = Tamis(args);
    EXPECT_EQ(run.code, kExitError) << ::testing::PrintToString(args);
    EXPECT_TRUE(IsOneLineFrom("build", run.err)) << run.err;
  }
  EXPECT_EQ(dir.Count(), 0u);
}

TEST(BuildCommand, DoesNotPourAFilterIntoATerminal) {
  const RunResult run =
      Tamis({"build", "-o", "-"}, {.input = "a\n", .terminal = true});
  EXPECT_EQ(run.code, kExitError);
  EXPECT_EQ(run.out, "");
}

// Lines("key", keys), each ten times, in runs or in rounds.
std::string TenTimes(int keys, bool in_rounds) {
  std::string lines;
  for (int i = 0; i < 10 * keys; ++i) {
    lines += "key" + std::to_string(in_rounds ? i % keys : i / 10) + "\n";
  }
  return lines;
}

class BuildOfRepeatedKeys : public ::testing::TestWithParam<const char*> {};

TEST_P(BuildOfRepeatedKeys, IsNoLargerAndSaysHowManyAreDistinct) {
  TempDir dir;
  const auto build = [&](const std::string& input) {
    std::vector<std::string> args = {"build", "-o",      dir.File("f"), "--fpr",
                                     "1%",    "--force", "--json"};
    const std::string what = GetParam();
    const bool is_format = what.starts_with("--format ");
    args.push_back(is_format ? "--format" : "--kind");
    args.push_back(is_format ? what.substr(9) : what);
    const RunResult run = Tamis(args, {.input = input});
    EXPECT_EQ(run.code, kExitOk) << run.err;
    return nlohmann::json::parse(run.out);
  };
  const auto once = build(Lines("key", 2000));
  EXPECT_EQ(once["lines"], 2000);
  EXPECT_EQ(once["keys"], 2000);
  for (const bool in_rounds : {false, true}) {
    const auto repeated = build(TenTimes(2000, in_rounds));
    EXPECT_EQ(repeated["lines"], 20'000);
    EXPECT_EQ(repeated["keys"], 2000);
    EXPECT_EQ(repeated["bytes"], once["bytes"]);
    EXPECT_EQ(repeated["bits_per_key"], once["bits_per_key"]);
  }
}

INSTANTIATE_TEST_SUITE_P(
    Kinds, BuildOfRepeatedKeys,
    ::testing::Values("bloom", "splitblock", "classic", "ribbon", "counting",
                      "cuckoo", "scalable", "rotating", "--format leveldb",
                      "--format rocksdb", "--format rocksdb-legacy",
                      "--format rocksdb-ribbon", "--format cassandra",
                      "--format parquet", "--format lab", "--format md5"));

TEST(BuildCommand, TheSummarySaysLinesAndDistinctKeys) {
  TempDir dir;
  const auto build = [&](std::vector<std::string> more, std::string input) {
    std::vector<std::string> args = {"build", "-o", dir.File("f"), "--force"};
    args.insert(args.end(), more.begin(), more.end());
    const std::string err = Tamis(args, {.input = input}).err;
    return err.substr(0, err.find(", ", err.find("key")));
  };
  EXPECT_EQ(build({}, "a\nb\na\n"), "tamis build: 3 lines, 2 distinct keys");
  EXPECT_EQ(build({}, "a\na\n"), "tamis build: 2 lines, 1 distinct key");
  EXPECT_EQ(build({}, "a\nb\n"), "tamis build: 2 keys");
  EXPECT_EQ(build({"-0"}, std::string("a\0a\0", 4)),
            "tamis build: 2 records, 1 distinct key");
  EXPECT_EQ(build({"--format", "leveldb"}, "a\nb\na\n"),
            "tamis build: 3 lines, 2 distinct keys");
  EXPECT_EQ(build({"--kind", "scalable", "--plan-keys", "1000"}, "a\nb\na\n"),
            "tamis build: 3 lines, 2 distinct keys");
}

// A plan counts keys, not lines.
TEST(BuildCommand, RepeatedKeysDoNotExceedAPlan) {
  TempDir dir;
  const RunResult run =
      Tamis({"build", "-o", dir.File("f"), "--plan-keys", "2000"},
            {.input = TenTimes(2000, true)});
  EXPECT_TRUE(IsOneLineFrom("build", run.err)) << run.err;
  EXPECT_TRUE(Contains(Tamis({"inspect", dir.File("f")}).out,
                       "keys:          2,000 (stored)"));
}

}  // namespace
}  // namespace tamis::tools
