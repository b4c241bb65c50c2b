// SPDX-License-Identifier: Apache-2.0
// tamis db put, get, delete and destroy, and what all commands share.

#include <filesystem>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "tamis/store.h"
#include "tests/support/rocksdb_like.h"
#include "tests/tools/db_store_support.h"
#include "tests/tools/in_process.h"

namespace tamis::tools {
namespace {

const char* const kDbCommands[] = {"put",   "get",    "delete",  "scan",
                                   "count", "load",   "stats",   "compact",
                                   "check", "repair", "explain", "destroy"};

// `tamis db COMMAND DIR ...` with whatever else it needs.
std::vector<std::string> CommandFor(const std::string& name,
                                    const std::string& dir) {
  std::vector<std::string> args = {"db", name, dir};
  if (name == "put") args.insert(args.end(), {"key", "value"});
  if (name == "get" || name == "delete" || name == "explain") {
    args.emplace_back("key");
  }
  if (name == "destroy") args.emplace_back("--yes");
  return args;
}

TEST(DbCommand, EveryCommandHasHelpWithAnExampleOfItself) {
  for (const std::string name : kDbCommands) {
    const RunResult run = Tamis({"db", name, "--help"});
    EXPECT_EQ(run.code, kExitOk) << name;
    EXPECT_TRUE(Contains(run.out, "Usage: tamis db " + name)) << run.out;
    const std::size_t example = run.out.find("Example:");
    ASSERT_NE(example, std::string::npos) << run.out;
    EXPECT_TRUE(Contains(run.out.substr(example), "tamis db " + name));
    EXPECT_EQ(Tamis({"help", "db", name}).out, run.out);
    EXPECT_TRUE(Contains(Tamis({"db", "--help"}).out, name));
  }
}

TEST(DbCommand, ATypoInTheDirectoryCreatesNothing) {
  for (const std::string name : kDbCommands) {
    TempDir dir;
    const RunResult run = Tamis(CommandFor(name, dir.File("typo")));
    EXPECT_EQ(run.code, kExitError) << name;
    EXPECT_EQ(run.out, "") << name;
    EXPECT_TRUE(IsOneLineFrom("db " + name, run.err)) << run.err;
    EXPECT_EQ(dir.Count(), 0u) << name;
  }
}

TEST(DbCommand, ADirectoryWithoutAStoreIsSaidToHaveNoneAndStaysAsItIs) {
  for (const std::string name : kDbCommands) {
    TempDir dir;
    const std::string other = dir.Write("other.txt", "text");
    const RunResult run = Tamis(CommandFor(name, dir.path()));
    EXPECT_EQ(run.code, kExitError) << name;
    EXPECT_TRUE(Contains(run.err, name == "repair"
                                      ? ": there is nothing of a store here"
                                      : ": there is no store here"))
        << run.err;
    EXPECT_EQ(dir.Count(), 1u) << name;
  }
}

// Names, bytes and times, of the directory itself as well.
std::map<std::string, std::pair<std::string, std::filesystem::file_time_type>>
TraceOf(const std::string& dir) {
  std::map<std::string, std::pair<std::string, std::filesystem::file_time_type>>
      trace;
  trace["."].second = std::filesystem::last_write_time(dir);
  for (const auto& [name, bytes] : FilesOf(dir)) {
    trace[name] = {bytes, std::filesystem::last_write_time(dir + "/" + name)};
  }
  return trace;
}

TEST(DbCommand, ARocksDbDatabaseIsSaidToBeOneAndStaysAsItIs) {
  for (const testing::LostFiles& lost : testing::LossesThatDoNotHideIt()) {
    TempDir dir;
    testing::NamedFiles files = testing::RocksDbLikeFiles();
    for (const std::string& name : lost.files) files.erase(name);
    for (const auto& [name, bytes] : files) dir.Write(name, bytes);
    const auto before = TraceOf(dir.path());
    for (const std::string name : kDbCommands) {
      for (const bool create : {false, true}) {
        if (create && name != "put" && name != "load") continue;
        SCOPED_TRACE(name + ", lost: " + lost.name);
        std::vector<std::string> args = CommandFor(name, dir.path());
        if (create) args.emplace_back("--create");
        const RunResult run = Tamis(args);
        EXPECT_EQ(run.code, kExitError);
        EXPECT_EQ(run.out, "");
        EXPECT_TRUE(run.err.starts_with("tamis db " + name + ": " + dir.path() +
                                        ": this is a RocksDB database ("))
            << run.err;
        EXPECT_FALSE(Contains(run.err, "repair saves")) << run.err;
        EXPECT_FALSE(Contains(run.err, "repair the store")) << run.err;
        EXPECT_TRUE(IsOneLineFrom("db " + name, run.err)) << run.err;
        EXPECT_TRUE(TraceOf(dir.path()) == before);
      }
    }
  }
}

TEST(DbCommand, WrongUseIsOneLineAndCode2) {
  const std::vector<std::string> kWrong[] = {
      {"db", "nope", "d"},
      {"db", "get"},
      {"db", "get", "d"},
      {"db", "delete", "d", "k", "v"},
      {"db", "get", "", "k"},
      {"db", "get", "d", "k", "--raw", "--json"},
      {"db", "put", "d", "k"},
      {"db", "put", "d", "k", "v", "--filter", "nope:1"},
      {"db", "put", "d", "k", "v", "--compression", "lzma"},
      {"db", "scan", "d", "--limit", "few"},
      {"db", "scan", "d", "--hex", "--binary"},
      {"db", "scan", "d", "--json", "--binary"},
      {"db", "scan", "d", "--hex", "--from", "6"},
      {"db", "stats", "d", "--json", "--prometheus"},
      {"db", "destroy", "d"},
  };
  for (const auto& args : kWrong) {
    const RunResult run = Tamis(args);
    const std::string shown = ::testing::PrintToString(args);
    EXPECT_EQ(run.code, kExitError) << shown;
    EXPECT_EQ(run.out, "") << shown;
    EXPECT_TRUE(run.err.starts_with("tamis")) << run.err;
    EXPECT_EQ(run.err.find('\n'), run.err.size() - 1) << run.err;
  }
  EXPECT_EQ(Tamis({"db", "nope", "d"}).err,
            "tamis: no command 'db nope'; see 'tamis --help'\n");
}

TEST(DbCommand, ReadingCommandsLeaveTheDirectoryByteForByte) {
  TempDir dir;
  MakeStore(dir.File("db"));
  const auto before = FilesOf(dir.File("db"));
  for (const std::string name : {"get", "scan", "stats", "check", "explain"}) {
    const RunResult run = Tamis(CommandFor(name, dir.File("db")));
    EXPECT_NE(run.code, kExitError) << run.err;
    EXPECT_EQ(FilesOf(dir.File("db")), before) << name;
  }
}

TEST(DbCommand, AStoreThatIsOpenCanBeReadButNotWritten) {
  TempDir dir;
  MakeStore(dir.File("db"));
  auto store = Store::Open(dir.File("db"), QuietOptions());
  ASSERT_TRUE(store.ok());
  EXPECT_EQ(Tamis({"db", "get", dir.File("db"), "z"}).out, "last\n");
  for (const std::string name :
       {"put", "delete", "load", "compact", "repair", "destroy"}) {
    const RunResult run = Tamis(CommandFor(name, dir.File("db")));
    EXPECT_EQ(run.code, kExitError) << name;
    EXPECT_TRUE(Contains(run.err, "open")) << run.err;
    EXPECT_TRUE(IsOneLineFrom("db " + name, run.err)) << run.err;
  }
}

class Backwards final : public Comparator {
 public:
  std::string_view name() const noexcept override { return "backwards"; }
  int Compare(Slice a, Slice b) const noexcept override { return b.compare(a); }
};

TEST(DbCommand, AnotherOrderOfKeysIsLeftToTheLibrary) {
  TempDir dir;
  const Backwards backwards;
  StoreOptions options = QuietOptions();
  options.comparator = &backwards;
  ASSERT_TRUE(Store::Open(dir.File("db"), options).ok());
  const auto before = TraceOf(dir.File("db"));
  for (const std::string name :
       {"get", "scan", "stats", "explain", "check", "repair", "compact", "put",
        "delete", "load"}) {
    const RunResult run = Tamis(CommandFor(name, dir.File("db")));
    EXPECT_EQ(run.code, kExitError) << name;
    EXPECT_TRUE(Contains(run.err, "backwards")) << run.err;
    EXPECT_TRUE(Contains(run.err, "use the library")) << run.err;
    EXPECT_TRUE(TraceOf(dir.File("db")) == before) << name;
  }
  ASSERT_TRUE(Store::Open(dir.File("db"), options).ok());
}

TEST(DbPut, StoresAndReplacesAndCreatesOnlyWhenTold) {
  TempDir dir;
  const std::string db = dir.File("db");
  EXPECT_TRUE(Contains(Tamis({"db", "put", db, "k", "v"}).err,
                       "there is no store here; --create makes one"));
  EXPECT_EQ(Tamis({"db", "put", db, "k", "v", "--create"}).code, kExitOk);
  EXPECT_EQ(Tamis({"db", "put", db, "k", "w", "--sync"}).err, "");
  EXPECT_EQ(Tamis({"db", "get", db, "k"}).out, "w\n");
}

TEST(DbPut, TakesAnyKeyAndValue) {
  TempDir dir;
  const std::string db = dir.File("db");
  ASSERT_EQ(Tamis({"db", "put", db, "", "", "--create"}).code, kExitOk);
  const std::vector<std::string> kPairs[] = {
      {"get", "scan"}, {"[a,b]", "[c]"}, {"-k", "--raw"}, {"--x=", "a=b"}};
  for (const auto& pair : kPairs) {
    EXPECT_EQ(Tamis({"db", "put", db, "--", pair[0], pair[1]}).code, kExitOk);
    EXPECT_EQ(Tamis({"db", "get", db, "--", pair[0]}).out, pair[1] + "\n");
  }
  EXPECT_EQ(Tamis({"db", "get", db, ""}).out, "\n");
  EXPECT_EQ(Tamis({"db", "put", db, "00ff", "0a", "--hex"}).code, kExitOk);
  EXPECT_EQ(Tamis({"db", "get", db, "00FF", "--hex"}).out, "0a\n");
}

TEST(DbGet, PrintsTheValueAsItIsUnlessThatGoesToATerminal) {
  TempDir dir;
  const std::string db = dir.File("db");
  ASSERT_EQ(Tamis({"db", "put", db, "k", "a\x1b\nb", "--create"}).code, 0);
  EXPECT_EQ(Tamis({"db", "get", db, "k"}).out, "a\x1b\nb\n");
  EXPECT_EQ(Tamis({"db", "get", db, "k", "--raw"}).out, "a\x1b\nb");
  EXPECT_EQ(Tamis({"db", "get", db, "k"}, {.terminal = true}).out,
            "a\\x1b\\nb\n");
  EXPECT_EQ(Tamis({"db", "get", db, "k", "--json"}).out,
            "{\"key\":\"k\",\"found\":true,\"value\":\"a\\u001b\\nb\"}\n");
}

TEST(DbGet, NoSuchKeyIsCode1) {
  TempDir dir;
  MakeStore(dir.File("db"));
  const RunResult run = Tamis({"db", "get", dir.File("db"), "nobody"});
  EXPECT_EQ(run.code, kExitNegative);
  EXPECT_EQ(run.out, "");
  EXPECT_EQ(run.err, "tamis db get: no such key\n");
}

TEST(DbDelete, RemovesAKeyAndMindsNoMissingOne) {
  TempDir dir;
  MakeStore(dir.File("db"));
  EXPECT_EQ(Tamis({"db", "delete", dir.File("db"), "m0001"}).code, kExitOk);
  EXPECT_EQ(Tamis({"db", "delete", dir.File("db"), "nobody"}).code, kExitOk);
  EXPECT_EQ(Tamis({"db", "get", dir.File("db"), "m0001"}).code, kExitNegative);
  EXPECT_EQ(Tamis({"db", "get", dir.File("db"), "m0002"}).code, kExitOk);
}

TEST(DbDestroy, SaysWhatStaysAndTakesLostAlongOnDemand) {
  TempDir dir;
  const std::string db = dir.File("db");
  const auto make = [&] {
    MakeStore(db);
    std::filesystem::create_directory(db + "/lost");
    dir.Write("db/lost/000003.ldb", "damaged");
    dir.Write("db/lost/000007.log", "damaged");
  };
  make();
  dir.Write("db/mine.txt", "text");
  RunResult run = Tamis({"db", "destroy", db, "--yes"});
  EXPECT_EQ(run.code, kExitOk);
  EXPECT_EQ(run.err,
            "tamis db destroy: the store is gone; what is not its own stayed "
            "in " +
                db +
                ": lost/ with 2 files that repair put aside (--lost "
                "removes it, too), mine.txt\n");
  EXPECT_EQ(dir.Read("db/lost/000003.ldb"), "damaged");
  std::filesystem::remove(db + "/mine.txt");
  std::filesystem::remove_all(db + "/lost");
  make();
  run = Tamis({"db", "destroy", db, "--yes", "--lost"});
  EXPECT_EQ(run.code, kExitOk);
  EXPECT_EQ(run.err, "");
  EXPECT_FALSE(std::filesystem::exists(db));
}

TEST(DbDestroy, TellsAsJsonWhatStayed) {
  TempDir dir;
  const std::string db = dir.File("db");
  MakeStore(db);
  dir.Write("db/mine.txt", "text");
  const RunResult run = Tamis({"db", "destroy", db, "--yes", "--json"});
  EXPECT_EQ(run.code, kExitOk);
  EXPECT_EQ(run.err, "");
  const auto json = nlohmann::json::parse(run.out);
  EXPECT_EQ(json["store"], db);
  EXPECT_EQ(json["stayed"], nlohmann::json::array({"mine.txt"}));
  EXPECT_EQ(json["lost_files"], 0);
}

// What is damaged can go; what is no store, or another's, cannot.
TEST(DbDestroy, SaysWhatItWouldDoOnlyWhereItWould) {
  TempDir dir;
  const std::string db = dir.File("db");
  MakeStore(db);
  const std::string would = "tamis db destroy: would remove the store " + db +
                            " and all it holds; --yes does it\n";
  EXPECT_EQ(Tamis({"db", "destroy", db}).err, would);
  dir.Write("db/CURRENT", "damaged");
  EXPECT_EQ(Tamis({"db", "destroy", db}).err, would);
  dir.Write("db/IDENTITY", "x");
  const RunResult rocks = Tamis({"db", "destroy", db});
  EXPECT_EQ(rocks.code, kExitError);
  EXPECT_TRUE(Contains(rocks.err, "this is a RocksDB database")) << rocks.err;
}

TEST(DbDestroy, NeedsAYesAndLeavesWhatIsNotTheStores) {
  TempDir dir;
  MakeStore(dir.File("db"));
  EXPECT_EQ(Tamis({"db", "destroy", dir.File("db")}).code, kExitError);
  EXPECT_EQ(Tamis({"db", "get", dir.File("db"), "z"}).code, kExitOk);
  dir.Write("db/mine.txt", "text");
  EXPECT_EQ(Tamis({"db", "destroy", dir.File("db"), "--yes"}).code, kExitOk);
  EXPECT_EQ(FilesOf(dir.File("db")).size(), 1u);
}

TEST(DbGet, JsonSaysWhetherTheKeyWasFound) {
  TempDir dir;
  const std::string db = dir.File("db");
  ASSERT_EQ(Tamis({"db", "put", db, "k", "v", "--create"}).code, kExitOk);
  const RunResult found = Tamis({"db", "get", db, "k", "--json"});
  EXPECT_EQ(found.code, kExitOk);
  EXPECT_EQ(found.out, "{\"key\":\"k\",\"found\":true,\"value\":\"v\"}\n");
  const RunResult missing = Tamis({"db", "get", db, "other", "--json"});
  EXPECT_EQ(missing.code, kExitNegative);
  EXPECT_EQ(missing.out, "{\"key\":\"other\",\"found\":false}\n");
  EXPECT_EQ(missing.err, "");
  EXPECT_EQ(Tamis({"db", "get", db, "ff", "--hex", "--json"}).out,
            "{\"key_hex\":\"ff\",\"found\":false}\n");
}

}  // namespace
}  // namespace tamis::tools
