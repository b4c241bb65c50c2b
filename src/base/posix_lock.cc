#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>
#include <cerrno>
#include <mutex>
#include <new>
#include <set>
#include <utility>

#include "base/posix_files.h"

namespace tamis {
namespace {

// A file by its device and number: it may have several paths.
using FileIdentity = std::pair<dev_t, ino_t>;

FileIdentity IdentityOf(const struct stat& info) {
  return {info.st_dev, info.st_ino};
}

// The files this process holds locks on.  The system does not tell two openers
// of one process apart; worse, closing any descriptor of a file gives up the
// process's lock on it, so a locked file must not even be opened.
struct LockTable {
  std::mutex mutex;
  std::set<FileIdentity> held;  // guarded by mutex
};

LockTable& Locks() {
  static LockTable& table = *new LockTable;  // outlives every lock
  return table;
}

class PosixLock final : public FileLock {
 public:
  // REQUIRES: `file` is in the table
  PosixLock(FileIdentity file, FileDescriptor fd)
      : file_(file), fd_(std::move(fd)) {}
  PosixLock(const PosixLock&) = delete;
  PosixLock& operator=(const PosixLock&) = delete;
  ~PosixLock() override {
    const std::lock_guard guard(Locks().mutex);
    fd_.Close();  // gives up the system's lock
    Locks().held.erase(file_);
  }

 private:
  FileIdentity file_;
  FileDescriptor fd_;
};

int SetWriteLock(int fd) {
  struct flock whole_file = {};
  whole_file.l_type = F_WRLCK;
  whole_file.l_whence = SEEK_SET;
  int result;
  do {
    result = ::fcntl(fd, F_SETLK, &whole_file);
  } while (result != 0 && errno == EINTR);
  return result == 0 ? 0 : errno;
}

}  // namespace

Result<std::unique_ptr<FileLock>> LockPosixFile(const std::string& path) {
  const std::lock_guard guard(Locks().mutex);
  struct stat info;
  if (::stat(path.c_str(), &info) == 0 &&
      Locks().held.contains(IdentityOf(info))) {
    return Status::IoError(path +
                           ": locked: it is open elsewhere in this process");
  }
  FileDescriptor fd(::open(path.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0644));
  if (!fd.valid()) return SystemError(path, errno);
  if (::fstat(fd.get(), &info) != 0) return SystemError(path, errno);
  const int error = SetWriteLock(fd.get());
  if (error == EACCES || error == EAGAIN) {
    return Status::IoError(path + ": locked: it is open in another process");
  }
  if (error != 0) return SystemError(path, error);
  const FileIdentity file = IdentityOf(info);
  Locks().held.insert(file);
  std::unique_ptr<FileLock> lock(new (std::nothrow)
                                     PosixLock(file, std::move(fd)));
  if (lock == nullptr) {
    Locks().held.erase(file);  // nobody would
    return Status::ResourceExhausted(path + ": no memory to lock it");
  }
  return lock;
}

}  // namespace tamis
