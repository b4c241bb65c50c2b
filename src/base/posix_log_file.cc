// SPDX-License-Identifier: Apache-2.0
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>
#include <algorithm>
#include <array>
#include <atomic>
#include <cassert>
#include <cerrno>
#include <cstring>
#include <string>
#include <string_view>
#include <utility>

#include "base/file_mapping.h"
#include "base/growing_pages.h"
#include "base/huge_pages.h"
#include "base/mutex.h"
#include "base/no_throw.h"
#include "base/owner_process.h"
#include "base/posix_files.h"
#include "base/thread_priority.h"

namespace tamis {
namespace {

// The file is allocated up to multiples of the smallest chunk.  That is also a
// multiple of a log's block, so that a writer that continues after the zeros of
// a killed one starts with a new block.
constexpr std::uint64_t kSmallestChunk = std::uint64_t{64} << 10;
constexpr std::uint64_t kLargestChunk = std::uint64_t{1} << 20;

// Longer records gain nothing from a mapping, and a crash during a system call
// leaves a file that ends early, not one with a hole.
constexpr std::size_t kLongestMapped = 4096;
constexpr std::size_t kMaxPartsMapped = 2;

// After a long record this many more are written by system calls, whatever
// their length: if long ones are frequent, mapping again for each costs far
// more.
constexpr unsigned kUnmappedAfterLong = 16;

// So many bytes of a record appear at once.
constexpr std::size_t kWord = 8;

std::size_t TotalBytes(std::span<const Slice> parts) noexcept {
  std::size_t bytes = 0;
  for (const Slice part : parts) bytes += part.size();
  return bytes;
}

// Copies the parts to `to`, where there are zeros, so that at any moment the
// first eight bytes are either all zeros, or complete, and then the rest is
// complete, too.  REQUIRES: space for the parts, and for at least kWord bytes
void CopyRecord(char* to, std::span<const Slice> parts) noexcept {
  char word[kWord] = {};
  std::size_t at = 0;
  for (const Slice part : parts) {
    const std::size_t in_word =
        at < kWord ? std::min(part.size(), kWord - at) : 0;
    const std::size_t behind = part.size() - in_word;
    if (in_word != 0) std::memcpy(word + at, part.data(), in_word);
    if (behind != 0) {
      std::memcpy(to + at + in_word, part.data() + in_word, behind);
    }
    at += part.size();
  }
  // A killed process stops between two instructions, so what matters is the
  // compiler's order, and that a single instruction stores the word.
  std::atomic_signal_fence(std::memory_order_seq_cst);
  std::memcpy(to, word, kWord);
  std::atomic_signal_fence(std::memory_order_seq_cst);
}

// True: this system or file system cannot allocate space ahead, which is not an
// error.
bool CannotAllocate(int error) noexcept {
  return error == EOPNOTSUPP || error == ENODEV || error == EINVAL ||
         error == ENOSYS;
}

// One thread appends, through a window of the file that is mapped.  It takes no
// mutex as long as the window has room.  PrepareMore() lets another thread map
// the window after it.
class PosixLogFile final : public WritableFile {
 public:
  PosixLogFile(std::string path, FileDescriptor fd, std::uint64_t bytes)
      : path_(std::move(path)), fd_(std::move(fd)), end_(bytes), size_(bytes) {}
  PosixLogFile(const PosixLogFile&) = delete;
  PosixLogFile& operator=(const PosixLogFile&) = delete;
  ~PosixLogFile() override {
    if (fd_.valid()) static_cast<void>(NoThrow([this] { return Close(); }));
  }

  Status Append(Slice bytes) override { return AppendRecord({&bytes, 1}); }
  Status AppendRecord(std::span<const Slice> parts) override
      TAMIS_EXCLUDES(mutex_);
  void PrepareMore() override TAMIS_EXCLUDES(mutex_);
  Status Flush() override { return Status::Ok(); }
  Status Sync() override;
  Status Close() override TAMIS_EXCLUDES(mutex_);

 private:
  // A part of the file, from `start` on.
  struct Window {
    FileMapping mapping;
    std::uint64_t start = 0;
  };

  Status Write(std::span<const Slice> parts, std::size_t bytes)
      TAMIS_EXCLUDES(mutex_);
  Status MapMore() TAMIS_EXCLUDES(mutex_);
  Status MapNow() TAMIS_REQUIRES(mutex_);
  void PrepareWindow() TAMIS_REQUIRES(mutex_);
  Window WindowFrom(std::uint64_t offset) const TAMIS_REQUIRES(mutex_);
  void UnmapAll() noexcept TAMIS_REQUIRES(mutex_);
  int Allocate(std::uint64_t size) TAMIS_REQUIRES(mutex_);
  int CutAtEnd() noexcept TAMIS_REQUIRES(mutex_);
  // Returns ok if the file still has so many bytes.  A write to a file that was
  // truncated by others would leave a hole before it, or be lost at once.
  Status CheckLength(std::uint64_t bytes);
  Status Lose(std::string_view why);

