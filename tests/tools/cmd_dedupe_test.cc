// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <string>

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "tests/support/failing_new.h"
#include "tests/tools/in_process.h"

namespace tamis::tools {
namespace {

std::size_t CountLines(const std::string& text) {
  return static_cast<std::size_t>(std::count(text.begin(), text.end(), '\n'));
}

TEST(DedupeCommand, PassesEachLineOnceInTheOrderOfFirstSighting) {
  const RunResult run = Tamis({"dedupe"}, {.input = "b\na\nb\n\na\nc\n\nb"});
  EXPECT_EQ(run.code, kExitOk);
  EXPECT_EQ(run.out, "b\na\n\nc\n");
  EXPECT_EQ(run.err,
            "tamis dedupe: 8 lines in, 4 out, 4 dropped; fewer than 1 of them "
            "expected to be new (planned: 1,000,000 lines at rate 0.1 %)\n");
}

TEST(DedupeCommand, SaysNothingOfLossesWhereNothingWasDropped) {
  EXPECT_EQ(Tamis({"dedupe"}, {.input = "a\nb\n"}).err,
            "tamis dedupe: 2 lines in, 2 out, 0 dropped (planned: 1,000,000 "
            "lines at rate 0.1 %)\n");
}

TEST(DedupeCommand, RemembersAcrossFiles) {
  TempDir dir;
  const std::string a = dir.Write("a", "x\ny\n");
  const std::string b = dir.Write("b", "y\nz");
  EXPECT_EQ(Tamis({"dedupe", a, b, "--quiet"}).out, "x\ny\nz\n");
  EXPECT_EQ(Tamis({"dedupe", a, b, "--quiet"}).err, "");
  EXPECT_EQ(Tamis({"dedupe", a, "-", "-q"}, {.input = "x\nw\n"}).out,
            "x\ny\nw\n");
}

TEST(DedupeCommand, NulEndsLinesInAndOut) {
  EXPECT_EQ(Tamis({"dedupe", "-0"}, {.input = {"a\nb\0a\nb\0c", 9}}).out,
            std::string("a\nb\0c\0", 6));
}

TEST(DedupeCommand, LosesNewLinesAtTheRateItSaysAndNeverRepeatsOne) {
  const std::string lines = Lines("line", 100'000);
  const RunResult run =
      Tamis({"dedupe", "--keys", "100k", "--fpr", "5%", "--json"},
            {.input = lines + lines});
  ASSERT_EQ(run.code, kExitOk);
  const auto json = nlohmann::json::parse(run.err);
  EXPECT_EQ(json["lines_in"], 200'000);
  const auto out = json["lines_out"].get<double>();
  EXPECT_EQ(out, static_cast<double>(CountLines(run.out)));
  EXPECT_LE(out, 100'000);
  const double lost = 100'000 - out;
  const auto expected = json["expected_lost_lines"].get<double>();
  EXPECT_GT(expected, 200);
  EXPECT_NEAR(lost, expected, 0.25 * expected);
}

TEST(DedupeCommand, SaysOnceThatThePlanWasExceededAndHowFarTheRateClimbed) {
  const RunResult run = Tamis({"dedupe", "--keys", "1000", "--fpr", "1%"},
                              {.input = Lines("line", 60'000)});
  EXPECT_EQ(run.code, kExitOk);
  const std::string warning = "more distinct lines than --keys 1000";
  ASSERT_TRUE(Contains(run.err, warning)) << run.err;
  EXPECT_EQ(run.err.find(warning), run.err.rfind(warning));
  EXPECT_TRUE(Contains(run.err, "the rate climbed to ")) << run.err;
  EXPECT_TRUE(Contains(run.err, "(planned: 1,000 lines at rate 0.87 %)"))
      << run.err;
}

TEST(DedupeCommand, StatsTellAboutTheFilter) {
  const RunResult run =
      Tamis({"dedupe", "--stats", "--keys", "1000"}, {.input = "a\n"});
  EXPECT_TRUE(Contains(run.err, "filter: 2.00 KiB, ")) << run.err;
  EXPECT_TRUE(Contains(run.err, "k 9, 0.0567 % of the bits set")) << run.err;
}

TEST(DedupeCommand, TooLittleMemorySaysHowMuchAndWhatToDo) {
  testing::AllowAllocations(-1);
  const RunResult run = Tamis({"dedupe", "--keys", "1e14"});
  EXPECT_EQ(run.code, kExitError);
  EXPECT_TRUE(Contains(run.err, "TiB (194,3")) << run.err;
  EXPECT_TRUE(Contains(run.err, "smaller --keys or a larger --fpr"));
}

TEST(DedupeCommand, WrongUseIsCode2) {
  const std::vector<std::string> kWrong[] = {
      {"dedupe", "--keys", "0"},
      {"dedupe", "--keys", "x"},
      {"dedupe", "--fpr", "0"},
      {"dedupe", "/nonexistent/file"},
      {"dedupe", "--keys", "18446744073709551615"},
      {"dedupe", "--keys", "1e14"},  // 194 TB
      {"dedupe", "--quiet", "--stats"},
      {"dedupe", "--fpr", ""},
      {"dedupe", ""},
  };
  for (const auto& args : kWrong) {
    const RunResult run = Tamis(args, {.input = "a\n"});
    EXPECT_EQ(run.code, kExitError) << ::testing::PrintToString(args);
    EXPECT_TRUE(IsOneLineFrom("dedupe", run.err)) << run.err;
  }
}

TEST(DedupeCommand, EscapesControlCharactersOnATerminalOnly) {
  const std::string line = "\x1b[31mred\tcar\n";
  EXPECT_EQ(Tamis({"dedupe", "-q"}, {.input = line}).out, line);
  EXPECT_EQ(Tamis({"dedupe", "-q"}, {.input = line, .terminal = true}).out,
            "\\x1b[31mred\tcar\n");
}

}  // namespace
}  // namespace tamis::tools
