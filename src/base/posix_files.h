// SPDX-License-Identifier: Apache-2.0
// base/posix_files.h -- the parts of DefaultEnv(): files of a POSIX system.
// Every Status that is not ok begins with the path.

#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>

#include "base/file_descriptor.h"
#include "tamis/env.h"

namespace tamis {

// The file is mapped if `map` is set and the system supports it.  Read() still
// reads the file, by a descriptor that is kept unless few are left; only
// mapped() uses the mapping.  IoError: also if it is not a regular file.
Result<std::unique_ptr<ReadableFile>> OpenPosixReadable(const std::string& path,
                                                        bool map);

// Takes a file that is open for writing and has `bytes` bytes.  The result
// buffers; after an error every later call returns that error.
std::unique_ptr<WritableFile> NewPosixTableFile(std::string path,
                                                FileDescriptor fd,
                                                std::uint64_t bytes);

// The same, opened for reading too, for many small records.  They are copied
// into a mapping of the file, which is allocated ahead: until Close() there are
// zeros after the last record, up to a multiple of 64 KiB.  A call that fails
// leaves the file as it was, and a later one may succeed; but once a page of
// the mapping cannot be written (see GuardMappings()), or the file is found to
// be shorter than what was appended, all calls fail.  The length is checked
// before more is allocated, by Sync() and by Close().  A forked child that
// closes the file leaves it unchanged, zeros included: it belongs to the
// parent.
std::unique_ptr<WritableFile> NewPosixLogFile(std::string path,
                                              FileDescriptor fd,
                                              std::uint64_t bytes);

// See Env::Lock().  The lock also excludes other openers in this process,
// whatever path they use.  The file that is locked is the one that the path
// names, even if others remove or replace the file meanwhile: the holder of the
// lock may remove the file.  A forked child does not hold its parent's locks.
Result<std::unique_ptr<FileLock>> LockPosixFile(const std::string& path);

// Writes all parts, in order, to the file at `offset`.  Returns 0, or the errno
// of the write that failed; some bytes may then have been written.
int WriteFullyAt(int fd, std::span<const Slice> parts,
                 std::uint64_t offset) noexcept;

}  // namespace tamis
