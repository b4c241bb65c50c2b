// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <sstream>
#include <string>

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "tests/tools/in_process.h"
#include "tests/tools/process.h"

namespace tamis::tools {
namespace {

// With 50 bits per key no absent key below is a false positive.
class QueryCommand : public ::testing::Test {
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

TEST_F(QueryCommand, AnswersRangesOfTheLineOrOfStandardInput) {
  const std::string file = dir_.File("r.tamis");
  ASSERT_EQ(Tamis({"build", "-o", file, "--policy", "range:20"},
                  {.input = "user:70\nuser:10\nuser:25\n"})
                .code,
            kExitOk);
  RunResult run = Tamis({"query", file, "--range", "user:3", "user:5"});
  EXPECT_EQ(run.out, "no\tuser:3\tuser:5\n");
  EXPECT_EQ(run.code, kExitNegative);
  EXPECT_EQ(run.err, "");
  run = Tamis({"query", file, "--range", "-"},
              {.input = "user:1\tuser:2\nuser:8\tuser:9\n"});
  EXPECT_EQ(run.out, "maybe\tuser:1\tuser:2\nno\tuser:8\tuser:9\n");
  EXPECT_EQ(run.code, kExitOk);
  run = Tamis({"query", file, "--range", "--hex", "--json", "61", "62"});
  EXPECT_EQ(run.out,
            "{\"lo_hex\":\"61\",\"hi_hex\":\"62\",\"answer\":\"no\"}\n");
}

TEST_F(QueryCommand, RangesNeedTwoEndsAndAFilterOfRanges) {
  const std::string file = Build("f.tamis", "apple\n");
  const RunResult bloom = Tamis({"query", file, "--range", "x", "y"});
  EXPECT_EQ(bloom.out, "maybe\tx\ty\n");
  EXPECT_NE(bloom.err.find("every range is a maybe"), std::string::npos);
  EXPECT_EQ(Tamis({"query", file, "--range"}).code, kExitError);
  EXPECT_EQ(Tamis({"query", file, "--range", "a", "b", "c"}).code, kExitError);
  const RunResult line =
      Tamis({"query", file, "--range", "-"}, {.input = "no tab\n"});
  EXPECT_EQ(line.code, kExitError);
  EXPECT_NE(line.err.find("a tab between its ends"), std::string::npos);
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

TEST_F(QueryCommand, TheEmptyKeyCanBeAskedAbout) {
  const std::string with = Build("with.tamis", "a\n\n");
  const std::string without = Build("without.tamis", "a\n");
  for (const std::vector<std::string>& key :
       {std::vector<std::string>{"--key="}, {"--key", ""}, {"-k", ""}}) {
    std::vector<std::string> args = {"query", with};
    args.insert(args.end(), key.begin(), key.end());
    EXPECT_EQ(Tamis(args).out, "maybe\t\n");
    args[1] = without;
    EXPECT_EQ(Tamis(args).out, "no\t\n");
  }
}

TEST_F(QueryCommand, AFilterMayComeFromStandardInput) {
  Build("f.tamis", "apple\n");
  const std::string bytes = dir_.Read("f.tamis");
  EXPECT_EQ(Tamis({"query", "-", "-k", "apple"}, {.input = bytes}).out,
            "maybe\tapple\n");
  const std::string keys = dir_.Write("keys", "plum\n");
  EXPECT_EQ(Tamis({"query", "-", keys}, {.input = bytes}).out, "no\tplum\n");
  for (const std::vector<std::string>& args :
       {std::vector<std::string>{"query", "-"}, {"query", "-", "-"}}) {
    const RunResult run = Tamis(args, {.input = bytes});
    EXPECT_EQ(run.code, kExitError);
    EXPECT_TRUE(Contains(run.err, "cannot both")) << run.err;
  }
  const RunResult text = Tamis({"query", "-", "-k", "a"},
                               {.input = "a text that is long enough\n"});
  EXPECT_EQ(text.code, kExitError);
  EXPECT_TRUE(text.err.starts_with("tamis query: standard input: is text"))
      << text.err;
}

// Each of these would deny keys that it holds.
TEST_F(QueryCommand, BytesThatAreCertainlyOfAnotherFormatAreRefused) {
  const std::string file = Build("f.tamis", "apple\n");
  const RunResult other =
      Tamis({"query", file, "--format", "leveldb", "-k", "apple"});
  EXPECT_EQ(other.code, kExitError);
  EXPECT_EQ(other.out, "");
  EXPECT_TRUE(Contains(other.err, "is tamis by its magic number, not leveldb"))
      << other.err;
  const RunResult block = Tamis(
      {"query", TAMIS_SOURCE_DIR "/tests/golden/leveldb/l10-ascii.filterblock",
       "--format", "leveldb", "-k", "apple"});
  EXPECT_EQ(block.code, kExitError);
  EXPECT_EQ(block.out, "");
  EXPECT_TRUE(Contains(block.err,
                       "is the filter block of a LevelDB table, not a bare "
                       "filter; use 'tamis db' on the directory"))
      << block.err;
}

TEST_F(QueryCommand, AFormatNobodyKnowsIsRefusedInTheSameWordsEverywhere) {
  const std::string file = Build("f.tamis", "apple\n");
  const std::string expected =
      ": unknown format 'nope'; known: tamis, leveldb, rocksdb, "
      "rocksdb-legacy, rocksdb-ribbon, cassandra, parquet, lab, md5\n";
  const std::vector<std::string> kCommands[] = {
      {"query", file, "-k", "a"},
      {"inspect", file},
      {"merge", file, file, "-o", dir_.File("c")},
      {"build", "-o", dir_.File("c")},
      {"size", "--keys", "1"},
  };
  for (std::vector<std::string> args : kCommands) {
    const std::string command = args[0];
    args.insert(args.end(), {"--format", "nope"});
    EXPECT_EQ(Tamis(args).err, "tamis " + command + expected);
    args.back() = "cassandra:";
    EXPECT_TRUE(
        Contains(Tamis(args).err, "'cassandra:': no version after the colon"));
  }
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

TEST_F(QueryCommand, JsonIsThatOfALibraryForEveryByte) {
  const std::string file = Build("f.tamis", "a\n");
  std::string keys;
  for (int c = 1; c < 128; ++c) {
    keys += "x" + std::string(1, static_cast<char>(c)) + "y" + '\0';
  }
  keys += std::string("\xc3\xa9\0\0", 4);
  const RunResult run = Tamis({"query", file, "-0", "--json"}, {.input = keys});
  std::size_t at = 0;
  std::istringstream lines(run.out);
  int count = 0;
  for (std::string line; std::getline(lines, line); ++count) {
    const std::string key = keys.substr(at, keys.find('\0', at) - at);
    at += key.size() + 1;
    nlohmann::ordered_json object;
    object["key"] = key;
    object["answer"] = "no";
    // It would let this one through to the terminal.
    const bool is_del = key == "x\x7fy";
    EXPECT_EQ(line, is_del ? "{\"key\":\"x\\u007fy\",\"answer\":\"no\"}"
                           : object.dump());
  }
  EXPECT_EQ(count, 129);
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

// Asks about the key 1, cuts the file to `size` when that is answered, and then
// asks about all others.
ProcessResult QueryWhileItIsCut(const std::string& dir, int keys,
                                const std::string& size) {
  const std::string all = std::to_string(keys);
  return Shell(dir, "seq 1 " + all +
                        " | tamis build -o f.tamis 2> log && mkfifo keys\n"
                        "tamis query f.tamis < keys > out &\n"
                        "exec 3> keys; echo 1 >&3\n"
                        "until [ -s out ]; do sleep 0.01; done\n"
                        "truncate -s " +
                        size + " f.tamis; seq 2 " + all +
                        " >&3; exec 3>&-\n"
                        "wait $!; code=$?; cat out; exit $code");
}

TEST_F(QueryCommand, AShortFilterThatIsCutMeanwhileHidesNoKey) {
  const ProcessResult run = QueryWhileItIsCut(dir_.path(), 2000, "100");
  EXPECT_EQ(run.code, kExitOk) << run.err;
  EXPECT_EQ(std::count(run.out.begin(), run.out.end(), '\n'), 2000);
  EXPECT_EQ(run.out.find("no\t"), std::string::npos) << "a key is hidden";
}

// Within its last page, so that nothing tells but the length of the file.
TEST_F(QueryCommand, ALongFilterThatIsCutMeanwhileIsAnErrorAndNeverANo) {
  const ProcessResult run = QueryWhileItIsCut(dir_.path(), 1'000'000, "-128");
  EXPECT_EQ(run.code, kExitError);
  EXPECT_NE(run.err.find("f.tamis: it was truncated"), std::string::npos)
      << run.err;
  EXPECT_EQ(run.out, "maybe\t1\n");
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

// A key must not steer the terminal: as bytes, as Unicode, or in a message.
TEST_F(QueryCommand, EscapesControlCharactersOnATerminalOnly) {
  TempDir dir;
  const std::string filter = dir.File("f.tamis");
  const std::string key =
      "\x1b[31mred\x07\t\\ \xc2\x9b"
      "2J";
  ASSERT_EQ(Tamis({"build", "-o", filter}, {.input = key + "\n\x9b"
                                                           "2J\n"})
                .code,
            kExitOk);
  EXPECT_EQ(Tamis({"query", filter, "-k", key}).out, "maybe\t" + key + "\n");
  EXPECT_EQ(Tamis({"query", filter, "-k", key}, {.terminal = true}).out,
            "maybe\t\\x1b[31mred\\x07\\t\\\\ \\xc2\\x9b2J\n");
  const RunResult streamed = Tamis({"query", filter}, {.input = "\x9b"
                                                                "2J\n",
                                                       .terminal = true});
  EXPECT_EQ(streamed.out, "maybe\t\\x9b2J\n");
  const RunResult refused =
      Tamis({"query", filter, "--hex", "-k", "\x1b[2J"}, {.terminal = true});
  EXPECT_EQ(refused.code, kExitError);
  EXPECT_FALSE(Contains(refused.err, "\x1b")) << refused.err;
}

}  // namespace
}  // namespace tamis::tools
