// SPDX-License-Identifier: Apache-2.0
#include "base/spill_file.h"

#include <signal.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>
#include <filesystem>
#include <string>
#include <utility>

#include <gtest/gtest.h>

#include "tests/base/temp_dir.h"

namespace tamis {
namespace {

std::span<const std::byte> Bytes(const std::string& text) {
  return std::as_bytes(std::span(text));
}

std::string ReadBack(const SpillFile& file, std::uint64_t offset,
                     std::size_t size) {
  std::string text(size, '?');
  const Status status =
      file.ReadAt(offset, std::as_writable_bytes(std::span(text)));
  EXPECT_TRUE(status.ok()) << status.message();
  return text;
}

TEST(SpillFile, GivesBackWhatWasWrittenWhereItWas) {
  TempDir dir;
  auto file = SpillFile::Create(dir.path());
  ASSERT_TRUE(file.ok()) << file.status().message();
  const std::string large(300'000, 'x');
  ASSERT_TRUE(file->WriteAt(5, Bytes("hello")).ok());
  ASSERT_TRUE(file->WriteAt(1'000'000, Bytes(large)).ok());
  ASSERT_TRUE(file->WriteAt(7, Bytes("LL")).ok());
  EXPECT_EQ(ReadBack(*file, 5, 5), "heLLo");
  EXPECT_EQ(ReadBack(*file, 1'000'000, large.size()), large);
  SpillFile moved = *std::move(file);
  EXPECT_EQ(ReadBack(moved, 6, 3), "eLL");
}

TEST(SpillFile, HasNoNameInItsFolder) {
  TempDir dir;
  auto file = SpillFile::Create(dir.path());
  ASSERT_TRUE(file.ok());
  ASSERT_TRUE(file->WriteAt(0, Bytes("some")).ok());
  EXPECT_EQ(dir.Count(), 0u);
}

TEST(SpillFile, ReadingMoreThanWasWrittenIsAnError) {
  TempDir dir;
  auto file = SpillFile::Create(dir.path());
  ASSERT_TRUE(file.ok());
  ASSERT_TRUE(file->WriteAt(0, Bytes("some")).ok());
  std::string text(5, '?');
  const Status status =
      file->ReadAt(0, std::as_writable_bytes(std::span(text)));
  EXPECT_EQ(status.code(), StatusCode::kIoError);
  EXPECT_NE(status.message().find(dir.path()), std::string::npos);
}

// ResourceExhausted would be taken for a lack of memory.
TEST(SpillFile, TooManyOpenFilesAreAnIoError) {
  TempDir dir;
  rlimit old;
  ASSERT_EQ(::getrlimit(RLIMIT_NOFILE, &old), 0);
  rlimit none = old;
  none.rlim_cur = 0;
  ASSERT_EQ(::setrlimit(RLIMIT_NOFILE, &none), 0);
  const auto file = SpillFile::Create(dir.path());
  ::setrlimit(RLIMIT_NOFILE, &old);
  ASSERT_FALSE(file.ok());
  EXPECT_EQ(file.status().code(), StatusCode::kIoError);
  EXPECT_NE(file.status().message().find(dir.path()), std::string::npos);
}

TEST(SpillFile, DiscardingLeavesTheRest) {
  TempDir dir;
  auto file = SpillFile::Create(dir.path());
  ASSERT_TRUE(file.ok());
  const std::string block(1 << 16, 'a');
  ASSERT_TRUE(file->WriteAt(0, Bytes(block)).ok());
  ASSERT_TRUE(file->WriteAt(block.size(), Bytes(block)).ok());
  file->WillNeed(0, 2 * block.size());
  file->Discard(0, block.size());
  EXPECT_EQ(ReadBack(*file, block.size(), block.size()), block);
}

TEST(SpillFile, AMissingFolderIsNamed) {
  TempDir dir;
  const std::string missing = dir.File("missing");
  auto file = SpillFile::Create(missing);
  ASSERT_FALSE(file.ok());
  EXPECT_EQ(file.status().code(), StatusCode::kNotFound);
  EXPECT_NE(file.status().message().find(missing), std::string::npos);
  EXPECT_FALSE(SpillFile::Create(dir.Write("file", "")).ok());
}

TEST(SpillFile, NoFolderMeansThatOfTheEnvironment) {
  TempDir dir;
  const char* old = ::getenv("TMPDIR");
  const std::string kept = old != nullptr ? old : "";
  ::setenv("TMPDIR", dir.File("missing").c_str(), 1);
  auto missing = SpillFile::Create("");
  ::setenv("TMPDIR", "", 1);
  auto usual = SpillFile::Create("");
  if (old != nullptr) {
    ::setenv("TMPDIR", kept.c_str(), 1);
  } else {
    ::unsetenv("TMPDIR");
  }
  ASSERT_FALSE(missing.ok());
  EXPECT_NE(missing.status().message().find(dir.path()), std::string::npos);
  EXPECT_TRUE(usual.ok());
}

TEST(SpillFile, NoRoomIsAnIoErrorAndNamesTheFolder) {
  TempDir dir;
  auto file = SpillFile::Create(dir.path());
  ASSERT_TRUE(file.ok());
  rlimit old;
  ASSERT_EQ(::getrlimit(RLIMIT_FSIZE, &old), 0);
  const auto old_handler = ::signal(SIGXFSZ, SIG_IGN);
  rlimit small = old;
  small.rlim_cur = 1000;
  ASSERT_EQ(::setrlimit(RLIMIT_FSIZE, &small), 0);
  // The first bytes still fit: what is left must fail, not go round for ever.
  const Status status = file->WriteAt(0, Bytes(std::string(5000, 'x')));
  ::setrlimit(RLIMIT_FSIZE, &old);
  ::signal(SIGXFSZ, old_handler);
  EXPECT_EQ(status.code(), StatusCode::kIoError);
  EXPECT_NE(status.message().find(dir.path()), std::string::npos);
}

}  // namespace
}  // namespace tamis
