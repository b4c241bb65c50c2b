// SPDX-License-Identifier: Apache-2.0
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>
#include <algorithm>
#include <cerrno>
#include <limits>
#include <new>
#include <stdexcept>
#include <string>
#include <utility>

#include "base/file_mapping.h"
#include "base/posix_files.h"

namespace tamis {
namespace {

Status EndsBefore(const std::string& path) {
  return Status::IoError(path + ": ends before the requested bytes");
}

Status CannotBeRead(const std::string& path) {
  return Status::IoError(path + ": a page of it cannot be read");
}

// Makes *scratch `bytes` bytes long.
Status MakeRoom(const std::string& path, std::size_t bytes,
                std::string* scratch) {
  try {
    scratch->resize(bytes);
    return Status::Ok();
  } catch (const std::bad_alloc&) {
  } catch (const std::length_error&) {
  }
  return Status::ResourceExhausted(path + ": not enough memory to read " +
                                   std::to_string(bytes) + " bytes of it");
}

// As ReadableFile::ReadAtMost().
Result<Slice> ReadUpTo(const std::string& path, int fd, std::uint64_t offset,
                       std::size_t bytes, std::string* scratch) {
  if (Status room = MakeRoom(path, bytes, scratch); !room.ok()) return room;
  std::size_t done = 0;
  while (done < bytes) {
    const ssize_t got = ::pread(fd, scratch->data() + done, bytes - done,
                                static_cast<off_t>(offset + done));
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) return SystemError(path, errno);
    if (got == 0) break;
    done += static_cast<std::size_t>(got);
  }
  return Slice(*scratch).substr(0, done);
}

// What fstat() says of a file.
struct FileState {
  std::uint64_t size = 0;
  std::uint64_t modified = 0;  // as ReadableFile::modified()
};

FileState StateOf(const struct stat& info) noexcept {
  constexpr std::uint64_t kSecond = 1'000'000'000;
  FileState state;
  state.size = static_cast<std::uint64_t>(info.st_size);
  // A whole second was set by a program, such as one that unpacks archives, or
  // the file system has no finer times: other files may have the same.
  if (info.st_mtim.tv_sec > 0 && info.st_mtim.tv_nsec != 0) {
    state.modified = static_cast<std::uint64_t>(info.st_mtim.tv_sec) * kSecond +
                     static_cast<std::uint64_t>(info.st_mtim.tv_nsec);
  }
  return state;
}

class UnmappedReadable : public ReadableFile {
 public:
  UnmappedReadable(std::string path, FileDescriptor fd, const FileState& state)
      : path_(std::move(path)), fd_(std::move(fd)), state_(state) {}

  std::uint64_t size() const noexcept override { return state_.size; }
  std::uint64_t modified() const noexcept override { return state_.modified; }
  Result<Slice> Read(std::uint64_t offset, std::size_t bytes,
                     std::string* scratch) const override {
    if (offset > size() || bytes > size() - offset) return EndsBefore(path_);
    Result<Slice> read = ReadUpTo(path_, fd_.get(), offset, bytes, scratch);
    if (read.ok() && read->size() != bytes) {
      return EndsBefore(path_);  // truncated since it was opened
    }
    return read;
  }
  Result<Slice> ReadAtMost(std::uint64_t offset, std::size_t bytes,
                           std::string* scratch) const override {
    const std::uint64_t start = std::min(offset, size());
    const std::uint64_t rest = size() - start;
    return ReadUpTo(path_, fd_.get(), start,
                    rest < bytes ? static_cast<std::size_t>(rest) : bytes,
                    scratch);
  }

 protected:
  const std::string& path() const noexcept { return path_; }
  bool has_descriptor() const noexcept { return fd_.valid(); }

