// SPDX-License-Identifier: Apache-2.0
#include "base/atomic_file.h"

#include <fcntl.h>
#include <stdio.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <unistd.h>
#include <algorithm>
#include <atomic>
#include <cerrno>
#include <climits>
#include <cstdint>
#include <cstdlib>
#include <optional>

#include "base/file_descriptor.h"

namespace tamis {
namespace {

// Linux writes at most 2 GiB less a page at once; smaller pieces also let a
// signal be noticed in between.
constexpr std::size_t kMaxWriteBytes = std::size_t{1} << 30;
constexpr int kNameAttempts = 16;

// "DIR/" of "DIR/NAME"; "" if there is no slash.
std::string DirectoryOf(const std::string& path) {
  const std::size_t slash = path.rfind('/');
  return slash == std::string::npos ? "" : path.substr(0, slash + 1);
}

// Random, so that nobody can place a link where we are about to write, and
// short whatever the length of the target's name.
std::string TemporaryName(const std::string& directory) {
  std::uint64_t random = 0;
  if (::getrandom(&random, sizeof(random), 0) != sizeof(random)) {
    random = static_cast<std::uint64_t>(::getpid());  // O_EXCL still applies
  }
  std::string name = directory + ".tamis-tmp-";
  for (int i = 0; i < 16; ++i, random >>= 4) {
    name += "0123456789abcdef"[random & 15];
  }
  return name;
}

// The name of a temporary file that must not outlive the process, or null.
// Points into a TemporaryFile, which resets it in its destructor.
std::atomic<const char*> unfinished = nullptr;
static_assert(std::atomic<const char*>::is_always_lock_free);

// A new file, removed at the end of the scope unless Keep() was called.
class TemporaryFile {
 public:
  TemporaryFile() = default;
  TemporaryFile(const TemporaryFile&) = delete;
  TemporaryFile& operator=(const TemporaryFile&) = delete;
  ~TemporaryFile() {
    if (created_) ::unlink(name_.c_str());
    unfinished = nullptr;
  }

  // Creates the file, with `mode` less the umask; returns 0 or errno.
  int Create(const std::string& directory, mode_t mode) {
    for (int i = 0; i < kNameAttempts; ++i) {
      unfinished = nullptr;
      name_ = TemporaryName(directory);
      unfinished = name_.c_str();  // before it exists: no gap
      fd_ = FileDescriptor(
          ::open(name_.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, mode));
      created_ = fd_.valid();
      if (created_ || errno != EEXIST) return created_ ? 0 : errno;
    }
    return EEXIST;
  }

  FileDescriptor& fd() { return fd_; }
  const char* name() const { return name_.c_str(); }
  // Keeps the file, which has been renamed.
  void Keep() { created_ = false; }

 private:
  std::string name_;
  bool created_ = false;
  FileDescriptor fd_;
};

// Writes the whole file and syncs it; returns 0 or errno.  The file gets
// `mode`, whatever the umask.
int WriteAndSync(TemporaryFile* file, std::string_view bytes,
                 std::optional<mode_t> mode) {
  const int fd = file->fd().get();
  if (mode.has_value() && ::fchmod(fd, *mode) != 0) return errno;
  if (const int error = WriteFully(fd, bytes); error != 0) return error;
  if (::fsync(fd) != 0) return errno;
  return file->fd().Close();
}

// Renames the temporary file to `path`; returns 0 or errno.  With kNo an
// existing file makes the rename itself fail with EEXIST, so there is no race
// between a check and the rename.
int Publish(TemporaryFile* file, const std::string& path, Overwrite overwrite) {
  if (overwrite == Overwrite::kYes) {
    if (::rename(file->name(), path.c_str()) != 0) return errno;
    file->Keep();
    return 0;
  }
  if (::renameat2(AT_FDCWD, file->name(), AT_FDCWD, path.c_str(),
                  RENAME_NOREPLACE) == 0) {
    file->Keep();
    return 0;
  }
  if (errno != EINVAL && errno != ENOSYS) return errno;
  // This file system lacks that flag.  A hard link fails likewise if the file
  // exists, and `file` removes the temporary name.
  return ::link(file->name(), path.c_str()) == 0 ? 0 : errno;
}

Status SyncDirectory(const std::string& directory) {
  const std::string name = directory.empty() ? "." : directory;
  FileDescriptor fd(::open(name.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  // A directory that we may write but not read cannot be synced.
  if (!fd.valid()) {
    return errno == EACCES ? Status::Ok() : SystemError(name, errno);
  }
  // EINVAL: this file system has nothing to sync.
  if (::fsync(fd.get()) != 0 && errno != EINVAL) {
    return SystemError(name, errno);
  }
  return Status::Ok();
}

struct Target {
  std::string path;            // with links followed
  std::optional<mode_t> mode;  // of the file that is there
};

// Resolves `path`, or returns the reason why it cannot be written.
Status CheckTarget(const std::string& path, Overwrite overwrite,
                   Target* target) {
  target->path = path;
  struct stat info;
  if (::lstat(path.c_str(), &info) != 0) {
    return errno == ENOENT ? Status::Ok() : SystemError(path, errno);
  }
  if (overwrite == Overwrite::kNo) return SystemError(path, EEXIST);
  if (S_ISLNK(info.st_mode)) {
    char* real = ::realpath(path.c_str(), nullptr);
    if (real == nullptr) return SystemError(path, errno);
    target->path = real;
    ::free(real);
    if (::stat(target->path.c_str(), &info) != 0) {
      return SystemError(path, errno);
    }
  }
  if (!S_ISREG(info.st_mode)) {
    return Status::InvalidArgument(path +
                                   ": not a regular file, so not replaced");
  }
  target->mode = info.st_mode & 0777;
  return Status::Ok();
}

}  // namespace

int WriteFully(int fd, std::string_view bytes) noexcept {
  while (!bytes.empty()) {
    const ssize_t done =
        ::write(fd, bytes.data(), std::min(bytes.size(), kMaxWriteBytes));
    if (done < 0 && errno == EINTR) continue;
    if (done < 0) return errno;
    if (done == 0) return EIO;  // would otherwise loop forever
    bytes.remove_prefix(static_cast<std::size_t>(done));
  }
  return 0;
}

Status WriteFileAtomically(const std::string& path, std::string_view bytes,
                           Overwrite overwrite) {
  Target target;
  Status status = CheckTarget(path, overwrite, &target);
  if (!status.ok()) return status;

  const std::string directory = DirectoryOf(target.path);
  TemporaryFile file;
  int error = file.Create(directory, target.mode.value_or(0666));
  if (error == 0) error = WriteAndSync(&file, bytes, target.mode);
  if (error == 0) error = Publish(&file, target.path, overwrite);
  if (error != 0) return SystemError(path, error);
  return SyncDirectory(directory);
}

void RemoveUnfinishedFile() noexcept {
  const char* name = unfinished;
  if (name != nullptr) ::unlink(name);
}

}  // namespace tamis
