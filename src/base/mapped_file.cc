#include "base/mapped_file.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>
#include <cerrno>
#include <limits>
#include <memory>
#include <new>
#include <utility>

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
  if (S_ISREG(info.st_mode) && info.st_size > 0) {
    const auto length = static_cast<std::uint64_t>(info.st_size);
    if (length > std::numeric_limits<std::size_t>::max()) {
      return Status::ResourceExhausted(path + ": too long for this machine");
    }
    void* mapping = ::mmap(nullptr, static_cast<std::size_t>(length), PROT_READ,
                           MAP_SHARED, fd.get(), 0);
    if (mapping != MAP_FAILED) {
      file.mapping_ = mapping;
      file.size_ = static_cast<std::size_t>(length);
      return file;
    }
    // Some filesystems cannot map; reading may still work.
  }
  // A regular file of length 0 is read too: those of /proc have content.
  file.copy_ = std::make_unique<std::string>();
  Status status = ReadAll(path, fd.get(), file.copy_.get());
  if (!status.ok()) return status;
  return file;
}

MappedFile::MappedFile(MappedFile&& other) noexcept
    : mapping_(std::exchange(other.mapping_, nullptr)),
      size_(std::exchange(other.size_, 0)),
      copy_(std::move(other.copy_)) {}

MappedFile& MappedFile::operator=(MappedFile&& other) noexcept {
  std::swap(mapping_, other.mapping_);
  std::swap(size_, other.size_);
  std::swap(copy_, other.copy_);
  return *this;
}

MappedFile::~MappedFile() {
  if (mapping_ != nullptr) ::munmap(mapping_, size_);
}

}  // namespace tamis
