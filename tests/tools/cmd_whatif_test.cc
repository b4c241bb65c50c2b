// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <string>
#include <vector>

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "tests/tools/doctor_store.h"

namespace tamis::tools {
namespace {

class WhatIfCommand : public DoctorStore {
 protected:
  // The line about all filters of that kind.
  static nlohmann::json TotalOf(const std::vector<nlohmann::json>& lines,
                                const std::string& kind) {
    for (const nlohmann::json& line : lines) {
      if (line.at("type") == "whatif" && line.at("kind") == kind) return line;
    }
    ADD_FAILURE() << "no line about " << kind;
    return {};
  }
};

TEST_F(WhatIfCommand, ThePresentIsWhatScanShows) {
  const auto scanned = LinesOf({"scan", store_});
  const auto total =
      TotalOf(LinesOf({"whatif", store_, "--bits", "10"}), "bloom");
  EXPECT_EQ(total.at("now_bytes"), scanned[0].at("filter").at("bytes"));
  EXPECT_EQ(total.at("now_needless_reads"), scanned[1].at("needless_reads"));
}

TEST_F(WhatIfCommand, WhatIsPredictedIsThenBuilt) {
  for (const std::string spec : {"bloom:16", "ribbon:6"}) {
    const std::string kind = spec.substr(0, spec.find(':'));
    const auto predicted = TotalOf(
        LinesOf({"whatif", store_, "--bits", spec.substr(kind.size() + 1)}),
        kind);
    Compact(spec);
    const auto built = LinesOf({"scan", store_});
    EXPECT_NEAR(predicted.at("bytes").get<double>() /
                    built[0].at("filter").at("bytes").get<double>(),
                1, 0.01)
        << spec;
    EXPECT_NEAR(predicted.at("needless_reads").get<double>() /
                    built[1].at("needless_reads").get<double>(),
                1, 0.2)
        << spec;
  }
}

TEST_F(WhatIfCommand, ShowsEveryKindByLevelAndSeveralRatesWithoutASize) {
  const RunResult one = Tamis({"whatif", store_, "--fpr", "0.1%"});
  EXPECT_EQ(one.code, 0) << one.err;
  EXPECT_TRUE(Contains(one.out, "level 1 ")) << one.out;
  EXPECT_TRUE(Contains(one.out, "ribbon at 0.1 %: ")) << one.out;
  EXPECT_TRUE(Contains(one.out, "LevelDB ignores them")) << one.out;
  const RunResult only =
      Tamis({"whatif", store_, "--fpr", "0.1%", "--kind", "classic"});
  EXPECT_FALSE(Contains(only.out, "ribbon")) << only.out;
  const RunResult all = Tamis({"whatif", store_});
  EXPECT_EQ(std::count(all.out.begin(), all.out.end(), '\n'), 9) << all.out;
  EXPECT_TRUE(Contains(all.out, "\n0.01 % ")) << all.out;
  const RunResult csv = Tamis({"whatif", store_, "--fpr", "1%", "--csv"});
  EXPECT_EQ(std::count(csv.out.begin(), csv.out.end(), '\n'), 4) << csv.out;
}

TEST_F(WhatIfCommand, MemoryIsNotExceededAndComparedWithEqualBits) {
  const auto lines = LinesOf({"whatif", store_, "--memory", "2000"});
  for (const char* const kind : {"bloom", "ribbon", "classic"}) {
    const auto total = TotalOf(lines, kind);
    EXPECT_LE(total.at("bytes"), 2000);
    EXPECT_GT(total.at("bytes"), 1000);
    EXPECT_LE(total.at("needless_reads"), total.at("equal_needless_reads"));
  }
}

TEST_F(WhatIfCommand, WhatIsUnmeasuredIsNamedAndCountedOnRequest) {
  Compact("none");
  const RunResult unmeasured = Tamis({"whatif", store_, "--fpr", "1%"});
  EXPECT_EQ(unmeasured.code, 1);  // as scan: a filter is missing
  EXPECT_TRUE(Contains(unmeasured.out, "unmeasured, and counted as it is"))
      << unmeasured.out;
  const auto total =
      TotalOf(LinesOf({"whatif", store_, "--fpr", "1%", "--count"}), "bloom");
  EXPECT_EQ(total.at("now_needless_reads"), 1);
  EXPECT_NEAR(total.at("needless_reads"), 0.01, 0.001);
  EXPECT_NEAR(total.at("bytes"), 2000 * 9.9 / 8, 100);
}

TEST_F(WhatIfCommand, OnlyThoseOfAVerdictChange) {
  const auto none =
      TotalOf(LinesOf({"whatif", store_, "--bits", "20", "--only", "missing"}),
              "bloom");
  EXPECT_EQ(none.at("bytes"), none.at("now_bytes"));
}

TEST_F(WhatIfCommand, WrongUseAndDamageHaveTheirExitCodes) {
  for (const std::vector<std::string>& more :
       {std::vector<std::string>{"--fpr", "2"},
        {"--bits", "x"},
        {"--kind", "cuckoo"},
        {"--fpr", "1%", "--bits", "10"}}) {
    std::vector<std::string> args = {"whatif", store_};
    args.insert(args.end(), more.begin(), more.end());
    const RunResult run = Tamis(args);
    EXPECT_EQ(run.code, kExitError) << more.front();
    EXPECT_TRUE(IsOneLineFrom("whatif", run.err)) << run.err;
  }
  EXPECT_EQ(Tamis({"whatif", dir_.File("missing")}).code, 3);
  dir_.Write("store/000099.sst", "no table");
  const RunResult run = Tamis({"whatif", store_, "--bits", "12"});
  EXPECT_EQ(run.code, 3);
  EXPECT_TRUE(Contains(run.out, "level 1 ")) << run.out;
}

// Whatever byte is damaged, every command has a line and an exit code for it.
TEST_F(WhatIfCommand, DamageAnywhereNeverEndsACommand) {
  const std::string path = TablePath();
  const std::string name = path.substr(dir_.path().size() + 1);
  const std::string table = dir_.Read(name);
  const std::string out = dir_.File("filters.prom");
  for (std::size_t i = 0; i < table.size(); i += table.size() / 60) {
    SCOPED_TRACE(i);
    std::string damaged = table;
    damaged[i] = static_cast<char>(damaged[i] ^ 0x55);
    dir_.Write(name, damaged);
    for (const std::vector<std::string>& args :
         {std::vector<std::string>{"scan", store_},
          {"whatif", store_, "--bits", "12", "--count"},
          {"probe", store_, "user10000", "user11999", "user10500x"},
          {"watch", store_, "--prom", out}}) {
      const int code = Tamis(args).code;
      EXPECT_TRUE(code == 0 || code == 1 || code == 3) << args[0] << code;
    }
    // Data blocks come first.
    if (i < table.size() / 2) {
      EXPECT_EQ(Tamis({"verify", store_}).code, 3);
    }
  }
}

}  // namespace
}  // namespace tamis::tools
