// SPDX-License-Identifier: Apache-2.0
#include <fcntl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>
#include <algorithm>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "tamis/env.h"
#include "tests/base/temp_dir.h"

namespace tamis {
namespace {

using Names = std::vector<std::string>;

std::unique_ptr<ReadableFile> Open(const std::string& path, bool map) {
  auto file = DefaultEnv().OpenReadable(path, map);
  EXPECT_TRUE(file.ok()) << file.status().ToString();
  return file.ok() ? *std::move(file) : nullptr;
}

std::unique_ptr<WritableFile> CreateTable(const std::string& path) {
  auto file = DefaultEnv().Create(path, WriteKind::kTable);
  EXPECT_TRUE(file.ok()) << file.status().ToString();
  return file.ok() ? *std::move(file) : nullptr;
}

Names SortedList(const std::string& dir) {
  auto names = DefaultEnv().List(dir);
  EXPECT_TRUE(names.ok()) << names.status().ToString();
  if (!names.ok()) return {};
  std::sort(names->begin(), names->end());
  return *names;
}

void ExpectNames(const Status& status, StatusCode code,
                 const std::string& path) {
  EXPECT_EQ(status.code(), code) << status.ToString();
  EXPECT_TRUE(status.message().starts_with(path)) << status.ToString();
}

// A whole second is what programs set, for many files alike.
TEST(PosixReadable, SaysWhenAFileWasWrittenToUnlessThatIsAWholeSecond) {
  TempDir dir;
  const std::string path = dir.Write("file", "content");
  for (const bool map : {false, true}) {
    for (const long nanoseconds : {0L, 1L, 999'999'999L}) {
      const timespec times[] = {{1, 1}, {1'763'524'800, nanoseconds}};
      ASSERT_EQ(::utimensat(AT_FDCWD, path.c_str(), times, 0), 0);
      const std::uint64_t expected =
          nanoseconds == 0 ? 0
                           : 1'763'524'800'000'000'000u +
                                 static_cast<std::uint64_t>(nanoseconds);
      EXPECT_EQ(Open(path, map)->modified(), expected) << map;
    }
  }
}

TEST(PosixReadable, GivesTheSameBytesMappedAndNot) {
  const TempDir dir;
  const std::string content = std::string(10'000, 'a') + "middle" + "end";
  const std::string path = dir.Write("f", content);
  for (const bool map : {false, true}) {
    const auto file = Open(path, map);
    ASSERT_NE(file, nullptr);
    EXPECT_EQ(file->size(), content.size());
    EXPECT_EQ(file->mapped(), map ? Slice(content) : Slice());
    file->WillRead(0, content.size());
    file->WillRead(9'999, 2);
    file->HasRead(4'000, 5'000);
    std::string scratch;
    EXPECT_EQ(*file->Read(10'000, 6, &scratch), "middle");
    EXPECT_EQ(*file->Read(0, content.size(), &scratch), content);
    EXPECT_EQ(*file->Read(content.size(), 0, &scratch), "");
  }
}

TEST(PosixReadable, WhatIsCutOffLaterIsAnErrorThatNamesTheFile) {
  for (const bool map : {false, true}) {
    const TempDir dir;
    const std::string path = dir.Write("f", std::string(20'000, 'a'));
    const auto file = Open(path, map);
    std::filesystem::resize_file(path, 5000);
    std::string scratch;
    ExpectNames(file->Read(9000, 10, &scratch).status(), StatusCode::kIoError,
                path);
    ExpectNames(file->Read(0, 20'000, &scratch).status(), StatusCode::kIoError,
                path);
    EXPECT_EQ(*file->Read(0, 5000, &scratch), std::string(5000, 'a'));
    EXPECT_EQ(file->ReadAtMost(0, 20'000, &scratch).value().size(), 5000u);
    EXPECT_EQ(file->ReadAtMost(4999, 10, &scratch).value().size(), 1u);
    EXPECT_EQ(*file->ReadAtMost(9000, 10, &scratch), "");
    EXPECT_EQ(*file->ReadAtMost(90'000, 10, &scratch), "");
    EXPECT_FALSE(map && file->MakeReadable(9000, 10));
  }
}

// The limit on open files, while it lives.
class FewDescriptors {
 public:
  explicit FewDescriptors(rlim_t count) {
    ::getrlimit(RLIMIT_NOFILE, &before_);
    rlimit limit = before_;
    limit.rlim_cur = count;
    ::setrlimit(RLIMIT_NOFILE, &limit);
  }
  FewDescriptors(const FewDescriptors&) = delete;
  FewDescriptors& operator=(const FewDescriptors&) = delete;
  ~FewDescriptors() { ::setrlimit(RLIMIT_NOFILE, &before_); }

 private:
  rlimit before_ = {};
};

TEST(PosixReadable, MoreFilesCanBeMappedThanAProcessMayHaveOpen) {
  const TempDir dir;
  const std::string path = dir.Write("f", std::string(20'000, 'a') + "end");
  const FewDescriptors few(40);
  std::vector<std::unique_ptr<ReadableFile>> files;
  for (int i = 0; i < 200; ++i) files.push_back(Open(path, true));
  std::string scratch;
  for (const auto& file : files) {
    ASSERT_NE(file, nullptr);
    EXPECT_EQ(*file->Read(20'000, 3, &scratch), "end");
    EXPECT_EQ(file->ReadAtMost(20'000, 100, &scratch).value().size(), 3u);
    EXPECT_EQ(*file->Read(7, 0, &scratch), "");
  }
  std::filesystem::resize_file(path, 5000);
  for (const auto& file : files) {
    ExpectNames(file->Read(9000, 10, &scratch).status(), StatusCode::kIoError,
                path);
  }
}

TEST(PosixReadable, MoreThanThereIsMemoryForIsAnErrorThatNamesTheFile) {
  const TempDir dir;
  const std::string path = dir.Write("f", "");
  constexpr std::uint64_t kFiveTerabytes = 5'000'000'000'000;
  std::filesystem::resize_file(path, kFiveTerabytes);
  for (const bool map : {false, true}) {
    const auto file = Open(path, map);
    ASSERT_NE(file, nullptr);
    std::string scratch;
    ExpectNames(file->Read(0, kFiveTerabytes, &scratch).status(),
                StatusCode::kResourceExhausted, path);
    EXPECT_EQ(*file->Read(kFiveTerabytes - 3, 3, &scratch),
              std::string(3, '\0'));
  }
}

TEST(PosixReadable, BytesBeyondTheEndAreAnErrorThatNamesTheFile) {
  const TempDir dir;
  const std::string path = dir.Write("f", "12345");
  for (const bool map : {false, true}) {
    const auto file = Open(path, map);
    std::string scratch;
    ExpectNames(file->Read(3, 3, &scratch).status(), StatusCode::kIoError,
                path);
    ExpectNames(file->Read(6, 0, &scratch).status(), StatusCode::kIoError,
                path);
    ExpectNames(file->Read(~std::uint64_t{0}, 2, &scratch).status(),
                StatusCode::kIoError, path);
  }
}

TEST(PosixReadable, AnEmptyFileIsMappedIfAskedTo) {
  const TempDir dir;
  const auto file = Open(dir.Write("f", ""), true);
  ASSERT_NE(file, nullptr);
  EXPECT_EQ(file->size(), 0u);
  EXPECT_NE(file->mapped().data(), nullptr);
  EXPECT_EQ(Open(dir.File("f"), false)->mapped().data(), nullptr);
}

TEST(PosixReadable, AFileCutShortMeanwhileIsAnError) {
  const TempDir dir;
  const std::string path = dir.Write("f", "12345");
  const auto file = Open(path, false);
  ASSERT_EQ(::truncate(path.c_str(), 2), 0);
  std::string scratch;
  ExpectNames(file->Read(0, 5, &scratch).status(), StatusCode::kIoError, path);
}

TEST(PosixReadable, WhatIsMissingOrNoFileIsRefused) {
  const TempDir dir;
  const std::string missing = dir.File("missing");
  ExpectNames(DefaultEnv().OpenReadable(missing, true).status(),
              StatusCode::kNotFound, missing);
  ExpectNames(DefaultEnv().OpenReadable(dir.path(), true).status(),
              StatusCode::kIoError, dir.path());
}

TEST(PosixTableFile, WritesPiecesOfAllSizes) {
  const TempDir dir;
  auto file = CreateTable(dir.File("f"));
  std::string expected;
  for (const std::size_t size : {1u, 70'000u, 200'000u, 0u, 600'000u, 3u}) {
    const std::string piece(size, static_cast<char>('a' + size % 26));
    ASSERT_TRUE(file->Append(piece).ok());
    expected += piece;
  }
  ASSERT_TRUE(file->Flush().ok());
  EXPECT_EQ(dir.Read("f"), expected);
  ASSERT_TRUE(file->Append("tail").ok());
  ASSERT_TRUE(file->Sync().ok());
  EXPECT_EQ(dir.Read("f"), expected + "tail");
  ASSERT_TRUE(file->Append("!").ok());
  ASSERT_TRUE(file->Close().ok());
  EXPECT_EQ(dir.Read("f"), expected + "tail!");
  EXPECT_FALSE(file->Append("after").ok());
}

TEST(PosixTableFile, ManyPartsAreWrittenInOrder) {
  const TempDir dir;
  auto file = CreateTable(dir.File("f"));
  std::vector<std::string> strings;
  std::string expected;
  for (int i = 0; i < 1000; ++i) {
    strings.push_back(i % 7 == 0 ? "" : std::to_string(i));
    expected += strings.back();
  }
  const std::vector<Slice> parts(strings.begin(), strings.end());
  ASSERT_TRUE(file->AppendRecord(parts).ok());
  EXPECT_EQ(dir.Read("f"), expected);
}

TEST(PosixTableFile, DestroyingItClosesIt) {
  const TempDir dir;
  ASSERT_TRUE(CreateTable(dir.File("f"))->Append("bytes").ok());
  EXPECT_EQ(dir.Read("f"), "bytes");
}

TEST(PosixTableFile, AFullDiskIsAnErrorThatStays) {
  auto file = CreateTable("/dev/full");
  ASSERT_NE(file, nullptr);
  ASSERT_TRUE(file->Append("x").ok());  // into the buffer
  ExpectNames(file->Flush(), StatusCode::kIoError, "/dev/full: No space left");
  EXPECT_FALSE(file->Append("y").ok());
  EXPECT_FALSE(file->Sync().ok());
  EXPECT_FALSE(file->Close().ok());
}

TEST(PosixEnv, CreatingEmptiesAndReopeningKeeps) {
  const TempDir dir;
  const std::string path = dir.Write("f", "0123456789");
  for (const WriteKind kind : {WriteKind::kTable, WriteKind::kLog}) {
    dir.Write("f", "0123456789");
    auto file = DefaultEnv().Reopen(path, 4, kind);
    ASSERT_TRUE(file.ok()) << file.status().ToString();
    ASSERT_TRUE(file->Append("new").ok());
    ASSERT_TRUE(file->Close().ok());
    EXPECT_EQ(dir.Read("f"), "0123new");
    ExpectNames(DefaultEnv().Reopen(path, 8, kind).status(),
                StatusCode::kIoError, path);
    EXPECT_EQ(dir.Read("f"), "0123new");
    ExpectNames(DefaultEnv().Reopen(dir.File("missing"), 0, kind).status(),
                StatusCode::kNotFound, dir.File("missing"));
    ASSERT_TRUE(DefaultEnv().Create(path, kind).ok());
    EXPECT_EQ(dir.Read("f"), "");
  }
}

TEST(PosixEnv, KnowsNamesAndSizes) {
  const TempDir dir;
  Env& env = DefaultEnv();
  dir.Write("a", "12345");
  dir.Write(".hidden", "");
  EXPECT_EQ(SortedList(dir.path()), (Names{".hidden", "a"}));
  EXPECT_TRUE(env.Exists(dir.File("a")));
  EXPECT_FALSE(env.Exists(dir.File("b")));
  EXPECT_EQ(*env.FileSize(dir.File("a")), 5u);
  ExpectNames(env.FileSize(dir.File("b")).status(), StatusCode::kNotFound,
              dir.File("b"));
  ExpectNames(env.List(dir.File("b")).status(), StatusCode::kNotFound,
              dir.File("b"));
}

TEST(PosixEnv, RenamesOverWhatIsThereAndRemoves) {
  const TempDir dir;
  Env& env = DefaultEnv();
  dir.Write("a", "new");
  dir.Write("b", "old");
  ASSERT_TRUE(env.Rename(dir.File("a"), dir.File("b")).ok());
  EXPECT_EQ(dir.Read("b"), "new");
  EXPECT_EQ(SortedList(dir.path()), Names{"b"});
  ASSERT_TRUE(env.SyncDirectory(dir.path()).ok());
  ASSERT_TRUE(env.Remove(dir.File("b")).ok());
  EXPECT_EQ(SortedList(dir.path()), Names{});
  ExpectNames(env.Remove(dir.File("b")), StatusCode::kNotFound, dir.File("b"));
  ExpectNames(env.Rename(dir.File("b"), dir.File("c")), StatusCode::kNotFound,
              dir.File("b"));
}

TEST(PosixEnv, MakesADirectoryThatMayBeThereAlready) {
  const TempDir dir;
  Env& env = DefaultEnv();
  const std::string path = dir.File("d");
  ASSERT_TRUE(env.CreateDirectory(path).ok());
  EXPECT_TRUE(env.CreateDirectory(path).ok());
  EXPECT_TRUE(env.SyncDirectory(path).ok());
  dir.Write("d/f", "");
  ExpectNames(env.RemoveDirectory(path), StatusCode::kIoError, path);
  ASSERT_TRUE(env.Remove(path + "/f").ok());
  ASSERT_TRUE(env.RemoveDirectory(path).ok());
  EXPECT_FALSE(env.Exists(path));
  ExpectNames(env.SyncDirectory(path), StatusCode::kNotFound, path);
  ExpectNames(env.CreateDirectory(path + "/e"), StatusCode::kNotFound, path);
  ExpectNames(env.CreateDirectory(dir.Write("f", "")),
              StatusCode::kAlreadyExists, dir.File("f"));
}

TEST(PosixLock, ExcludesThisProcessByWhateverPath) {
  const TempDir dir;
  const std::string path = dir.File("LOCK");
  auto lock = DefaultEnv().Lock(path);
  ASSERT_TRUE(lock.ok()) << lock.status().ToString();
  ASSERT_EQ(::symlink(path.c_str(), dir.File("link").c_str()), 0);
  for (const std::string& other :
       {path, dir.path() + "/./LOCK", dir.File("link")}) {
    const auto second = DefaultEnv().Lock(other);
    ExpectNames(second.status(), StatusCode::kIoError, other);
    EXPECT_NE(second.status().message().find("elsewhere"), std::string::npos);
  }
  lock.value().reset();
  EXPECT_TRUE(DefaultEnv().Lock(path).ok());
}

// Whether another process gets the lock.
bool OthersCanLock(const std::string& path) {
  const pid_t child = ::fork();
  if (child == 0) {
    const int fd = ::open(path.c_str(), O_RDWR);
    struct flock whole_file = {};
    whole_file.l_type = F_WRLCK;
    ::_exit(fd >= 0 && ::fcntl(fd, F_SETLK, &whole_file) == 0 ? 0 : 1);
  }
  int status = -1;
  ::waitpid(child, &status, 0);
  return status == 0;
}

TEST(PosixLock, ExcludesOtherProcessesAlsoAfterARefusalInThisOne) {
  const TempDir dir;
  const std::string path = dir.File("LOCK");
  auto lock = DefaultEnv().Lock(path);
  ASSERT_TRUE(lock.ok());
  EXPECT_FALSE(OthersCanLock(path));
  EXPECT_FALSE(DefaultEnv().Lock(dir.path() + "/./LOCK").ok());
  EXPECT_FALSE(OthersCanLock(path));
  lock.value().reset();
  EXPECT_TRUE(OthersCanLock(path));
}

TEST(PosixLock, AnotherProcessMayHoldIt) {
  const TempDir dir;
  const std::string path = dir.Write("LOCK", "");
  int ready[2];
  int done[2];
  ASSERT_EQ(::pipe(ready) | ::pipe(done), 0);
  const pid_t child = ::fork();
  if (child == 0) {
    const int fd = ::open(path.c_str(), O_RDWR);
    struct flock whole_file = {};
    whole_file.l_type = F_WRLCK;
    char byte = static_cast<char>(::fcntl(fd, F_SETLK, &whole_file));
    ::_exit(::write(ready[1], &byte, 1) == 1 && ::read(done[0], &byte, 1) == 1
                ? 0
                : 1);
  }
  char byte = 1;
  ASSERT_EQ(::read(ready[0], &byte, 1), 1);
  ASSERT_EQ(byte, 0);
  ExpectNames(DefaultEnv().Lock(path).status(), StatusCode::kIoError, path);
  ASSERT_EQ(::write(done[1], &byte, 1), 1);
  ASSERT_EQ(::waitpid(child, nullptr, 0), child);
  EXPECT_TRUE(DefaultEnv().Lock(path).ok());
  for (const int fd : {ready[0], ready[1], done[0], done[1]}) ::close(fd);
}

}  // namespace
}  // namespace tamis
