// SPDX-License-Identifier: Apache-2.0
// Who is refused finds the directory as it was: no LOCK that was not there, LOG
// and LOG.old with what they said.

#include <sys/stat.h>
#include <unistd.h>
#include <cerrno>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include <gtest/gtest.h>

#include "tamis/store.h"
#include "tests/base/temp_dir.h"
#include "tests/store/stores.h"
#include "tests/support/in_child.h"
#include "tests/support/memory_env.h"

namespace tamis::testing {
namespace {

class StoreRefusal : public ::testing::Test {
 protected:
  void SetUp() override {
    store_.Put("key", "value");
    store_.Flush();
    store_.Put("another", "value");
    store_.Reopen();  // so that there is a LOG.old
    store_.Close();
    store_.options().create_if_missing = false;
    // A copy, say, that was made without it.
    ASSERT_TRUE(store_.env().Remove("/db/LOCK").ok());
  }

  // Opened for writing, for reading, and with create_if_missing.
  std::vector<Status> OpenedInAllWays() {
    std::vector<Status> all;
    for (const bool read_only : {false, true}) {
      for (const bool create : {false, true}) {
        StoreOptions options = store_.options();
        options.read_only = read_only;
        options.create_if_missing = create;
        all.push_back(Store::Open("/db", options).status());
      }
    }
    return all;
  }
  std::string Manifest() {
    for (const std::string& path : store_.Files("")) {
      if (path.find("MANIFEST-") != std::string::npos) return path;
    }
    return "";
  }

