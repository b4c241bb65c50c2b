// SPDX-License-Identifier: Apache-2.0
#include "tests/support/memory_env.h"

#include <cerrno>
#include <set>
#include <string>
#include <thread>
#include <vector>

#include <gtest/gtest.h>

namespace tamis::testing {
namespace {

std::unique_ptr<WritableFile> Create(MemoryEnv& env, const std::string& path) {
  auto file = env.Create(path, WriteKind::kLog);
  EXPECT_TRUE(file.ok()) << file.status().ToString();
  return file.ok() ? *std::move(file) : nullptr;
}

void CrashAndRestart(MemoryEnv& env, CrashMode mode, std::uint64_t seed = 0) {
  env.Crash(mode, seed);
  env.Restart();
}

TEST(MemoryEnv, HoldsWhatIsWritten) {
  MemoryEnv env;
  ASSERT_TRUE(env.CreateDirectory("/d").ok());
  auto file = Create(env, "/d/f");
  ASSERT_TRUE(file->Append("abc").ok());
  ASSERT_TRUE(file->Close().ok());
  EXPECT_EQ(env.Contents("/d/f"), "abc");
  auto again = env.Reopen("/d/f", 2, WriteKind::kTable);
  ASSERT_TRUE(again->Append("X").ok());
  again.value().reset();
  EXPECT_EQ(env.Contents("/d/f"), "abX");
  EXPECT_EQ(*env.FileSize("/d/f"), 3u);
  EXPECT_EQ(*env.List("/d"), std::vector<std::string>{"f"});
  EXPECT_EQ(*env.List("/"), std::vector<std::string>{"d"});
  EXPECT_FALSE(env.RemoveDirectory("/d").ok());
  ASSERT_TRUE(env.Rename("/d/f", "/g").ok());
  ASSERT_TRUE(env.RemoveDirectory("/d").ok());
  ASSERT_TRUE(env.Remove("/g").ok());
  EXPECT_EQ(env.Remove("/g").code(), StatusCode::kNotFound);
  EXPECT_EQ(env.Create("/d/f", WriteKind::kLog).status().code(),
            StatusCode::kNotFound);
}

TEST(MemoryEnv, ReadersSeeTheFileAsItWasWhenTheyOpenedIt) {
  for (const bool can_map : {false, true}) {
    MemoryEnv env({.can_map = can_map});
    auto file = Create(env, "f");
    ASSERT_TRUE(file->Append("abc").ok() && file->Flush().ok());
    const auto reader = *env.OpenReadable("f", true);
    ASSERT_TRUE(file->Append("def").ok() && file->Flush().ok());
    ASSERT_TRUE(env.Remove("f").ok());
    std::string scratch;
    EXPECT_EQ(*reader->Read(1, 2, &scratch), "bc");
    EXPECT_FALSE(reader->Read(1, 3, &scratch).ok());
    EXPECT_EQ(reader->mapped().data() != nullptr, can_map);
  }
}

TEST(MemoryEnv, AKilledProcessLosesWhatItHadNotHandedOver) {
  MemoryEnv env;
  auto file = Create(env, "f");
  ASSERT_TRUE(file->Append("abc").ok() && file->Flush().ok());
  ASSERT_TRUE(file->Append("def").ok());
  env.Crash(CrashMode::kKillProcess);
  EXPECT_FALSE(file->Flush().ok());
  EXPECT_FALSE(env.Remove("f").ok());
  file.reset();
  env.Restart();
  EXPECT_EQ(env.Contents("f"), "abc");
}

TEST(MemoryEnv, ANewDirectoryIsLostUnlessTheOneItIsInWasSynced) {
  MemoryEnv env;
  for (const std::string dir : {"/synced", "/not_synced"}) {
    ASSERT_TRUE(env.CreateDirectory(dir).ok());
    ASSERT_TRUE(env.CreateDirectory(dir + "/below").ok());
    auto file = Create(env, dir + "/file");
    ASSERT_TRUE(file->Sync().ok() && env.SyncDirectory(dir).ok());
    if (dir != "/synced") continue;
    ASSERT_TRUE(env.SyncDirectory("/").ok());
  }
  CrashAndRestart(env, CrashMode::kDropUnsynced);
  EXPECT_TRUE(env.Exists("/synced/file"));
  EXPECT_TRUE(env.Exists("/synced/below"));
  EXPECT_FALSE(env.Exists("/not_synced"));
  EXPECT_FALSE(env.Exists("/not_synced/file"));
  EXPECT_FALSE(env.Exists("/not_synced/below"));
}

TEST(MemoryEnv, ACrashLeavesWhatWasSynced) {
  MemoryEnv env;
  auto file = Create(env, "f");
  ASSERT_TRUE(file->Append("abc").ok() && file->Sync().ok());
  auto lost = Create(env, "g");
  ASSERT_TRUE(env.SyncDirectory(".").ok());
  ASSERT_TRUE(file->Append("def").ok() && file->Flush().ok());
  ASSERT_TRUE(lost->Append("def").ok() && lost->Flush().ok());
  CrashAndRestart(env, CrashMode::kDropUnsynced);
  EXPECT_EQ(env.Contents("f"), "abc");
  EXPECT_EQ(env.Contents("g"), "");
  EXPECT_FALSE(file->Append("x").ok());
}

TEST(MemoryEnv, ACrashUndoesNamesThatWereNotSynced) {
  MemoryEnv env;
  env.SetContents("old", "old");
  env.SetContents("current", "1");
  auto file = Create(env, "new");
  ASSERT_TRUE(file->Append("2").ok() && file->Sync().ok());
  ASSERT_TRUE(env.Rename("new", "current").ok());
  ASSERT_TRUE(env.Remove("old").ok());
  EXPECT_EQ(env.Contents("current"), "2");
  CrashAndRestart(env, CrashMode::kDropUnsynced);
  EXPECT_EQ(env.Contents("current"), "1");
  EXPECT_EQ(env.Contents("old"), "old");
  EXPECT_FALSE(env.Exists("new"));
}

TEST(MemoryEnv, ACutThatWasNotSyncedMayBeUndone) {
  std::set<std::string> seen;
  for (std::uint64_t seed = 0; seed < 100; ++seed) {
    MemoryEnv env;
    env.SetContents("f", "abcdef");
    auto file = env.Reopen("f", 2, WriteKind::kLog);
    ASSERT_TRUE(file->Append("X").ok() && file->Flush().ok());
    CrashAndRestart(env, CrashMode::kKeepRandomPrefix, seed);
    seen.insert(env.Contents("f"));
  }
  EXPECT_EQ(seen, (std::set<std::string>{"abcdef", "ab", "abX"}));
}

TEST(MemoryEnv, ACrashMayLeaveAPrefixOfWhatWasNotSynced) {
  std::set<std::string> seen;
  for (std::uint64_t seed = 0; seed < 200; ++seed) {
    MemoryEnv env;
    auto file = Create(env, "f");
    ASSERT_TRUE(file->Append("ab").ok() && file->Sync().ok());
    ASSERT_TRUE(env.SyncDirectory(".").ok());
    ASSERT_TRUE(file->Append("cd").ok() && file->Flush().ok());
    auto second = Create(env, "g");
    ASSERT_TRUE(env.Rename("g", "h").ok());
    CrashAndRestart(env, CrashMode::kKeepRandomPrefix, seed);
    seen.insert(env.Contents("f") + (env.Exists("g") ? "g" : "") +
                (env.Exists("h") ? "h" : ""));
  }
  EXPECT_EQ(seen, (std::set<std::string>{"ab", "abc", "abcd", "abg", "abcg",
                                         "abcdg", "abh", "abch", "abcdh"}));
}

TEST(MemoryEnv, TheNthCallFails) {
  MemoryEnv env;
  auto file = Create(env, "f");
  env.FailCall(2, ENOSPC);
  EXPECT_TRUE(file->Append("a").ok());
  const Status failed = file->Append("b");
  EXPECT_EQ(failed.message(), "f: No space left on device");
  EXPECT_TRUE(file->Append("c").ok());
  EXPECT_TRUE(file->Close().ok());
  EXPECT_EQ(env.failures(), 1u);
  EXPECT_EQ(env.calls(), 5u);
  EXPECT_EQ(env.Contents("f"), "ac");
}

TEST(MemoryEnv, CallsOfAKindFailUntilItIsHealed) {
  MemoryEnv env;
  auto file = Create(env, "f");
  env.FailCall(1, EIO, true, kSyncCalls);
  EXPECT_TRUE(file->Append("a").ok());
  EXPECT_FALSE(file->Sync().ok());
  EXPECT_FALSE(env.SyncDirectory(".").ok());
  EXPECT_EQ(env.failures(), 2u);
  env.Heal();
  EXPECT_EQ(env.failures(), 0u);
  EXPECT_TRUE(file->Sync().ok());
}

TEST(MemoryEnv, AFailedWriteMayLeaveAPart) {
  MemoryEnv env({.tear_failed_writes = true});
  auto file = Create(env, "f");
  ASSERT_TRUE(file->Append("ab").ok());
  env.FailCall(1, EIO);
  EXPECT_FALSE(file->Append("cdef").ok());
  EXPECT_EQ(env.Contents("f"), "abcd");
}

TEST(MemoryEnv, IsFullUntilThereIsRoom) {
  MemoryEnv env;
  env.SetContents("g", "12345");
  env.SetCapacity(10);
  auto file = Create(env, "f");
  EXPECT_TRUE(file->Append("12345").ok());
  EXPECT_EQ(file->Append("6").code(), StatusCode::kIoError);
  ASSERT_TRUE(env.Remove("g").ok());
  EXPECT_TRUE(file->Append("6").ok());
  EXPECT_TRUE(file->Append("7890").ok());
  EXPECT_FALSE(file->Append("1").ok());
  env.SetCapacity(11);
  EXPECT_TRUE(file->Append("1").ok());
  EXPECT_TRUE(file->Close().ok());
  EXPECT_EQ(env.Contents("f"), "12345678901");
}

TEST(MemoryEnv, FlipsABit) {
  MemoryEnv env;
  env.SetContents("f", "aaa");
  const auto before = *env.OpenReadable("f", true);
  env.FlipBit("f", 1, 1);
  EXPECT_EQ(env.Contents("f"), "aca");
  EXPECT_EQ((*env.OpenReadable("f", true))->mapped(), "aca");
  EXPECT_EQ(before->mapped(), "aaa");
}

TEST(MemoryEnv, LocksUntilReleasedOrCrashed) {
  MemoryEnv env;
  auto lock = env.Lock("LOCK");
  ASSERT_TRUE(lock.ok());
  EXPECT_EQ(env.Lock("LOCK").status().code(), StatusCode::kIoError);
  CrashAndRestart(env, CrashMode::kKillProcess);
  auto second = env.Lock("LOCK");
  ASSERT_TRUE(second.ok());
  lock.value().reset();  // of the time before: releases nothing
  EXPECT_FALSE(env.Lock("LOCK").ok());
  second.value().reset();
  EXPECT_TRUE(env.Lock("LOCK").ok());
}

TEST(MemoryEnvThreads, MayBeShared) {
  MemoryEnv env;
  std::vector<std::thread> threads;
  for (int i = 0; i < 4; ++i) {
    threads.emplace_back([&env, i] {
      const std::string path = "f" + std::to_string(i);
      auto file = Create(env, path);
      for (int j = 0; j < 100; ++j) {
        EXPECT_TRUE(file->Append("x").ok() && file->Flush().ok());
        EXPECT_TRUE(env.OpenReadable("f0", false).ok() || i != 0);
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(env.List(".").value().size(), 4u);
}

TEST(MemoryEnv, FailsToReadWhatWasMadeUnreadable) {
  MemoryEnv env;
  env.SetContents("/file", "0123456789");
  env.MakeUnreadable("/file", 4, 2);
  for (const bool map : {false, true}) {
    const auto file = env.OpenReadable("/file", map);
    ASSERT_TRUE(file.ok());
    EXPECT_EQ(file->mapped().data(), nullptr);
    std::string scratch;
    EXPECT_EQ(*file->Read(0, 4, &scratch), "0123");
    EXPECT_EQ(*file->Read(6, 4, &scratch), "6789");
    for (const std::uint64_t at : {0u, 4u, 5u}) {
      const Status read = file->Read(at, 5, &scratch).status();
      EXPECT_EQ(read.code(), StatusCode::kIoError);
      EXPECT_NE(read.message().find("/file"), std::string::npos);
    }
  }
}

}  // namespace
}  // namespace tamis::testing
