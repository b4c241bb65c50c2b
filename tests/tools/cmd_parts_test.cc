// SPDX-License-Identifier: Apache-2.0
// tamis build --parts and --part, and tamis query of the directory.
#include <filesystem>
#include <string>

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "tests/support/golden.h"
#include "tests/tools/in_process.h"
#include "tests/tools/process.h"

namespace tamis::tools {
namespace {

std::string Numbers(int from, int to) {
  std::string text;
  for (int i = from; i < to; ++i) text += std::to_string(i) + "\n";
  return text;
}

class PartsOfKeys : public ::testing::Test {
 protected:
  RunResult Build(const std::string& folder, const std::string& option,
                  const std::string& value, const std::string& keys) {
    return Tamis({"build", "-o", dir_.File(folder), option, value, "--policy",
                  "ribbon:10"},
                 {.input = keys});
  }
  TempDir dir_;
};

TEST_F(PartsOfKeys, AreOneFilterToAsk) {
  const RunResult built = Build("all", "--parts", "4", Numbers(0, 2000));
  ASSERT_EQ(built.code, kExitOk) << built.err;
  EXPECT_NE(built.err.find("4 parts, 2,000 keys"), std::string::npos)
      << built.err;
  const RunResult found = Tamis({"query", dir_.File("all"), "--only", "no"},
                                {.input = Numbers(0, 2000)});
  EXPECT_EQ(found.out, "");
  EXPECT_EQ(found.code, kExitOk);
  EXPECT_EQ(Tamis({"query", dir_.File("all"), "-k", "absent 1"}).out,
            "no\tabsent 1\n");
}

// What each of many workers makes alone is what one makes of all.
TEST_F(PartsOfKeys, AreTheSameBytesWhoeverMakesThem) {
  ASSERT_EQ(Build("one", "--parts", "3", Numbers(0, 500)).code, kExitOk);
  for (const char* const part : {"2/3", "0/3", "1/3"}) {
    const RunResult run = Build("many", "--part", part, Numbers(0, 500));
    ASSERT_EQ(run.code, kExitOk) << run.err;
  }
  for (const char* const name :
       {"part-00000-of-00003.tamis", "part-00001-of-00003.tamis",
        "part-00002-of-00003.tamis"}) {
    EXPECT_EQ(testing::ReadFile(dir_.File("one") + "/" + name),
              testing::ReadFile(dir_.File("many") + "/" + name));
  }
}

TEST_F(PartsOfKeys, ThatAreMissingAreNamedAndMaybe) {
  ASSERT_EQ(Build("some", "--part", "1/2", Numbers(0, 100)).code, kExitOk);
  const RunResult run = Tamis({"query", dir_.File("some"), "--only", "no"},
                              {.input = Numbers(0, 100)});
  EXPECT_EQ(run.out, "");
  EXPECT_NE(run.err.find("part 0: every key of it is a maybe"),
            std::string::npos)
      << run.err;
}

TEST_F(PartsOfKeys, DoNotMixAndAreNotReplacedUnasked) {
  ASSERT_EQ(Build("f", "--parts", "2", "a\n").code, kExitOk);
  RunResult run = Build("f", "--parts", "3", "a\n");
  EXPECT_EQ(run.code, kExitError);
  EXPECT_NE(run.err.find("it has parts of 2, not of 3"), std::string::npos);
  run = Build("f", "--part", "1/2", "a\n");
  EXPECT_EQ(run.code, kExitError);
  EXPECT_NE(run.err.find("exists"), std::string::npos) << run.err;
}

TEST_F(PartsOfKeys, NeedAKindWithASeedAndNumbersThatMakeSense) {
  for (const char* const part : {"3/3", "x/2", "1", "1/0", "-1/2", "0/16385"}) {
    const RunResult run = Build("f", "--part", part, "a\n");
    EXPECT_EQ(run.code, kExitError) << part;
    EXPECT_NE(run.err.find("--part: "), std::string::npos) << run.err;
  }
  EXPECT_EQ(Build("f", "--parts", "0", "a\n").code, kExitError);
  for (const char* const policy :
       {"leveldb:10", "range:8", "bloom:10,seed=1"}) {
    const RunResult run = Tamis(
        {"build", "-o", dir_.File("f"), "--parts", "2", "--policy", policy},
        {.input = "a\n"});
    EXPECT_EQ(run.code, kExitError) << policy;
    EXPECT_NE(run.err.find("seed"), std::string::npos) << run.err;
  }
  EXPECT_FALSE(std::filesystem::exists(dir_.File("f")));
}

TEST_F(PartsOfKeys, CanBeOfEveryKindThatHashesKeys) {
  for (const char* const policy : {"bloom:10", "splitblock:10", "classic:10",
                                   "ribbon:8", "fuse16", "fpr:0.01"}) {
    const std::string folder = dir_.File(policy);
    const RunResult run =
        Tamis({"build", "-q", "-o", folder, "--parts", "3", "--policy", policy},
              {.input = Numbers(0, 300)});
    ASSERT_EQ(run.code, kExitOk) << policy << ": " << run.err;
    const RunResult asked =
        Tamis({"query", folder, "--only", "no"}, {.input = Numbers(0, 300)});
    EXPECT_EQ(asked.out + asked.err, "") << policy;
  }
}

TEST_F(PartsOfKeys, AreAskedForKeysOnly) {
  ASSERT_EQ(Build("f", "--parts", "2", "a\n").code, kExitOk);
  for (const char* const option : {"--prefix", "--range"}) {
    const RunResult run = Tamis({"query", dir_.File("f"), option, "a", "b"});
    EXPECT_EQ(run.code, kExitError);
    EXPECT_NE(run.err.find("directory of parts"), std::string::npos) << run.err;
  }
}

}  // namespace
}  // namespace tamis::tools
