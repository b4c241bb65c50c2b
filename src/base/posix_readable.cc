#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>
#include <cerrno>
#include <limits>
#include <string>
#include <utility>

#include "base/no_throw.h"
#include "base/posix_files.h"

namespace tamis {
namespace {

Status EndsBefore(const std::string& path) {
  return Status::IoError(path + ": ends before the bytes that were asked for");
}

class MappedReadable final : public ReadableFile {
 public:
  // Takes the mapping over.
  MappedReadable(std::string path, void* mapping, std::size_t size)
      : path_(std::move(path)), mapping_(mapping), size_(size) {}
  MappedReadable(const MappedReadable&) = delete;
  MappedReadable& operator=(const MappedReadable&) = delete;
  ~MappedReadable() override {
    if (mapping_ != nullptr) ::munmap(mapping_, size_);
  }

  std::uint64_t size() const noexcept override { return size_; }
  Result<Slice> Read(std::uint64_t offset, std::size_t bytes,
                     std::string* /*scratch*/) const override {
    if (offset > size_ || bytes > size_ - offset) return EndsBefore(path_);
    return mapped().substr(static_cast<std::size_t>(offset), bytes);
  }
  Slice mapped() const noexcept override {
    if (mapping_ == nullptr) return "";  // an empty file cannot be mapped
    return {static_cast<const char*>(mapping_), size_};
  }
  void WillReadInOrder() const noexcept override {
    if (mapping_ != nullptr) ::madvise(mapping_, size_, MADV_WILLNEED);
  }

 private:
  std::string path_;
  void* mapping_;  // null: the file is empty
  std::size_t size_;
};

class UnmappedReadable final : public ReadableFile {
 public:
  UnmappedReadable(std::string path, FileDescriptor fd, std::uint64_t size)
      : path_(std::move(path)), fd_(std::move(fd)), size_(size) {}

  std::uint64_t size() const noexcept override { return size_; }
  Result<Slice> Read(std::uint64_t offset, std::size_t bytes,
                     std::string* scratch) const override {
    if (offset > size_ || bytes > size_ - offset) return EndsBefore(path_);
    const Status room = NoThrow([&] {
      scratch->resize(bytes);
      return Status::Ok();
    });
    if (!room.ok()) {
      return Status::ResourceExhausted(path_ + ": no memory for " +
                                       std::to_string(bytes) +
                                       " bytes that are to be read of it");
    }
    for (std::size_t done = 0; done < bytes;) {
      const ssize_t got =
          ::pread(fd_.get(), scratch->data() + done, bytes - done,
                  static_cast<off_t>(offset + done));
      if (got < 0 && errno == EINTR) continue;
      if (got < 0) return SystemError(path_, errno);
      if (got == 0) return EndsBefore(path_);  // cut short since it was opened
      done += static_cast<std::size_t>(got);
    }
    return Slice(*scratch);
  }

 private:
  std::string path_;
  FileDescriptor fd_;
  std::uint64_t size_;
};

}  // namespace

Result<std::unique_ptr<ReadableFile>> OpenPosixReadable(const std::string& path,
                                                        bool map) {
  FileDescriptor fd(::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK));
  if (!fd.valid()) return SystemError(path, errno);
  struct stat info;
  if (::fstat(fd.get(), &info) != 0) return SystemError(path, errno);
  if (!S_ISREG(info.st_mode)) {
    return Status::IoError(path + ": not a regular file");
  }
  const auto size = static_cast<std::uint64_t>(info.st_size);
  if (map && size <= std::numeric_limits<std::size_t>::max()) {
    const auto length = static_cast<std::size_t>(size);
    void* const mapping = length == 0 ? nullptr
                                      : ::mmap(nullptr, length, PROT_READ,
                                               MAP_SHARED, fd.get(), 0);
    if (mapping != MAP_FAILED) {
      return std::unique_ptr<ReadableFile>(
          std::make_unique<MappedReadable>(path, mapping, length));
    }
    // Some filesystems cannot map; reading may still work.
  }
  return std::unique_ptr<ReadableFile>(
      std::make_unique<UnmappedReadable>(path, std::move(fd), size));
}

}  // namespace tamis
