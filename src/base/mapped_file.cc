#include "base/mapped_file.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>
#include <cerrno>
#include <limits>
#include <memory>
#include <new>

#include "base/file_descriptor.h"

namespace tamis {
namespace {

constexpr std::size_t kReadBytes = std::size_t{1} << 16;

// Appends what `fd` yields until its end.
Status ReadAll(const std::string& path, int fd, std::string* out) {
  try {
    for (;;) {
      if (out->size() > MappedFile::kMaxUnmappedBytes) {
        return Status::ResourceExhausted(
            path + ": longer than 1 GiB and not mappable; save it to a file");
      }
      const std::size_t old_size = out->size();
      out->resize(old_size + kReadBytes);
      const ssize_t got = ::read(fd, out->data() + old_size, kReadBytes);
      const int error = errno;
      out->resize(old_size + static_cast<std::size_t>(got > 0 ? got : 0));
      if (got == 0) return Status::Ok();
      if (got < 0 && error != EINTR) return SystemError(path, error);
    }
  } catch (const std::bad_alloc&) {
    return Status::ResourceExhausted(path + ": not enough memory to read it");
  }
}

}  // namespace

Result<MappedFile> MappedFile::Open(const std::string& path) {
  FileDescriptor fd(::open(path.c_str(), O_RDONLY | O_CLOEXEC));
  if (!fd.valid()) return SystemError(path, errno);
  struct stat info;
  if (::fstat(fd.get(), &info) != 0) return SystemError(path, errno);
  if (S_ISDIR(info.st_mode)) return SystemError(path, EISDIR);

  MappedFile file;
  file.path_ = path;
  if (S_ISREG(info.st_mode) && info.st_size > 0) {
    const auto length = static_cast<std::uint64_t>(info.st_size);
    if (length > std::numeric_limits<std::size_t>::max()) {
      return Status::ResourceExhausted(path + ": too long for this machine");
    }
    file.mapping_ = FileMapping(fd.get(), 0, static_cast<std::size_t>(length),
                                MappingAccess::kRead);
    if (file.mapping_.valid()) return file;
    // Some filesystems cannot map; reading may still work.
  }
  // A regular file of length 0 is read too: those of /proc have content.
  file.copy_ = std::make_unique<std::string>();
  Status status = ReadAll(path, fd.get(), file.copy_.get());
  if (!status.ok()) return status;
  return file;
}

Status MappedFile::status() const {
  if (!faulted()) return Status::Ok();
  return Status::IoError(path_ + ": a page of it cannot be read");
}

}  // namespace tamis
