// base/mapped_file.h -- the bytes of a file, without copying where possible.

#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

#include "tamis/result.h"

namespace tamis {

// Read-only.  Regular files are mapped; what cannot be mapped (a pipe, a
// terminal, a file of /proc) is read to its end and kept in memory.  The
// bytes live as long as this object, also after it has been moved.
//
// A mapped file must not be cut short by others meanwhile: the system answers
// a read beyond its new end with SIGBUS.
class MappedFile {
 public:
  // What is read instead of mapped may not be longer than this: /dev/zero
  // would otherwise take all memory there is.
  static constexpr std::uint64_t kMaxUnmappedBytes = std::uint64_t{1} << 30;

  // NotFound: no such file.  IoError: a directory, no permission, a read that
  // failed.  ResourceExhausted: not mappable and too long.  Every message
  // begins with the path.  Waits for the writer if `path` is a FIFO.
  static Result<MappedFile> Open(const std::string& path);

  MappedFile(MappedFile&& other) noexcept;
  MappedFile& operator=(MappedFile&& other) noexcept;
  MappedFile(const MappedFile&) = delete;
  MappedFile& operator=(const MappedFile&) = delete;
  ~MappedFile();

  std::string_view bytes() const noexcept {
    if (copy_ != nullptr) return *copy_;
    return {static_cast<const char*>(mapping_), size_};
  }
  bool is_mapped() const noexcept { return mapping_ != nullptr; }

 private:
  MappedFile() = default;

  void* mapping_ = nullptr;  // owned; null if the bytes are in copy_
  std::size_t size_ = 0;     // of the mapping
  // On the heap, for a moved short string would leave its bytes behind.
  std::unique_ptr<std::string> copy_;
};

}  // namespace tamis
