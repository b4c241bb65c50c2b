// SPDX-License-Identifier: Apache-2.0
// A store whose logs have lost something is opened: what it holds is a prefix
// of what was written, and the rest can be found.

#include <cerrno>
#include <memory>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "store/file_names.h"
#include "store/log_writer.h"
#include "store/manifest.h"
#include "tamis/store.h"
#include "tests/store/batch_history.h"
#include "tests/store/log_files.h"
#include "tests/store/stores.h"
#include "tests/support/memory_env.h"

namespace tamis::testing {
namespace {

constexpr char kFirstLog[] = "/db/000001.log";

StoreOptions QuietOptions(Env* env) {
  StoreOptions options;
  options.create_if_missing = true;
  options.env = env;
  return options;
}

std::unique_ptr<Store> MustOpen(const StoreOptions& options) {
  Result<std::unique_ptr<Store>> store = Store::Open(kDir, options);
  EXPECT_TRUE(store.ok()) << store.status().ToString();
  return store.ok() ? *std::move(store) : nullptr;
}

std::string KeyOf(int i) { return "key" + std::to_string(1000 + i); }

void PutMany(Store* store, int from, int to, bool sync = false) {
  for (int i = from; i < to; ++i) {
    const Status put =
        store->Put({.sync = sync}, KeyOf(i), std::string(90, 'v'));
    ASSERT_TRUE(put.ok()) << put.ToString();
  }
}

std::vector<std::string> LogsOf(MemoryEnv* env) {
  std::vector<std::string> logs;
  const Result<std::vector<std::string>> names = env->List(kDir);
  for (const std::string& name : *names) {
    if (name.ends_with(".log")) logs.push_back(kDir + ("/" + name));
  }
  return logs;
}

// How many of the keys from the first on are there; no other may be.
int PrefixIn(Store* store, int all) {
  std::string value;
  int prefix = 0;
  while (prefix < all && store->Get({}, KeyOf(prefix), &value).ok()) ++prefix;
  for (int i = prefix; i < all; ++i) {
    EXPECT_EQ(store->Get({}, KeyOf(i), &value).code(), StatusCode::kNotFound)
        << "behind " << prefix << " there is " << i;
  }
  return prefix;
}

void LosePage(MemoryEnv* env, const std::string& path, std::size_t page) {
  std::string bytes = env->Contents(path);
  ASSERT_GT(bytes.size(), (page + 1) * 4096);
  bytes.replace(page * 4096, 4096, 4096, '\0');
  env->SetContents(path, std::move(bytes));
}

TEST(StoreRecovery, WhatIsLostIsLostWithAllThatCameAfterIt) {
  MemoryEnv env;
  PutMany(MustOpen(QuietOptions(&env)).get(), 0, 500);
  LosePage(&env, kFirstLog, 4);
  StoreOptions read = QuietOptions(&env);
  read.create_if_missing = false;
  read.read_only = true;
  EXPECT_LT(PrefixIn(MustOpen(read).get(), 500), 200);
  const Result<CheckReport> checked = CheckStore(kDir, read);
  ASSERT_TRUE(checked.ok());
  EXPECT_TRUE(checked->problems.empty());
  EXPECT_EQ(checked->notes.size(), 1u);

  const auto store = MustOpen(QuietOptions(&env));
  const int prefix = PrefixIn(store.get(), 500);
  EXPECT_GT(prefix, 100);
  EXPECT_LT(prefix, 200);
  // The rest is in a log of its own, and it is said where.
  const Records dropped = ReadLog(env.Contents("/db/lost/000001.log")).records;
  EXPECT_GT(dropped.size(), 200u);
  EXPECT_NE(dropped.back().find(KeyOf(499)), std::string::npos);
  EXPECT_NE(env.Contents("/db/LOG").find("/db/lost/000001.log"),
            std::string::npos);
}

TEST(StoreRecovery, WhatLiesBehindAHoleInItsOwnBlockIsKeptAsItWas) {
  MemoryEnv env;
  PutMany(MustOpen(QuietOptions(&env)).get(), 0, 250);
  LosePage(&env, kFirstLog, 1);
  const std::string log = env.Contents(kFirstLog);
  ASSERT_LT(log.size(), 32'768u);
  const auto store = MustOpen(QuietOptions(&env));
  EXPECT_LT(PrefixIn(store.get(), 250), 40);
  EXPECT_FALSE(env.Exists(kFirstLog));
  EXPECT_EQ(env.Contents("/db/lost/000001.log"), log);
  EXPECT_NE(env.Contents("/db/LOG").find("/db/lost/000001.log"),
            std::string::npos);
}

TEST(StoreRecovery, WritesAfterwardsAreKept) {
  MemoryEnv env;
  PutMany(MustOpen(QuietOptions(&env)).get(), 0, 500);
  LosePage(&env, kFirstLog, 4);
  int prefix = 0;
  {
    const auto store = MustOpen(QuietOptions(&env));
    prefix = PrefixIn(store.get(), 500);
    PutMany(store.get(), prefix, prefix + 20);
  }
  for (int i = 0; i < 2; ++i) {
    EXPECT_EQ(PrefixIn(MustOpen(QuietOptions(&env)).get(), 500), prefix + 20);
  }
}

TEST(StoreRecovery, ALostPageOfSyncedWritesStopsOpening) {
  MemoryEnv env;
  {
    const auto store = MustOpen(QuietOptions(&env));
    PutMany(store.get(), 0, 499);
    PutMany(store.get(), 499, 500, true);
  }
  LosePage(&env, kFirstLog, 4);
  const Status opened = Store::Open(kDir, QuietOptions(&env)).status();
  EXPECT_EQ(opened.code(), StatusCode::kCorruption);
  EXPECT_NE(opened.message().find(kFirstLog), std::string::npos);
  const Result<CheckReport> checked = CheckStore(kDir, QuietOptions(&env));
  ASSERT_TRUE(checked.ok());
  EXPECT_EQ(checked->problems.size(), 1u);
  EXPECT_FALSE(env.Exists("/db/lost"));

  StoreOptions skip = QuietOptions(&env);
  skip.skip_damaged_log_records = true;
  std::string value;
  EXPECT_TRUE(MustOpen(skip)->Get({}, KeyOf(499), &value).ok());
}

TEST(StoreRecovery, NothingIsWrittenWhereOpeningIsRefused) {
  MemoryEnv env;
  StoreOptions options = SmallOptions();
  options.create_if_missing = true;
  options.env = &env;
  options.write_buffer_bytes = std::size_t{1} << 20;
  {
    const auto store = MustOpen(options);
    PutMany(store.get(), 0, 500);
    PutMany(store.get(), 500, 501, true);
  }
  LosePage(&env, kFirstLog, 8);
  options.write_buffer_bytes = 4096;  // replaying would flush
  const std::vector<std::string> before = *env.List(kDir);
  EXPECT_FALSE(Store::Open(kDir, options).ok());
  EXPECT_EQ(*env.List(kDir), before);
}

// The system drops what it could not write, and says ok the next time.
TEST(StoreRecovery, AFailedSyncIsNotBelievedOnRetry) {
  MemoryEnv::Options lossy;
  lossy.failed_syncs_lose = true;
  for (int before = 0; before < 40; before += 13) {
    MemoryEnv env(lossy);
    auto store = MustOpen(QuietOptions(&env));
    PutMany(store.get(), 0, before);
    env.FailCall(1, EIO, false, kSyncCalls);
    EXPECT_FALSE(store->Put({.sync = true}, KeyOf(before), "first").ok());
    env.Heal();
    const Status retried = store->Put({.sync = true}, KeyOf(before), "second");
    env.Crash(CrashMode::kDropUnsynced);
    store.reset();
    env.Restart();
    store = MustOpen(QuietOptions(&env));
    EXPECT_TRUE(retried.ok()) << retried.ToString();
    EXPECT_EQ(PrefixIn(store.get(), before + 1), before + 1);
  }
}

// Not by the next process, either, which finds all of it in the log.
TEST(StoreRecovery, ASyncThatFailedBeforeIsNotBelievedAfterReopening) {
  MemoryEnv::Options lossy;
  lossy.failed_syncs_lose = true;
  for (const bool is_killed : {false, true}) {
    MemoryEnv env(lossy);
    auto store = MustOpen(QuietOptions(&env));
    PutMany(store.get(), 0, 10);
    env.FailCall(1, EIO, false, kSyncCalls);
    EXPECT_FALSE(store->Put({.sync = true}, KeyOf(10), "first").ok());
    env.Heal();
    if (is_killed) env.Crash(CrashMode::kKillProcess);
    store.reset();
    if (is_killed) env.Restart();
    store = MustOpen(QuietOptions(&env));
    const Status synced = store->Put({.sync = true}, KeyOf(10), "second");
    EXPECT_TRUE(synced.ok()) << synced.ToString();
    env.Crash(CrashMode::kDropUnsynced);
    store.reset();
    env.Restart();
    EXPECT_EQ(PrefixIn(MustOpen(QuietOptions(&env)).get(), 11), 11);
  }
}

// The manifest may know of later numbers than the log: those of a write that
// failed, or that were lost.  Behind such a gap nothing is appended, for zeros
// at the end of a block before it would look like a hole.
TEST(StoreRecovery, ALogIsNotWrittenOnWhereTheNumbersDoNotGoOn) {
  MemoryEnv env;
  {
    const auto store = MustOpen(QuietOptions(&env));
    PutMany(store.get(), 0, 50);
    env.FailCall(1, EIO, true, kWriteCalls);
    EXPECT_FALSE(store->Put({}, "fails", "x").ok());
    env.Crash(CrashMode::kKillProcess);
  }
  env.Restart();
  env.Heal();
  // As if a compaction had written its edit meanwhile.
  const Result<ManifestState> state = ReadManifest(env, kDir);
  ASSERT_TRUE(state.ok());
  VersionEdit edit;
  edit.last_sequence = 51;
  std::string record;
  edit.AppendTo(&record);
  {
    auto file = env.Reopen(ManifestFileName(kDir, state->number), state->end,
                           WriteKind::kTable);
    ASSERT_TRUE(file.ok());
    LogWriter writer(*std::move(file), state->end);
    ASSERT_TRUE(writer.Add(record).ok());
    ASSERT_TRUE(writer.Sync().ok());
  }
  PutMany(MustOpen(QuietOptions(&env)).get(), 50, 200);
  ASSERT_EQ(LogsOf(&env).size(), 1u);
  EXPECT_NE(LogsOf(&env).front(), kFirstLog);
  EXPECT_EQ(PrefixIn(MustOpen(QuietOptions(&env)).get(), 200), 200);
}

// A write that failed may be in the log all the same.
TEST(StoreRecovery, AWriteThatFailedDoesNotHideALaterOneOfItsKey) {
  int failed = 0;
  for (std::uint64_t n = 1; n < 6; ++n) {
    MemoryEnv env;
    auto store = MustOpen(QuietOptions(&env));
    ASSERT_TRUE(store->Put({}, "key", "old").ok());
    env.FailCall(n, EIO, false, kWriteCalls | kSyncCalls);
    failed += store->Put({.sync = true}, "key", "failed").ok() ? 0 : 1;
    env.Heal();
    ASSERT_TRUE(store->Put({}, "key", "new").ok());
    env.Crash(CrashMode::kKillProcess);
    store.reset();
    env.Restart();
    store = MustOpen(QuietOptions(&env));
    std::string value;
    ASSERT_TRUE(store->Get({}, "key", &value).ok());
    EXPECT_EQ(value, "new") << n;
  }
  EXPECT_GT(failed, 1);
}

TEST(StoreRecovery, ALogWhoseNumbersGoOnIsWrittenOn) {
  MemoryEnv env;
  PutMany(MustOpen(QuietOptions(&env)).get(), 0, 50);
  PutMany(MustOpen(QuietOptions(&env)).get(), 50, 100);
  EXPECT_EQ(LogsOf(&env), std::vector<std::string>{kFirstLog});
  EXPECT_EQ(PrefixIn(MustOpen(QuietOptions(&env)).get(), 100), 100);
}

// Whatever a log holds that could not be synced must come into a table first.
TEST(StoreRecovery, SyncedWritesAreRefusedUntilAFailedLogIsInATable) {
  MemoryEnv::Options lossy;
  lossy.failed_syncs_lose = true;
  MemoryEnv env(lossy);
  const auto store = MustOpen(QuietOptions(&env));
  PutMany(store.get(), 0, 10);
  env.FailCall(1, EIO, /*from_then_on=*/true, kSyncCalls);
  EXPECT_FALSE(store->Put({.sync = true}, "a", "1").ok());
  const Status refused = store->Put({.sync = true}, "a", "1");
  EXPECT_EQ(refused.code(), StatusCode::kIoError);
  EXPECT_NE(refused.message().find("synced"), std::string::npos)
      << refused.ToString();
  EXPECT_TRUE(store->Put({}, "b", "1").ok()) << "needs no sync";
}

TEST(StoreRecovery, ASyncWithoutChangesMakesAllBeforeItDurable) {
  MemoryEnv env;
  auto store = MustOpen(QuietOptions(&env));
  PutMany(store.get(), 0, 100);
  ASSERT_TRUE(store->Write({.sync = true}, WriteBatch()).ok());
  PutMany(store.get(), 100, 110);
  env.Crash(CrashMode::kDropUnsynced);
  store.reset();
  env.Restart();
  EXPECT_EQ(PrefixIn(MustOpen(QuietOptions(&env)).get(), 110), 100);
}

}  // namespace
}  // namespace tamis::testing
