// base/mapped_file.h -- the bytes of a file, without copying where possible.

#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

#include "base/file_mapping.h"
#include "tamis/result.h"

namespace tamis {

// Read-only.  Regular files are mapped; what cannot be mapped (a pipe, a
// terminal, a file of /proc) is read to its end and kept in memory.  The
// bytes live as long as this object, also after it has been moved.
//
// A page of a mapped file that cannot be read, because somebody has cut the
// file or a sector is gone, raises SIGBUS; in a file that was opened after
// GuardMappings() (tamis/env.h) it shows zeros instead, and status() says so.
class MappedFile {
 public:
  // What is read instead of mapped may not be longer than this: /dev/zero
  // would otherwise take all memory there is.
  static constexpr std::uint64_t kMaxUnmappedBytes = std::uint64_t{1} << 30;

  // NotFound: no such file.  IoError: a directory, no permission, a read that
  // failed.  ResourceExhausted: not mappable and too long.  Every message
  // begins with the path.  Waits for the writer if `path` is a FIFO.
  static Result<MappedFile> Open(const std::string& path);

  std::string_view bytes() const noexcept {
    if (copy_ != nullptr) return *copy_;
    return {mapping_.data(), mapping_.size()};
  }
  bool is_mapped() const noexcept { return mapping_.valid(); }

  bool is_guarded() const noexcept { return mapping_.is_guarded(); }
  // True: what was read of bytes() so far may be zeros, not what the file had.
  bool faulted() const noexcept { return mapping_.faulted(); }
  // Not ok: the same, as an IoError that names the file.
  Status status() const;

 private:
  MappedFile() = default;

  std::string path_;
  FileMapping mapping_;  // not valid if the bytes are in copy_
  // On the heap, for a moved short string would leave its bytes behind.
  std::unique_ptr<std::string> copy_;
};

}  // namespace tamis
