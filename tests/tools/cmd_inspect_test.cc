// SPDX-License-Identifier: Apache-2.0
#include <cmath>
#include <string>

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "tests/tools/in_process.h"
#include "verdict.h"

namespace tamis::tools {
namespace {

class InspectCommand : public ::testing::Test {
 protected:
  // Empty format: the default.
  std::string Build(std::string_view name, int keys,
                    const std::string& format = "tamis") {
    const RunResult run =
        Tamis({"build", "-o", dir_.File(name), "--force", "--format", format},
              {.input = Lines("key", keys)});
    EXPECT_EQ(run.code, kExitOk) << run.err;
    return dir_.File(name);
  }
  TempDir dir_;
};

TEST_F(InspectCommand, TellsWhatATamisFileHolds) {
  const RunResult run = Tamis({"inspect", Build("f.tamis", 1000)});
  EXPECT_EQ(run.code, kExitOk) << run.err;
  for (const char* line :
       {"format:        tamis (its magic number)\n", "kind:          bloom\n",
        "k:             6\n", "bits:          10,240\n",
        "keys:          1,000 (stored)\n", "bits per key:  10.24\n",
        "verdict:       ok\n"}) {
    EXPECT_TRUE(Contains(run.out, line)) << line << run.out;
  }
}

// The rate is that of these very bits, which fill^k is not where keys keep to
// one line each.
TEST_F(InspectCommand, TheRateOfABlockedFilterIsThatOfItsLines) {
  const RunResult run = Tamis({"inspect", Build("f", 100'000), "--json"});
  const auto report = nlohmann::json::parse(run.out).at(0);
  EXPECT_NEAR(report["false_positive_rate"].get<double>(), 0.00965, 0.0002);
  EXPECT_LT(std::pow(report["fill"].get<double>(), 6), 0.0085);
}

TEST_F(InspectCommand, TellsRocksDbsKindsByTheirTrailers) {
  const auto inspect = [&](const std::string& format) {
    // Under names that do not tell.
    const RunResult run = Tamis({"inspect", Build("f", 1000, format)});
    EXPECT_EQ(run.code, kExitOk) << run.err;
    EXPECT_TRUE(Contains(run.out, "format:        " + format + " (a guess: "))
        << run.out;
    EXPECT_TRUE(
        Contains(run.out, "verdict:       ok, if it is " + format + "\n"))
        << run.out;
    return run.out;
  };
  const std::string bloom = inspect("rocksdb");
  EXPECT_TRUE(Contains(bloom, "kind:          bloom\n")) << bloom;
  EXPECT_TRUE(Contains(bloom, "k:             6\n")) << bloom;
  EXPECT_TRUE(Contains(bloom, "keys:          about ")) << bloom;
  inspect("rocksdb-legacy");
  const std::string ribbon = inspect("rocksdb-ribbon");
  EXPECT_TRUE(Contains(ribbon, "kind:          ribbon\n")) << ribbon;
  EXPECT_TRUE(Contains(ribbon, "columns:       7\n")) << ribbon;
  EXPECT_FALSE(Contains(ribbon, "fill:")) << ribbon;
  // RocksDB gives both one name; here the name of the file is no obstacle.
  const RunResult named =
      Tamis({"inspect", Build("f.rocksdb", 1000, "rocksdb-ribbon")});
  EXPECT_TRUE(Contains(named.out, "format:        rocksdb-ribbon (its name)\n"))
      << named.out;
}

TEST_F(InspectCommand, RocksDbsReservedFormsAreUnknownWithTheReason) {
  const std::string line(64, '\x55');
  struct Case {
    std::string trailer;
    const char* reason;
  };
  const Case kCases[] = {
      {std::string("\x00\x00\x00\x00\x00", 5), "marked it as always matching"},
      {std::string("\xff\x01\x06\x00\x00", 5), "trailer is reserved"},
      {std::string("\xff\x00\x1f\x00\x00", 5), "trailer is reserved"},
      {std::string("\xfd\x00\x06\x00\x00", 5), "(253) is reserved"},
      {std::string("\xfe\x00\x01\x00\x00", 5), "reserved by RocksDB"},
  };
  for (const Case& c : kCases) {
    const RunResult run =
        Tamis({"inspect", dir_.Write("f.rocksdb", line + c.trailer)});
    EXPECT_EQ(run.code, kExitOk) << run.err;
    EXPECT_TRUE(Contains(run.out, "verdict:       unknown: ")) << run.out;
    EXPECT_TRUE(Contains(run.out, c.reason)) << run.out;
    EXPECT_EQ(Tamis({"query", dir_.File("f.rocksdb"), "-k", "x"}).out,
              "maybe\tx\n");
  }
}

// RocksDB's "no keys" is also what a crash leaves of a file.
TEST_F(InspectCommand, AnEmptyFileIsARocksDbFilterOnlyByTheUsersWord) {
  const std::string file = dir_.Write("f.rocksdb", "");
  const RunResult run = Tamis({"inspect", file});
  EXPECT_EQ(run.code, kExitOk) << run.err;
  EXPECT_TRUE(Contains(run.out, "verdict:       empty, if it is rocksdb\n"))
      << run.out;
  EXPECT_EQ(Tamis({"query", file, "-k", "x"}).code, kExitError);
  EXPECT_EQ(Tamis({"query", file, "-k", "x", "--format", "rocksdb"}).out,
            "no\tx\n");
}

TEST_F(InspectCommand, EstimatesTheKeysWhereTheFormatStoresNone) {
  const RunResult run =
      Tamis({"inspect", Build("f.lab", 10'000, "lab"), "--json"});
  ASSERT_EQ(run.code, kExitOk) << run.err;
  const auto report = nlohmann::json::parse(run.out).at(0);
  EXPECT_EQ(report["keys_are_estimated"], true);
  EXPECT_NEAR(report["keys"].get<double>(), 10'000, 200);
  EXPECT_NEAR(report["fill"].get<double>(), 0.503, 0.01);
  EXPECT_NEAR(report["false_positive_rate"].get<double>(), 0.0082, 0.001);
  EXPECT_EQ(report["verdict"], "ok");
}

TEST_F(InspectCommand, CallsAGuessAGuessAndTakesTheUsersWord) {
  const std::string file = Build("plain", 100, "cassandra:ka");
  const RunResult guess = Tamis({"inspect", file});
  EXPECT_EQ(guess.code, kExitOk) << guess.err;
  EXPECT_TRUE(Contains(guess.out, "a guess")) << guess.out;
  EXPECT_TRUE(Contains(guess.out, "cassandra:ka")) << guess.out;
  // The first of the guesses, not a plain ok.
  EXPECT_TRUE(Contains(guess.out, "verdict:       ok, if it is cassandra:oa\n"))
      << guess.out;
  const auto report =
      nlohmann::json::parse(Tamis({"inspect", file, "--json"}).out).at(0);
  EXPECT_EQ(report["verdict"], "ok");
  EXPECT_EQ(report["certain"], false);
  const RunResult named = Tamis({"inspect", file, "--format", "cassandra:ka"});
  EXPECT_TRUE(Contains(named.out, "cassandra:ka (--format)")) << named.out;
  EXPECT_FALSE(Contains(named.out, "guess")) << named.out;
  EXPECT_TRUE(Contains(named.out, "verdict:       ok\n")) << named.out;
}

TEST_F(InspectCommand, DamageIsAVerdictAndCode1) {
  Build("f.tamis", 100);
  std::string bytes = dir_.Read("f.tamis");
  bytes[70] = static_cast<char>(bytes[70] ^ 1);
  const std::string damaged = dir_.Write("d.tamis", bytes);
  const RunResult run = Tamis({"inspect", damaged});
  EXPECT_EQ(run.code, kExitNegative);
  EXPECT_TRUE(Contains(run.out, "verdict:       damaged: ")) << run.out;
  EXPECT_EQ(run.err, "");
  const auto report =
      nlohmann::json::parse(Tamis({"inspect", damaged, "--json"}).out).at(0);
  EXPECT_EQ(report["verdict"], "damaged");
  EXPECT_FALSE(report["remark"].get<std::string>().empty());
}

TEST_F(InspectCommand, SaturatedIsCode1AndOversizedAndEmptyAreNot) {
  // k = 1 and m = 16384, in the lab's layout.
  const std::string header("\x01\0\0\0\0\x40\0\0\0\0\0\0", 12);
  const std::string all = header + std::string(2048, '\xff');
  const RunResult full = Tamis({"inspect", dir_.Write("full.lab", all)});
  EXPECT_EQ(full.code, kExitNegative) << full.out;
  EXPECT_TRUE(Contains(full.out, "saturated")) << full.out;
  EXPECT_TRUE(Contains(full.out, "expected rate: 100 %")) << full.out;

  const std::string some = header + std::string(2048, '\x01');
  const RunResult sparse = Tamis({"inspect", dir_.Write("sparse.lab", some)});
  EXPECT_EQ(sparse.code, kExitOk);
  EXPECT_TRUE(Contains(sparse.out, "oversized")) << sparse.out;

  const std::string none = header + std::string(2048, '\0');
  const RunResult empty = Tamis({"inspect", dir_.Write("empty.lab", none)});
  EXPECT_EQ(empty.code, kExitOk);
  EXPECT_TRUE(Contains(empty.out, "verdict:       empty")) << empty.out;
  EXPECT_TRUE(Contains(empty.out, "expected rate: 0 %")) << empty.out;
}

TEST_F(InspectCommand, ANewerEncodingIsUnknownAndAnswersMaybe) {
  // LevelDB reserves k above 30 for encodings to come.
  const std::string bytes = std::string(8, '\0') + "\x1f";
  const std::string file = dir_.Write("f.leveldb", bytes);
  const RunResult run = Tamis({"inspect", file});
  EXPECT_EQ(run.code, kExitOk) << run.err;
  EXPECT_TRUE(Contains(run.out, "verdict:       unknown: ")) << run.out;
  EXPECT_FALSE(Contains(run.out, "hash:")) << run.out;
  EXPECT_TRUE(Contains(run.out, "expected rate: 100 %")) << run.out;
  EXPECT_EQ(Tamis({"query", file, "-k", "x"}).out, "maybe\tx\n");
}

TEST_F(InspectCommand, NamesWellKnownFilesThatAreNoFilters) {
  const std::string table = dir_.Write(
      "t.ldb", std::string(48, 'x') + "\x57\xfb\x80\x8b\x24\x75\x47\xdb");
  // The user's word does not make it a filter.
  const RunResult run = Tamis({"inspect", table, "--format", "leveldb"});
  EXPECT_EQ(run.code, kExitError);
  EXPECT_EQ(run.out, "");
  EXPECT_TRUE(Contains(run.err,
                       "t.ldb: is a LevelDB table, not a bare filter; use "
                       "'tamis db' on the directory of the store that it is "
                       "from\n"))
      << run.err;
  // Without it, the table is described, as far as it can be read.
  const RunResult scanned = Tamis({"inspect", table});
  EXPECT_EQ(scanned.code, kExitError);
  EXPECT_TRUE(Contains(scanned.out, "unreadable")) << scanned.out;
  // It would fit as LevelDB's filter, for its last byte is below 31.
  const RunResult gzip = Tamis(
      {"inspect", dir_.Write("g", "\x1f\x8b\x08 twenty bytes or so \x07")});
  EXPECT_TRUE(Contains(gzip.err, "is gzip data, not a bare filter; unpack it"))
      << gzip.err;
  const RunResult text =
      Tamis({"inspect", dir_.Write("words.lab", Lines("word", 10))});
  EXPECT_TRUE(Contains(text.err, "is text, not a bare filter; build a filter"))
      << text.err;
  const RunResult program = Tamis({"inspect", dir_.Write("p",
                                                         "\x7f"
                                                         "ELF, and so on")});
  EXPECT_TRUE(program.err.ends_with("is an executable, not a bare filter\n"))
      << program.err;
}

TEST_F(InspectCommand, AnUnknownFileHasItsReasonAndNoVainAdvice) {
  const RunResult version = Tamis(
      {"inspect", dir_.Write("zz-1-big-Filter.db", std::string(24, '\1'))});
  EXPECT_EQ(version.code, kExitError);
  EXPECT_TRUE(Contains(version.err,
                       "not recognised as a filter: its name says Cassandra, "
                       "version zz, which is unknown"))
      << version.err;
  EXPECT_FALSE(Contains(version.err, "--format")) << version.err;
}

TEST_F(InspectCommand, ReadsStandardInputAndRefusesNoName) {
  Build("f.tamis", 10);
  const RunResult run =
      Tamis({"inspect", "-"}, {.input = dir_.Read("f.tamis")});
  EXPECT_EQ(run.code, kExitOk) << run.err;
  EXPECT_TRUE(Contains(run.out, "file:          standard input\n")) << run.out;
  std::string bytes = dir_.Read("f.tamis");
  bytes.back() = static_cast<char>(bytes.back() ^ 1);
  const RunResult damaged = Tamis({"inspect", "-"}, {.input = bytes});
  EXPECT_TRUE(Contains(damaged.out, "verdict:       damaged: tamis: "))
      << damaged.out;
  EXPECT_EQ(Tamis({"inspect", ""}).err, "tamis inspect: no file name\n");
}

TEST_F(InspectCommand, ManyFilesAreAllShownAndTheWorstCodeWins) {
  const std::string good = Build("f.tamis", 10);
  const std::string text = dir_.Write("text", "hello, world\n\xff");
  const RunResult run =
      Tamis({"inspect", good, dir_.File("missing"), text, good});
  EXPECT_EQ(run.code, kExitError);
  EXPECT_TRUE(Contains(run.err, "missing: no such file")) << run.err;
  EXPECT_TRUE(Contains(run.err, "text: not recognised")) << run.err;
  EXPECT_EQ(run.out.find("file:"), 0u);
  EXPECT_NE(run.out.rfind("file:"), 0u);
  const RunResult json = Tamis({"inspect", good, good, "--json"});
  EXPECT_EQ(nlohmann::json::parse(json.out).size(), 2u);
}

TEST_F(InspectCommand, PaintsTheVerdictOnATerminal) {
  const RunResult run =
      Tamis({"inspect", Build("f.tamis", 1000)}, {.colour = true});
  EXPECT_TRUE(Contains(run.out, "\x1b[32mok\x1b[0m")) << run.out;
}

TEST(Verdict, SplitBlocksMayBeMoreOrLessThanHalfFull) {
  FilterInfo info;
  info.kind = "splitblock";
  info.bits = 1'000'000;
  const auto word = [&info](std::uint64_t set_bits) {
    info.set_bits = set_bits;
    return VerdictOf(info).word;
  };
  EXPECT_EQ(word(0), "empty");
  EXPECT_EQ(word(100'000), "oversized");
  EXPECT_EQ(word(200'000), "ok");  // 35 bits per key
  EXPECT_EQ(word(600'000), "ok");  // 9 bits per key
  EXPECT_EQ(word(800'000), "saturated");
  info.kind = "bloom";
  EXPECT_EQ(word(200'000), "oversized");
  EXPECT_EQ(word(600'000), "saturated");
}

TEST(Verdict, ARibbonHasNoFill) {
  FilterInfo info;
  info.kind = "ribbon";
  info.bits = 1'000'000;
  info.set_bits = 1'000'000;
  info.rate = 0.01;
  const Verdict verdict = VerdictOf(info);
  EXPECT_EQ(verdict.word, "ok");
  EXPECT_EQ(verdict.fill, 0);
  EXPECT_EQ(verdict.rate, 0.01);
}

TEST(Verdict, AFilterWithoutBitsIsEmptyAndErrsNever) {
  const Verdict verdict = VerdictOf(FilterInfo{});
  EXPECT_EQ(verdict.word, "empty");
  EXPECT_EQ(verdict.rate, 0);
}

TEST_F(InspectCommand, EveryKindIsOkAndSaysWhatItsNumbersAre) {
  const auto inspect = [&](const std::string& kind) {
    EXPECT_EQ(Tamis({"build", "-o", dir_.File("f.tamis"), "--kind", kind, "-f"},
                    {.input = Lines("key", 5000)})
                  .code,
              kExitOk);
    const RunResult run = Tamis({"inspect", dir_.File("f.tamis")});
    EXPECT_EQ(run.code, kExitOk) << run.out;
    EXPECT_TRUE(Contains(run.out, "\nkind:          " + kind + "\n"))
        << run.out;
    EXPECT_TRUE(run.out.ends_with("verdict:       ok\n")) << run.out;
    return run.out;
  };
  for (const std::string solved : {"ribbon", "fuse8", "fuse16", "fuse32"}) {
    EXPECT_FALSE(Contains(inspect(solved), "fill:")) << solved;
  }
  EXPECT_TRUE(Contains(inspect("ribbon"), "\ncolumns:       8\n"));
  EXPECT_TRUE(Contains(inspect("fuse8"), "\ncells per key: 3\n"));
  EXPECT_TRUE(Contains(inspect("counting"), " % of the counters\n"));
  EXPECT_TRUE(Contains(inspect("cuckoo"), "\nfingerprint:   10 bits\n"));
  EXPECT_TRUE(Contains(inspect("cuckoo"), " % of the slots\n"));
  EXPECT_TRUE(Contains(inspect("scalable"), "\nfill: "));
  EXPECT_TRUE(
      Contains(inspect("rotating"), "\ngenerations:   4, rotated 0 times\n"));
  const auto json = nlohmann::json::parse(
      Tamis({"inspect", dir_.File("f.tamis"), "--json"}).out)[0];
  EXPECT_EQ(json["generations"], 4);
}

}  // namespace
}  // namespace tamis::tools
