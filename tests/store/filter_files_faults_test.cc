// SPDX-License-Identifier: Apache-2.0
// Files of filters on a disk that fails, in a machine that stops, and where
// memory runs out: each is there as a whole or not at all.

#include <cerrno>
#include <cstdint>
#include <memory>
#include <string>

#include <gtest/gtest.h>

#include "tamis/filter_files.h"
#include "tamis/store.h"
#include "tests/store/filter_file_store.h"
#include "tests/store/stores.h"
#include "tests/support/failing_new.h"
#include "tests/support/memory_env.h"

namespace tamis::testing {
namespace {

// Two tables; the second opening replaces the filters of the first.
Files FilesToStartFrom() {
  TestStore store(PoorOptions());
  for (int table = 0; table < 2; ++table) {
    for (int i = table; i < 40; i += 2) store.Put(FilterFileKey(2 * i), "v");
    store.Flush();
  }
  store.Close();
  MakeAll(&store, {}, "bloom:6");
  return FilesOf(&store.env());
}

void ExpectAllThere(MemoryEnv* env) {
  StoreOptions options = PoorOptions();
  options.env = env;
  const auto store = Store::Open(kDir, options);
  ASSERT_TRUE(store.ok()) << store.status().ToString();
  for (int i = 0; i < 80; ++i) {
    ASSERT_EQ(store->Get(FilterFileKey(i)).ok(), i % 2 == 0) << i;
  }
  EXPECT_EQ(store->Stats().damaged_filters, 0u);
  const auto names = env->List(kDir);
  for (const std::string& name : *names) {
    EXPECT_FALSE(name.ends_with(".dbtmp")) << name;
  }
}

class FilterFilesFaults : public ::testing::TestWithParam<CrashMode> {};

// The old filter or the new one, at every call.
TEST_P(FilterFilesFaults, LeaveTheOldOrTheNewOne) {
  const Files before = FilesToStartFrom();
  bool any_old = false;
  bool any_new = false;
  for (const bool is_removal : {false, true}) {
    std::uint64_t failures = 1;
    for (std::uint64_t n = 1; failures > 0; ++n) {
      MemoryEnv env;
      PutFiles(before, &env);
      StoreOptions options = GoodOptions(PoorOptions(), "bloom:16");
      options.env = &env;
      FilterFilesOptions filters;
      filters.remove = is_removal;
      env.FailCall(n, EIO, n % 2 == 0);
      const auto done = MakeFilterFiles(kDir, options, filters);
      failures = env.failures();
      env.Crash(GetParam(), n);
      env.Restart();
      env.Heal();
      for (const auto& [path, bytes] : FilesOf(&env)) {
        const auto old = before.find(path);
        if (path.ends_with(".ldb")) {
          EXPECT_EQ(bytes, old->second);
        }
        if (!path.ends_with(".filter")) continue;
        const bool is_old = bytes == old->second;
        (is_old ? any_old : any_new) = true;
      }
      ExpectAllThere(&env);
      const auto checked = CheckStore(kDir, options);
      ASSERT_TRUE(checked.ok() && checked->problems.empty()) << n;
      EXPECT_TRUE(done.ok() || failures > 0);
    }
  }
  EXPECT_TRUE(any_old && any_new);
}

INSTANTIATE_TEST_SUITE_P(Crashes, FilterFilesFaults,
                         ::testing::Values(CrashMode::kKillProcess,
                                           CrashMode::kDropUnsynced,
                                           CrashMode::kKeepRandomPrefix,
                                           CrashMode::kKeepRandomSectors));

// A store that reads them, while each call fails once.
TEST(FilterFilesFaults, CostNoKeyAndNoFilterThatCanBeRead) {
  const Files before = FilesToStartFrom();
  std::uint64_t failures = 1;
  for (std::uint64_t n = 1; failures > 0; ++n) {
    MemoryEnv env;
    PutFiles(before, &env);
    StoreOptions options = PoorOptions();
    options.env = &env;
    options.filter_files = n % 2 == 0;
    env.FailCall(n, EIO);
    auto store = Store::Open(kDir, options);
    if (store.ok()) {
      for (int i = 0; i < 80; ++i) {
        const Status got = store->Get(FilterFileKey(i)).status();
        const bool is_there = i % 2 == 0;
        EXPECT_TRUE(got.ok() ? is_there
                             : !is_there || got.code() != StatusCode::kNotFound)
            << got.ToString();
      }
    }
    failures = env.failures();
    store = Status::NotFound("closed");
    env.Heal();
    ExpectAllThere(&env);
    for (const auto& [path, bytes] : before) {
      if (path.ends_with(".filter")) {
        EXPECT_EQ(env.Contents(path), bytes);
      }
    }
  }
}

TEST(FilterFilesFaults, LackOfMemoryIsAStatus) {
  const Files before = FilesToStartFrom();
  int allowed = 0;
  for (int failed = 1; failed > 0; allowed += 1 + allowed / 16) {
    MemoryEnv env;
    PutFiles(before, &env);
    StoreOptions options = GoodOptions(PoorOptions(), "bloom:16");
    options.env = &env;
    Result<FilterFilesReport> done = Status::NotFound("not done");
    {
      const FaultScope scope;
      FailAllocations(allowed, 1 << 20);
      done = MakeFilterFiles(kDir, options);
      failed = FailedAllocations();
      FailAllocations(0, 0);
    }
    EXPECT_TRUE(done.ok() || failed > 0);
    if (!done.ok()) {
      EXPECT_EQ(done.status().code(), StatusCode::kResourceExhausted);
    }
    ExpectAllThere(&env);
  }
}

}  // namespace
}  // namespace tamis::testing
