#include <string>

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "tests/tools/in_process.h"

namespace tamis::tools {
namespace {

class MergeCommand : public testing::Test {
 protected:
  std::string Build(std::string_view name, std::string_view prefix, int keys,
                    const std::string& format = "tamis") {
    const RunResult run = Tamis({"build", "-o", dir_.File(name),
                                 "--bits-per-key", "30", "--format", format},
                                {.input = Lines(prefix, keys)});
    EXPECT_EQ(run.code, kExitOk) << run.err;
    return dir_.File(name);
  }
  // How many of Lines(prefix, 1000) are answered with "maybe".
  std::size_t Maybes(std::string_view name, std::string_view prefix) {
    const RunResult run = Tamis({"query", dir_.File(name), "--only", "maybe"},
                                {.input = Lines(prefix, 1000)});
    return static_cast<std::size_t>(
        std::count(run.out.begin(), run.out.end(), '\n'));
  }
  TempDir dir_;
};

class MergeEveryFormat : public MergeCommand,
                         public testing::WithParamInterface<const char*> {};

TEST_P(MergeEveryFormat, AUnionHoldsTheKeysOfAll) {
  const std::string format = GetParam();
  const std::string a = Build("a." + format, "a", 1000, format);
  const std::string b = Build("b." + format, "b", 1000, format);
  const RunResult run = Tamis({"merge", a, b, "-o", dir_.File("c." + format)});
  ASSERT_EQ(run.code, kExitOk) << run.err;
  EXPECT_EQ(run.out, "");
  EXPECT_TRUE(IsOneLineFrom("merge", run.err)) << run.err;
  EXPECT_TRUE(Contains(run.err, "union of 2 filters")) << run.err;
  EXPECT_TRUE(Contains(run.err, "expected rate")) << run.err;
  EXPECT_EQ(Maybes("c." + format, "a"), 1000u);
  EXPECT_EQ(Maybes("c." + format, "b"), 1000u);
  EXPECT_LT(Maybes("c." + format, "other"), 20u);
}

INSTANTIATE_TEST_SUITE_P(Formats, MergeEveryFormat,
                         testing::Values("tamis", "leveldb", "lab"));

TEST_F(MergeCommand, AnIntersectionHoldsTheCommonKeysAndFewMore) {
  TempDir dir;
  const std::string a = dir_.File("a.tamis");
  const std::string b = dir_.File("b.tamis");
  const std::string common = Lines("common", 1000);
  ASSERT_EQ(
      Tamis({"build", "-o", a}, {.input = common + Lines("a", 1000)}).code,
      kExitOk);
  ASSERT_EQ(
      Tamis({"build", "-o", b}, {.input = common + Lines("b", 1000)}).code,
      kExitOk);
  const RunResult run = Tamis(
      {"merge", a, b, "--intersect", "-o", dir_.File("c.tamis"), "--json"});
  ASSERT_EQ(run.code, kExitOk) << run.err;
  const auto json = nlohmann::json::parse(run.out);
  EXPECT_EQ(json["operation"], "intersection");
  EXPECT_LT(json["false_positive_rate"].get<double>(), 0.01);
  EXPECT_EQ(Maybes("c.tamis", "common"), 1000u);
  EXPECT_LT(Maybes("c.tamis", "a"), 300u);
}

TEST_F(MergeCommand, DifferentParametersOrFormatsAreRefusedWithTheReason) {
  const std::string a = Build("a.tamis", "a", 1000);
  const std::string longer = Build("longer.tamis", "a", 1001);
  const std::string lab = Build("a.lab", "a", 1000, "lab");
  for (const std::string& other : {longer, lab}) {
    const RunResult run = Tamis({"merge", a, other, "-o", dir_.File("c")});
    EXPECT_EQ(run.code, kExitError);
    EXPECT_TRUE(IsOneLineFrom("merge", run.err)) << run.err;
    EXPECT_TRUE(run.err.size() > 40) << run.err;
  }
  EXPECT_EQ(dir_.Count(), 3u);
}

TEST_F(MergeCommand, ARefusalNamesTheTwoFilesAndTheRemedy) {
  const std::string a = Build("a.tamis", "a", 1000);
  const std::string b = Build("b.tamis", "b", 1000);
  const std::string longer = Build("longer.tamis", "a", 1001);
  const RunResult bits = Tamis({"merge", a, b, longer, "-o", dir_.File("c")});
  EXPECT_EQ(bits.err, "tamis merge: " + a + " and " + longer +
                          " differ in the number of bits (30,000 and 30,030); "
                          "build both with the same --plan-keys\n");
  const std::string seeded = dir_.File("seeded.tamis");
  ASSERT_EQ(
      Tamis({"build", "-o", seeded, "--bits-per-key", "30", "--seed", "7"},
            {.input = Lines("a", 1000)})
          .code,
      kExitOk);
  const RunResult seed = Tamis({"merge", a, seeded, "-o", dir_.File("c")});
  EXPECT_EQ(seed.err, "tamis merge: " + a + " and " + seeded +
                          " differ in the seed (0 and 7); build both with the "
                          "same --seed\n");
}

TEST_F(MergeCommand, SaysThatTheResultIsSaturated) {
  const std::string a = Build("a.tamis", "a", 1000);
  const std::string b = Build("b.tamis", "b", 1000);
  const RunResult full = Tamis({"merge", a, b, "-o", dir_.File("c.tamis")});
  EXPECT_TRUE(Contains(full.err, "; saturated")) << full.err;
  const RunResult same = Tamis({"merge", a, a, "-o", dir_.File("d.tamis")});
  EXPECT_EQ(same.code, kExitOk);
  EXPECT_FALSE(Contains(same.err, "saturated")) << same.err;
}

TEST_F(MergeCommand, AnInputIsNeverReplacedInSilence) {
  const std::string a = Build("a.tamis", "a", 1000);
  const std::string b = Build("b.tamis", "b", 1000);
  const std::string before = dir_.Read("a.tamis");
  const RunResult refused = Tamis({"merge", a, b, "-o", a});
  EXPECT_EQ(refused.code, kExitError);
  EXPECT_TRUE(Contains(refused.err, "--force")) << refused.err;
  EXPECT_EQ(dir_.Read("a.tamis"), before);
  const RunResult forced = Tamis({"merge", a, b, "-o", a, "--force"});
  EXPECT_EQ(forced.code, kExitOk);
  EXPECT_TRUE(Contains(forced.err, "the input " + a + " was replaced"))
      << forced.err;
  EXPECT_EQ(Maybes("a.tamis", "b"), 1000u);
}

TEST_F(MergeCommand, ADamagedInputIsRefused) {
  const std::string a = Build("a.tamis", "a", 1000);
  std::string bytes = dir_.Read("a.tamis");
  bytes[100] = static_cast<char>(bytes[100] ^ 1);
  const RunResult run = Tamis(
      {"merge", a, dir_.Write("b.tamis", bytes), "-o", dir_.File("c.tamis")});
  EXPECT_EQ(run.code, kExitError);
  EXPECT_TRUE(Contains(run.err, "b.tamis")) << run.err;
  EXPECT_EQ(dir_.Count(), 2u);
}

}  // namespace
}  // namespace tamis::tools
