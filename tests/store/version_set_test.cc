// SPDX-License-Identifier: Apache-2.0
// The manifest, the versions that it makes, and which files are obsolete.

#include "store/version_set.h"

#include <cerrno>
#include <cstdint>
#include <memory>
#include <string>
#include <utility>

#include <gtest/gtest.h>

#include "store/file_names.h"
#include "tests/store/stores.h"
#include "tests/store/versions.h"
#include "tests/support/memory_env.h"

namespace tamis {
namespace {

using testing::EditOf;
using testing::InternalKey;
using testing::kDir;
using testing::MemoryEnv;

StoreOptions OptionsIn(MemoryEnv* env) {
  StoreOptions options;
  options.env = env;
  return options;
}

// A store's parts as far as a version set needs them, with no tables yet.
class VersionSetTest : public ::testing::Test {
 protected:
  static constexpr std::uint64_t kFirstLog = 1;

  VersionSetTest() {
    EXPECT_TRUE(env_.CreateDirectory(kDir).ok());
    context_.tables.env = &env_;
    context_.tables.dir = kDir;
    auto view = std::make_shared<ReadView>();
    view->version = std::make_shared<const Version>(context_.order);
    EXPECT_EQ(versions_.NewFileNumber(), kFirstLog);
    view->memtable = {context_.NewMemtable(), kFirstLog};
    {
      const StoreLock lock(context_.mutex);
      views_.Publish(std::move(view));
    }
    const Status started = versions_.Start(kFirstLog);
    EXPECT_TRUE(started.ok()) << started.ToString();
  }

  std::uint64_t TablesSeen() const {
    return views_.Current()->version->table_count();
  }
  // As somebody sees it who opens the store now.
  ManifestState Stored() {
    Result<ManifestState> state = ReadManifest(env_, kDir);
    EXPECT_TRUE(state.ok()) << state.status().ToString();
    return state.ok() ? *std::move(state) : ManifestState();
  }
  void Touch(const std::string& path) { env_.SetContents(path, "bytes"); }

  MemoryEnv env_;
  StoreContext context_{kDir, OptionsIn(&env_)};
  ViewPublisher views_{context_.mutex};
  BackgroundState background_{context_.mutex, context_.info_log};
  VersionSet versions_{context_, views_, background_};
};

VersionEdit OneTable(std::uint64_t number, int level = 0) {
  return EditOf(
      {{.level = level, .number = number, .first = "a", .last = "z"}});
}

TEST_F(VersionSetTest, AnEditIsInTheManifestAndSeenByReaders) {
  {
    const StoreLock lock(context_.mutex);
    context_.last_sequence = 42;
  }
  const std::uint64_t number = versions_.NewFileNumber();
  ASSERT_TRUE(versions_.LogAndApply(OneTable(number)).ok());
  EXPECT_EQ(TablesSeen(), 1u);
  const ManifestState stored = Stored();
  ASSERT_EQ(stored.files[0].size(), 1u);
  EXPECT_EQ(stored.files[0][0].number, number);
  EXPECT_EQ(stored.last_sequence, 42u);
  EXPECT_GT(stored.next_file_number, number);
  EXPECT_EQ(stored.log_number, kFirstLog);
}

TEST_F(VersionSetTest, TheViewIsChangedTogetherWithTheVersion) {
  const Status applied = versions_.LogAndApply(OneTable(7), [](ReadView* next) {
    EXPECT_EQ(next->version->table_count(), 1u);
    next->memtable.log_number = 99;
  });
  ASSERT_TRUE(applied.ok());
  EXPECT_EQ(views_.Current()->memtable.log_number, 99u);
}

TEST_F(VersionSetTest, AnEditThatCannotBeWrittenIsSeenByNobody) {
  env_.FailCall(1, EIO, /*from_then_on=*/true, testing::kWriteCalls);
  bool was_changed = false;
  EXPECT_FALSE(
      versions_.LogAndApply(OneTable(7), [&](ReadView*) { was_changed = true; })
          .ok());
  EXPECT_FALSE(was_changed);
  EXPECT_EQ(TablesSeen(), 0u);
  env_.Heal();
  EXPECT_EQ(Stored().files[0].size(), 0u);
  // The next one begins another manifest, and says all.
  ASSERT_TRUE(versions_.LogAndApply(OneTable(8)).ok());
  EXPECT_EQ(TablesSeen(), 1u);
  EXPECT_EQ(Stored().files[0].size(), 1u);
}

TEST_F(VersionSetTest, AnEditThatDoesNotFitIsRefused) {
  ASSERT_TRUE(versions_.LogAndApply(OneTable(7, /*level=*/1)).ok());
  EXPECT_EQ(versions_.LogAndApply(OneTable(8, /*level=*/1)).code(),
            StatusCode::kCorruption);
  EXPECT_EQ(TablesSeen(), 1u);
}

TEST_F(VersionSetTest, RemembersWhereCompactionsHaveCome) {
  const std::string key = InternalKey("key", 5);
  VersionEdit edit = OneTable(7);
  edit.compact_pointers.emplace_back(0, key);
  ASSERT_TRUE(versions_.LogAndApply(std::move(edit)).ok());
  EXPECT_EQ(views_.Current()->version->compact_pointers()[0], key);
  EXPECT_EQ(Stored().compact_pointers[0], key);
}

TEST_F(VersionSetTest, LogsGoOnceTheManifestDoesNotNeedThem) {
  const std::string old_log = LogFileName(kDir, kFirstLog);
  const std::string new_log = LogFileName(kDir, 5);
  Touch(old_log);
  Touch(new_log);
  versions_.RemoveOldLogs();
  EXPECT_TRUE(env_.Exists(old_log));
  VersionEdit edit = OneTable(7);
  edit.log_number = 5;
  ASSERT_TRUE(versions_.LogAndApply(std::move(edit)).ok());
  versions_.RemoveOldLogs();
  EXPECT_FALSE(env_.Exists(old_log));
  EXPECT_TRUE(env_.Exists(new_log));
}

TEST_F(VersionSetTest, RemovesWhatACrashHasLeftAndNothingElse) {
  ASSERT_TRUE(versions_.LogAndApply(OneTable(7)).ok());
  const std::string kept[] = {TableFileName(kDir, 7),
                              LogFileName(kDir, kFirstLog),
                              CurrentFileName(kDir), std::string(kDir) + "/my"};
  const std::string left[] = {TableFileName(kDir, 8),
                              TemporaryFileName(kDir, 9), LogFileName(kDir, 0)};
  for (const std::string& path : kept) {
    if (!env_.Exists(path)) Touch(path);
  }
  for (const std::string& path : left) Touch(path);
  versions_.RemoveObsoleteFiles();
  for (const std::string& path : kept) EXPECT_TRUE(env_.Exists(path)) << path;
  for (const std::string& path : left) EXPECT_FALSE(env_.Exists(path)) << path;
  EXPECT_EQ(Stored().files[0].size(), 1u);
}

TEST_F(VersionSetTest, NumbersThatAreTakenAreNotGivenOut) {
  versions_.SkipFileNumber(100);
  EXPECT_EQ(versions_.NewFileNumber(), 101u);
  versions_.SkipFileNumber(50);
  EXPECT_EQ(versions_.NewFileNumber(), 102u);
}

}  // namespace
}  // namespace tamis
