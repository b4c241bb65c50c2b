// SPDX-License-Identifier: Apache-2.0
// base/file_descriptor.h -- an open file that closes itself, and the Status
// for what the operating system said.

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

  // Gives the descriptor away: the caller closes it.
  int Release() noexcept;

  // Closes now and returns 0 or errno, which a network filesystem may use to
  // report a write that failed long ago.
  int Close() noexcept;

 private:
  int fd_;
};

// The descriptor, or none where half of those that the process may have are
// taken: for who can do without.
FileDescriptor KeptIfFew(FileDescriptor fd) noexcept;

// "PATH: what `error` (an errno) means": NotFound for ENOENT and ENOTDIR,
// AlreadyExists for EEXIST, PermissionDenied for EACCES, EPERM and EROFS,
// ResourceExhausted for ENOMEM, EMFILE and ENFILE, IoError for the rest.
Status SystemError(const std::string& path, int error);

}  // namespace tamis
