// SPDX-License-Identifier: Apache-2.0
#include "tests/support/rebuild_crashes.h"

#include <cerrno>
#include <filesystem>
#include <fstream>
#include <iterator>

#include <gtest/gtest.h>

namespace tamis::testing {
namespace {

namespace fs = std::filesystem;

std::string ReadAll(const fs::path& path) {
  std::ifstream in(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(in), {}};
}

std::uint64_t BytesIn(MemoryEnv* env, const std::string& dir) {
  std::uint64_t bytes = 0;
  const auto names = env->List(dir);
  if (!names.ok()) return 0;
  for (const std::string& name : *names) {
    const auto size = env->FileSize(dir + "/" + name);
    if (size.ok()) bytes += *size;
  }
  return bytes;
}

Status Do(const CrashTrial& trial, MemoryEnv* env) {
  if (trial.undo) return UndoRebuild(kDbInMemory, env).status();
  RebuildOptions options = trial.options;
  options.env = env;
  return RebuildFilters(kDbInMemory, options).status();
}

void Prepare(const CrashTrial& trial, MemoryEnv* env) {
  LoadDirectory(trial.from, env);
  if (!trial.undo) return;
  RebuildOptions options = trial.options;
  options.env = env;
  const auto done = RebuildFilters(kDbInMemory, options);
  ASSERT_TRUE(done.ok()) << done.status().ToString();
}

// `n` is that of the trial: of some it is enough to look at what is left.
void Check(const CrashTrial& trial, int n, MemoryEnv* env) {
  constexpr int kFewAttempts = 3;
  const TempDir dir{TempDir::InMemory()};
  StoreDirectory(env, dir.path());
  trial.check(dir.path());
  if (n % kFewAttempts != 0 || ::testing::Test::HasFailure()) return;
  // The next attempt finds its way from there.
  const Status again = Do(trial, env);
  if (trial.undo) {
    EXPECT_TRUE(again.ok() || again.code() == StatusCode::kNotFound)
        << again.ToString();
  } else {
    // Or all was done, and the old files are kept.
    EXPECT_TRUE(again.ok() || again.code() == StatusCode::kAlreadyExists)
        << again.ToString();
  }
  const TempDir after{TempDir::InMemory()};
  StoreDirectory(env, after.path());
  trial.check(after.path());
}

int AtEveryCall(const CrashTrial& trial, int error, bool from_then_on,
                const CrashMode* mode) {
  for (int n = 1;; ++n) {
    SCOPED_TRACE("call " + std::to_string(n));
    MemoryEnv env;
    Prepare(trial, &env);
    env.FailCall(static_cast<std::uint64_t>(n), error,
                 from_then_on || mode != nullptr);
    const Status done = Do(trial, &env);
    const bool has_failed = env.failures() > 0;
    EXPECT_TRUE(has_failed || done.ok()) << done.ToString();
    if (mode != nullptr) env.Crash(*mode, static_cast<std::uint64_t>(n));
    env.Heal();
    if (mode != nullptr) env.Restart();
    Check(trial, n, &env);
    if (!has_failed || ::testing::Test::HasFailure()) return n - 1;
  }
}

}  // namespace

void LoadDirectory(const std::string& from, MemoryEnv* env) {
  ASSERT_TRUE(env->CreateDirectory(kDbInMemory).ok());
  ASSERT_TRUE(env->SyncDirectory("/").ok());
  for (const auto& entry : fs::directory_iterator(from)) {
    if (!entry.is_regular_file()) continue;
    env->SetContents(
        std::string(kDbInMemory) + "/" + entry.path().filename().string(),
        ReadAll(entry.path()));
  }
}

void StoreDirectory(MemoryEnv* env, const std::string& to) {
  const std::string own = "/" + std::string(kRebuildDirectory);
  for (const std::string& part : {std::string(), own}) {
    const std::string from = kDbInMemory + part;
    const auto names = env->List(from);
    if (!names.ok()) continue;
    fs::create_directories(to + part);
    for (const std::string& name : *names) {
      if (name == kRebuildDirectory) continue;
      std::ofstream(to + part + "/" + name, std::ios::binary)
          << env->Contents(from + "/" + name);
    }
  }
}

int FailAtEveryCall(const CrashTrial& trial, int error, bool from_then_on) {
  return AtEveryCall(trial, error, from_then_on, nullptr);
}

int CrashAtEveryCall(const CrashTrial& trial, CrashMode mode) {
  return AtEveryCall(trial, EIO, true, &mode);
}

int FillTheDisk(const CrashTrial& trial) {
  for (int full = 0;; ++full) {
    MemoryEnv env;
    Prepare(trial, &env);
    const std::uint64_t used = BytesIn(&env, kDbInMemory);
    env.SetCapacity(used + static_cast<std::uint64_t>(full) * trial.disk_step);
    const Status done = Do(trial, &env);
    env.SetCapacity(UINT64_MAX);
    Check(trial, full, &env);
    if (done.ok() || ::testing::Test::HasFailure()) return full;
  }
}

}  // namespace tamis::testing
