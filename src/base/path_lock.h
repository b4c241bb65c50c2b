// SPDX-License-Identifier: Apache-2.0
// base/path_lock.h -- a lock on a file that is changed by replacing it.

#pragma once

#include <chrono>
#include <optional>
#include <string>

#include "base/file_descriptor.h"
#include "tamis/result.h"

namespace tamis {

// Holds the file at a path for one who reads it, changes what was read and
// puts a new file in its place.  Advisory: it keeps out those who lock, too.
// Nothing is written, and nothing stays behind; the system lets go when the
// process ends, however it ends.
//
// The lock is on the file, not on its name: once another file has the name,
// that one can be locked, and who waited for the old one finds out and starts
// over with the new one.
class PathLock {
 public:
  // Waits up to `patience` while somebody else holds it, in this process or in
  // another; nothing: however long it takes.
  // ResourceExhausted: the patience ended.  NotSupported: this file system has
  // no locks.  NotFound, IoError: the file cannot be opened.
  static Result<PathLock> Take(
      const std::string& path,
      std::optional<std::chrono::milliseconds> patience);

 private:
  explicit PathLock(FileDescriptor fd) noexcept;

  FileDescriptor fd_;  // closing it lets go
};

}  // namespace tamis
