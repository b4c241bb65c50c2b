// SPDX-License-Identifier: Apache-2.0
// base/mapped_file.h -- the bytes of a file, without copying where that pays.

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

// Read-only.  Long regular files are mapped.  Short ones are read, and are
// whatever they were then; so is what cannot be mapped (a pipe, a terminal, a
// file of /proc), to its end.  The bytes live as long as this object, also
// after it has been moved.
//
// A page of a mapped file that cannot be read, because somebody has cut the
// file or a sector is gone, raises SIGBUS; in a file that was opened after
// GuardMappings() (tamis/env.h) it shows zeros instead.  Behind the end of a
// file that was cut, up to the end of the page, zeros are shown in any case,
// and nothing is raised.  So whoever has used the bytes asks status() before
// what he found counts.
class MappedFile {
 public:
  // Up to here reading takes no longer than mapping and then touching it all
  // does (26 us for 512 KiB, 50 us for 1 MiB; for 2 MiB it takes twice as
  // long).
  static constexpr std::uint64_t kMaxBytesRead = std::uint64_t{1} << 20;

  // What is read because it cannot be mapped may not be longer than this:
  // /dev/zero would otherwise take all memory there is.
  static constexpr std::uint64_t kMaxUnmappedBytes = std::uint64_t{1} << 30;

  // NotFound: no such file.  PermissionDenied: not for us.  IoError: a
  // directory, a read that failed, a short file that changed meanwhile.
  // ResourceExhausted: no memory, or not mappable and too long.  Every message
  // begins with the path, or with `name`.  Waits for the writer if `path` is a
  // FIFO.
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
  // True: what was read of bytes() so far may be zeros, not what the file had.
  // Costs next to nothing, and knows nothing of a cut within a page.
  bool faulted() const noexcept { return mapping_.faulted(); }
  // Not ok: the same, or the file was cut or written to since it was opened, as
  // an IoError that names it.  A system call.  Where a process has so many
  // files open that this one could not be kept open, only faulted() is known.
  Status status() const;

 private:
  // What a change of the file changes.
  struct Stamp {
    std::size_t bytes = 0;
    std::int64_t seconds = 0;  // when it was written to
    std::int64_t nanoseconds = 0;

    bool operator==(const Stamp&) const = default;
  };

  MappedFile() = default;

  static Result<Stamp> StampOf(const std::string& name, int fd);
  // Ok: the file is as it was when stamp_ was taken.
  Status CheckUnchanged(int fd) const;
  Status ReadShort(int fd);

  std::string name_;
  Stamp stamp_;
  FileMapping mapping_;
  FileDescriptor fd_;  // of what is mapped; none where there are too many
  // What is not mapped is in one of these.  A short file begins at a cache
  // line, as a mapping does.
  MemoryBlock<unsigned char> memory_;
  // On the heap, for a moved short string would leave its bytes behind.
  std::unique_ptr<std::string> copy_;
};

}  // namespace tamis
