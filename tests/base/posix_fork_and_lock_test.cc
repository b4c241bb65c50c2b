// SPDX-License-Identifier: Apache-2.0
// What a forked child does with copies of its parent's files and locks, and
// locks on files that others remove meanwhile.

#include <fcntl.h>
#include <sched.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>
#include <atomic>
#include <cstdarg>
#include <filesystem>
#include <memory>
#include <string>
#include <utility>

#include <gtest/gtest.h>

#include "base/owner_process.h"
#include "tamis/env.h"
#include "tests/base/temp_dir.h"
#include "tests/support/in_child.h"

namespace {

// If not empty, the file to remove as soon as somebody asks for a lock.
std::string& RemovedBeforeLocking() {
  static std::string& path = *new std::string;
  return path;
}
bool replaced_before_locking = false;  // by another file

}  // namespace

// In place of the C library's, for this whole program: between opening a file
// and locking it the other process may run, here at will.
extern "C" int fcntl(int fd, int command, ...) {
  std::va_list arguments;
  va_start(arguments, command);
  void* const argument = va_arg(arguments, void*);  // an int fits as well
  va_end(arguments);
  if (command == F_SETLK && !RemovedBeforeLocking().empty()) {
    const std::string path = std::exchange(RemovedBeforeLocking(), "");
    ::unlink(path.c_str());
    if (replaced_before_locking) {
      ::close(::open(path.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0644));
    }
  }
  return static_cast<int>(::syscall(SYS_fcntl, fd, command, argument));
}

namespace tamis {
namespace {

using testing::InChild;

TEST(OwnerProcess, IsNotHereInAForkedChildNorInItsChildren) {
  const OwnerProcess ours;
  EXPECT_TRUE(ours.IsHere());
  const int code = InChild([&] {
    if (ours.IsHere()) return 1;
    const OwnerProcess childs;
    if (!childs.IsHere()) return 2;
    return InChild([&] { return ours.IsHere() || childs.IsHere() ? 3 : 0; });
  });
  EXPECT_EQ(code, 0);
  EXPECT_TRUE(ours.IsHere());
}

TEST(PosixLogFile, ClosedInAForkedChildIsLeftAsItIs) {
  const TempDir dir;
  auto file = *DefaultEnv().Create(dir.File("log"), WriteKind::kLog);
  const Slice first[] = {"header", "and record"};
  ASSERT_TRUE(file->AppendRecord(first).ok());
  const auto bytes = std::filesystem::file_size(dir.File("log"));
  ASSERT_GT(bytes, 16u);  // allocated ahead
  EXPECT_EQ(InChild([&] {
              file.reset();
              return 0;
            }),
            0);
  EXPECT_EQ(std::filesystem::file_size(dir.File("log")), bytes);
  // The mapping has still a file behind it.
  const Slice second[] = {"header", "another"};
  ASSERT_TRUE(file->AppendRecord(second).ok());
  ASSERT_TRUE(file->Close().ok());
  EXPECT_EQ(dir.Read("log"), "headerand recordheaderanother");
}

TEST(PosixTableFile, DestroyedInAForkedChildWritesNothing) {
  const TempDir dir;
  auto file = *DefaultEnv().Create(dir.File("table"), WriteKind::kTable);
  ASSERT_TRUE(file->Append("in the buffer").ok());
  EXPECT_EQ(InChild([&] {
              file.reset();
              return 0;
            }),
            0);
  EXPECT_EQ(dir.Read("table"), "");
  ASSERT_TRUE(file->Close().ok());
  EXPECT_EQ(dir.Read("table"), "in the buffer");
}

// Forked now; `body` runs there once Go() is called, whose child it is not.
class Grandchild {
 public:
  template <class Body>
  explicit Grandchild(const Body& body) {
    EXPECT_EQ(::pipe(go_) | ::pipe(answer_), 0);
    EXPECT_EQ(InChild([&] {
                if (::fork() != 0) return 0;
                char byte = 0;
                if (::read(go_[0], &byte, 1) == 1) {
                  byte = static_cast<char>(body());
                  static_cast<void>(::write(answer_[1], &byte, 1));
                }
                return 0;
              }),
              0);
    ::close(answer_[1]);
  }
  Grandchild(const Grandchild&) = delete;
  Grandchild& operator=(const Grandchild&) = delete;
  ~Grandchild() {
    for (const int fd : {go_[0], go_[1], answer_[0]}) ::close(fd);
  }

