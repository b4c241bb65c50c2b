// SPDX-License-Identifier: Apache-2.0
// base/path_lock.h -- a lock on a file that is changed by replacing it.

#pragma once

#include <chrono>
#include <optional>
#include <string>

#include "base/file_descriptor.h"
#include "tamis/result.h"

namespace tamis {

// A lock on the file at a path, for a caller that reads it, changes the
// contents and replaces the file.  It is advisory: it only excludes other
// callers that lock.  Nothing is written, and nothing is left on disk; the
// system releases the lock when the process ends, however it ends.
//
// The lock is on the file, not on its name: once the name belongs to another
// file, that one can be locked, and callers that waited for the old one notice
// and start over with the new one.
class PathLock {
 public:
  // Waits up to `patience`, or without a limit if that is nothing, while
  // another holder, in this process or in another, has the lock.
  // ResourceExhausted: the lock is still held.  NotSupported: this file system
  // has no locks.  NotFound, IoError: the file cannot be opened.
  static Result<PathLock> Take(
      const std::string& path,
      std::optional<std::chrono::milliseconds> patience);

 private:
  explicit PathLock(FileDescriptor fd) noexcept;

  FileDescriptor fd_;  // closing it releases the lock
};

}  // namespace tamis
