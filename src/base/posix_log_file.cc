// SPDX-License-Identifier: Apache-2.0
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>
#include <algorithm>
#include <atomic>
#include <cassert>
#include <cerrno>
#include <cstring>
#include <string>
#include <string_view>
#include <utility>

#include "base/file_mapping.h"
#include "base/no_throw.h"
#include "base/owner_process.h"
#include "base/posix_files.h"

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
  Status AppendRecord(std::span<const Slice> parts) override;
  Status Flush() override { return Status::Ok(); }
  Status Sync() override;
  Status Close() override;

 private:
  Status Write(std::span<const Slice> parts, std::size_t bytes);
  Status MapMore();
  int Allocate(std::uint64_t size);
  int CutAtEnd() noexcept;
  // Returns ok if the file still has so many bytes.  A write to a file that was
  // truncated by others would leave a hole before it, or be lost at once.
  Status CheckLength(std::uint64_t bytes);
  Status Lose(std::string_view why);

  // The place in the mapping where the next record goes.
  char* place() const noexcept {
    return window_.data() + (end_ - window_start_);
  }
  std::uint64_t room() const noexcept {
    return window_.valid() ? window_start_ + window_.size() - end_ : 0;
  }

  OwnerProcess owner_;
  std::string path_;
  FileDescriptor fd_;
  std::uint64_t end_;     // of what was appended
  std::uint64_t size_;    // of the file; zeros follow end_, ...
  bool garbage_ = false;  // ... or the remains of a failed write
  std::uint64_t chunk_ = kSmallestChunk;  // to allocate next
  unsigned unmapped_records_ = 0;         // to be written by system calls
  bool mappable_ = true;                  // until mapping fails
  FileMapping window_;                    // of the file from window_start_
  std::uint64_t window_start_ = 0;
  Status lost_;  // not ok: what was appended may not be in the file any more
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
  if (window_.faulted()) [[unlikely]] {
    return Lose("a page of it cannot be written");
  }
  end_ += bytes;
  return Status::Ok();
}

Status PosixLogFile::Lose(std::string_view why) {
  window_.Unmap();
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
  window_.Unmap();
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
  if (!fd_.valid()) return SystemError(path_, EBADF);
  window_.Unmap();
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

  if (error == 0) {
    const auto page = static_cast<std::uint64_t>(::sysconf(_SC_PAGESIZE));
    window_start_ = end_ / page * page;
    window_ = FileMapping(fd_.get(), window_start_,
                          static_cast<std::size_t>(size_ - window_start_),
                          MappingAccess::kReadWrite);
  }
  mappable_ = window_.valid();
  return Status::Ok();
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
  assert(!window_.valid());
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
  window_.Unmap();
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