  void Start() { EXPECT_EQ(::write(go_[1], "x", 1), 1); }
  // What `body` returned; -1: it did not.
  int Answer() {
    char byte = -1;
    return ::read(answer_[0], &byte, 1) == 1 ? byte : -1;
  }
  int Go() {
    Start();
    return Answer();
  }

 private:
  int go_[2] = {};
  int answer_[2] = {};
};

// 0: nobody has it; 1: another process has; 2: this one, it seems.
int WhoHasLock(const std::string& path) {
  const Status locked = DefaultEnv().Lock(path).status();
  if (locked.ok()) return 0;
  return locked.message().find("another process") != std::string::npos ? 1 : 2;
}

TEST(PosixLock, AForkedChildHasNoPartInIt) {
  const TempDir dir;
  const std::string path = dir.File("LOCK");
  auto lock = *DefaultEnv().Lock(path);
  // Neither destroying the copy nor asking for the lock gives the parent's up.
  EXPECT_EQ(InChild([&] {
              lock.reset();
              return WhoHasLock(path);
            }),
            1);
  EXPECT_EQ(InChild([&] { return WhoHasLock(path); }), 1);
  // A child that outlives the lock gets it, and keeps it when its copy of the
  // parent's goes.
  Grandchild grandchild([&] {
    const auto childs = DefaultEnv().Lock(path);
    if (!childs.ok()) return 9;
    lock.reset();
    return InChild([&] { return WhoHasLock(path); });
  });
  lock.reset();
  EXPECT_EQ(grandchild.Go(), 1);
}

TEST(PosixLock, WhoHoldsItMayRemoveTheFileAndTheNextOneIsNew) {
  const TempDir dir;
  const std::string path = dir.File("LOCK");
  auto lock = *DefaultEnv().Lock(path);
  ASSERT_TRUE(DefaultEnv().Remove(path).ok());
  auto next = DefaultEnv().Lock(path);
  ASSERT_TRUE(next.ok()) << next.status().ToString();
  lock.reset();  // does not give up the other one
  EXPECT_EQ(WhoHasLock(path), 2);
  EXPECT_EQ(InChild([&] { return WhoHasLock(path); }), 1);
}

TEST(PosixLock, IsNeverOfAFileThatWasRemovedAfterItWasOpened) {
  for (const bool is_replaced : {false, true}) {
    const TempDir dir;
    const std::string path = dir.Write("LOCK", "");
    RemovedBeforeLocking() = path;
    replaced_before_locking = is_replaced;
    const auto lock = DefaultEnv().Lock(path);
    EXPECT_EQ(RemovedBeforeLocking(), "");
    ASSERT_TRUE(lock.ok()) << lock.status().ToString();
    // It is that of the file which others find there.
    EXPECT_EQ(InChild([&] { return WhoHasLock(path); }), 1) << is_replaced;
  }
}

// How many processes think that they hold the lock.
class Holders {
 public:
  Holders()
      : shared_(::mmap(nullptr, sizeof(std::atomic<int>),
                       PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1,
                       0)) {}
  Holders(const Holders&) = delete;
  Holders& operator=(const Holders&) = delete;
  ~Holders() { ::munmap(shared_, sizeof(std::atomic<int>)); }

  std::atomic<int>& count() { return *static_cast<std::atomic<int>*>(shared_); }

 private:
  void* shared_;
};

// Takes the lock, looks whether it is alone, removes the file, gives it up.
// False: it was not alone.
bool LockAndRemove(const std::string& path, int times, Holders* holders) {
  for (int i = 0; i < times;) {
    auto lock = DefaultEnv().Lock(path);
    if (!lock.ok()) continue;
    ++i;
    if (holders->count().fetch_add(1) != 0) return false;
    ::sched_yield();
    if (holders->count().fetch_sub(1) != 1) return false;
    // From here on others may make a new one, and lock that.
    static_cast<void>(DefaultEnv().Remove(path).ok());
  }
  return true;
}

TEST(PosixLock, NoTwoProcessesHoldItThoughEachRemovesTheFile) {
  constexpr int kTimes = 200;
  const TempDir dir;
  Holders holders;
  const std::string path = dir.File("LOCK");
  Grandchild other(
      [&] { return LockAndRemove(path, kTimes, &holders) ? 1 : 0; });
  other.Start();
  EXPECT_TRUE(LockAndRemove(path, kTimes, &holders));
  EXPECT_EQ(other.Answer(), 1);
}

}  // namespace
}  // namespace tamis
