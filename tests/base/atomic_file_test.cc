// SPDX-License-Identifier: Apache-2.0
#include "base/atomic_file.h"

#include <fcntl.h>
#include <pthread.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>
#include <atomic>
#include <cerrno>
#include <chrono>
#include <csignal>
#include <filesystem>
#include <string>
#include <thread>
#include <vector>

#include <gtest/gtest.h>

#include "tests/base/temp_dir.h"

namespace tamis {
namespace {

TEST(AtomicFile, WritesTheBytesAndLeavesNothingElse) {
  TempDir dir;
  const std::string content("a\0b\n", 4);
  ASSERT_TRUE(WriteFileAtomically(dir.File("f"), content, Overwrite::kNo).ok());
  EXPECT_EQ(dir.Read("f"), content);
  EXPECT_EQ(dir.Count(), 1u);
}

TEST(AtomicFile, WithoutPermissionToOverwriteTheOldFileStays) {
  TempDir dir;
  dir.Write("f", "old");
  const Status status =
      WriteFileAtomically(dir.File("f"), "new", Overwrite::kNo);
  EXPECT_EQ(status.code(), StatusCode::kAlreadyExists);
  EXPECT_EQ(dir.Read("f"), "old");
  EXPECT_EQ(dir.Count(), 1u);
}

TEST(AtomicFile, OverwritingReplacesTheWholeFile) {
  TempDir dir;
  dir.Write("f", "old and longer");
  ASSERT_TRUE(WriteFileAtomically(dir.File("f"), "new", Overwrite::kYes).ok());
  EXPECT_EQ(dir.Read("f"), "new");
  EXPECT_EQ(dir.Count(), 1u);
}

// Many writers, one name: exactly one may win, and no bytes may be lost.
TEST(AtomicFile, OfManyWritersAtOnceOnlyOneSucceeds) {
  TempDir dir;
  for (int round = 0; round < 20; ++round) {
    const std::string name = "f" + std::to_string(round);
    std::atomic<int> winners = 0;
    std::atomic<int> winner = -1;
    std::vector<std::thread> threads;
    for (int i = 0; i < 4; ++i) {
      threads.emplace_back([&, i] {
        if (WriteFileAtomically(dir.File(name), std::to_string(i),
                                Overwrite::kNo)
                .ok()) {
          ++winners;
          winner = i;
        }
      });
    }
    for (std::thread& thread : threads) thread.join();
    EXPECT_EQ(winners, 1);
    EXPECT_EQ(dir.Read(name), std::to_string(winner));
  }
  EXPECT_EQ(dir.Count(), 20u);
}

TEST(AtomicFile, TheModeFollowsTheUmask) {
  TempDir dir;
  const mode_t old_mask = ::umask(0027);
  const Status status = WriteFileAtomically(dir.File("f"), "x", Overwrite::kNo);
  ::umask(old_mask);
  ASSERT_TRUE(status.ok());
  struct stat info;
  ASSERT_EQ(::stat(dir.File("f").c_str(), &info), 0);
  EXPECT_EQ(info.st_mode & 0777, 0640u);
}

TEST(AtomicFile, AReplacedFileKeepsItsPermissionBits) {
  TempDir dir;
  for (const mode_t mode : {0600u, 0666u, 0640u}) {
    dir.Write("f", "old");
    ASSERT_EQ(::chmod(dir.File("f").c_str(), mode), 0);
    const mode_t old_mask = ::umask(0022);
    const Status status =
        WriteFileAtomically(dir.File("f"), "new", Overwrite::kYes);
    ::umask(old_mask);
    ASSERT_TRUE(status.ok());
    struct stat info;
    ASSERT_EQ(::stat(dir.File("f").c_str(), &info), 0);
    EXPECT_EQ(info.st_mode & 0777, mode);
    EXPECT_EQ(dir.Read("f"), "new");
  }
}

// Between two writes there is nothing to remove, neither the file written.
TEST(AtomicFile, RemoveUnfinishedFileLeavesFinishedFilesAlone) {
  TempDir dir;
  RemoveUnfinishedFile();
  ASSERT_TRUE(WriteFileAtomically(dir.File("f"), "x", Overwrite::kNo).ok());
  RemoveUnfinishedFile();
  EXPECT_EQ(dir.Read("f"), "x");
}

TEST(AtomicFile, ASymbolicLinkStaysAndItsTargetIsReplaced) {
  TempDir dir;
  dir.Write("target", "old");
  std::filesystem::create_symlink("target", dir.File("link"));
  EXPECT_EQ(WriteFileAtomically(dir.File("link"), "new", Overwrite::kNo).code(),
            StatusCode::kAlreadyExists);
  ASSERT_TRUE(
      WriteFileAtomically(dir.File("link"), "new", Overwrite::kYes).ok());
  EXPECT_TRUE(std::filesystem::is_symlink(dir.File("link")));
  EXPECT_EQ(dir.Read("target"), "new");
}

TEST(AtomicFile, ADeviceADirectoryOrAMissingDirectoryIsRefused) {
  TempDir dir;
  EXPECT_EQ(WriteFileAtomically("/dev/null", "x", Overwrite::kYes).code(),
            StatusCode::kInvalidArgument);
  struct stat info;
  ASSERT_EQ(::stat("/dev/null", &info), 0);
  EXPECT_TRUE(S_ISCHR(info.st_mode));
  EXPECT_FALSE(WriteFileAtomically(dir.path(), "x", Overwrite::kYes).ok());
  EXPECT_EQ(WriteFileAtomically(dir.File("no/f"), "x", Overwrite::kNo).code(),
            StatusCode::kNotFound);
}

// A limit on the size of files stands for a disk that is full: the write
// stops half-way, and neither the target nor a temporary file remains.
TEST(AtomicFile, AWriteThatFailsHalfWayLeavesTheOldFileAndNoOther) {
  TempDir dir;
  dir.Write("f", "old");
  const auto old_action = std::signal(SIGXFSZ, SIG_IGN);
  rlimit old_limit;
  ASSERT_EQ(::getrlimit(RLIMIT_FSIZE, &old_limit), 0);
  const rlimit limit = {4096, old_limit.rlim_max};
  ASSERT_EQ(::setrlimit(RLIMIT_FSIZE, &limit), 0);
  const Status status = WriteFileAtomically(
      dir.File("f"), std::string(100'000, 'x'), Overwrite::kYes);
  ::setrlimit(RLIMIT_FSIZE, &old_limit);
  std::signal(SIGXFSZ, old_action);
  EXPECT_EQ(status.code(), StatusCode::kIoError) << status.message();
  EXPECT_EQ(dir.Read("f"), "old");
  EXPECT_EQ(dir.Count(), 1u);
}

extern "C" void RemoveAndLeave(int) {
  RemoveUnfinishedFile();
  ::_exit(7);
}

// A signal in the midst of the write, here that of the limit, ends a process
// whose handler removes what is not finished.
TEST(AtomicFile, ASignalHandlerCanRemoveWhatIsNotFinished) {
  TempDir dir;
  dir.Write("f", "old");
  const pid_t child = ::fork();
  ASSERT_GE(child, 0);
  if (child == 0) {
    std::signal(SIGXFSZ, RemoveAndLeave);
    const rlimit limit = {4096, RLIM_INFINITY};
    ::setrlimit(RLIMIT_FSIZE, &limit);
    const Status status = WriteFileAtomically(
        dir.File("f"), std::string(100'000, 'x'), Overwrite::kYes);
    ::_exit(status.ok() ? 1 : 2);
  }
  int status = 0;
  ASSERT_EQ(::waitpid(child, &status, 0), child);
  ASSERT_TRUE(WIFEXITED(status));
  EXPECT_EQ(WEXITSTATUS(status), 7);
  EXPECT_EQ(dir.Read("f"), "old");
  EXPECT_EQ(dir.Count(), 1u);
}

void DoNothing(int) {}

// Signals cut a write to a full pipe short, or stop it before its first byte.
TEST(WriteFully, GoesOnAfterWritesThatWereInterrupted) {
  int ends[2];
  ASSERT_EQ(::pipe(ends), 0);
  const std::string content(2'000'000, 'w');  // a pipe holds 64 KiB
  const pthread_t writer = ::pthread_self();
  struct sigaction action = {};
  struct sigaction old_action;
  action.sa_handler = DoNothing;  // without SA_RESTART: the write returns
  ASSERT_EQ(::sigaction(SIGUSR1, &action, &old_action), 0);
  std::string received;
  std::thread reader([&] {
    char piece[65'536];
    ssize_t got;
    do {
      // The first signal finds a write half done, the second one that waits.
      for (int i = 0; i < 2; ++i) {
        ::pthread_kill(writer, SIGUSR1);
        std::this_thread::sleep_for(std::chrono::milliseconds(1));
      }
      got = ::read(ends[0], piece, sizeof(piece));
      received.append(piece, static_cast<std::size_t>(got > 0 ? got : 0));
    } while (got > 0);
  });
  EXPECT_EQ(WriteFully(ends[1], content), 0);
  ::close(ends[1]);
  reader.join();
  ::close(ends[0]);
  ::sigaction(SIGUSR1, &old_action, nullptr);
  EXPECT_EQ(received.size(), content.size());
  EXPECT_TRUE(received == content);
}

TEST(WriteFully, ReturnsTheErrorOfTheSystem) {
  const int fd = ::open("/dev/full", O_WRONLY | O_CLOEXEC);
  ASSERT_GE(fd, 0);
  EXPECT_EQ(WriteFully(fd, "x"), ENOSPC);
  EXPECT_EQ(WriteFully(-1, "x"), EBADF);
  EXPECT_EQ(WriteFully(-1, ""), 0);
  ::close(fd);
}

}  // namespace
}  // namespace tamis
