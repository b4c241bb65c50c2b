// SPDX-License-Identifier: Apache-2.0
// base/posix_files.h -- what DefaultEnv() is made of: files of a POSIX system.
// Every Status that is not ok begins with the path.

#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>

#include "base/file_descriptor.h"
#include "tamis/env.h"

namespace tamis {

// Mapped if `map` is set and the system can.  Read() reads the file all the
// same, by a descriptor that is kept unless few are left; only mapped() is the
// mapping.  IoError: also for what is no regular file.
Result<std::unique_ptr<ReadableFile>> OpenPosixReadable(const std::string& path,
                                                        bool map);

// A file that was opened for writing and has `bytes` bytes.  With a buffer of
// its own; after an error every call but the destructor gives that error.
std::unique_ptr<WritableFile> NewPosixTableFile(std::string path,
                                                FileDescriptor fd,
                                                std::uint64_t bytes);

// The same, opened for reading too, for many small records.  They are copied
// into a mapping of the file, which is allocated ahead: until Close() there are
// zeros behind the last record, up to a multiple of 64 KiB.  A call that fails
// leaves the file as it was, and a later one may succeed; but once a page of
// the mapping cannot be written (see GuardMappings()), or the file is found to
// be shorter than what was appended, all calls fail.  The length is looked at
// before more is allocated, by Sync() and by Close().  Closed in a child that
// was forked since, it is left as it is, zeros included: the parent's.
std::unique_ptr<WritableFile> NewPosixLogFile(std::string path,
                                              FileDescriptor fd,
                                              std::uint64_t bytes);

// See Env::Lock().  Also holds against others in this process, whatever path
// they take to the file.  What is locked is what the path names, also where
// others remove or replace the file meanwhile: whoever holds the lock may
// remove the file.  A forked child has no part in its parent's locks.
Result<std::unique_ptr<FileLock>> LockPosixFile(const std::string& path);

// Writes all parts, in order, to the file from `offset`.  Returns 0, or the
// errno of the write that failed; a part of them may then be there.
int WriteFullyAt(int fd, std::span<const Slice> parts,
                 std::uint64_t offset) noexcept;

}  // namespace tamis
