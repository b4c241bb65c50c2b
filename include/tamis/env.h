// SPDX-License-Identifier: Apache-2.0
// tamis/env.h -- the file system that a store uses.
//
// A store accesses files only through an Env: DefaultEnv(), which is the
// operating system, or one of your own (in memory, encrypted, or one that fails
// on purpose).  Paths are plain strings with '/' between their parts.
//
// Every Status that is not ok names the file it is about.  When memory runs
// out, an Env may throw std::bad_alloc, and DefaultEnv() does: the store turns
// it into a Status.

#pragma once

#include <algorithm>
#include <atomic>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "tamis/export.h"
#include "tamis/result.h"
#include "tamis/slice.h"

namespace tamis {

// A file that does not change while it is open.  The exception is a log that is
// still being written, which is read with ReadAtMost().  Safe to share among
// threads.
class TAMIS_EXPORT ReadableFile {
 public:
  virtual ~ReadableFile() = default;

  // The length in bytes when the file was opened.
  virtual std::uint64_t size() const noexcept = 0;

  // When it was last written to, in nanoseconds since 1970; 0: that is not
  // known.  A filter beside a table is compared with all of the table if that
  // time is another one than when the filter was made, or not known.
  virtual std::uint64_t modified() const noexcept { return 0; }

  // Returns the `bytes` bytes at `offset`: a view of *scratch, or of memory
  // that lives as long as the file.  A failed read is an error and never a
  // signal, so the view is of *scratch unless the file is in memory for good.
  // IoError: the read failed, or the file ends too early.  ResourceExhausted:
  // there is no memory for so many bytes.
  virtual Result<Slice> Read(std::uint64_t offset, std::size_t bytes,
                             std::string* scratch) const = 0;

  // The same for a file that may be written to at the same time: returns fewer
  // bytes if the file ends early or was truncated, and none at its end.
  virtual Result<Slice> ReadAtMost(std::uint64_t offset, std::size_t bytes,
                                   std::string* scratch) const {
    const std::uint64_t start = std::min(offset, size());
    const std::uint64_t rest = size() - start;
    return Read(start, rest < bytes ? static_cast<std::size_t>(rest) : bytes,
                scratch);
  }

  // The whole file if it is mapped into memory: its bytes then need neither
  // Read() nor a copy.  Otherwise data() is null.  Touching a page that the
  // system cannot read, because of a bad sector or because the file was
  // truncated, may raise SIGBUS: MakeReadable() prevents that for the first
  // access, and GuardMappings() for every access.
  virtual Slice mapped() const noexcept { return {}; }

  // For a mapped file: returns true if these bytes can be touched now.  The
  // system may drop them again when it needs the memory, and then has to read
  // them again.  False: call Read(), which reports what is wrong, or succeeds
  // where this system cannot tell in advance.  REQUIRES: the bytes are within
  // the file
  virtual bool MakeReadable(std::uint64_t /*offset*/,
                            std::size_t /*bytes*/) const noexcept {
    return true;
  }

  // For a mapped file: a flag that becomes true when a page could not be read
  // and, because of GuardMappings(), reads as zeros instead.  Check it after
  // the bytes were used, not before.  Null: that never happens, or cannot be
  // detected.
  virtual const std::atomic<bool>* fault_flag() const noexcept {
    return nullptr;
  }

  // A hint: these bytes will be read soon.  The system may start to load them,
  // in one request; the call does not wait for them.
  // REQUIRES: they are within the file
  virtual void WillRead(std::uint64_t /*offset*/,
                        std::size_t /*bytes*/) const noexcept {}

  // A hint: these bytes were read, and will not be read again soon.  If memory
  // is short the system may reclaim theirs first.
  // REQUIRES: they are within the file
  virtual void HasRead(std::uint64_t /*offset*/,
                       std::size_t /*bytes*/) const noexcept {}
};

// A file that is open for appending.  Not thread-safe.  The destructor closes
// it, without Sync() and without reporting errors.
class TAMIS_EXPORT WritableFile {
 public:
  virtual ~WritableFile() = default;

