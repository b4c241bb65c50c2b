// SPDX-License-Identifier: Apache-2.0
// tamis/filter_file.h -- a filter in a file: mapped or loaded, and checked.

#pragma once

#include <chrono>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "tamis/export.h"
#include "tamis/filter.h"

namespace tamis {

// How a filter file is opened.
enum class FileAccess {
  kMap,   // map the file: nothing is copied, and processes share it; but
          // files of up to 1 MiB are read, which is as fast
  kLoad,  // copy it into huge pages (FilterMemory): for large filters that are
          // queried often
};

// A filter in a file.  Immutable, so safe to share among threads.  A file that
// was read or loaded may change afterwards.  A mapped file must not be changed
// in place while it is open; replacing it by rename, as WriteFilterFile() does,
// is fine.  A page that cannot be read, because the file was truncated or a
// sector is bad, ends the process by SIGBUS; but if GuardMappings()
// (tamis/env.h) was called before Open(), the filter answers "maybe" to every
// key from then on, and status() says why.
//
// If the file was truncated within a page, the system fills the rest of that
// page with zeros and reports nothing: the filter may then answer "no" for a
// key that is in it, until a later page is touched.  A program that cannot rule
// this out calls status() after its queries, and trusts a "no" only if that is
// ok.
class TAMIS_EXPORT FilterFile {
 public:
  virtual ~FilterFile() = default;

  // `spec` as for MakePolicy(); empty: the format is recognised by the file's
  // name and content.  A mere guess is refused with InvalidArgument, because a
  // filter read in the wrong format would hide keys.  NotFound, IoError: the
  // file cannot be read.  Corruption: its bytes are damaged.
  static Result<std::unique_ptr<const FilterFile>> Open(
      const std::string& path, std::string_view spec = {},
      FileAccess access = FileAccess::kMap);

  // The filter, which is owned by this object.
  virtual const FilterReader& reader() const noexcept = 0;
  virtual Slice bytes() const noexcept = 0;  // the whole file
  // The format, as a spec for MakePolicy().
  virtual std::string_view spec() const noexcept = 0;

  // IoError, with the file's name: a page could not be read, or the file was
  // truncated or written to since it was opened.  What was read of bytes()
  // before this call may be zeros.  For a mapped file this queries the system
  // for its length and modification time, unless half of the file descriptors
  // that the process may have were in use when it was opened.
  virtual Status status() const { return Status::Ok(); }
};

// What WriteFilterFile() does if the file exists.
enum class IfExists {
  kFail,     // fails with AlreadyExists
  kReplace,  // replaces the file
};

// Writes `bytes` to a temporary file beside `path`, syncs it, renames it to
// `path` and syncs the directory: after a crash the file is complete, absent,
// or the old one.  A new file takes over the permission bits of the one that it
// replaces.  AlreadyExists: the file exists, and `if_exists` is kFail.
TAMIS_EXPORT Status WriteFilterFile(const std::string& path, Slice bytes,
                                    IfExists if_exists);

// A lock for programs that read a filter file, change the filter and replace
// the file with WriteFilterFile(): of two that do so at once neither undoes the
// other's change.  It is advisory: readers do not need it, and writers that do
// not take it are not kept out.  Nothing is left on disk, even if the process
// dies.  Once the file has been replaced, the lock is on the old one: to change
// the file again, release the lock and take it again.
class TAMIS_EXPORT FilterFileLock {
 public:
  virtual ~FilterFileLock() = default;
};

// Locks the file at `path`; waits up to `patience`, or without a limit if that
// is nothing, while another process or thread holds the lock.  A symbolic link
// stands for its target.  Take the lock before reading the file.
// ResourceExhausted: the lock is still held.  NotSupported: the file system has
// no locks.  NotFound, IoError: the file cannot be opened.
TAMIS_EXPORT Result<std::unique_ptr<FilterFileLock>> LockFilterFile(
    const std::string& path,
    std::optional<std::chrono::milliseconds> patience = std::nullopt);

}  // namespace tamis
