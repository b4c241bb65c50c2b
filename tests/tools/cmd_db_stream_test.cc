// SPDX-License-Identifier: Apache-2.0
// tamis db scan and load: pairs out and in.

#include <cstdint>
#include <string>

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "base/coding.h"
#include "tests/tools/db_store_support.h"
#include "tests/tools/in_process.h"
#include "tests/tools/process.h"

namespace tamis::tools {
namespace {

// Five keys, a to e.
std::string FewPairs(const TempDir& dir) {
  const std::string db = dir.File("few");
  EXPECT_EQ(Tamis({"db", "load", db, "--create"},
                  {.input = "a\t1\nb\t2\nc\t3\nd\t4\ne\t5\n"})
                .code,
            kExitOk);
  return db;
}

// A store with every byte in keys and values, and the empty ones.
std::string AllBytes(const TempDir& dir) {
  const std::string db = dir.File("bytes");
  auto store = Store::Open(db, QuietOptions());
  EXPECT_TRUE(store.ok());
  std::string all;
  for (int i = 0; i < 256; ++i) {
    const std::string byte(1, static_cast<char>(i));
    EXPECT_TRUE(store->Put({}, byte, byte + byte).ok());
    all += byte;
  }
  EXPECT_TRUE(store->Put({}, all, all).ok());
  EXPECT_TRUE(store->Put({}, "", "of the empty key").ok());
  EXPECT_TRUE(store->Put({}, "of the empty value", "").ok());
  EXPECT_TRUE(store->Put({}, "\xc3\xa4", "UTF-8").ok());
  return db;
}

TEST(DbScan, PrintsKeysTabsAndValuesInOrder) {
  TempDir dir;
  EXPECT_EQ(Tamis({"db", "scan", FewPairs(dir)}).out,
            "a\t1\nb\t2\nc\t3\nd\t4\ne\t5\n");
}

TEST(DbScan, GoesFromAKeyToBeforeAnother) {
  TempDir dir;
  const std::string db = FewPairs(dir);
  const auto scan = [&](std::vector<std::string> args) {
    args.insert(args.begin(), {"db", "scan", db});
    return Tamis(args).out;
  };
  EXPECT_EQ(scan({"--from", "b", "--to", "d"}), "b\t2\nc\t3\n");
  EXPECT_EQ(scan({"--from", "b1", "--to", "d1"}), "c\t3\nd\t4\n");
  EXPECT_EQ(scan({"--from", "b", "--to", "d", "--reverse"}), "c\t3\nb\t2\n");
  EXPECT_EQ(scan({"--from", "b1", "--to", "d1", "--reverse"}), "d\t4\nc\t3\n");
  EXPECT_EQ(scan({"--reverse", "--to", "zz"}),
            "e\t5\nd\t4\nc\t3\nb\t2\na\t1\n");
  EXPECT_EQ(scan({"--from", "d", "--to", "b"}), "");
  EXPECT_EQ(scan({"--from", "d", "--to", "b", "--reverse"}), "");
  EXPECT_EQ(scan({"--to", ""}), "");
  EXPECT_EQ(scan({"--to", "", "--reverse"}), "");
  EXPECT_EQ(scan({"--from", "", "--limit", "1"}), "a\t1\n");
  EXPECT_EQ(scan({"--hex", "--from", "64"}), "64\t34\n65\t35\n");
}

TEST(DbScan, StopsAtTheLimit) {
  TempDir dir;
  const std::string db = FewPairs(dir);
  EXPECT_EQ(Tamis({"db", "scan", db, "--limit", "2"}).out, "a\t1\nb\t2\n");
  EXPECT_EQ(Tamis({"db", "scan", db, "--limit", "1", "--reverse"}).out,
            "e\t5\n");
  EXPECT_EQ(Tamis({"db", "scan", db, "--limit", "0"}).out, "");
}

TEST(DbScan, JsonIsOneObjectPerPair) {
  TempDir dir;
  EXPECT_EQ(Tamis({"db", "scan", FewPairs(dir), "--json", "--limit", "1"}).out,
            "{\"key\":\"a\",\"value\":\"1\"}\n");
}

TEST(DbScan, WritesNoBinaryToATerminal) {
  TempDir dir;
  const RunResult run =
      Tamis({"db", "scan", FewPairs(dir), "--binary"}, {.terminal = true});
  EXPECT_EQ(run.code, kExitError);
  EXPECT_EQ(run.out, "");
}

TEST(DbScan, EndsAtDamageWithAnErrorAndNotAsIfThereWereNoMore) {
  TempDir dir;
  MakeStore(dir.File("db"));
  FlipBit(dir.File("db/" + TablesOf(dir.File("db")).back()), 100);
  const RunResult run = Tamis({"db", "scan", dir.File("db")});
  EXPECT_EQ(run.code, kExitError);
  EXPECT_TRUE(Contains(run.err, TablesOf(dir.File("db")).back())) << run.err;
  EXPECT_TRUE(Contains(run.err, "tamis db repair")) << run.err;
}

TEST(DbScan, AdviceAtDamageDoesNotDependOnWhatTheStoreIsCalled) {
  TempDir dir;
  const std::string db = dir.File("repair");
  MakeStore(db);
  FlipBit(db + "/" + TablesOf(db).back(), 100);
  const RunResult run = Tamis({"db", "scan", db});
  EXPECT_EQ(run.code, kExitError);
  EXPECT_TRUE(Contains(run.err, "'tamis db repair'")) << run.err;
}

TEST(DbLoad, GivesBackWhatScanPrintedInEveryForm) {
  TempDir dir;
  const std::string db = AllBytes(dir);
  const std::string want = Tamis({"db", "scan", db, "--hex"}).out;
  for (const std::string form : {"--hex", "--binary", ""}) {
    std::vector<std::string> scan = {"db", "scan", db};
    std::vector<std::string> load = {"db", "load", dir.File("copy" + form),
                                     "--create"};
    if (!form.empty()) scan.push_back(form);
    if (!form.empty()) load.push_back(form);
    const std::string pairs = Tamis(scan).out;
    const RunResult run = Tamis(load, {.input = pairs});
    EXPECT_EQ(run.code, kExitOk) << run.err;
    EXPECT_TRUE(run.err.starts_with("tamis db load: 260 pairs, ")) << run.err;
    EXPECT_EQ(Tamis({"db", "scan", load[2], "--hex"}).out, want) << form;
  }
  EXPECT_EQ(std::count(want.begin(), want.end(), '\n'), 260);
}

TEST(DbLoad, ReadsAFileAsWellAsStandardInput) {
  TempDir dir;
  const std::string file = dir.Write("pairs", "a\t1\nb\t2");
  const RunResult run = Tamis(
      {"db", "load", dir.File("db"), file, "--create", "--sync", "--json"});
  const auto json = nlohmann::json::parse(run.out);
  EXPECT_EQ(json["pairs"], 2);
  EXPECT_EQ(json["bytes"], 4);
  EXPECT_EQ(Tamis({"db", "get", dir.File("db"), "b"}).out, "2\n");
}

TEST(DbLoad, StopsAtALineThatIsNoPairAndSaysHowManyCameBefore) {
  TempDir dir;
  const std::string db = dir.File("db");
  const RunResult no_tab =
      Tamis({"db", "load", db, "--create"}, {.input = "a\t1\nb\t2\nc\n"});
  EXPECT_EQ(no_tab.code, kExitError);
  EXPECT_EQ(no_tab.err,
            "tamis db load: standard input: line 3: no tab between a key and a "
            "value; 2 pairs were loaded\n");
  EXPECT_EQ(Tamis({"db", "scan", db}).out, "a\t1\nb\t2\n");
  const RunResult escape =
      Tamis({"db", "load", db}, {.input = "x\t1\ny\t\\q\n"});
  EXPECT_TRUE(Contains(escape.err, "line 2: '\\q' is no escape")) << escape.err;
  EXPECT_TRUE(Contains(escape.err, "; 1 pair was loaded\n")) << escape.err;
}

TEST(DbLoad, MakesNoStoreWhereTheFileIsMissing) {
  TempDir dir;
  const RunResult run =
      Tamis({"db", "load", dir.File("db"), dir.File("missing"), "--create"});
  EXPECT_EQ(run.code, kExitError);
  EXPECT_EQ(dir.Count(), 0u);
}

TEST(DbLoad, WritesMoreThanOneBatch) {
  TempDir dir;
  std::string lines;
  for (int i = 0; i < 2500; ++i) lines += Numbered("k", i) + "\tv\n";
  const RunResult run =
      Tamis({"db", "load", dir.File("db"), "--create"}, {.input = lines});
  EXPECT_TRUE(run.err.starts_with(
      "tamis db load: 2,500 pairs, 14.65 KiB (15,000 bytes) in "))
      << run.err;
  EXPECT_EQ(Tamis({"db", "scan", dir.File("db")}).out, lines);
}

TEST(DbLoad, IsQuietWhenTold) {
  TempDir dir;
  EXPECT_EQ(Tamis({"db", "load", dir.File("db"), "--create", "-q"},
                  {.input = "a\tb\n"})
                .err,
            "");
}

TEST(DbStream, ScanGoesIntoLoadThroughAPipe) {
  TempDir dir;
  MakeStore(dir.File("db"));
  const ProcessResult run =
      Shell(dir.path(),
            "tamis db scan db | tamis db load copy --create -q && "
            "cmp <(tamis db scan db) <(tamis db scan copy) && "
            "tamis db scan copy | wc -l");
  EXPECT_EQ(run.code, 0) << run.err;
  EXPECT_EQ(run.out, "1000\n");
}

TEST(DbStream, AReaderThatLeavesEndsScanQuietly) {
  TempDir dir;
  const ProcessResult run =
      Shell(dir.path(),
            "seq 1000000 1099999 | sed 's/$/\\tv/' | "
            "tamis db load db --create -q; tamis db scan db | head -n 1");
  EXPECT_EQ(run.out, "1000000\tv\n");
  EXPECT_EQ(run.err, "");
}

TEST(DbStream, ASignalEndsLoadWithThePairsThatCame) {
  TempDir dir;
  const ProcessResult run =
      Shell(dir.path(),
            "set -m; mkfifo in; tamis db load db --create < in 2> err &\n"
            "exec 5> in; printf 'a\\t1\\nb\\t2\\nhalf a li' >&5\n"
            "for i in {1..100}; do [[ ! -e db/CURRENT ]] || break; sleep 0.1; "
            "done\n"
            "sleep 0.3; kill -TERM $!; wait $!; code=$?\n"
            "tamis db scan db; cut -c -23 err; exit $code");
  EXPECT_EQ(run.code, 143) << run.err;
  EXPECT_EQ(run.out, "a\t1\nb\t2\ntamis db load: 2 pairs,\n");
}

class JsonRoundTrip : public ::testing::TestWithParam<bool> {};

TEST_P(JsonRoundTrip, LoadTakesWhatScanWroteWithEveryByte) {
  TempDir dir;
  const std::string db = AllBytes(dir);
  std::vector<std::string> scan = {"db", "scan", db, "--json"};
  if (GetParam()) scan.emplace_back("--hex");
  const RunResult written = Tamis(scan);
  ASSERT_EQ(written.code, kExitOk);
  const std::string copy = dir.File("copy");
  const RunResult read =
      Tamis({"db", "load", copy, "--create", "--json-lines", "--json"},
            {.input = written.out});
  EXPECT_EQ(read.code, kExitOk) << read.err;
  EXPECT_EQ(nlohmann::json::parse(read.out)["pairs"], 260);
  EXPECT_EQ(Tamis({"db", "scan", copy, "--hex"}).out,
            Tamis({"db", "scan", db, "--hex"}).out);
}

INSTANTIATE_TEST_SUITE_P(TextAndHex, JsonRoundTrip, ::testing::Bool());

TEST(DbLoad, TakesWhatGetWroteAsJson) {
  TempDir dir;
  const std::string db = FewPairs(dir);
  const std::string copy = dir.File("copy");
  ASSERT_EQ(Tamis({"db", "load", copy, "--create", "--json-lines"},
                  {.input = Tamis({"db", "get", db, "c", "--json"}).out})
                .code,
            kExitOk);
  EXPECT_EQ(Tamis({"db", "scan", copy}).out, "c\t3\n");
}

TEST(DbLoad, BadJsonNamesTheLineAndWhatIsWrong) {
  TempDir dir;
  const std::string good = R"({"key":"a","value":"1"})"
                           "\n";
  const struct {
    const char* line;
    const char* message;
  } cases[] = {
      {"", "no JSON: wrong at byte "},
      {"{\"key\":\"a\"", "no JSON: wrong at byte "},
      {"[1]", "not a JSON object"},
      {"{\"key\":1,\"value\":\"1\"}", "'key' is no string"},
      {"{\"key\":\"a\"}", "none of value and value_hex"},
      {"{\"value\":\"a\"}", "none of key and key_hex"},
      {"{\"key\":\"a\",\"found\":false}", "'found' is not one of key"},
      {"{\"key\":\"a\",\"key_hex\":\"61\",\"value\":\"1\"}",
       "more than one of key and key_hex"},
      {"{\"key\":\"a\",\"value\":\"1\",\"value\":\"2\"}",
       "'value' is there twice"},
      {"{\"key\":\"a\",\"\\u006bey\":\"b\",\"value\":\"1\"}",
       "'key' is there twice"},
      {"{\"key_hex\":\"6\",\"value\":\"1\"}",
       "key_hex: an odd number of hexadecimal digits (1)"},
      {"{\"key\":\"a\",\"value\":\"1\",\"ttl\":\"9\"}",
       "'ttl' is not one of key, key_hex, value, value_hex"},
      {"{\"key\":\"\xff\",\"value\":\"1\"}", "no JSON: wrong at byte "},
  };
  for (const auto& [line, message] : cases) {
    const RunResult run =
        Tamis({"db", "load", dir.File("db"), "--create", "--json-lines"},
              {.input = good + line + "\n"});
    EXPECT_EQ(run.code, kExitError);
    EXPECT_TRUE(IsOneLineFrom("db load", run.err)) << run.err;
    EXPECT_TRUE(
        Contains(run.err, "standard input: line 2: " + std::string(message)))
        << run.err;
    EXPECT_TRUE(Contains(run.err, "1 pair was loaded")) << run.err;
  }
  const RunResult forgotten =
      Tamis({"db", "load", dir.File("db")}, {.input = good});
  EXPECT_TRUE(Contains(forgotten.err, "--json-lines")) << forgotten.err;
  const RunResult both =
      Tamis({"db", "load", dir.File("db"), "--json-lines", "--binary"});
  EXPECT_EQ(both.err,
            "tamis db load: --json-lines and --binary exclude each other; give "
            "one; see 'tamis db load --help'\n");
}

TEST(DbLoad, InputThatIsBadFromTheStartLeavesNoStoreBehind) {
  TempDir dir;
  for (const std::vector<std::string>& form :
       std::vector<std::vector<std::string>>{
           {}, {"--hex"}, {"--binary"}, {"--json-lines"}, {"--filter=x:y"}}) {
    std::vector<std::string> args = {"db", "load", dir.File("new"), "--create"};
    args.insert(args.end(), form.begin(), form.end());
    const RunResult run = Tamis(args, {.input = "no pair\nk\tv\n"});
    EXPECT_EQ(run.code, kExitError);
    EXPECT_TRUE(IsOneLineFrom("db load", run.err)) << run.err;
    EXPECT_EQ(dir.Count(), 0u) << run.err;
  }
  EXPECT_TRUE(Contains(
      Tamis({"db", "load", dir.File("new"), "--create"}, {.input = "no pair\n"})
          .err,
      "no store was made"));
  // A store that is there stays, whatever comes.
  const std::string few = FewPairs(dir);
  EXPECT_EQ(Tamis({"db", "load", few, "--create"}, {.input = "no pair\n"}).code,
            kExitError);
  EXPECT_EQ(Tamis({"db", "get", few, "a"}).out, "1\n");
}

TEST(DbLoad, MakesNoStoreOfNoPairs) {
  TempDir dir;
  const std::string said =
      "tamis db load: no pairs came, so no store was made\n";
  for (const std::string form : {"--hex", "--binary", "--json-lines", "-q"}) {
    const RunResult run =
        Tamis({"db", "load", dir.File("new"), "--create", form});
    EXPECT_EQ(run.code, kExitOk);
    EXPECT_EQ(run.err, said);
    EXPECT_EQ(dir.Count(), 0u);
  }
  const RunResult json =
      Tamis({"db", "load", dir.File("new"), "--create", "--json"});
  EXPECT_EQ(nlohmann::json::parse(json.out)["pairs"], 0);
  EXPECT_EQ(json.err, said);
  // One that is there is loaded with none.
  const RunResult there = Tamis({"db", "load", FewPairs(dir), "--create"});
  EXPECT_TRUE(there.err.starts_with("tamis db load: 0 pairs, ")) << there.err;
}

// The lengths of a key and a value, without them.
std::string BinaryHead(std::uint32_t key, std::uint32_t value) {
  std::string head;
  AppendFixed32(&head, key);
  AppendFixed32(&head, value);
  return head;
}

TEST(DbLoad, RefusesAPairThatNoStoreTakesBeforeItAwaitsIt) {
  TempDir dir;
  const std::string too_large =
      "a key of more than 1 GiB, or a value of more than 2 GiB, cannot be "
      "stored; ";
  const auto load = [&](const std::string& input) {
    return Tamis({"db", "load", dir.File("db"), "--create", "--binary"},
                 {.input = input});
  };
  for (const std::string& head :
       {BinaryHead((1u << 30) + 1, 0), BinaryHead(0, (2u << 30) + 1)}) {
    const RunResult run = load(head);
    EXPECT_EQ(run.code, kExitError);
    EXPECT_EQ(run.err, "tamis db load: standard input: pair 1: " + too_large +
                           "no store was made\n");
    EXPECT_EQ(dir.Count(), 0u);
  }
  // What came before is stored.
  const RunResult second =
      load(BinaryHead(1, 1) + "kv" + BinaryHead((1u << 30) + 1, 0));
  EXPECT_EQ(second.err, "tamis db load: standard input: pair 2: " + too_large +
                            "1 pair was loaded\n");
  EXPECT_EQ(Tamis({"db", "scan", dir.File("db")}).out, "k\tv\n");
}

// A load that is still waiting for its first pair, and never gets one that a
// store takes, has no claim on what was made meanwhile.
TEST(DbStream, ALoadThatFailsLeavesTheStoreThatAnotherMade) {
  TempDir dir;
  const ProcessResult run =
      Shell(dir.path(),
            "mkfifo in; tamis db load db --create --binary < in 2> err &\n"
            "exec 5> in; printf '\\001\\000\\000\\100' >&5; sleep 0.5\n"
            "tamis db put db mine kept --create || exit 9\n"
            "touch db/LOG.mine; chmod 700 db\n"
            "{ printf '\\000\\000\\000\\000'; head -c 1073741825 /dev/zero; } "
            ">&5 2> /dev/null\n"
            "exec 5>&-; wait $!; code=$?\n"
            "tamis db get db mine; stat -c %a db; ls db/LOG.mine; exit $code");
  EXPECT_EQ(run.code, kExitError) << run.err;
  EXPECT_EQ(run.out, "kept\n700\ndb/LOG.mine\n");
}

TEST(DbStream, ASignalBeforeTheFirstWholePairMakesNoStore) {
  TempDir dir;
  const ProcessResult run =
      Shell(dir.path(),
            "set -m; mkfifo in; tamis db load db --create < in 2> err &\n"
            "exec 5> in; printf 'half a li' >&5; sleep 0.5\n"
            "kill -TERM $!; wait $!; code=$?\n"
            "cat err; ls; exit $code");
  EXPECT_EQ(run.code, 143) << run.err;
  EXPECT_EQ(run.out,
            "tamis db load: no pairs came, so no store was made\nerr\nin\n");
}

}  // namespace
}  // namespace tamis::tools
