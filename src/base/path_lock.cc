// SPDX-License-Identifier: Apache-2.0
#include "base/path_lock.h"

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <algorithm>
#include <cerrno>
#include <thread>
#include <utility>

namespace tamis {
namespace {

using Clock = std::chrono::steady_clock;

constexpr std::chrono::milliseconds kPause{10};

// Some network file systems lock only files that are open for writing.
FileDescriptor OpenToLock(const std::string& path) {
  FileDescriptor fd(::open(path.c_str(), O_RDWR | O_CLOEXEC | O_NONBLOCK));
  if (fd.valid() || errno == ENOENT) return fd;
  return FileDescriptor(
      ::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK));
}

// Waits for the lock until `deadline`, or without a limit.  Returns 0 or errno;
// EWOULDBLOCK after the deadline.
int LockUntil(int fd, const std::optional<Clock::time_point>& deadline) {
  for (;;) {
    const int operation = deadline.has_value() ? LOCK_EX | LOCK_NB : LOCK_EX;
    if (::flock(fd, operation) == 0) return 0;
    if (errno == EINTR) continue;
    if (errno != EWOULDBLOCK) return errno;
    const auto now = Clock::now();
    if (now >= *deadline) return EWOULDBLOCK;
    std::this_thread::sleep_for(
        std::min<Clock::duration>(kPause, *deadline - now));
  }
}

// Returns true if `path` still names the open file.
bool IsStillAt(const std::string& path, int fd) {
  struct stat opened;
  struct stat named;
  return ::fstat(fd, &opened) == 0 && ::stat(path.c_str(), &named) == 0 &&
         opened.st_dev == named.st_dev && opened.st_ino == named.st_ino;
}

bool MeansNoLocks(int error) {
  return error == ENOLCK || error == EOPNOTSUPP || error == ENOSYS ||
         error == EINVAL || error == EBADF;
}

}  // namespace

PathLock::PathLock(FileDescriptor fd) noexcept : fd_(std::move(fd)) {}

Result<PathLock> PathLock::Take(
    const std::string& path,
    std::optional<std::chrono::milliseconds> patience) {
  std::optional<Clock::time_point> deadline;
  if (patience.has_value()) deadline = Clock::now() + *patience;
  for (;;) {
    FileDescriptor fd = OpenToLock(path);
    if (!fd.valid()) return SystemError(path, errno);
    const int error = LockUntil(fd.get(), deadline);
    if (error == EWOULDBLOCK) {
      return Status::ResourceExhausted(path + ": somebody else is changing it");
    }
    if (MeansNoLocks(error)) {
      return Status::NotSupported(path + ": its file system has no locks");
    }
    if (error != 0) return SystemError(path, error);
    if (IsStillAt(path, fd.get())) return PathLock(std::move(fd));
  }
}

}  // namespace tamis
