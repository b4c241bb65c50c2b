// SPDX-License-Identifier: Apache-2.0
// What is said where there is no store, no filter, or no right to look.

#include <sys/stat.h>
#include <filesystem>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "tests/tools/as_nobody.h"
#include "tests/tools/db_store_support.h"
#include "tests/tools/in_process.h"

namespace tamis::tools {
namespace {

using Words = std::vector<std::string>;

// Every subcommand of `tamis db` that needs a store, on `dir`.
std::vector<Words> CommandsOn(const std::string& dir) {
  return {
      {"destroy", dir},       {"get", dir, "k"},     {"scan", dir},
      {"stats", dir},         {"explain", dir, "k"}, {"check", dir},
      {"put", dir, "k", "v"}, {"delete", dir, "k"},  {"load", dir},
      {"compact", dir},       {"repair", dir},       {"destroy", dir, "--yes"}};
}

Words Db(Words words) {
  words.insert(words.begin(), "db");
  return words;
}

TEST(DbWithoutRights, EverySubcommandSaysPermissionDenied) {
  if (!CanBeNobody()) GTEST_SKIP() << kCannotBeNobody;
  TempDir dir;
  ASSERT_EQ(::chmod(dir.path().c_str(), 0755), 0);
  MakeStore(dir.File("db"));
  ASSERT_EQ(::chmod(dir.File("db").c_str(), 0700), 0);
  const auto before = FilesOf(dir.File("db"));
  std::vector<Words> commands = CommandsOn(dir.File("db"));
  commands.push_back({"put", dir.File("db"), "k", "v", "--create"});
  commands.push_back({"load", dir.File("db"), "--create"});
  for (const Words& words : commands) {
    const RunResult run = TamisAsNobody(Db(words), {.input = "k\tv\n"});
    EXPECT_EQ(run.code, kExitError) << words[0];
    EXPECT_TRUE(Contains(run.err, "Permission denied")) << run.err;
    EXPECT_FALSE(Contains(run.err, "no store")) << run.err;
    EXPECT_TRUE(IsOneLineFrom("db " + words[0], run.err)) << run.err;
  }
  EXPECT_EQ(FilesOf(dir.File("db")), before);
}

// Not even whether the directory is there can be known.
TEST(DbWithoutRights, ADirectoryAboveThatMayNotBeEnteredIsSaidAsSuch) {
  if (!CanBeNobody()) GTEST_SKIP() << kCannotBeNobody;
  TempDir dir;  // nobody may enter it
  MakeStore(dir.File("db"));
  for (const Words& words : CommandsOn(dir.File("db"))) {
    const RunResult run = TamisAsNobody(Db(words), {.input = "k\tv\n"});
    EXPECT_EQ(run.code, kExitError) << words[0];
    EXPECT_TRUE(Contains(run.err, "Permission denied")) << run.err;
  }
}

TEST(FiltersWithoutRights, EverySubcommandSaysPermissionDenied) {
  if (!CanBeNobody()) GTEST_SKIP() << kCannotBeNobody;
  TempDir dir;
  ASSERT_EQ(::chmod(dir.path().c_str(), 0755), 0);
  const std::string file = dir.File("f.tamis");
  ASSERT_EQ(
      Tamis({"build", "-o", file, "--kind", "cuckoo"}, {.input = "a\n"}).code,
      kExitOk);
  const std::string keys = dir.Write("keys", "a\n");
  ASSERT_EQ(::chmod(keys.c_str(), 0600), 0);
  const std::string readable = dir.File("g.tamis");
  std::filesystem::copy_file(file, readable);
  ASSERT_EQ(::chmod(file.c_str(), 0600), 0);
  const std::vector<Words> commands = {
      {"inspect", file},
      {"query", file, "-k", "a"},
      {"query", readable, keys},
      {"add", file, "-k", "b"},
      {"add", readable, "-k", "b"},  // the directory may not be written
      {"remove", file, "-k", "a"},
      {"rotate", file},
      {"fold", file, "--divisor", "2", "-o", "-"},
      {"merge", file, readable, "-o", "-"},
      {"build", keys, "-o", "-"},
      {"build", "-o", dir.File("new")},
      {"build", "-o", readable, "--force"},
      {"dedupe", keys}};
  for (const Words& words : commands) {
    const RunResult run = TamisAsNobody(words, {.input = "a\n"});
    EXPECT_EQ(run.code, kExitError) << words[0];
    EXPECT_TRUE(Contains(run.err, "Permission denied")) << run.err;
    EXPECT_TRUE(IsOneLineFrom(words[0], run.err)) << run.err;
  }
  EXPECT_EQ(dir.Count(), 3u);
}

TEST(DbWithoutCurrent, EverySubcommandGivesTheSameHint) {
  TempDir dir;
  MakeStore(dir.File("db"));
  std::filesystem::remove(dir.File("db/CURRENT"));
  for (const Words& words : CommandsOn(dir.File("db"))) {
    if (words[0] == "repair" || words[0] == "destroy") continue;  // they can
    const RunResult run = Tamis(Db(words), {.input = "k\tv\n"});
    EXPECT_EQ(run.code, kExitError) << words[0];
    EXPECT_EQ(run.err,
              "tamis db " + words[0] + ": " + dir.File("db") +
                  ": the files of a store are here, but its CURRENT is "
                  "missing; copy the directory, then 'tamis db repair' makes "
                  "a new one of what can be read\n");
  }
}

TEST(DbWithoutStore, WhatIsNoDirectoryOrNoStoreIsSaidAsSuch) {
  TempDir dir;
  std::filesystem::create_directory(dir.File("empty"));
  dir.Write("file", "text");
  dir.Write("empty/notes.txt", "text");
  for (const std::string name : {"empty", "nothing"}) {
    for (const Words& words : CommandsOn(dir.File(name))) {
      // It looks for less than a store.
      if (words[0] == "repair" && name == "empty") continue;
      const bool can_create = words[0] == "put" || words[0] == "load";
      EXPECT_EQ(Tamis(Db(words), {.input = "k\tv\n"}).err,
                "tamis db " + words[0] + ": " + dir.File(name) +
                    ": there is no store here" +
                    (can_create ? "; --create makes one" : "") + "\n");
    }
  }
  for (const Words& words : CommandsOn(dir.File("file"))) {
    EXPECT_EQ(Tamis(Db(words), {.input = "k\tv\n"}).err,
              "tamis db " + words[0] + ": " + dir.File("file") +
                  ": is no directory, so there is no store here\n");
  }
}

// Repairing it would make it useless to RocksDB.
TEST(DbWithoutCurrent, NobodyIsToldToRepairFilesOfRocksDb) {
  TempDir dir;
  std::filesystem::create_directory(dir.File("db"));
  dir.Write("db/MANIFEST-000005", "x");
  dir.Write("db/IDENTITY", "x");
  const RunResult run = Tamis({"db", "get", dir.File("db"), "k"});
  EXPECT_TRUE(Contains(run.err, "RocksDB")) << run.err;
  EXPECT_FALSE(Contains(run.err, "repair")) << run.err;
}

class FileOfAStore : public ::testing::TestWithParam<const char*> {};

// Whose length and last byte fit a filter of LevelDB's.
TEST_P(FileOfAStore, IsNotTakenForAFilterUnlessAFormatIsGiven) {
  TempDir dir;
  const std::string path =
      dir.Write(GetParam(), std::string("\x80\x01\x02\xff\x00\x10\x20\x06", 8) +
                                std::string(8, '\xfe') + '\x06');
  const bool is_table = path.ends_with(".ldb") || path.ends_with(".sst");
  if (is_table) {
    const RunResult run = Tamis({"inspect", path});
    EXPECT_EQ(run.code, kExitError);
    EXPECT_TRUE(Contains(run.out, "unreadable")) << run.out;
    EXPECT_TRUE(Contains(run.out, "not those of a table")) << run.out;
  }
  const std::vector<Words> commands = {
      is_table ? Words{"rotate", path} : Words{"inspect", path},
      {"query", path, "-k", "a"},
      {"merge", path, path, "-o", "-"},
      {"add", path, "-k", "a"},
      {"remove", path, "-k", "a"},
      {"rotate", path},
      {"fold", path, "--divisor", "2", "-o", "-"}};
  for (const Words& words : commands) {
    const RunResult run = Tamis(words);
    EXPECT_EQ(run.code, kExitError) << words[0];
    EXPECT_TRUE(Contains(run.err, " of a store, not a filter; ") ||
                Contains(run.err, " a store's file "))
        << run.err;
    EXPECT_TRUE(Contains(run.err, "'tamis db' on its directory")) << run.err;
  }
  EXPECT_NE(Tamis({"query", path, "-k", "a", "--format", "leveldb"}).code,
            kExitError);
}

INSTANTIATE_TEST_SUITE_P(Names, FileOfAStore,
                         ::testing::Values("MANIFEST-000002", "CURRENT", "LOG",
                                           "LOG.old", "LOCK", "000001.log",
                                           "000005.ldb", "000007.sst", "TAMIS",
                                           "TAMIS.damaged"));

TEST(FilesOfAStore, AreNamedWhenTheyAreText) {
  TempDir dir;
  MakeStore(dir.File("db"));
  for (const std::string name : {"CURRENT", "LOG", "TAMIS"}) {
    const RunResult run = Tamis({"inspect", dir.File("db/" + name)});
    EXPECT_TRUE(Contains(run.err, "'tamis db' on its directory")) << run.err;
    EXPECT_FALSE(Contains(run.err, "tamis build")) << run.err;
  }
  // That of another program: something to build a filter from.
  const std::string log = dir.Write("app.log", "started\nstopped\nagain\n");
  EXPECT_TRUE(Contains(Tamis({"inspect", log}).err, "tamis build"));
  const std::string table = dir.File("db") + "/" + TablesOf(dir.File("db"))[0];
  EXPECT_TRUE(Contains(Tamis({"query", table, "-k", "a"}).err,
                       "is a LevelDB table, not a bare filter; use 'tamis "
                       "db' on the directory"));
  EXPECT_EQ(Tamis({"inspect", table}).code, 0);
}

TEST(FilesOfAStore, TheDirectoryItselfIsAStoreAndNotAFilter) {
  TempDir dir;
  MakeStore(dir.File("db"));
  EXPECT_EQ(Tamis({"query", dir.File("db"), "-k", "a"}).err,
            "tamis query: " + dir.File("db") +
                ": is a store, not a filter; use 'tamis db' on it\n");
  EXPECT_TRUE(
      Contains(Tamis({"query", dir.path(), "-k", "a"}).err, "Is a directory"));
  const RunResult inspected = Tamis({"inspect", dir.File("db")});
  EXPECT_EQ(inspected.code, 0) << inspected.err;
  EXPECT_TRUE(Contains(inspected.out, TablesOf(dir.File("db"))[0]));
}

}  // namespace
}  // namespace tamis::tools
