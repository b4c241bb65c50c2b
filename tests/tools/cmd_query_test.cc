#include <string>

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "tests/tools/in_process.h"

namespace tamis::tools {
namespace {

// With 50 bits per key no stranger below is a false positive.
class QueryCommand : public testing::Test {
 protected:
  std::string Build(std::string_view name, std::string_view keys,
                    const std::string& format = "tamis") {
    const RunResult run =
        Tamis({"build", "-o", dir_.File(name), "--format", format,
               "--bits-per-key", format.starts_with("cassandra") ? "20" : "50"},
              {.input = keys});
    EXPECT_EQ(run.code, kExitOk) << run.err;
    return dir_.File(name);
  }
  TempDir dir_;
};

TEST_F(QueryCommand, AnswersEachKeyInOrder) {
  const std::string file = Build("f.tamis", "apple\npear\n\n");
  const RunResult run =
      Tamis({"query", file}, {.input = "pear\nplum\n\napple"});
  EXPECT_EQ(run.code, kExitOk);
  EXPECT_EQ(run.out, "maybe\tpear\nno\tplum\nmaybe\t\nmaybe\tapple\n");
  EXPECT_EQ(run.err, "");
}

TEST_F(QueryCommand, NoMaybeAtAllIsCode1) {
  const std::string file = Build("f.tamis", "apple\n");
  EXPECT_EQ(Tamis({"query", file, "-k", "plum"}).code, kExitNegative);
  EXPECT_EQ(Tamis({"query", file, "-k", "plum", "-k", "apple"}).code, kExitOk);
  EXPECT_EQ(Tamis({"query", file}).code, kExitNegative);  // no keys at all
  // What is printed does not change the code.
  EXPECT_EQ(Tamis({"query", file, "-k", "apple", "--only", "no"}).code,
            kExitOk);
}

TEST_F(QueryCommand, KeysComeFromTheLineAFileOrBoth) {
  const std::string file = Build("f.tamis", "apple\n");
  const std::string keys = dir_.Write("keys", "plum\n");
  EXPECT_EQ(Tamis({"query", file, keys}).out, "no\tplum\n");
  EXPECT_EQ(Tamis({"query", file, "-k", "apple"}, {.input = "x\n"}).out,
            "maybe\tapple\n");
  EXPECT_EQ(Tamis({"query", file, keys, "-k", "apple"}).out,
            "maybe\tapple\nno\tplum\n");
  EXPECT_EQ(Tamis({"query", file, "-k", "[a,b]", "--key", "-x"}).out,
            "no\t[a,b]\nno\t-x\n");
}

TEST_F(QueryCommand, OnlyFiltersTheAnswers) {
  const std::string file = Build("f.tamis", "a\nb\n");
  const std::string input = "a\nx\nb\ny\n";
  EXPECT_EQ(Tamis({"query", file, "--only", "maybe"}, {.input = input}).out,
            "maybe\ta\nmaybe\tb\n");
  EXPECT_EQ(Tamis({"query", file, "--only", "no"}, {.input = input}).out,
            "no\tx\nno\ty\n");
}

TEST_F(QueryCommand, HexIsEchoedAsGivenAndNulEndsTheAnswers) {
  const std::string file = Build("f.tamis", "jk\n");
  EXPECT_EQ(Tamis({"query", file, "--hex"}, {.input = "6A6b\n"}).out,
            "maybe\t6A6b\n");
  EXPECT_EQ(Tamis({"query", file, "--hex", "-k", "6a6B"}).out, "maybe\t6a6B\n");
  EXPECT_EQ(Tamis({"query", file, "--hex", "-k", "6"}).code, kExitError);
  EXPECT_EQ(Tamis({"query", file, "-0"}, {.input = {"jk\0j\n\0", 6}}).out,
            std::string("maybe\tjk\0no\tj\n\0", 15));
}

TEST_F(QueryCommand, JsonGivesBytesThatAreNoTextInHex) {
  const std::string file = Build("f.tamis", "\xff\n\"q\"\n");
  const RunResult run =
      Tamis({"query", file, "--json"}, {.input = "\xff\n\"q\"\nno\n"});
  EXPECT_EQ(run.out,
            "{\"key_hex\":\"ff\",\"answer\":\"maybe\"}\n"
            "{\"key\":\"\\\"q\\\"\",\"answer\":\"maybe\"}\n"
            "{\"key\":\"no\",\"answer\":\"no\"}\n");
}

TEST_F(QueryCommand, ManyKeysAcrossManyBatchesNeverLoseOne) {
  const std::string keys = Lines("key", 100'000);
  const std::string file = Build("f.tamis", keys);
  const RunResult run = Tamis({"query", file, "--only", "no"}, {.input = keys});
  EXPECT_EQ(run.code, kExitOk);
  EXPECT_EQ(run.out, "");
}

TEST_F(QueryCommand, AGuessIsRefusedWithThePossibleFormats) {
  const std::string file = Build("plain", "apple\n", "cassandra:ka");
  const RunResult refused = Tamis({"query", file, "-k", "apple"});
  EXPECT_EQ(refused.code, kExitError);
  EXPECT_EQ(refused.out, "");
  EXPECT_TRUE(IsOneLineFrom("query", refused.err)) << refused.err;
  EXPECT_TRUE(Contains(refused.err, "--format")) << refused.err;
  EXPECT_TRUE(Contains(refused.err, "cassandra:ka")) << refused.err;
  EXPECT_EQ(
      Tamis({"query", file, "--format", "cassandra:ka", "-k", "apple"}).out,
      "maybe\tapple\n");
}

TEST_F(QueryCommand, ADamagedFileIsAnErrorAndNeverANo) {
  Build("f.tamis", Lines("key", 100));
  std::string bytes = dir_.Read("f.tamis");
  bytes.back() = static_cast<char>(bytes.back() ^ 0x40);
  const RunResult flipped =
      Tamis({"query", dir_.Write("g.tamis", bytes), "-k", "key1"});
  EXPECT_EQ(flipped.code, kExitError);
  EXPECT_EQ(flipped.out, "");
  const RunResult cut = Tamis(
      {"query", dir_.Write("h.tamis", bytes.substr(0, 70)), "-k", "key1"});
  EXPECT_EQ(cut.code, kExitError);
  EXPECT_EQ(cut.out, "");
}

TEST_F(QueryCommand, ABadKeyComesAfterTheAnswersBeforeIt) {
  const std::string file = Build("f.tamis", "a\n");
  const RunResult run = Tamis({"query", file, "--hex"}, {.input = "61\nx\n"});
  EXPECT_EQ(run.code, kExitError);
  EXPECT_EQ(run.out, "maybe\t61\n");
  EXPECT_TRUE(Contains(run.err, "line 2")) << run.err;
}

TEST_F(QueryCommand, ColoursTheAnswerOnATerminal) {
  const std::string file = Build("f.tamis", "a\n");
  EXPECT_EQ(Tamis({"query", file, "-k", "a"}, {.colour = true}).out,
            "\x1b[1mmaybe\x1b[0m\ta\n");
}

}  // namespace
}  // namespace tamis::tools
