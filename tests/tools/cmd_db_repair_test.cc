// SPDX-License-Identifier: Apache-2.0
// tamis db check and repair of what cannot be read though it is not damaged.

#include <sys/stat.h>
#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "tests/tools/as_nobody.h"
#include "tests/tools/db_store_support.h"
#include "tests/tools/in_process.h"
#include "text.h"

namespace tamis::tools {
namespace {

using CommandWords = std::vector<std::string>;

std::vector<CommandWords> CheckAndRepair(const std::string& db) {
  return {{"db", "check", db},
          {"db", "repair", db, "--dry-run"},
          {"db", "repair", db}};
}

// Another owner's, in a directory in which everybody may do everything.
TEST(DbFileThatMayNotBeRead, IsNotSaidToBeDamagedAndNotMoved) {
  if (!CanBeNobody()) GTEST_SKIP() << kCannotBeNobody;
  TempDir dir;
  ASSERT_EQ(::chmod(dir.path().c_str(), 0755), 0);
  const std::string db = dir.File("db");
  MakeStore(db);
  ASSERT_EQ(::chmod(db.c_str(), 0777), 0);
  ASSERT_EQ(::chmod((db + "/LOCK").c_str(), 0666), 0);
  const auto before = FilesOf(db);
  std::vector<std::string> needed = {"CURRENT"};
  for (const auto& [name, bytes] : before) {
    if (name.ends_with(".ldb") || name.ends_with(".log") ||
        name.starts_with("MANIFEST")) {
      needed.push_back(name);
    }
  }
  ASSERT_EQ(needed.size(), 5u);
  for (const std::string& name : needed) {
    const std::string path = db + "/" + name;
    ASSERT_EQ(::chmod(path.c_str(), 0600), 0);
    for (const CommandWords& words : CheckAndRepair(db)) {
      const RunResult run = TamisAsNobody(words);
      EXPECT_EQ(run.code, kExitError) << name << " " << words[1];
      EXPECT_TRUE(Contains(run.err, path + ": Permission denied")) << run.err;
    }
    ASSERT_EQ(::chmod(path.c_str(), 0644), 0);
  }
  EXPECT_EQ(FilesOf(db), before);
}

TEST(DbBlockThatGrowsTooMuch, IsNotRepairedButReadIfAskedTo) {
  TempDir dir;
  const std::string db = dir.File("db");
  {
    auto store = Store::Open(db, QuietOptions());
    ASSERT_TRUE(store.ok()) << store.status().message();
    const std::string large(std::size_t{40} << 20, '\0');
    ASSERT_TRUE(store->Put({}, "large", large).ok());
    ASSERT_TRUE(store->Flush().ok());
  }
  const auto before = FilesOf(db);
  for (CommandWords words : CheckAndRepair(db)) {
    words.insert(words.end(), {"--max-block-growth", "2"});
    const RunResult run = Tamis(words);
    EXPECT_EQ(run.code, kExitError) << words[1];
    EXPECT_TRUE(Contains(run.err, TablesOf(db).front() + ": ")) << run.err;
    EXPECT_TRUE(run.err.ends_with(" (--max-block-growth N)\n")) << run.err;
    EXPECT_FALSE(Contains(run.err, "'tamis db repair'")) << run.err;
    words.back() = "30";
    EXPECT_EQ(Tamis(words).code, kExitOk);
    words.back() = "much";
    EXPECT_TRUE(Contains(Tamis(words).err, ": --max-block-growth: "));
  }
  EXPECT_EQ(FilesOf(db), before);
}

TEST(DbRepairDryRun, IsRefusedWhileTheStoreIsOpen) {
  TempDir dir;
  const std::string db = dir.File("db");
  auto store = Store::Open(db, QuietOptions());
  ASSERT_TRUE(store.ok()) << store.status().message();
  const RunResult dry = Tamis({"db", "repair", db, "--dry-run"});
  EXPECT_EQ(dry.code, kExitError);
  EXPECT_TRUE(Contains(dry.err, "/LOCK: locked")) << dry.err;
  EXPECT_EQ(dry.err, Tamis({"db", "repair", db}).err);
}

TEST(DbRepair, OfFilesThatAreNoStoreChangesNothing) {
  TempDir dir;
  const std::string db = dir.File("logs");
  std::filesystem::create_directory(db);
  for (const char* name : {"/000001.log", "/000002.log"}) {
    std::ofstream(db + name) << "10:01 started\n10:02 stopped\n";
  }
  const auto before = FilesOf(db);
  const RunResult run = Tamis({"db", "repair", db});
  EXPECT_EQ(run.code, kExitError) << run.out;
  EXPECT_TRUE(Contains(run.err, "nothing in it can be read")) << run.err;
  EXPECT_EQ(FilesOf(db), before);
}

}  // namespace
}  // namespace tamis::tools
