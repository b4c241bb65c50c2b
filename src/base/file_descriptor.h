// SPDX-License-Identifier: Apache-2.0
// base/file_descriptor.h -- an open file that closes itself, and the Status of
// a system error.

#pragma once

#include <string>

#include "tamis/status.h"

namespace tamis {

// Owns one descriptor; -1 stands for none.
class FileDescriptor {
 public:
  explicit FileDescriptor(int fd = -1) noexcept : fd_(fd) {}
  FileDescriptor(FileDescriptor&& other) noexcept : fd_(other.Release()) {}
  FileDescriptor& operator=(FileDescriptor&& other) noexcept;
  FileDescriptor(const FileDescriptor&) = delete;
  FileDescriptor& operator=(const FileDescriptor&) = delete;
  ~FileDescriptor();

  bool valid() const noexcept { return fd_ >= 0; }
  int get() const noexcept { return fd_; }

  // Releases the descriptor: the caller must close it.
  int Release() noexcept;

  // Closes now and returns 0 or errno, which a network filesystem may use to
  // report a write that failed long ago.
  int Close() noexcept;

 private:
  int fd_;
};

// Returns `fd`, or closes it and returns none if half of the descriptors that
// the process may have are in use.  For callers that can do without.
FileDescriptor KeptIfFew(FileDescriptor fd) noexcept;

// "PATH: what `error` (an errno) means": NotFound for ENOENT and ENOTDIR,
// AlreadyExists for EEXIST, PermissionDenied for EACCES, EPERM and EROFS,
// ResourceExhausted for ENOMEM, EMFILE and ENFILE, IoError for the rest.
Status SystemError(const std::string& path, int error);

}  // namespace tamis