 private:
  std::string path_;
  FileDescriptor fd_;  // MappedReadable may have none
  FileState state_;
};

class MappedReadable final : public UnmappedReadable {
 public:
  // `mapping` is of the whole file, or not valid if that is empty.
  // `can_tell_residency`: see FileMapping::AreEndsResident().
  MappedReadable(std::string path, FileDescriptor fd, const FileState& state,
                 FileMapping mapping, bool can_tell_residency)
      : UnmappedReadable(std::move(path), std::move(fd), state),
        mapping_(std::move(mapping)),
        can_tell_residency_(can_tell_residency) {}

  Result<Slice> Read(std::uint64_t offset, std::size_t bytes,
                     std::string* scratch) const override {
    if (has_descriptor()) return UnmappedReadable::Read(offset, bytes, scratch);
    return ReadMapping(offset, bytes, scratch);
  }
  Result<Slice> ReadAtMost(std::uint64_t offset, std::size_t bytes,
                           std::string* scratch) const override {
    if (has_descriptor()) {
      return UnmappedReadable::ReadAtMost(offset, bytes, scratch);
    }
    return ReadableFile::ReadAtMost(offset, bytes, scratch);
  }
  Slice mapped() const noexcept override {
    if (!mapping_.valid()) return "";  // an empty file cannot be mapped
    return {mapping_.data(), mapping_.size()};
  }
  bool MakeReadable(std::uint64_t offset,
                    std::size_t bytes) const noexcept override {
    return bytes == 0 ||
           mapping_.Populate(static_cast<std::size_t>(offset), bytes) == 0;
  }
  const std::atomic<bool>* fault_flag() const noexcept override {
    return &mapping_.fault_flag();
  }
  void WillRead(std::uint64_t offset,
                std::size_t bytes) const noexcept override {
    if (bytes == 0) return;
    const auto start = static_cast<std::size_t>(offset);
    // A request for pages that are there costs as much as reading them.
    if (bytes >= kLongRequest && can_tell_residency_ &&
        mapping_.AreEndsResident(start, bytes)) {
      return;
    }
    mapping_.WillNeed(start, bytes);
  }
  void HasRead(std::uint64_t offset,
               std::size_t bytes) const noexcept override {
    if (bytes == 0) return;
    mapping_.Deactivate(static_cast<std::size_t>(offset), bytes);
  }

 private:
  // Reads from the mapping, if no descriptor could be kept.
  Result<Slice> ReadMapping(std::uint64_t offset, std::size_t bytes,
                            std::string* scratch) const {
    if (offset > size() || bytes > size() - offset) return EndsBefore(path());
    if (Status room = MakeRoom(path(), bytes, scratch); !room.ok()) return room;
    if (bytes == 0) return Slice(*scratch);
    const auto start = static_cast<std::size_t>(offset);
    const int error = mapping_.Populate(start, bytes);
    if (error != 0 && error != EINVAL) return CannotBeRead(path());
    mapped().copy(scratch->data(), bytes, start);
    // This also fails if another page reads as zeros: it may be one of these.
    if (mapping_.faulted()) return CannotBeRead(path());
    return Slice(*scratch);
  }

  static constexpr std::size_t kLongRequest = std::size_t{128} << 10;

  FileMapping mapping_;
  const bool can_tell_residency_;
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
  const FileState state = StateOf(info);
  const std::uint64_t size = state.size;
  if (map && size <= std::numeric_limits<std::size_t>::max()) {
    FileMapping mapping;
    if (size != 0) {
      mapping = FileMapping(fd.get(), 0, static_cast<std::size_t>(size),
                            MappingAccess::kRead);
      if (mapping.valid()) mapping.AdviseRandom();
    }
    if (size == 0 || mapping.valid()) {
      return std::unique_ptr<ReadableFile>(std::make_unique<MappedReadable>(
          path, KeptIfFew(std::move(fd)), state, std::move(mapping),
          info.st_uid == ::geteuid()));
    }
    // Some file systems cannot map; reading may still work.
  }
  return std::unique_ptr<ReadableFile>(
      std::make_unique<UnmappedReadable>(path, std::move(fd), state));
}

}  // namespace tamis