  // May keep the bytes in memory until Flush(), Sync() or Close().
  virtual Status Append(Slice bytes) = 0;

  // Appends the parts in order, after any bytes that are still buffered.  If
  // the process is killed meanwhile, the file holds all parts, or it ends
  // before or within them, or it has zeros in their place, the first part
  // included.  So the last record of a log is either complete or recognisably
  // absent.
  virtual Status AppendRecord(std::span<const Slice> parts) {
    for (const Slice part : parts) {
      if (Status added = Append(part); !added.ok()) return added;
    }
    return Flush();
  }

  // A hint that more will be appended: what appending would have to wait for,
  // such as space on the disk, is prepared now.  Another thread may call this
  // while records are appended, but not while the file is closed or afterwards.
  virtual void PrepareMore() {}

  // Passes all bytes to the operating system: they survive this process.
  virtual Status Flush() = 0;

  // Makes all bytes and the file's size durable: they survive power loss.
  virtual Status Sync() = 0;

  // Flushes and closes the file; no other method may be called afterwards.
  virtual Status Close() = 0;
};

// How a file will be written.
enum class WriteKind {
  kTable,  // large pieces, synced once: buffered
  kLog,    // small records by AppendRecord(), each passed to the system at once
};

// The lock is held for as long as this object exists.
class TAMIS_EXPORT FileLock {
 public:
  virtual ~FileLock() = default;
};

// Safe to share among threads.
class TAMIS_EXPORT Env {
 public:
  virtual ~Env() = default;

  // NotFound: no such file.  `map` requests mapped(), where the system supports
  // it.  Such a file is read at random: touching a page need not load the pages
  // around it (see ReadableFile::WillRead()).
  virtual Result<std::unique_ptr<ReadableFile>> OpenReadable(
      const std::string& path, bool map) = 0;

  // Creates an empty file; an existing one is truncated.
  virtual Result<std::unique_ptr<WritableFile>> Create(const std::string& path,
                                                       WriteKind kind) = 0;

  // Opens a file for appending after its first `keep` bytes; the rest is
  // truncated.  NotFound: no such file.  IoError: also if the file is shorter.
  virtual Result<std::unique_ptr<WritableFile>> Reopen(const std::string& path,
                                                       std::uint64_t keep,
                                                       WriteKind kind) = 0;

  // The names in a directory, in no particular order, without "." and "..".
  virtual Result<std::vector<std::string>> List(const std::string& dir) = 0;
  virtual bool Exists(const std::string& path) = 0;
  virtual Result<std::uint64_t> FileSize(const std::string& path) = 0;

  // Removes a file.  NotFound: no such file.
  virtual Status Remove(const std::string& path) = 0;
  // Renames atomically, also over an existing file `to`.
  virtual Status Rename(const std::string& from, const std::string& to) = 0;
  // Ok if it exists already.  Its parent must exist.
  virtual Status CreateDirectory(const std::string& dir) = 0;
  virtual Status RemoveDirectory(const std::string& dir) = 0;
  // Makes creations, renames and removals in it so far durable.
  virtual Status SyncDirectory(const std::string& dir) = 0;

  // Creates the file if necessary.  IoError: the lock is held, by this process
  // or by another.  The holder of the lock may Remove() the file: the next
  // Lock() is then of a new file, never of the removed one.
  virtual Result<std::unique_ptr<FileLock>> Lock(const std::string& path) = 0;
};

// Returns the Env of the operating system, which exists until the process ends.
TAMIS_EXPORT Env& DefaultEnv() noexcept;

// Installs a handler of SIGBUS, once, for the whole process.  It covers every
// file that this library maps from now on: a page that cannot be read then
// reads as zeros, and the read reports an IoError that names the file; a filter
// in a file answers "maybe".  Without the handler the system ends the process.
// Any other SIGBUS goes to the previous handler, if there is one, or has its
// default effect.  Not covered are programs that later install a handler which
// does not call this one, and threads that block the signal (with
// StoreOptions::guard_mappings a store's own threads do not).
TAMIS_EXPORT void GuardMappings() noexcept;

}  // namespace tamis
