// SPDX-License-Identifier: Apache-2.0
#include <sys/uio.h>
#include <unistd.h>
#include <algorithm>
#include <cerrno>
#include <utility>

#include "base/no_throw.h"
#include "base/owner_process.h"
#include "base/posix_files.h"

namespace tamis {
namespace {

// Large enough to make the cost of the system call negligible.
constexpr std::size_t kBufferBytes = std::size_t{256} << 10;

class PosixTableFile final : public WritableFile {
 public:
  PosixTableFile(std::string path, FileDescriptor fd, std::uint64_t bytes)
      : path_(std::move(path)), fd_(std::move(fd)), written_(bytes) {}
  PosixTableFile(const PosixTableFile&) = delete;
  PosixTableFile& operator=(const PosixTableFile&) = delete;
  ~PosixTableFile() override {
    // The parent of a forked child writes the buffer.
    if (!fd_.valid() || !owner_.IsHere()) return;
    static_cast<void>(NoThrow([this] { return Close(); }));
  }

  Status Append(Slice bytes) override {
    if (buffer_.size() + bytes.size() <= kBufferBytes) {
      if (!failed_.ok()) return failed_;
      if (buffer_.capacity() < kBufferBytes) buffer_.reserve(kBufferBytes);
      buffer_.append(bytes);
      return Status::Ok();
    }
    return Write(bytes);
  }

  Status Flush() override { return Write({}); }

  Status Sync() override {
    if (Status flushed = Flush(); !flushed.ok()) return flushed;
    if (::fdatasync(fd_.get()) != 0) return Fail(errno);
    return Status::Ok();
  }

  Status Close() override {
    Status flushed = Flush();
    const int error = fd_.Close();
    if (flushed.ok() && error != 0) return Fail(error);
    failed_ = SystemError(path_, EBADF);  // of every later call
    return flushed;
  }

 private:
  // Writes the buffer, then `bytes`.
  Status Write(Slice bytes) {
    if (!failed_.ok()) return failed_;
    const Slice parts[] = {buffer_, bytes};
    const int error = WriteFullyAt(fd_.get(), parts, written_);
    if (error != 0) return Fail(error);
    written_ += buffer_.size() + bytes.size();
    buffer_.clear();
    return Status::Ok();
  }
  Status Fail(int error) { return failed_ = SystemError(path_, error); }

  OwnerProcess owner_;
  std::string path_;
  FileDescriptor fd_;
  std::uint64_t written_;  // without the buffer
  std::string buffer_;
  Status failed_;
};

}  // namespace

int WriteFullyAt(int fd, std::span<const Slice> parts,
                 std::uint64_t offset) noexcept {
  constexpr std::size_t kMaxAtOnce = 64;  // below the system's IOV_MAX
  std::size_t taken = 0;  // bytes of parts.front() that are written
  while (!parts.empty()) {
    iovec pieces[kMaxAtOnce];
    const std::size_t count = std::min(parts.size(), kMaxAtOnce);
    std::size_t bytes = 0;
    for (std::size_t i = 0; i < count; ++i) {
      const Slice part = parts[i].substr(i == 0 ? taken : 0);
      pieces[i] = {const_cast<char*>(part.data()), part.size()};
      bytes += part.size();
    }
    const ssize_t done = bytes == 0
                             ? 0
                             : ::pwritev(fd, pieces, static_cast<int>(count),
                                         static_cast<off_t>(offset));
    if (done < 0 && errno == EINTR) continue;
    if (done < 0) return errno;
    if (done == 0 && bytes != 0) return EIO;  // would loop forever
    offset += static_cast<std::uint64_t>(done);
    taken += static_cast<std::size_t>(done);
    while (!parts.empty() && taken >= parts.front().size()) {
      taken -= parts.front().size();
      parts = parts.subspan(1);
    }
  }
  return 0;
}

std::unique_ptr<WritableFile> NewPosixTableFile(std::string path,
                                                FileDescriptor fd,
                                                std::uint64_t bytes) {
  return std::make_unique<PosixTableFile>(std::move(path), std::move(fd),
                                          bytes);
}

}  // namespace tamis