  // The place in the mapping where the next record goes.
  char* place() const noexcept {
    return window_.mapping.data() + (end_ - window_.start);
  }
  std::uint64_t room() const noexcept {
    const FileMapping& mapping = window_.mapping;
    return mapping.valid() ? window_.start + mapping.size() - end_ : 0;
  }

  OwnerProcess owner_;
  std::string path_;
  FileDescriptor fd_;
  // Of the thread that appends.
  std::uint64_t end_;                     // of what was appended
  std::uint64_t chunk_ = kSmallestChunk;  // to allocate next
  unsigned unmapped_records_ = 0;         // to be written by system calls
  bool mappable_ = true;                  // until mapping fails
  Window window_;                         // where it appends
  Status lost_;  // not ok: what was appended may not be in the file any more

  // Held by the thread that appends only where the file or the windows change.
  Mutex mutex_;
  // Of the file; zeros follow end_, ...
  std::uint64_t size_ TAMIS_GUARDED_BY(mutex_);
  // ... or the remains of a failed write.
  bool garbage_ TAMIS_GUARDED_BY(mutex_) = false;
  // window_ ends where the file does, and another may be prepared.
  bool may_prepare_ TAMIS_GUARDED_BY(mutex_) = false;
  // Starts kLongestMapped or more before the end of window_; not valid: not
  // prepared yet.
  Window next_ TAMIS_GUARDED_BY(mutex_);
  Window previous_ TAMIS_GUARDED_BY(mutex_);  // is to be unmapped
};

Status PosixLogFile::AppendRecord(std::span<const Slice> parts) {
  const std::size_t bytes = TotalBytes(parts);
  if (bytes == 0) return Status::Ok();
  if (!lost_.ok()) return lost_;
  if (parts.size() > kMaxPartsMapped || bytes > kLongestMapped) {
    unmapped_records_ = kUnmappedAfterLong;
    chunk_ = kSmallestChunk;
    return Write(parts, bytes);
  }
  if (unmapped_records_ > 0) {
    --unmapped_records_;
    return Write(parts, bytes);
  }
  if (room() < std::max(bytes, kWord)) {
    if (mappable_) {
      if (Status mapped = MapMore(); !mapped.ok()) return mapped;
    }
    if (!mappable_) return Write(parts, bytes);
  }
  CopyRecord(place(), parts);
  if (window_.mapping.faulted()) [[unlikely]] {
    return Lose("a page of it cannot be written");
  }
  end_ += bytes;
  return Status::Ok();
}

Status PosixLogFile::Lose(std::string_view why) {
  window_.mapping.Unmap();
  lost_ = Status::IoError(path_ + ": " + std::string(why));
  return lost_;
}

Status PosixLogFile::CheckLength(std::uint64_t bytes) {
  if (!lost_.ok()) return lost_;
  struct stat info;
  if (::fstat(fd_.get(), &info) != 0) return SystemError(path_, errno);
  if (!S_ISREG(info.st_mode) ||
      static_cast<std::uint64_t>(info.st_size) >= bytes) {
    return Status::Ok();
  }
  return Lose("somebody else has truncated it to " +
              std::to_string(info.st_size) + " bytes");
}

// Writes by system calls, at the exact end of the file.
Status PosixLogFile::Write(std::span<const Slice> parts, std::size_t bytes) {
  const MutexLock lock(mutex_);
  UnmapAll();
  if (Status whole = CheckLength(end_); !whole.ok()) return whole;
  int error = CutAtEnd();
  if (error != 0) return SystemError(path_, error);
  error = WriteFullyAt(fd_.get(), parts, end_);
  size_ = end_ + bytes;
  if (error != 0) {
    garbage_ = true;
    CutAtEnd();  // if this fails, too, it is retried before the next write
    return SystemError(path_, error);
  }
  end_ = size_;
  return Status::Ok();
}

// Makes room() for any record that may be mapped, or clears mappable_ if this
// file cannot be mapped at all.
Status PosixLogFile::MapMore() {
  const MutexLock lock(mutex_);
  if (!next_.mapping.valid()) return MapNow();
  assert(next_.start <= end_);
  if (Status whole = CheckLength(size_); !whole.ok()) return whole;
  // Unmapping takes long; the thread that prepares does it.
  previous_ = std::exchange(window_, std::exchange(next_, {}));
  return Status::Ok();
}

Status PosixLogFile::MapNow() {
  if (!fd_.valid()) return SystemError(path_, EBADF);
  UnmapAll();
  if (Status whole = CheckLength(garbage_ ? end_ : size_); !whole.ok()) {
    return whole;
  }
  if (garbage_) {
    if (const int error = CutAtEnd(); error != 0) {
      return SystemError(path_, error);
    }
  }
  const auto rounded_up = [](std::uint64_t n) {
    return (n + kSmallestChunk - 1) / kSmallestChunk * kSmallestChunk;
  };
  const std::uint64_t least = rounded_up(end_ + kLongestMapped);
  const std::uint64_t wanted = rounded_up(end_ + chunk_);
  chunk_ = std::min(2 * chunk_, kLargestChunk);
  int error = Allocate(wanted);
  if (error == ENOSPC && least < wanted) error = Allocate(least);
  if (error != 0 && !CannotAllocate(error)) return SystemError(path_, error);

  if (error == 0) window_ = WindowFrom(end_);
  mappable_ = window_.mapping.valid();
  may_prepare_ = mappable_;
  return Status::Ok();
}

// Maps the file from the page with `offset` to its end.
PosixLogFile::Window PosixLogFile::WindowFrom(std::uint64_t offset) const {
  Window window;
  window.start = offset / PageBytes() * PageBytes();
  window.mapping = FileMapping(fd_.get(), window.start,
                               static_cast<std::size_t>(size_ - window.start),
                               MappingAccess::kReadWrite);
  return window;
}

void PosixLogFile::UnmapAll() noexcept {
  window_.mapping.Unmap();
  next_.mapping.Unmap();
  previous_.mapping.Unmap();
  may_prepare_ = false;
}

void PosixLogFile::PrepareMore() {
  const MutexLock lock(mutex_);
  previous_.mapping.Unmap();
  if (may_prepare_ && !next_.mapping.valid()) PrepareWindow();
}

// Errors are left to the thread that appends, which then finds nothing
// prepared.
void PosixLogFile::PrepareWindow() {
  const std::uint64_t before = size_;
  const auto is_whole = [this](std::uint64_t bytes) {
    struct stat info;
    return ::fstat(fd_.get(), &info) == 0 &&
           static_cast<std::uint64_t>(info.st_size) >= bytes;
  };
  if (!is_whole(before) || Allocate(before + kLargestChunk) != 0) {
    may_prepare_ = false;
    return;
  }
  // A record may start in the window before.
  next_ = WindowFrom(before - std::min<std::uint64_t>(before, kLongestMapped));
  if (!next_.mapping.valid()) {
    // A window that is prepared later would begin after the end of this one.
    may_prepare_ = false;
    return;
  }
  // In pieces: meanwhile the system holds a lock of the whole address space.
  // Pages that were written are ready in less than half the time that it takes
  // the system to get those of an empty file, one by one.
  static constinit std::array<char, kSmallestChunk> zeros{};
  ShortTurns turns;
  PopulatePages(next_.mapping.data(),
                static_cast<std::size_t>(before - next_.start));
  for (std::uint64_t at = before; at < size_; at += kSmallestChunk) {
    const auto bytes = static_cast<std::size_t>(
        std::min<std::uint64_t>(kSmallestChunk, size_ - at));
    // A file that somebody truncates meanwhile must not get its length back:
    // the next window finds it too short.
    if (!is_whole(size_)) return;
    const Slice piece(zeros.data(), bytes);
    static_cast<void>(WriteFullyAt(fd_.get(), {&piece, 1}, at));
    PopulatePages(next_.mapping.data() + (at - next_.start), bytes);
    turns.EndPiece();
  }
}

// Extends the file to `size`, with disk space for all of it; returns 0, or
// errno with the file as it was.
int PosixLogFile::Allocate(std::uint64_t size) {
  if (size <= size_) return 0;
  int result;
  do {
    result = ::fallocate(fd_.get(), 0, static_cast<off_t>(size_),
                         static_cast<off_t>(size - size_));
  } while (result != 0 && errno == EINTR);
  if (result == 0) {
    size_ = size;
    return 0;
  }
  const int error = errno;
  // A part may have been allocated.
  if (!CannotAllocate(error) &&
      ::ftruncate(fd_.get(), static_cast<off_t>(size_)) != 0) {
    garbage_ = true;
  }
  return error;
}

// Truncates the file to the end of its records; returns 0 or errno.
int PosixLogFile::CutAtEnd() noexcept {
  assert(!window_.mapping.valid() && !next_.mapping.valid());
  if (size_ == end_ && !garbage_) return fd_.valid() ? 0 : EBADF;
  if (::ftruncate(fd_.get(), static_cast<off_t>(end_)) != 0) return errno;
  size_ = end_;
  garbage_ = false;
  return 0;
}

Status PosixLogFile::Sync() {
  // On Linux that includes what was written through a mapping.
  if (::fdatasync(fd_.get()) != 0) return SystemError(path_, errno);
  return CheckLength(end_);
}

Status PosixLogFile::Close() {
  const MutexLock lock(mutex_);
  UnmapAll();
  // A forked child must not truncate the file that its parent writes to, and
  // truncating a file that is shorter would extend it.
  Status whole =
      fd_.valid() && owner_.IsHere() ? CheckLength(end_) : Status::Ok();
  const int cut = whole.ok() && owner_.IsHere() ? CutAtEnd() : 0;
  const int closed = fd_.Close();
  if (!whole.ok()) return whole;
  if (cut != 0) return SystemError(path_, cut);
  if (closed != 0) return SystemError(path_, closed);
  return Status::Ok();
}

}  // namespace

std::unique_ptr<WritableFile> NewPosixLogFile(std::string path,
                                              FileDescriptor fd,
                                              std::uint64_t bytes) {
  return std::make_unique<PosixLogFile>(std::move(path), std::move(fd), bytes);
}

}  // namespace tamis
