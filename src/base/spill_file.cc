// SPDX-License-Identifier: Apache-2.0
#include "base/spill_file.h"

#include <fcntl.h>
#include <unistd.h>
#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <utility>

namespace tamis {
namespace {

// Linux moves at most 2 GiB less a page at once.
constexpr std::size_t kMaxBytesAtOnce = std::size_t{1} << 30;

std::string FolderOrDefault(const std::string& folder) {
  if (!folder.empty()) return folder;
  const char* variable = std::getenv("TMPDIR");
  return variable != nullptr && *variable != '\0' ? variable : "/var/tmp";
}

// For file systems that cannot create a file without a name: it has one for a
// moment.
FileDescriptor OpenAndUnlink(const std::string& folder) {
  std::string name = folder + "/.tamis-tmp-XXXXXX";
  FileDescriptor fd(::mkostemp(name.data(), O_CLOEXEC));
  if (fd.valid()) ::unlink(name.c_str());
  return fd;
}

// Not valid: errno says why.
FileDescriptor OpenUnnamed(const std::string& folder) {
#if defined(O_TMPFILE)
  FileDescriptor fd(
      ::open(folder.c_str(), O_TMPFILE | O_RDWR | O_EXCL | O_CLOEXEC, 0600));
  // EISDIR: an old kernel that takes O_TMPFILE for O_DIRECTORY.
  if (fd.valid() ||
      (errno != EOPNOTSUPP && errno != EISDIR && errno != EINVAL)) {
    return fd;
  }
#endif
  return OpenAndUnlink(folder);
}

// A full disk or too many open files must not be taken for a lack of memory.
Status ErrorIn(const std::string& folder, int error) {
  Status status = SystemError("temporary file in " + folder, error);
  return status.code() == StatusCode::kResourceExhausted
             ? Status::IoError(status.message())
             : status;
}

}  // namespace

SpillFile::SpillFile(std::string folder, FileDescriptor fd) noexcept
    : folder_(std::move(folder)), fd_(std::move(fd)) {}

Result<SpillFile> SpillFile::Create(const std::string& folder) {
  std::string where = FolderOrDefault(folder);
  FileDescriptor fd = OpenUnnamed(where);
  if (!fd.valid()) return ErrorIn(where, errno);
  return SpillFile(std::move(where), std::move(fd));
}

Status SpillFile::Error(int error) const { return ErrorIn(folder_, error); }

Status SpillFile::WriteAt(std::uint64_t offset,
                          std::span<const std::byte> bytes) const {
  while (!bytes.empty()) {
    const ssize_t done = ::pwrite(fd_.get(), bytes.data(),
                                  std::min(bytes.size(), kMaxBytesAtOnce),
                                  static_cast<off_t>(offset));
    if (done < 0 && errno == EINTR) continue;
    if (done < 0) return Error(errno);
    if (done == 0) return Error(EIO);  // would otherwise loop forever
    offset += static_cast<std::uint64_t>(done);
    bytes = bytes.subspan(static_cast<std::size_t>(done));
  }
  return Status::Ok();
}

Status SpillFile::ReadAt(std::uint64_t offset,
                         std::span<std::byte> bytes) const {
  while (!bytes.empty()) {
    const ssize_t done = ::pread(fd_.get(), bytes.data(),
                                 std::min(bytes.size(), kMaxBytesAtOnce),
                                 static_cast<off_t>(offset));
    if (done < 0 && errno == EINTR) continue;
    if (done < 0) return Error(errno);
    if (done == 0) {
      return Status::IoError("temporary file in " + folder_ +
                             ": shorter than it was written");
    }
    offset += static_cast<std::uint64_t>(done);
    bytes = bytes.subspan(static_cast<std::size_t>(done));
  }
  return Status::Ok();
}

void SpillFile::WillNeed(std::uint64_t offset,
                         std::uint64_t bytes) const noexcept {
  static_cast<void>(::posix_fadvise(fd_.get(), static_cast<off_t>(offset),
                                    static_cast<off_t>(bytes),
                                    POSIX_FADV_WILLNEED));
}

void SpillFile::Discard(std::uint64_t offset,
                        std::uint64_t bytes) const noexcept {
#if defined(FALLOC_FL_PUNCH_HOLE)
  static_cast<void>(
      ::fallocate(fd_.get(), FALLOC_FL_PUNCH_HOLE | FALLOC_FL_KEEP_SIZE,
                  static_cast<off_t>(offset), static_cast<off_t>(bytes)));
#else
  static_cast<void>(offset);
  static_cast<void>(bytes);
#endif
}

}  // namespace tamis
