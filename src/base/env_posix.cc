// SPDX-License-Identifier: Apache-2.0
// DefaultEnv(): the files of a POSIX system, by their paths.

#include <dirent.h>
#include <fcntl.h>
#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>
#include <cerrno>
#include <utility>

#include "base/posix_files.h"

namespace tamis {
namespace {

std::unique_ptr<WritableFile> NewWritable(const std::string& path,
                                          FileDescriptor fd,
                                          std::uint64_t bytes, WriteKind kind) {
  return kind == WriteKind::kLog
             ? NewPosixLogFile(path, std::move(fd), bytes)
             : NewPosixTableFile(path, std::move(fd), bytes);
}

// Returns ok, or the error in errno if `result` is not 0.
Status StatusOf(const std::string& path, int result) {
  return result == 0 ? Status::Ok() : SystemError(path, errno);
}

class PosixEnv final : public Env {
 public:
  Result<std::unique_ptr<ReadableFile>> OpenReadable(const std::string& path,
                                                     bool map) override {
    return OpenPosixReadable(path, map);
  }

  Result<std::unique_ptr<WritableFile>> Create(const std::string& path,
                                               WriteKind kind) override {
    FileDescriptor fd(
        ::open(path.c_str(), O_RDWR | O_CREAT | O_TRUNC | O_CLOEXEC, 0644));
    if (!fd.valid()) return SystemError(path, errno);
    return NewWritable(path, std::move(fd), 0, kind);
  }

  Result<std::unique_ptr<WritableFile>> Reopen(const std::string& path,
                                               std::uint64_t keep,
                                               WriteKind kind) override {
    FileDescriptor fd(::open(path.c_str(), O_RDWR | O_CLOEXEC));
    if (!fd.valid()) return SystemError(path, errno);
    struct stat info;
    if (::fstat(fd.get(), &info) != 0) return SystemError(path, errno);
    if (static_cast<std::uint64_t>(info.st_size) < keep) {
      return Status::IoError(path + ": shorter than the " +
                             std::to_string(keep) + " bytes it should have");
    }
    if (::ftruncate(fd.get(), static_cast<off_t>(keep)) != 0) {
      return SystemError(path, errno);
    }
    return NewWritable(path, std::move(fd), keep, kind);
  }

  Result<std::vector<std::string>> List(const std::string& dir) override;

  bool Exists(const std::string& path) override {
    return ::access(path.c_str(), F_OK) == 0;
  }

  Result<std::uint64_t> FileSize(const std::string& path) override {
    struct stat info;
    if (::stat(path.c_str(), &info) != 0) return SystemError(path, errno);
    return static_cast<std::uint64_t>(info.st_size);
  }

  Status Remove(const std::string& path) override {
    return StatusOf(path, ::unlink(path.c_str()));
  }

  Status Rename(const std::string& from, const std::string& to) override {
    return StatusOf(from, ::rename(from.c_str(), to.c_str()));
  }

  Status CreateDirectory(const std::string& dir) override {
    if (::mkdir(dir.c_str(), 0755) == 0) return Status::Ok();
    const int error = errno;
    struct stat info;
    if (error == EEXIST && ::stat(dir.c_str(), &info) == 0 &&
        S_ISDIR(info.st_mode)) {
      return Status::Ok();
    }
    return SystemError(dir, error);
  }

  Status RemoveDirectory(const std::string& dir) override {
    return StatusOf(dir, ::rmdir(dir.c_str()));
  }

  Status SyncDirectory(const std::string& dir) override {
    FileDescriptor fd(::open(dir.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
    if (!fd.valid()) return SystemError(dir, errno);
    // EINVAL: this file system has nothing to sync.
    if (::fsync(fd.get()) != 0 && errno != EINVAL) {
      return SystemError(dir, errno);
    }
    return Status::Ok();
  }

  Result<std::unique_ptr<FileLock>> Lock(const std::string& path) override {
    return LockPosixFile(path);
  }
};

Result<std::vector<std::string>> PosixEnv::List(const std::string& dir) {
  const auto close = [](DIR* open) { ::closedir(open); };
  const std::unique_ptr<DIR, decltype(close)> open(::opendir(dir.c_str()),
                                                   close);
  if (open == nullptr) return SystemError(dir, errno);
  std::vector<std::string> names;
  for (;;) {
    errno = 0;
    const dirent* const entry = ::readdir(open.get());
    if (entry == nullptr) break;
    const std::string_view name = entry->d_name;
    if (name != "." && name != "..") names.emplace_back(name);
  }
  if (errno != 0) return SystemError(dir, errno);
  return names;
}

}  // namespace

Env& DefaultEnv() noexcept {
  static PosixEnv& env = *new PosixEnv;  // outlives every user
  return env;
}

}  // namespace tamis
