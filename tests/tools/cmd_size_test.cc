#include <string>

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "tamis/formats.h"
#include "tests/tools/in_process.h"

namespace tamis::tools {
namespace {

using Json = nlohmann::json;

TEST(SizeCommand, ShowsOneRowPerKnownFormat) {
  const RunResult run = Tamis({"size", "--keys", "1M"});
  EXPECT_EQ(run.code, kExitOk) << run.err;
  for (const FormatEntry& entry : KnownFormats()) {
    EXPECT_TRUE(Contains(run.out, "\n" + std::string(entry.name) + " "))
        << run.out;
  }
}

TEST(SizeCommand, ThousandKeysAtOnePercentTake9586BitsAnd7Probes) {
  const RunResult run = Tamis(
      {"size", "--keys", "1000", "--fpr", "1%", "--format", "lab", "--json"});
  ASSERT_EQ(run.code, kExitOk) << run.err;
  const Json rows = Json::parse(run.out);
  ASSERT_EQ(rows.size(), 1u);
  EXPECT_EQ(rows[0]["format"], "lab");
  EXPECT_EQ(rows[0]["keys"], 1000);
  EXPECT_EQ(rows[0]["bits"], 9586);
  EXPECT_EQ(rows[0]["probes"], 7);
  EXPECT_NEAR(rows[0]["false_positive_rate"].get<double>(), 0.01, 0.0002);
  // 14 fills of a filter made for 7: (1 - e^(-7 * 2 / 9.586))^7.
  EXPECT_NEAR(rows[0]["false_positive_rate_at_twice_the_keys"].get<double>(),
              0.158, 0.001);
}

TEST(SizeCommand, TenBitsPerKeyGive0819Percent) {
  const RunResult run = Tamis({"size", "--keys", "1_000_000", "--bits-per-key",
                               "10", "--kind", "classic"});
  EXPECT_EQ(run.code, kExitOk) << run.err;
  EXPECT_TRUE(Contains(run.out, "tamis")) << run.out;
  EXPECT_FALSE(Contains(run.out, "leveldb")) << run.out;
  EXPECT_TRUE(Contains(run.out, "10.00  7  0.819 %")) << run.out;
}

TEST(SizeCommand, AFormatThatCannotSaysWhyInItsRow) {
  const std::vector<std::string> all = {"size", "--keys", "1000", "--fpr",
                                        "0.00001"};
  const RunResult every = Tamis(all);
  EXPECT_EQ(every.code, kExitOk);
  EXPECT_TRUE(Contains(every.out, "0.0000671")) << every.out;

  std::vector<std::string> one = all;
  one.insert(one.end(), {"--format", "cassandra"});
  const RunResult alone = Tamis(one);
  EXPECT_EQ(alone.code, kExitError);
  EXPECT_EQ(alone.out, "");
  EXPECT_TRUE(IsOneLineFrom("size", alone.err)) << alone.err;
}

TEST(SizeCommand, HugeNumbersOfKeysStayNumbers) {
  const RunResult run = Tamis({"size", "--keys", "18446744073709551615",
                               "--format", "tamis", "--json"});
  if (run.code == kExitOk) {
    const Json rows = Json::parse(run.out);
    EXPECT_GT(rows[0]["bytes"].get<double>(), 1e18);
    EXPECT_LE(rows[0]["false_positive_rate"].get<double>(), 1.0);
  } else {
    EXPECT_TRUE(IsOneLineFrom("size", run.err));
  }
}

TEST(SizeCommand, RefusesNumbersThatAreNone) {
  const std::vector<std::string> kWrong[] = {
      {"size", "--keys", "0"},
      {"size", "--keys", "many"},
      {"size", "--keys", "10", "--fpr", "2"},
      {"size", "--keys", "10", "--bits-per-key", "-3"},
      {"size", "--keys", "10", "--format", "nonsense"},
      {"size", "--keys", "10", "--format", "tamis:8"},
      {"size", "--keys", "10", "--format", "lab", "--kind", "classic"},
  };
  for (const auto& args : kWrong) {
    const RunResult run = Tamis(args);
    EXPECT_EQ(run.code, kExitError) << testing::PrintToString(args);
    EXPECT_TRUE(IsOneLineFrom("size", run.err)) << run.err;
  }
}

}  // namespace
}  // namespace tamis::tools
