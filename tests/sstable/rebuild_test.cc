// SPDX-License-Identifier: Apache-2.0
// RebuildFilters(), whatever the engine.

#include <filesystem>
#include <string>

#include <gtest/gtest.h>

#include "sstable/rebuild_transaction.h"
#include "tamis/sstable_rebuild.h"
#include "tests/base/temp_dir.h"
#include "tests/support/golden.h"

namespace tamis::testing {
namespace {

StatusCode CodeFor(const std::string& dir, const RebuildOptions& options) {
  return RebuildFilters(dir, options).status().code();
}

TEST(RebuildFilters, RefusesParquetAndSaysWhy) {
  const auto corpus = CorpusPath("parquet");
  if (!corpus) GTEST_SKIP() << kNoCorpus;
  const auto refused = RebuildFilters(corpus->string(), {});
  EXPECT_EQ(refused.status().code(), StatusCode::kNotSupported);
  EXPECT_NE(refused.status().message().find("are only read"),
            std::string::npos);
}

TEST(RebuildFilters, RefusesWhatIsNoChoice) {
  const TempDir dir;
  EXPECT_EQ(CodeFor(dir.path(), {.choice = {.rate = 0.1, .bits_per_key = 10}}),
            StatusCode::kInvalidArgument);
  EXPECT_EQ(CodeFor(dir.path(), {.choice = {.rate = 1}}),
            StatusCode::kInvalidArgument);
  EXPECT_EQ(CodeFor(dir.path(), {.choice = {.bits_per_key = 0}}),
            StatusCode::kInvalidArgument);
  EXPECT_EQ(CodeFor(dir.path(), {}), StatusCode::kNotFound);
  EXPECT_EQ(CodeFor(dir.File("missing"), {}), StatusCode::kNotFound);
  EXPECT_EQ(dir.Count(), 0u);
}

TEST(RebuildFilters, TooLittleSpaceIsSaidBeforeAnythingIsWritten) {
  const TempDir dir;
  EXPECT_TRUE(CheckSpace(DefaultEnv(), dir.path(), 1).ok());
  const Status full = CheckSpace(DefaultEnv(), dir.path(), UINT64_MAX);
  EXPECT_EQ(full.code(), StatusCode::kResourceExhausted);
  EXPECT_NE(full.message().find("are free"), std::string::npos);
}

TEST(RebuildTransaction, OwnerAndModeAreThoseOfTheFileBefore) {
  const TempDir dir;
  const std::string from = dir.Write("from", "old");
  const std::string to = dir.Write("to", "new");
  std::filesystem::permissions(from, std::filesystem::perms::owner_read);
  CopyOwner(DefaultEnv(), from, to);
  EXPECT_EQ(std::filesystem::status(to).permissions(),
            std::filesystem::perms::owner_read);
}

TEST(RebuildTransaction, ADirectoryWithAJournalThatIsNotUnderstoodIsLeftAlone) {
  const TempDir dir;
  std::filesystem::create_directory(dir.File("tamis-rebuild"));
  dir.Write("tamis-rebuild/journal", "tamis-rebuild 99\n");
  dir.Write("tamis-rebuild/x.kept", "old");
  std::vector<std::string> notes;
  EXPECT_EQ(RebuildTransaction::Begin(DefaultEnv(), dir.path(), &notes)
                .status()
                .code(),
            StatusCode::kNotSupported);
  EXPECT_EQ(UndoRebuild(dir.path()).status().code(), StatusCode::kNotSupported);
  EXPECT_EQ(dir.Read("tamis-rebuild/x.kept"), "old");
}

}  // namespace
}  // namespace tamis::testing
