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
  auto reader = (*policy)->Open(bytes);
  ASSERT_TRUE(reader.ok()) << reader.status().message();
  int strangers = 0;
  for (int i = 0; i < count; ++i) {
    ASSERT_TRUE((*reader)->MayContain("key" + std::to_string(i))) << i;
    strangers += (*reader)->MayContain("other" + std::to_string(i)) ? 1 : 0;
  }
  EXPECT_LT(strangers, count / 20);
}

class BuildEveryFormat : public testing::TestWithParam<const char*> {};

TEST_P(BuildEveryFormat, KeysOfAFileAllAnswerMaybe) {
  TempDir dir;
  const std::string keys = dir.Write("keys", Lines("key", 1000));
  const RunResult run =
      Tamis({"build", keys, "-o", dir.File("filter"), "--format", GetParam()});
  EXPECT_EQ(run.code, kExitOk);
  EXPECT_EQ(run.out, "");
  EXPECT_TRUE(IsOneLineFrom("build", run.err)) << run.err;
  EXPECT_TRUE(run.err.starts_with("tamis build: 1,000 keys, 1.")) << run.err;
  EXPECT_TRUE(Contains(run.err, "10.0")) << run.err;
  ExpectKeys(GetParam(), dir.Read("filter"), 1000);
  EXPECT_EQ(dir.Count(), 2u);  // no temporary file stays
}

INSTANTIATE_TEST_SUITE_P(Formats, BuildEveryFormat,
                         testing::Values("tamis", "leveldb", "cassandra",
                                         "cassandra:ka", "lab", "md5"));

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
  auto reader = (*policy)->Open(bytes);
  ASSERT_TRUE(reader.ok());
  const FilterInfo info = (*reader)->Describe();
  EXPECT_EQ(info.seed, 16u);
  EXPECT_EQ(info.probes, 10u);
  EXPECT_NEAR(static_cast<double>(info.bits), 14378, 1);
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

class BuildToPlan : public testing::TestWithParam<const char*> {};

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
                         testing::Values("tamis", "leveldb", "cassandra",
                                         "cassandra:ka", "lab", "md5"));

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
  EXPECT_TRUE(Contains(run.err, "5.00 bits per key")) << run.err;
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
            "key; use --sizing textbook for more\n");
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
      {"build", "-o", "-", "--plan-keys", "1e19"},
      {"build", "-o", "-", "--fpr", ""},
      {"build", "-o", "-", "--fpr="},
      {"build", "-o", dir.File("f"), "--format", "cassandra:zz"},
      {"build", "-o", dir.File("f"), "--format", "lab", "--seed", "1"},
      {"build", "-o", dir.File("f"), "--format", "lab", "--sizing", "textbook"},
  };
  for (const auto& args : kWrong) {
    const RunResult run = Tamis(args);
    EXPECT_EQ(run.code, kExitError) << testing::PrintToString(args);
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

}  // namespace
}  // namespace tamis::tools
