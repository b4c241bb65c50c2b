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
  kMap,   // answer from a mapping: nothing is copied, processes share it; but
          // files of up to 1 MiB are read, which takes no longer
  kLoad,  // copy it into huge pages (FilterMemory): for big filters that are
          // asked often
};

// A filter answering from a file.  Immutable, so safe to share among threads.
// A file that was read or loaded may change as it likes.  One that is mapped
// must not be changed in place while it is open; replacing it by rename, as
// WriteFilterFile() does, is fine.  A page of it that cannot be read, because
// somebody has cut the file or a sector is gone, ends the process by SIGBUS;
// but if GuardMappings() (tamis/env.h) was called before Open(), every key is
// answered with "maybe" from then on, and status() says why.
//
// Of a file that was cut within a page the system shows that page with zeros
// behind the cut, and tells nobody: "no" may then be said of a key that is in,
// until a page behind it is touched.  Whoever cannot rule out such a thing asks
// status() when he has his answers, and believes a "no" only if that is ok.
class TAMIS_EXPORT FilterFile {
 public:
  virtual ~FilterFile() = default;

  // `spec` as for MakePolicy(); empty: the format is recognised by the file's
  // name and content.  A mere guess is refused with InvalidArgument, because
  // a filter read in the wrong format would hide keys.
  // NotFound, IoError: the file; Corruption: its bytes.
  static Result<std::unique_ptr<const FilterFile>> Open(
      const std::string& path, std::string_view spec = {},
      FileAccess access = FileAccess::kMap);

  // The filter; it lives as long as this object.
  virtual const FilterReader& reader() const noexcept = 0;
  virtual Slice bytes() const noexcept = 0;  // the whole file
  // The format, as MakePolicy() takes it.
  virtual std::string_view spec() const noexcept = 0;

  // IoError, with the file's name: a page could not be read, or the file was
  // cut or written to since it was opened.  What was read of bytes() before
  // this call may be zeros.  Of a mapped file this asks the system for its
  // length and time; but not where it is opened when half of the files that the
  // process may have open are.
  virtual Status status() const { return Status::Ok(); }
};

// What WriteFilterFile() does where there is a file already.
enum class IfExists {
  kFail,     // says AlreadyExists
  kReplace,  // puts the new file in its place
};

// Writes `bytes` to a temporary file beside `path`, syncs it, renames it to
// `path` and syncs the directory: after a crash the file is whole or absent,
// or the old one, whose permission bits the new one takes over.
// AlreadyExists: there is a file and kFail was asked.
TAMIS_EXPORT Status WriteFilterFile(const std::string& path, Slice bytes,
                                    IfExists if_exists);

// Held by who reads a filter file, changes what was read and replaces the file
// with WriteFilterFile(): so that of two who do so at once neither undoes what
// the other did.  Advisory: readers need none, and who takes none is not kept
// out.  Nothing stays behind on the disk, whatever becomes of the process.
// After the file has been replaced the lock is on the old one: to change the
// file once more, let go and take it again.
class TAMIS_EXPORT FilterFileLock {
 public:
  virtual ~FilterFileLock() = default;
};

// Waits up to `patience` for whoever else holds the lock on the file at `path`,
// be it in this process; nothing: however long it takes.  A symbolic link
// stands for the file that it points to.  Take it before the file is read.
// ResourceExhausted: it is still held.  NotSupported: its file system has no
// locks.  NotFound, IoError: the file.
TAMIS_EXPORT Result<std::unique_ptr<FilterFileLock>> LockFilterFile(
    const std::string& path,
    std::optional<std::chrono::milliseconds> patience = std::nullopt);

}  // namespace tamis
