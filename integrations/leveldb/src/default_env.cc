// SPDX-License-Identifier: Apache-2.0
// leveldb::Env::Default(): the operating system.

#include <dirent.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <sys/time.h>
#include <unistd.h>
#include <cerrno>
#include <chrono>
#include <condition_variable>
#include <cstdio>
#include <cstdlib>
#include <deque>
#include <memory>
#include <mutex>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include <leveldb/env.h>

#include "convert.h"
#include "posix_files.h"
#include "tamis/env.h"

namespace leveldb {
namespace {

using tamis::dropin::SystemError;

Status StatusOf(const std::string& path, int result) {
  return result == 0 ? Status() : SystemError(path, errno);
}

// Runs what it is given one after the other in a thread, until the process
// ends.
class BackgroundThread {
 public:
  void Schedule(void (*function)(void*), void* arg) {
    const std::lock_guard lock(mutex_);
    if (!is_started_) {
      is_started_ = true;
      std::thread([this] { Run(); }).detach();
    }
    work_.emplace_back(function, arg);
    changed_.notify_one();
  }

 private:
  [[noreturn]] void Run() {
    for (;;) {
      std::unique_lock lock(mutex_);
      changed_.wait(lock, [this] { return !work_.empty(); });
      const auto [function, arg] = work_.front();
      work_.pop_front();
      lock.unlock();
      function(arg);
    }
  }

  std::mutex mutex_;
  std::condition_variable changed_;
  bool is_started_ = false;
  std::deque<std::pair<void (*)(void*), void*>> work_;
};

class HeldLock final : public FileLock {
 public:
  explicit HeldLock(std::unique_ptr<tamis::FileLock> lock)
      : lock_(std::move(lock)) {}

 private:
  const std::unique_ptr<tamis::FileLock> lock_;
};

class DefaultEnvironment final : public Env {
 public:
  Status NewSequentialFile(const std::string& fname,
                           SequentialFile** result) override {
    return tamis::dropin::NewPosixSequentialFile(fname, result);
  }
  Status NewRandomAccessFile(const std::string& fname,
                             RandomAccessFile** result) override {
    return tamis::dropin::NewPosixRandomAccessFile(fname, result);
  }
  Status NewWritableFile(const std::string& fname,
                         WritableFile** result) override {
    return tamis::dropin::NewPosixWritableFile(fname, O_TRUNC, result);
  }
  Status NewAppendableFile(const std::string& fname,
                           WritableFile** result) override {
    return tamis::dropin::NewPosixWritableFile(fname, O_APPEND, result);
  }
  bool FileExists(const std::string& fname) override {
    return ::access(fname.c_str(), F_OK) == 0;
  }
  Status GetChildren(const std::string& dir,
                     std::vector<std::string>* result) override {
    result->clear();
    DIR* const opened = ::opendir(dir.c_str());
    if (opened == nullptr) return SystemError(dir, errno);
    while (const dirent* const entry = ::readdir(opened)) {
      result->emplace_back(entry->d_name);
    }
    ::closedir(opened);
    return Status();
  }
  Status RemoveFile(const std::string& fname) override {
    return StatusOf(fname, ::unlink(fname.c_str()));
  }
  Status CreateDir(const std::string& dirname) override {
    return StatusOf(dirname, ::mkdir(dirname.c_str(), 0755));
  }
  Status RemoveDir(const std::string& dirname) override {
    return StatusOf(dirname, ::rmdir(dirname.c_str()));
  }
  Status GetFileSize(const std::string& fname, uint64_t* file_size) override {
    struct stat info {};
    if (::stat(fname.c_str(), &info) != 0) {
      *file_size = 0;
      return SystemError(fname, errno);
    }
    *file_size = static_cast<std::uint64_t>(info.st_size);
    return Status();
  }
  Status RenameFile(const std::string& src,
                    const std::string& target) override {
    return StatusOf(src, ::rename(src.c_str(), target.c_str()));
  }
  Status LockFile(const std::string& fname, FileLock** lock) override;
  Status UnlockFile(FileLock* lock) override {
    delete lock;
    return Status();
  }
  void Schedule(void (*function)(void*), void* arg) override {
    background_.Schedule(function, arg);
  }
  void StartThread(void (*function)(void*), void* arg) override {
    std::thread(function, arg).detach();
  }
  Status GetTestDirectory(std::string* path) override;
  Status NewLogger(const std::string& fname, Logger** result) override {
    return tamis::dropin::NewPosixLogger(fname, result);
  }
  uint64_t NowMicros() override {
    timeval now{};
    ::gettimeofday(&now, nullptr);
    return static_cast<std::uint64_t>(now.tv_sec) * 1'000'000 +
           static_cast<std::uint64_t>(now.tv_usec);
  }
  void SleepForMicroseconds(int micros) override {
    std::this_thread::sleep_for(std::chrono::microseconds(micros));
  }

 private:
  BackgroundThread background_;
};

// The lock of a store: whoever holds the one has the other.
Status DefaultEnvironment::LockFile(const std::string& fname, FileLock** lock) {
  *lock = nullptr;
  auto taken = tamis::DefaultEnv().Lock(fname);
  if (taken.ok()) {
    *lock = new HeldLock(*std::move(taken));
    return Status();
  }
  return tamis::dropin::LockError(fname, taken.status());
}

Status DefaultEnvironment::GetTestDirectory(std::string* path) {
  const char* const named = std::getenv("TEST_TMPDIR");
  *path = named != nullptr && *named != '\0'
              ? std::string(named)
              : "/tmp/leveldbtest-" + std::to_string(::geteuid());
  (void)CreateDir(*path);
  return Status();
}

}  // namespace

Env* Env::Default() {
  // Never destroyed: databases may outlive main().
  static auto* const env = new DefaultEnvironment;
  return env;
}

}  // namespace leveldb

namespace tamis::dropin {

leveldb::Status LockError(const std::string& path, const Status& why) {
  if (why.code() == StatusCode::kNotFound) return SystemError(path, ENOENT);
  const std::string& text = why.message();
  if (text.find("elsewhere in this process") != std::string::npos) {
    return leveldb::Status::IOError("lock " + path, "already held by process");
  }
  if (text.find("in another process") != std::string::npos) {
    return SystemError("lock " + path, EAGAIN);
  }
  return Theirs(why);
}

}  // namespace tamis::dropin
