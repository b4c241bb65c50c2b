// SPDX-License-Identifier: Apache-2.0
// base/mapped_file.h -- the bytes of a file, mapped where that is faster than
// reading.

#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

#include "base/file_descriptor.h"
#include "base/file_mapping.h"
#include "base/huge_pages.h"
#include "tamis/result.h"

namespace tamis {

// Read-only.  Long regular files are mapped.  Short ones are copied, and so is
// the rest of what cannot be mapped (a pipe, a terminal, a file of /proc).  The
// bytes live as long as this object, also after a move.
//
// A page of a mapped file that cannot be read, because the file was truncated
// or a sector is bad, raises SIGBUS; in a file that was opened after
// GuardMappings() (tamis/env.h) it reads as zeros instead.  After the end of a
// truncated file the rest of the page always reads as zeros, and no signal is
// raised.  So a caller must check status() after it has used the bytes, before
// it relies on them.
class MappedFile {
 public:
  // Up to this size, reading a file takes no longer than mapping it and
  // touching all of it (26 us for 512 KiB, 50 us for 1 MiB; for 2 MiB it takes
  // twice as long).
  static constexpr std::uint64_t kMaxBytesRead = std::uint64_t{1} << 20;

  // A file that cannot be mapped may not be longer than this: reading /dev/zero
  // would otherwise use up all memory.
  static constexpr std::uint64_t kMaxUnmappedBytes = std::uint64_t{1} << 30;

  // NotFound: no such file.  PermissionDenied: no permission to read it.
  // IoError: a directory, a failed read, or a short file that changed
  // meanwhile.  ResourceExhausted: no memory, or too long for a file that
  // cannot be mapped.  Every message begins with the path, or with `name`.
  // Waits for the writer if `path` is a FIFO.
  static Result<MappedFile> Open(const std::string& path) {
    return Open(path, path);
  }
  static Result<MappedFile> Open(const std::string& path,
                                 const std::string& name);

  std::string_view bytes() const noexcept {
    if (copy_ != nullptr) return *copy_;
    if (!is_mapped()) {
      return {reinterpret_cast<const char*>(memory_.get()), stamp_.bytes};
    }
    return {mapping_.data(), mapping_.size()};
  }
  bool is_mapped() const noexcept { return mapping_.valid(); }

  bool is_guarded() const noexcept { return mapping_.is_guarded(); }
  // True: what was read of bytes() so far may be zeros instead of the file's
  // contents.  Costs next to nothing, but misses a truncation within a page.
  bool faulted() const noexcept { return mapping_.faulted(); }
  // IoError, which names the file: as for faulted(), or the file was truncated
  // or written to since it was opened.  Costs a system call.  If the process
  // had so many files open that this one was not kept open, only faulted() is
  // checked.
  Status status() const;

 private:
  // Attributes that change when the file does.
  struct Stamp {
    std::size_t bytes = 0;
    std::int64_t seconds = 0;  // when it was written to
    std::int64_t nanoseconds = 0;

    bool operator==(const Stamp&) const = default;
  };

  MappedFile() = default;

  static Result<Stamp> StampOf(const std::string& name, int fd);
  // Returns ok if the file is as it was when stamp_ was taken.
  Status CheckUnchanged(int fd) const;
  Status ReadShort(int fd);

  std::string name_;
  Stamp stamp_;
  FileMapping mapping_;
  FileDescriptor fd_;  // of a mapped file; none if too many are open
  // The bytes of a file that is not mapped are in one of these.  A short file
  // starts at a cache line, as a mapping does.
  MemoryBlock<unsigned char> memory_;
  // On the heap, because moving a short string would move its bytes.
  std::unique_ptr<std::string> copy_;
};

}  // namespace tamis
