// SPDX-License-Identifier: Apache-2.0
#include "base/file_descriptor.h"

#include <sys/resource.h>
#include <unistd.h>
#include <cerrno>
#include <system_error>
#include <utility>

namespace tamis {

FileDescriptor& FileDescriptor::operator=(FileDescriptor&& other) noexcept {
  std::swap(fd_, other.fd_);
  return *this;
}

FileDescriptor::~FileDescriptor() { Close(); }

int FileDescriptor::Release() noexcept { return std::exchange(fd_, -1); }

int FileDescriptor::Close() noexcept {
  const int fd = Release();
  // Not retried after EINTR: Linux has already closed it.
  return fd >= 0 && ::close(fd) != 0 && errno != EINTR ? errno : 0;
}

// The system assigns the lowest free number, so a high one means that many are
// in use.
FileDescriptor KeptIfFew(FileDescriptor fd) noexcept {
  rlimit limit;
  const bool is_known = ::getrlimit(RLIMIT_NOFILE, &limit) == 0;
  if (is_known && static_cast<rlim_t>(fd.get()) >= limit.rlim_cur / 2) {
    return FileDescriptor();
  }
  return fd;
}

Status SystemError(const std::string& path, int error) {
  if (error == ENOENT || error == ENOTDIR) {
    return Status::NotFound(path + ": no such file or directory");
  }
  if (error == EEXIST) return Status::AlreadyExists(path + ": already exists");
  std::string message = path + ": " + std::generic_category().message(error);
  if (error == EACCES || error == EPERM || error == EROFS) {
    return Status::PermissionDenied(std::move(message));
  }
  if (error == ENOMEM || error == EMFILE || error == ENFILE) {
    return Status::ResourceExhausted(std::move(message));
  }
  return Status::IoError(std::move(message));
}

}  // namespace tamis
