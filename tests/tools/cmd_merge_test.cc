// SPDX-License-Identifier: Apache-2.0
#include <string>

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "tests/tools/in_process.h"

namespace tamis::tools {
namespace {

class MergeCommand : public ::testing::Test {
 protected:
  std::string Build(std::string_view name, std::string_view prefix, int keys,
                    const std::string& format = "tamis") {
    const RunResult run =
        Tamis({"build", "-o", dir_.File(name), "--bits-per-key", "30",
               "--format", format == "parquet-bloom" ? "parquet" : format},
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
                         public ::testing::WithParamInterface<const char*> {};

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
                         ::testing::Values("tamis", "leveldb", "rocksdb",
                                           "rocksdb-legacy", "parquet-bloom",
                                           "lab"));

TEST_F(MergeCommand, EveryKindOfTheTamisFormatMergesButNotTwoOfThem) {
  const auto build = [&](const std::string& kind, const std::string& prefix) {
    const std::string name = kind + "-" + prefix + ".tamis";
    const RunResult run = Tamis({"build", "-o", dir_.File(name), "--kind", kind,
                                 "--plan-keys", "2048", "--bits-per-key", "16"},
                                {.input = Lines(prefix, 1000)});
    EXPECT_EQ(run.code, kExitOk) << run.err;
    return dir_.File(name);
  };
  for (const std::string kind : {"bloom", "splitblock", "classic"}) {
    const RunResult run = Tamis({"merge", build(kind, "a"), build(kind, "b"),
                                 "-o", dir_.File(kind + ".tamis")});
    ASSERT_EQ(run.code, kExitOk) << run.err;
    EXPECT_EQ(Maybes(kind + ".tamis", "a"), 1000u);
    EXPECT_EQ(Maybes(kind + ".tamis", "b"), 1000u);
    EXPECT_LT(Maybes(kind + ".tamis", "other"), 20u);
  }
  const RunResult mixed =
      Tamis({"merge", dir_.File("bloom-a.tamis"), dir_.File("classic-a.tamis"),
             "-o", dir_.File("mixed.tamis")});
  EXPECT_EQ(mixed.code, kExitError);
  EXPECT_TRUE(Contains(mixed.err,
                       " differ in their kind (bloom, xxh3 and "
                       "classic, xxh3)\n"))
      << mixed.err;
}

TEST_F(MergeCommand, ARibbonIsRefusedByName) {
  const std::string a = Build("a.rocksdb-ribbon", "a", 1000, "rocksdb-ribbon");
  const std::string b = Build("b.rocksdb", "b", 1000, "rocksdb");
  for (const std::string& other : {a, b}) {
    const RunResult run = Tamis({"merge", other, a, "-o", dir_.File("c")});
    EXPECT_EQ(run.code, kExitError);
    EXPECT_EQ(run.err, "tamis merge: " + a +
                           ": is a Ribbon filter, which cannot be merged; "
                           "build one filter from all the keys\n");
  }
  EXPECT_EQ(dir_.Count(), 2u);
}

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
  const std::string longer = Build("longer.tamis", "a", 1100);
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
  const std::string longer = Build("longer.tamis", "a", 1100);
  const RunResult bits = Tamis({"merge", a, b, longer, "-o", dir_.File("c")});
  EXPECT_EQ(bits.err, "tamis merge: " + a + " and " + longer +
                          " differ in the number of bits (30,208 and 33,280); "
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
