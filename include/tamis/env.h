// SPDX-License-Identifier: Apache-2.0
// tamis/env.h -- the files a store lives in.
//
// A store does all its work on files through an Env: the real one, which
// DefaultEnv() gives, or one of your own (in memory, encrypted, one that fails
// on purpose).  Paths are plain strings with '/' between their parts.
//
// Every Status that is not ok names the file it is about.  Where there is no
// memory an Env may throw std::bad_alloc, and DefaultEnv() does: the store
// makes a Status of it.

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

// A file that does not change while it is open; but for logs, which somebody
// may be writing, and then ReadAtMost() is for them.  Safe to share among
// threads.
class TAMIS_EXPORT ReadableFile {
 public:
  virtual ~ReadableFile() = default;

  // The length at opening, in bytes.
  virtual std::uint64_t size() const noexcept = 0;

  // The `bytes` bytes from `offset`: a view of *scratch, or of memory that
  // lives as long as the file.  IoError: also where the file ends before.
  // What cannot be read is an error and never a signal, so a view is of
  // *scratch unless the file lies in memory for good.  ResourceExhausted: no
  // memory for so many.
  virtual Result<Slice> Read(std::uint64_t offset, std::size_t bytes,
                             std::string* scratch) const = 0;

  // The same of a file that somebody may be writing: where it has become
  // shorter, or ends before, these are fewer bytes, and none at its end.
  virtual Result<Slice> ReadAtMost(std::uint64_t offset, std::size_t bytes,
                                   std::string* scratch) const {
    const std::uint64_t start = std::min(offset, size());
    const std::uint64_t rest = size() - start;
    return Read(start, rest < bytes ? static_cast<std::size_t>(rest) : bytes,
                scratch);
  }

  // The whole file, where it lies in memory (mapped): its bytes then need
  // neither Read() nor a copy.  Otherwise without data (data() is null).
  // Touching a page that the system cannot read, because a sector is gone or
  // somebody has cut the file, may raise SIGBUS: see MakeReadable() for the
  // first time, and GuardMappings() for any.
  virtual Slice mapped() const noexcept { return {}; }

  // Of a file that is mapped.  True: these bytes can be touched now.  The
  // system may drop them again when it needs the memory, and then has to read
  // them anew.  False: Read() them, it says what is wrong; or nothing is, but
  // this system cannot tell.  REQUIRES: they lie in the file
  virtual bool MakeReadable(std::uint64_t /*offset*/,
                            std::size_t /*bytes*/) const noexcept {
    return true;
  }

  // Of a file that is mapped: becomes true when a page of it could not be read
  // and, because of GuardMappings(), shows zeros instead.  To be asked after
  // bytes were used, not before.  Null: never happens, or nobody would know.
  virtual const std::atomic<bool>* fault_flag() const noexcept {
    return nullptr;
  }

  // A hint: these bytes will be read soon.  The system may begin to load them
  // now, in one request; the call does not wait for them.
  // REQUIRES: they lie in the file
  virtual void WillRead(std::uint64_t /*offset*/,
                        std::size_t /*bytes*/) const noexcept {}

  // A hint: these bytes were read and will not be read again soon.  Where
  // memory is short the system may take theirs before that of others.
  // REQUIRES: they lie in the file
  virtual void HasRead(std::uint64_t /*offset*/,
                       std::size_t /*bytes*/) const noexcept {}
};

// A file that is being written, from its end.  Not thread-safe.
// Destroying it closes it, without Sync() and without telling of errors.
class TAMIS_EXPORT WritableFile {
 public:
  virtual ~WritableFile() = default;

  // May keep the bytes in memory until Flush(), Sync() or Close().
  virtual Status Append(Slice bytes) = 0;

  // Appends the parts one after the other, and what came before.  Should the
  // process be killed meanwhile, the file holds all of them, or it ends before
  // or within them, or there are zeros where they would be, the first part
  // included.  That makes a log whose last record is whole or not there.
  virtual Status AppendRecord(std::span<const Slice> parts) {
    for (const Slice part : parts) {
      if (Status added = Append(part); !added.ok()) return added;
    }
    return Flush();
  }

  // Hands all bytes to the operating system: they survive this process.
  virtual Status Flush() = 0;

  // All bytes, and the file's size, are durable: they survive power loss.
  virtual Status Sync() = 0;

  // Flushes and closes the file; no other method may be called afterwards.
  virtual Status Close() = 0;
};

// How a file will be written.
enum class WriteKind {
  kTable,  // large pieces, synced once: buffered
  kLog,    // small records by AppendRecord(), each of them to survive
};

// Held as long as it lives.
class TAMIS_EXPORT FileLock {
 public:
  virtual ~FileLock() = default;
};

// Safe to share among threads.
class TAMIS_EXPORT Env {
 public:
  virtual ~Env() = default;

  // NotFound: no such file.  `map` asks for mapped(), where that can be had;
  // such a file is read here and there, so what lies around a page that is
  // touched need not be loaded with it: see ReadableFile::WillRead().
  virtual Result<std::unique_ptr<ReadableFile>> OpenReadable(
      const std::string& path, bool map) = 0;

  // An empty file; one that is there is emptied.
  virtual Result<std::unique_ptr<WritableFile>> Create(const std::string& path,
                                                       WriteKind kind) = 0;

  // Goes on after the first `keep` bytes; what lies beyond is cut off.
  // NotFound: no such file.  IoError: also where it is shorter.
  virtual Result<std::unique_ptr<WritableFile>> Reopen(const std::string& path,
                                                       std::uint64_t keep,
                                                       WriteKind kind) = 0;

  // The names in a directory, in no particular order, without "." and "..".
  virtual Result<std::vector<std::string>> List(const std::string& dir) = 0;
  virtual bool Exists(const std::string& path) = 0;
  virtual Result<std::uint64_t> FileSize(const std::string& path) = 0;

  // Removes a file.  NotFound: there is none.
  virtual Status Remove(const std::string& path) = 0;
  // Atomically, also where there is a file called `to`.
  virtual Status Rename(const std::string& from, const std::string& to) = 0;
  // Ok where it exists already.  Its parent must exist.
  virtual Status CreateDirectory(const std::string& dir) = 0;
  virtual Status RemoveDirectory(const std::string& dir) = 0;
  // Creations, renames and removals in it so far are durable.
  virtual Status SyncDirectory(const std::string& dir) = 0;

  // Creates the file if need be.  IoError: somebody has the lock, in this
  // process or in another.  Whoever holds the lock may Remove() the file: the
  // next Lock() then is of a new file, never of the removed one.
  virtual Result<std::unique_ptr<FileLock>> Lock(const std::string& path) = 0;
};

// The operating system's files.  Lives until the process ends.
TAMIS_EXPORT Env& DefaultEnv() noexcept;

// For the whole process, once and for good: installs a handler of SIGBUS that
// knows every file this library maps from now on.  A page of one that cannot be
// read then shows zeros, and whoever was reading it gets an IoError that names
// the file; a filter in a file answers "maybe".  Without it the system ends the
// process there.  Signals that are about anything else go to the handler that
// was there before, if any, or do what they would have done.  Not covered: who
// installs a handler of his own later and does not call the one he found, and
// threads that have the signal blocked (a store's own threads do not, with
// StoreOptions::guard_mappings).
TAMIS_EXPORT void GuardMappings() noexcept;

}  // namespace tamis
