// SPDX-License-Identifier: Apache-2.0
// Two who open and destroy one directory at the same time: whatever the other
// one does just before a call, at most one has the store.

#include <filesystem>
#include <functional>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "tamis/store.h"
#include "tests/base/temp_dir.h"
#include "tests/support/in_child.h"

namespace tamis::testing {
namespace {

// The system's files; before LOCK is locked or removed the other one may act.
class RacyEnv final : public Env {
 public:
  using Act = std::function<void()>;

  // Once.
  void BeforeLock(Act act) { before_lock_ = std::move(act); }
  void BeforeRemovingLock(Act act) { before_remove_ = std::move(act); }

  Result<std::unique_ptr<ReadableFile>> OpenReadable(const std::string& path,
                                                     bool map) override {
    return real_.OpenReadable(path, map);
  }
  Result<std::unique_ptr<WritableFile>> Create(const std::string& path,
                                               WriteKind kind) override {
    return real_.Create(path, kind);
  }
  Result<std::unique_ptr<WritableFile>> Reopen(const std::string& path,
                                               std::uint64_t keep,
                                               WriteKind kind) override {
    return real_.Reopen(path, keep, kind);
  }
  Result<std::vector<std::string>> List(const std::string& dir) override {
    return real_.List(dir);
  }
  bool Exists(const std::string& path) override { return real_.Exists(path); }
  Result<std::uint64_t> FileSize(const std::string& path) override {
    return real_.FileSize(path);
  }
  Status Remove(const std::string& path) override {
    if (path.ends_with("/LOCK")) Do(&before_remove_);
    return real_.Remove(path);
  }
  Status Rename(const std::string& from, const std::string& to) override {
    return real_.Rename(from, to);
  }
  Status CreateDirectory(const std::string& dir) override {
    return real_.CreateDirectory(dir);
  }
  Status RemoveDirectory(const std::string& dir) override {
    return real_.RemoveDirectory(dir);
  }
  Status SyncDirectory(const std::string& dir) override {
    return real_.SyncDirectory(dir);
  }
  Result<std::unique_ptr<FileLock>> Lock(const std::string& path) override {
    Do(&before_lock_);
    return real_.Lock(path);
  }

 private:
  static void Do(Act* act) {
    const Act once = std::exchange(*act, nullptr);
    if (once) once();
  }

  Env& real_ = DefaultEnv();
  Act before_lock_;
  Act before_remove_;
};

class StoreRace : public ::testing::Test {
 protected:
  void SetUp() override { options_.env = &env_; }

  // What the other one does.
  void MakeStore() {
    auto store = Store::Open(path_, {.create_if_missing = true});
    ASSERT_TRUE(store.ok()) << store.status().ToString();
    ASSERT_TRUE(store->Put({}, "key", "value").ok());
  }
  void Destroy() {
    const Status destroyed = DestroyStore(path_);
    ASSERT_TRUE(destroyed.ok()) << destroyed.ToString();
  }

  TempDir dir_;
  std::string path_ = dir_.File("db");
  RacyEnv env_;
  StoreOptions options_;
};

TEST_F(StoreRace, WhatWasCreatedMeanwhileIsOpenedNotReplaced) {
  env_.BeforeLock([&] { MakeStore(); });
  options_.create_if_missing = true;
  auto store = Store::Open(path_, options_);
  ASSERT_TRUE(store.ok()) << store.status().ToString();
  std::string value;
  EXPECT_TRUE(store->Get({}, "key", &value).ok());
}

TEST_F(StoreRace, WhatWasCreatedMeanwhileIsRefusedWhereItMustNotBeThere) {
  env_.BeforeLock([&] { MakeStore(); });
  options_.create_if_missing = true;
  options_.error_if_exists = true;
  EXPECT_EQ(Store::Open(path_, options_).status().code(),
            StatusCode::kAlreadyExists);
}

TEST_F(StoreRace, WhatWasDestroyedMeanwhileIsNotThere) {
  MakeStore();
  env_.BeforeLock([&] { Destroy(); });
  EXPECT_EQ(Store::Open(path_, options_).status().code(),
            StatusCode::kNotFound);
  EXPECT_FALSE(std::filesystem::exists(path_));
  EXPECT_EQ(DestroyStore(path_, options_).code(), StatusCode::kNotFound);
}

TEST_F(StoreRace, NoLockIsLeftWhereTheStoreWasDestroyedMeanwhile) {
  for (const bool destroy : {false, true}) {
    MakeStore();
    dir_.Write("db/notes.txt", "not the store's");
    env_.BeforeLock([&] { Destroy(); });
    const Status refused = destroy ? DestroyStore(path_, options_)
                                   : Store::Open(path_, options_).status();
    EXPECT_EQ(refused.code(), StatusCode::kNotFound) << refused.ToString();
    EXPECT_FALSE(std::filesystem::exists(path_ + "/LOCK"));
    EXPECT_TRUE(std::filesystem::exists(path_ + "/notes.txt"));
  }
}

TEST_F(StoreRace, WhatWasDestroyedMeanwhileIsCreatedAnewIfSoAsked) {
  MakeStore();
  env_.BeforeLock([&] { Destroy(); });
  options_.create_if_missing = true;
  auto store = Store::Open(path_, options_);
  ASSERT_TRUE(store.ok()) << store.status().ToString();
  std::string value;
  EXPECT_EQ(store->Get({}, "key", &value).code(), StatusCode::kNotFound);
  EXPECT_TRUE(store->Put({.sync = true}, "key", "value").ok());
}

TEST_F(StoreRace, WhoDestroysHoldsTheLockUntilItsFileIsGone) {
  MakeStore();
  int code = -1;
  env_.BeforeRemovingLock([&] {
    code = InChild([&] {
      const auto store = Store::Open(path_, {.create_if_missing = true});
      return store.status().code() == StatusCode::kIoError ? 0 : 1;
    });
  });
  const Status destroyed = DestroyStore(path_, options_);
  EXPECT_TRUE(destroyed.ok()) << destroyed.ToString();
  EXPECT_EQ(code, 0);
  EXPECT_FALSE(std::filesystem::exists(path_));
}

TEST_F(StoreRace, AStoreThatCameMeanwhileIsNotDestroyedByWhoCameTooLate) {
  MakeStore();
  std::unique_ptr<Store> other;
  env_.BeforeLock([&] {
    Destroy();
    other = *Store::Open(path_, {.create_if_missing = true});
  });
  EXPECT_EQ(DestroyStore(path_, options_).code(), StatusCode::kIoError);
  EXPECT_TRUE(other->Put({.sync = true}, "key", "value").ok());
}

}  // namespace
}  // namespace tamis::testing
