// SPDX-License-Identifier: Apache-2.0
#include "base/path_lock.h"

#include <chrono>
#include <filesystem>
#include <future>
#include <optional>
#include <string>

#include <gtest/gtest.h>

#include "base/atomic_file.h"
#include "tests/base/temp_dir.h"

namespace tamis {
namespace {

constexpr std::chrono::milliseconds kNone{0};

TEST(PathLock, IsHeldByOneAtATime) {
  TempDir dir;
  const std::string path = dir.Write("file", "old");
  {
    const auto lock = PathLock::Take(path, kNone);
    ASSERT_TRUE(lock.ok()) << lock.status().message();
    const auto other = PathLock::Take(path, kNone);
    EXPECT_EQ(other.status().code(), StatusCode::kResourceExhausted);
    EXPECT_EQ(other.status().message(),
              path + ": somebody else is changing it");
  }
  EXPECT_TRUE(PathLock::Take(path, kNone).ok());
  EXPECT_EQ(dir.Count(), 1u);
  EXPECT_EQ(dir.Read("file"), "old");
}

TEST(PathLock, AFileThatReplacedTheLockedOneCanBeLocked) {
  TempDir dir;
  const std::string path = dir.Write("file", "old");
  const auto lock = PathLock::Take(path, kNone);
  ASSERT_TRUE(lock.ok());
  ASSERT_TRUE(WriteFileAtomically(path, "new", Overwrite::kYes).ok());
  EXPECT_TRUE(PathLock::Take(path, kNone).ok());
}

// Else it would read the old file's successor without a lock on that.
TEST(PathLock, WhoWaitedForAFileThatWasReplacedHoldsTheNewOne) {
  TempDir dir;
  const std::string path = dir.Write("file", "old");
  std::optional<Result<PathLock>> lock = PathLock::Take(path, kNone);
  ASSERT_TRUE(lock->ok());
  auto waiting = std::async(std::launch::async,
                            [&] { return PathLock::Take(path, std::nullopt); });
  EXPECT_EQ(waiting.wait_for(std::chrono::milliseconds(20)),
            std::future_status::timeout);
  ASSERT_TRUE(WriteFileAtomically(path, "new", Overwrite::kYes).ok());
  lock.reset();
  const auto got = waiting.get();
  ASSERT_TRUE(got.ok());
  EXPECT_EQ(PathLock::Take(path, kNone).status().code(),
            StatusCode::kResourceExhausted);
}

TEST(PathLock, ALinkStandsForItsFile) {
  TempDir dir;
  const std::string path = dir.Write("file", "old");
  std::filesystem::create_symlink(path, dir.File("link"));
  const auto lock = PathLock::Take(dir.File("link"), kNone);
  ASSERT_TRUE(lock.ok());
  EXPECT_FALSE(PathLock::Take(path, kNone).ok());
}

TEST(PathLock, NoFileIsNotFoundAndNotMade) {
  TempDir dir;
  EXPECT_EQ(PathLock::Take(dir.File("file"), kNone).status().code(),
            StatusCode::kNotFound);
  EXPECT_EQ(dir.Count(), 0u);
}

}  // namespace
}  // namespace tamis
