// SPDX-License-Identifier: Apache-2.0
#include <string>
#include <vector>

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "tests/tools/in_process.h"

namespace tamis::tools {
namespace {

// 100 keys in a filter for 3,277 keys at 10 bits: 64 lines.
std::string BuildLarge(const TempDir& dir, const std::string& kind) {
  const RunResult run = Tamis({"build", "-o", dir.File("large.tamis"), "--kind",
                               kind, "--plan-keys", "3276", "--force"},
                              {.input = Lines("key", 100)});
  EXPECT_EQ(run.code, kExitOk) << run.err;
  return dir.File("large.tamis");
}

class FoldEveryKind : public ::testing::TestWithParam<const char*> {};

TEST_P(FoldEveryKind, KeepsTheKeysInHalfTheSize) {
  TempDir dir;
  const std::string large = BuildLarge(dir, GetParam());
  const RunResult run =
      Tamis({"fold", large, "-o", dir.File("small.tamis"), "--divisor", "2"});
  EXPECT_EQ(run.code, kExitOk) << run.err;
  EXPECT_TRUE(IsOneLineFrom("fold", run.err)) << run.err;
  EXPECT_TRUE(run.err.starts_with("tamis fold: divided by 2: ")) << run.err;
  EXPECT_LE(dir.Read("small.tamis").size(),
            dir.Read("large.tamis").size() / 2 + 64);
  EXPECT_EQ(Tamis({"query", dir.File("small.tamis"), "--only", "no"},
                  {.input = Lines("key", 100)})
                .out,
            "");
}

INSTANTIATE_TEST_SUITE_P(Kinds, FoldEveryKind,
                         ::testing::Values("bloom", "splitblock", "classic"));

// 100,003 keys at 10 bits are 1,954 lines, twice a prime.
TEST(FoldCommand, WhatWasPlannedCanBeHalvedAgainAndAgain) {
  for (const std::string kind : {"bloom", "splitblock", "classic"}) {
    TempDir dir;
    const RunResult built =
        Tamis({"build", "-o", dir.File("0"), "--kind", kind, "--plan-keys",
               "100003", "--bits-per-key", "10"},
              {.input = Lines("key", 100)});
    ASSERT_EQ(built.code, kExitOk) << built.err;
    EXPECT_LT(dir.Read("0").size(), 1.01 * 100'003 * 10 / 8);
    for (int i = 0; i < 4; ++i) {
      const RunResult run =
          Tamis({"fold", dir.File(std::to_string(i)), "-o",
                 dir.File(std::to_string(i + 1)), "--divisor", "2"});
      EXPECT_EQ(run.code, kExitOk) << run.err;
    }
    EXPECT_EQ(Tamis({"query", dir.File("4"), "--only", "no"},
                    {.input = Lines("key", 100)})
                  .out,
              "");
  }
}

TEST(FoldCommand, ByRateItFoldsAsFarAsTheRateAllows) {
  TempDir dir;
  const std::string large = BuildLarge(dir, "bloom");
  const RunResult run = Tamis(
      {"fold", large, "-o", dir.File("small.tamis"), "--fpr", "1%", "--json"});
  EXPECT_EQ(run.code, kExitOk) << run.err;
  const auto json = nlohmann::json::parse(run.out);
  EXPECT_GE(json["divisor"], 8);
  EXPECT_LE(json["false_positive_rate"], 0.01);
  EXPECT_LT(json["false_positive_rate_before"], json["false_positive_rate"]);
  EXPECT_EQ(json["bytes"], dir.Read("small.tamis").size());
  EXPECT_EQ(json["bytes_before"], dir.Read("large.tamis").size());
}

TEST(FoldCommand, ARateThatAnyFoldExceedsIsANo) {
  TempDir dir;
  const std::string large = BuildLarge(dir, "bloom");
  const RunResult run =
      Tamis({"fold", large, "-o", dir.File("x"), "--fpr", "1e-12"});
  EXPECT_EQ(run.code, kExitNegative) << run.err;
  EXPECT_TRUE(Contains(run.err,
                       "any fold would exceed 1e-12; nothing was "
                       "written"))
      << run.err;
  EXPECT_EQ(dir.Count(), 1u);
}

TEST(FoldCommand, NamesDivisorsThatCanBe) {
  TempDir dir;
  const std::string large = BuildLarge(dir, "bloom");
  const RunResult run =
      Tamis({"fold", large, "-o", dir.File("x"), "--divisor", "3"});
  EXPECT_EQ(run.code, kExitError);
  EXPECT_TRUE(Contains(run.err, "1, 2, 4, 8")) << run.err;
  EXPECT_EQ(dir.Count(), 1u);
}

TEST(FoldCommand, WrongUseIsCode2) {
  TempDir dir;
  const std::string large = BuildLarge(dir, "bloom");
  ASSERT_EQ(Tamis({"build", "-o", dir.File("r"), "--kind", "ribbon"},
                  {.input = "a\n"})
                .code,
            kExitOk);
  const std::vector<std::string> kWrong[] = {
      {"fold", large, "-o", dir.File("x")},
      {"fold", large, "--divisor", "2"},
      {"fold", large, "-o", dir.File("x"), "--divisor", "0"},
      {"fold", large, "-o", dir.File("x"), "--divisor", "2", "--fpr", "1%"},
      {"fold", large, "-o", dir.File("x"), "--fpr", "2"},
      {"fold", large, "-o", large, "--divisor", "2"},
      {"fold", large, "-o", "-", "--divisor", "2", "--json"},
      {"fold", dir.File("r"), "-o", dir.File("x"), "--divisor", "2"},
      {"fold", dir.File("r"), "-o", dir.File("x"), "--fpr", "50%"},
      {"fold", dir.File("no"), "-o", dir.File("x"), "--divisor", "2"},
  };
  for (const auto& args : kWrong) {
    const RunResult run = Tamis(args);
    EXPECT_EQ(run.code, kExitError) << ::testing::PrintToString(args);
    EXPECT_TRUE(IsOneLineFrom("fold", run.err)) << run.err;
  }
  EXPECT_EQ(dir.Count(), 2u);
}

}  // namespace
}  // namespace tamis::tools
