// SPDX-License-Identifier: Apache-2.0
#include "base/mapped_file.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>
#include <cerrno>
#include <limits>
#include <memory>
#include <new>
#include <utility>

namespace tamis {
namespace {

constexpr std::size_t kReadBytes = std::size_t{1} << 16;

// Appends the rest of `fd`.
Status ReadAll(const std::string& name, int fd, std::string* out) {
  try {
    for (;;) {
      if (out->size() > MappedFile::kMaxUnmappedBytes) {
        return Status::ResourceExhausted(
            name + ": longer than 1 GiB and not mappable; save it to a file");
      }
      const std::size_t old_size = out->size();
      out->resize(old_size + kReadBytes);
      const ssize_t got = ::read(fd, out->data() + old_size, kReadBytes);
      const int error = errno;
      out->resize(old_size + static_cast<std::size_t>(got > 0 ? got : 0));
      if (got == 0) return Status::Ok();
      if (got < 0 && error != EINTR) return SystemError(name, error);
    }
  } catch (const std::bad_alloc&) {
    return Status::ResourceExhausted(name + ": not enough memory to read it");
  }
}

Status Changed(const std::string& name) {
  return Status::IoError(name + ": it was truncated or written to meanwhile");
}

}  // namespace

Result<MappedFile::Stamp> MappedFile::StampOf(const std::string& name, int fd) {
  struct stat info;
  if (::fstat(fd, &info) != 0) return SystemError(name, errno);
  if (S_ISDIR(info.st_mode)) return SystemError(name, EISDIR);
  if (!S_ISREG(info.st_mode)) return Stamp();
  const auto length = static_cast<std::uint64_t>(info.st_size);
  if (length > std::numeric_limits<std::size_t>::max()) {
    return Status::ResourceExhausted(name + ": too long for this machine");
  }
  return Stamp{.bytes = static_cast<std::size_t>(length),
               .seconds = info.st_mtim.tv_sec,
               .nanoseconds = info.st_mtim.tv_nsec};
}

Status MappedFile::CheckUnchanged(int fd) const {
  Result<Stamp> now = StampOf(name_, fd);
  if (!now.ok()) return now.status();
  return *now == stamp_ ? Status::Ok() : Changed(name_);
}

Status MappedFile::ReadShort(int fd) {
  memory_ = NewMemory(stamp_.bytes);
  if (memory_ == nullptr) {
    return Status::ResourceExhausted(name_ + ": not enough memory to read it");
  }
  std::size_t done = 0;
  while (done < stamp_.bytes) {
    const ssize_t got = ::read(fd, &memory_[done], stamp_.bytes - done);
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) return SystemError(name_, errno);
    if (got == 0) return Changed(name_);
    done += static_cast<std::size_t>(got);
  }
  return CheckUnchanged(fd);
}

Result<MappedFile> MappedFile::Open(const std::string& path,
                                    const std::string& name) {
  FileDescriptor fd(::open(path.c_str(), O_RDONLY | O_CLOEXEC));
  if (!fd.valid()) return SystemError(name, errno);
  Result<Stamp> stamp = StampOf(name, fd.get());
  if (!stamp.ok()) return stamp.status();

  MappedFile file;
  file.name_ = name;
  file.stamp_ = *stamp;
  Status status;
  if (stamp->bytes > 0 && stamp->bytes <= kMaxBytesRead) {
    status = file.ReadShort(fd.get());
    if (!status.ok()) return status;
    return file;
  }
  if (stamp->bytes > 0) {
    file.mapping_ =
        FileMapping(fd.get(), 0, stamp->bytes, MappingAccess::kRead);
    if (file.mapping_.valid()) {
      file.fd_ = KeptIfFew(std::move(fd));
      return file;
    }
    // Some file systems cannot map; reading may still work.
  }
  // A regular file of length 0 is read, too: files of /proc have contents.
  file.copy_ = std::make_unique<std::string>();
  status = ReadAll(name, fd.get(), file.copy_.get());
  if (status.ok() && stamp->bytes > 0) status = file.CheckUnchanged(fd.get());
  if (!status.ok()) return status;
  return file;
}

Status MappedFile::status() const {
  if (faulted()) {
    return Status::IoError(name_ + ": a page of it cannot be read");
  }
  return fd_.valid() ? CheckUnchanged(fd_.get()) : Status::Ok();
}

}  // namespace tamis