  TestStore store_{StillOptions()};
};

TEST_F(StoreRefusal, OfAnotherComparatorTouchesNothing) {
  const Files before = FilesOf(&store_.env());
  const Backwards backwards;
  store_.options().comparator = &backwards;
  std::vector<Status> all = OpenedInAllWays();
  all.push_back(CheckStore("/db", store_.options()).status());
  all.push_back(RepairStore("/db", store_.options()).status());
  all.push_back(DestroyStore("/db", store_.options()));
  for (const Status& refused : all) {
    EXPECT_EQ(refused.code(), StatusCode::kInvalidArgument);
    EXPECT_NE(refused.message().find("leveldb.BytewiseComparator"),
              std::string::npos)
        << refused.message();
  }
  EXPECT_TRUE(FilesOf(&store_.env()) == before);
}

TEST_F(StoreRefusal, RepairLooksForTheComparatorInWhatIsLeftOfAnyManifest) {
  const Backwards backwards;
  store_.options().comparator = &backwards;
  MemoryEnv& env = store_.env();
  const std::string manifest = Manifest();
  const std::string bytes = env.Contents(manifest);
  const auto expect_refused = [&](const char* what) {
    SCOPED_TRACE(what);
    const Files before = FilesOf(&store_.env());
    const Status refused = RepairStore("/db", store_.options()).status();
    EXPECT_EQ(refused.code(), StatusCode::kInvalidArgument)
        << refused.ToString();
    EXPECT_TRUE(FilesOf(&store_.env()) == before);
  };
  env.SetContents(manifest, bytes + "not a record");
  expect_refused("damaged at its end");
  env.SetContents(manifest, bytes);
  ASSERT_TRUE(env.Remove("/db/CURRENT").ok());
  expect_refused("not named by CURRENT");
  env.SetContents("/db/CURRENT", "MANIFEST-999999\n");
  env.SetContents("/db/MANIFEST-999999", "nothing that can be read");
  expect_refused("an older one");
  // The one to whom the order belongs may.
  store_.options().comparator = &BytewiseComparator();
  const auto repaired = RepairStore("/db", store_.options());
  EXPECT_TRUE(repaired.ok()) << repaired.status().ToString();
}

TEST_F(StoreRefusal, OfADamagedManifestTouchesNothing) {
  const std::string manifest = Manifest();
  store_.env().FlipBit(manifest, 20, 1);
  const Files before = FilesOf(&store_.env());
  for (const Status& refused : OpenedInAllWays()) {
    EXPECT_EQ(refused.code(), StatusCode::kCorruption) << refused.ToString();
  }
  EXPECT_TRUE(FilesOf(&store_.env()) == before);
}

TEST_F(StoreRefusal, OfADamagedLogTouchesNothing) {
  store_.Open();
  store_.Put("one more", "value");
  store_.Put("and another", "value");
  store_.Reopen();
  store_.Close();
  ASSERT_TRUE(store_.env().Remove("/db/LOCK").ok());
  store_.env().FlipBit(store_.Files(".log").back(), 30, 1);
  const Files before = FilesOf(&store_.env());
  for (const Status& refused : OpenedInAllWays()) {
    EXPECT_EQ(refused.code(), StatusCode::kCorruption) << refused.ToString();
  }
  EXPECT_TRUE(FilesOf(&store_.env()) == before);
}

TEST_F(StoreRefusal, WhatWasSaidBeforeLogWasOpenedIsInIt) {
  store_.env().FlipBit(store_.Files(".log").back(), 10, 1);
  const std::string old = store_.env().Contents("/db/LOG");
  store_.options().skip_damaged_log_records = true;
  store_.Open();
  const std::string log = store_.env().Contents("/db/LOG");
  EXPECT_NE(log.find(" opening\n"), std::string::npos) << log;
  EXPECT_NE(log.find(" damaged log: "), std::string::npos) << log;
  EXPECT_EQ(store_.env().Contents("/db/LOG.old"), old);
}

TEST_F(StoreRefusal, AMissingCurrentIsSaidAlikeByAll) {
  ASSERT_TRUE(store_.env().Remove("/db/CURRENT").ok());
  const Files before = FilesOf(&store_.env());
  const std::string words = "/db/CURRENT is missing, but there is 0";
  std::vector<Status> all = OpenedInAllWays();
  all.push_back(DestroyStore("/db", store_.options()));
  for (const Status& refused : all) {
    EXPECT_EQ(refused.code(), StatusCode::kCorruption) << refused.ToString();
    EXPECT_TRUE(refused.message().starts_with(words)) << refused.message();
    EXPECT_NE(refused.message().find("repair"), std::string::npos);
  }
  const auto report = CheckStore("/db", store_.options());
  ASSERT_TRUE(report.ok()) << report.status().ToString();
  ASSERT_EQ(report->problems.size(), 1u);
  EXPECT_EQ(report->problems.front(), all.front().message());
  EXPECT_TRUE(FilesOf(&store_.env()) == before);
  ASSERT_TRUE(RepairStore("/db", store_.options()).ok());
  store_.Open();
  EXPECT_EQ(store_.Get("key"), "value");
}

TEST_F(StoreRefusal, ADirectoryThatCannotBeReadIsNotSaidToHaveNoStore) {
  MemoryEnv& env = store_.env();
  const Files before = FilesOf(&store_.env());
  const auto expect_denied = [](const Status& denied) {
    EXPECT_EQ(denied.code(), StatusCode::kPermissionDenied)
        << denied.ToString();
    EXPECT_NE(denied.message().find("Permission denied"), std::string::npos)
        << denied.message();
  };
  for (const CallKinds kind : {kReadCalls, kOpenCalls}) {
    env.FailCall(1, EACCES, true, kind);
    for (const Status& denied : OpenedInAllWays()) expect_denied(denied);
    expect_denied(CheckStore("/db", store_.options()).status());
    expect_denied(DestroyStore("/db", store_.options()));
    env.Heal();
  }
  EXPECT_TRUE(FilesOf(&store_.env()) == before);
}

// On a real disk; root may read everything, so it becomes nobody.
TEST(StoreOpen, PermissionDeniedIsSaidAsSuch) {
  const TempDir dir;
  ASSERT_TRUE(Store::Open(dir.File("db"), {.create_if_missing = true}).ok());
  ASSERT_EQ(::chmod(dir.File("db").c_str(), 0), 0);
  EXPECT_EQ(
      InChild([&] {
        constexpr ::uid_t kNobody = 65534;
        if (::geteuid() == 0 && ::setuid(kNobody) != 0) return 9;
        const Status all[] = {
            Store::Open(dir.File("db"), {}).status(),
            Store::Open(dir.File("db"), {.read_only = true}).status(),
            CheckStore(dir.File("db")).status(),
            RepairStore(dir.File("db")).status(), DestroyStore(dir.File("db"))};
        int code = 0;
        for (const Status& denied : all) {
          ++code;
          if (denied.code() != StatusCode::kPermissionDenied ||
              denied.message().find("ermission denied") == std::string::npos) {
            return code;
          }
        }
        return 0;
      }),
      0);
  ASSERT_EQ(::chmod(dir.File("db").c_str(), 0755), 0);
}

TEST(StoreOpen, ANewStoreIsDurableWithItsDirectory) {
  for (const bool by_user : {false, true}) {
    MemoryEnv env;
    if (by_user) {
      ASSERT_TRUE(env.CreateDirectory("/db").ok());
    }
    StoreOptions options;
    options.env = &env;
    options.create_if_missing = true;
    auto store = Store::Open("/db", options);
    ASSERT_TRUE(store.ok()) << store.status().ToString();
    ASSERT_TRUE(store->Put({.sync = true}, "key", "value").ok());
    env.Crash(CrashMode::kDropUnsynced);
    store.value().reset();
    env.Restart();
    options.create_if_missing = false;
    store = Store::Open("/db", options);
    ASSERT_TRUE(store.ok()) << store.status().ToString();
    std::string value;
    EXPECT_TRUE(store->Get({}, "key", &value).ok());
  }
}

TEST(StoreDestroy, SaysThatLostStaysAndTakesItAlongOnDemand) {
  for (const bool remove : {false, true}) {
    TestStore store;
    store.Put("key", "value");
    store.Close();
    MemoryEnv& env = store.env();
    ASSERT_TRUE(env.CreateDirectory("/db/lost").ok());
    env.SetContents("/db/lost/000003.ldb", "damaged");
    env.SetContents("/db/lost/000004.log", "damaged");
    const auto report =
        DestroyStore("/db", store.options(), {.remove_lost = remove});
    ASSERT_TRUE(report.ok()) << report.status().ToString();
    if (remove) {
      EXPECT_EQ(report->stayed, std::vector<std::string>());
      EXPECT_FALSE(env.Exists("/db"));
    } else {
      EXPECT_EQ(report->stayed, std::vector<std::string>{"lost"});
      EXPECT_EQ(report->lost_files, 2u);
      EXPECT_EQ(env.Contents("/db/lost/000003.ldb"), "damaged");
      EXPECT_FALSE(env.Exists("/db/CURRENT"));
      EXPECT_FALSE(env.Exists("/db/LOCK"));
    }
  }
}

TEST(StoreDestroy, OfLostTakesOnlyWhatRepairPutThere) {
  TestStore store;
  store.Close();
  MemoryEnv& env = store.env();
  ASSERT_TRUE(env.CreateDirectory("/db/lost").ok());
  for (const char* name : {"000003.ldb", "000003.ldb.2", "MANIFEST-000002",
                           "notes.txt", "000003.ldb.x", ".2"}) {
    env.SetContents(std::string("/db/lost/") + name, "bytes");
  }
  const auto report =
      DestroyStore("/db", store.options(), {.remove_lost = true});
  ASSERT_TRUE(report.ok()) << report.status().ToString();
  EXPECT_EQ(report->stayed, std::vector<std::string>{"lost"});
  EXPECT_EQ(report->lost_files, 3u);
  EXPECT_TRUE(env.Exists("/db/lost/notes.txt"));
  EXPECT_FALSE(env.Exists("/db/lost/000003.ldb.2"));
}

// On a real disk: what a link leads to is not the store's.
TEST(StoreDestroy, DoesNotFollowALinkInThePlaceOfLost) {
  const TempDir dir;
  const std::string db = dir.File("db");
  const std::string elsewhere = dir.File("elsewhere");
  ASSERT_TRUE(Store::Open(db, {.create_if_missing = true}).ok());
  ASSERT_EQ(::mkdir(elsewhere.c_str(), 0755), 0);
  const std::string theirs = elsewhere + "/000003.ldb";
  ASSERT_TRUE(DefaultEnv().Create(theirs, WriteKind::kTable).ok());
  ASSERT_EQ(::symlink(elsewhere.c_str(), (db + "/lost").c_str()), 0);
  const auto report = DestroyStore(db, {}, {.remove_lost = true});
  ASSERT_TRUE(report.ok()) << report.status().ToString();
  EXPECT_EQ(report->stayed, std::vector<std::string>{"lost"});
  EXPECT_EQ(report->lost_files, 1u);
  EXPECT_TRUE(DefaultEnv().Exists(theirs));
}

// Neither does it say that another process changes the store.
TEST(StoreOpen, NoRightToListIsSaidAsSuch) {
  const TempDir dir;
  ASSERT_TRUE(Store::Open(dir.File("db"), {.create_if_missing = true}).ok());
  ASSERT_EQ(::chmod(dir.path().c_str(), 0755), 0);
  ASSERT_EQ(::chmod(dir.File("db").c_str(), 0711), 0);
  EXPECT_EQ(InChild([&] {
              constexpr ::uid_t kNobody = 65534;
              if (::geteuid() == 0 && ::setuid(kNobody) != 0) return 9;
              const Status denied =
                  Store::Open(dir.File("db"), {.read_only = true}).status();
              return denied.code() == StatusCode::kPermissionDenied ? 0 : 1;
            }),
            0);
}

}  // namespace
}  // namespace tamis::testing
