#include "base/atomic_file.h"

#include <fcntl.h>
#include <stdio.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <unistd.h>
#include <algorithm>
#include <cerrno>
#include <climits>
#include <cstdint>
#include <cstdlib>
#include <utility>

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

// Random, so that nobody can lay a link where we are about to write, and
// short whatever the length of the target's name.
std::string TemporaryName(const std::string& directory) {
  std::uint64_t random = 0;
  if (::getrandom(&random, sizeof(random), 0) != sizeof(random)) {
    random = static_cast<std::uint64_t>(::getpid());  // O_EXCL still guards
  }
  std::string name = directory + ".tamis-tmp-";
  for (int i = 0; i < 16; ++i, random >>= 4) {
    name += "0123456789abcdef"[random & 15];
  }
  return name;
}

// Removes the file at the end of the scope unless told to keep it.
class TemporaryFile {
 public:
  explicit TemporaryFile(std::string name) : name_(std::move(name)) {}
  TemporaryFile(const TemporaryFile&) = delete;
  TemporaryFile& operator=(const TemporaryFile&) = delete;
  ~TemporaryFile() {
    if (!name_.empty()) ::unlink(name_.c_str());
  }
  const char* name() const { return name_.c_str(); }
  void Keep() { name_.clear(); }

 private:
  std::string name_;
};

// Gives the temporary file its name; 0 or errno.  With kNo this fails with
// EEXIST in the same step that would have named it, so nothing can come
// between a check and the deed.
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
  // A filesystem without that flag; a hard link refuses likewise, and the
  // temporary name then goes away with `file`.
  return ::link(file->name(), path.c_str()) == 0 ? 0 : errno;
}

Status SyncDirectory(const std::string& directory) {
  const std::string name = directory.empty() ? "." : directory;
  FileDescriptor fd(::open(name.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  // A directory that may be written but not read cannot be synced by us.
  if (!fd.valid()) {
    return errno == EACCES ? Status::Ok() : SystemError(name, errno);
  }
  // EINVAL: this filesystem has nothing to sync.
  if (::fsync(fd.get()) != 0 && errno != EINVAL) {
    return SystemError(name, errno);
  }
  return Status::Ok();
}

// The path that `path` stands for, or the reason why it cannot be written.
Status CheckTarget(const std::string& path, Overwrite overwrite,
                   std::string* target) {
  *target = path;
  struct stat info;
  if (::lstat(path.c_str(), &info) != 0) {
    return errno == ENOENT ? Status::Ok() : SystemError(path, errno);
  }
  if (overwrite == Overwrite::kNo) return SystemError(path, EEXIST);
  if (S_ISLNK(info.st_mode)) {
    char* real = ::realpath(path.c_str(), nullptr);
    if (real == nullptr) return SystemError(path, errno);
    *target = real;
    ::free(real);
    if (::stat(target->c_str(), &info) != 0) return SystemError(path, errno);
  }
  if (!S_ISREG(info.st_mode)) {
    return Status::InvalidArgument(path +
                                   ": not a regular file, so not replaced");
  }
  return Status::Ok();
}

}  // namespace

int WriteFully(int fd, std::string_view bytes) noexcept {
  while (!bytes.empty()) {
    const ssize_t done =
        ::write(fd, bytes.data(), std::min(bytes.size(), kMaxWriteBytes));
    if (done < 0 && errno == EINTR) continue;
    if (done < 0) return errno;
    if (done == 0) return EIO;  // would otherwise go round for ever
    bytes.remove_prefix(static_cast<std::size_t>(done));
  }
  return 0;
}

Status WriteFileAtomically(const std::string& path, std::string_view bytes,
                           Overwrite overwrite) {
  std::string target;
  Status status = CheckTarget(path, overwrite, &target);
  if (!status.ok()) return status;

  const std::string directory = DirectoryOf(target);
  std::string name;
  FileDescriptor fd;
  for (int i = 0; i < kNameAttempts && !fd.valid(); ++i) {
    name = TemporaryName(directory);
    fd = FileDescriptor(
        ::open(name.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666));
    if (!fd.valid() && errno != EEXIST) return SystemError(path, errno);
  }
  if (!fd.valid()) return SystemError(path, EEXIST);

  TemporaryFile file(name);
  int error = WriteFully(fd.get(), bytes);
  if (error == 0 && ::fsync(fd.get()) != 0) error = errno;
  if (error == 0) error = fd.Close();
  if (error == 0) error = Publish(&file, target, overwrite);
  if (error != 0) return SystemError(path, error);
  return SyncDirectory(directory);
}

}  // namespace tamis
