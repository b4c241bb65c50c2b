// SPDX-License-Identifier: Apache-2.0
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>
#include <atomic>
#include <cerrno>
#include <new>
#include <set>
#include <utility>

#include "base/mutex.h"
#include "base/owner_process.h"
#include "base/posix_files.h"

namespace tamis {
namespace {

// Identifies a file by its device and inode: it may have several paths.
using FileIdentity = std::pair<dev_t, ino_t>;

FileIdentity IdentityOf(const struct stat& info) {
  return {info.st_dev, info.st_ino};
}

// The files that this process has locked.  The system does not distinguish two
// openers in one process; worse, closing any descriptor of a file releases the
// process's lock on it, so a locked file must not even be opened.
struct LockTable {
  OwnerProcess owner;
  Mutex mutex;
  std::set<FileIdentity> held TAMIS_GUARDED_BY(mutex);
};

// Returns the table of this process.  A forked child needs a new one: it holds
// no locks, and in its copy the mutex may be held by a thread that does not
// exist there.
LockTable& Locks() {
  // Never destroyed, so that it outlives every lock.
  static std::atomic<LockTable*> current = new LockTable;
  LockTable* table = current.load(std::memory_order_acquire);
  if (table->owner.IsHere()) return *table;
  auto* const fresh = new LockTable;
  if (current.compare_exchange_strong(table, fresh)) return *fresh;
  delete fresh;  // another thread of the child was faster
  return *table;
}

class PosixLock final : public FileLock {
 public:
  // REQUIRES: `file` is in the table
  PosixLock(FileIdentity file, FileDescriptor fd)
      : file_(file), fd_(std::move(fd)) {}
  PosixLock(const PosixLock&) = delete;
  PosixLock& operator=(const PosixLock&) = delete;
  ~PosixLock() override {
    if (!owner_.IsHere()) {
      // A forked child may hold the lock itself by now, and would release it by
      // closing its copy of the parent's descriptor.
      static_cast<void>(fd_.Release());
      return;
    }
    LockTable& table = Locks();
    const MutexLock lock(table.mutex);
    fd_.Close();  // releases the system's lock
    table.held.erase(file_);
  }

 private:
  OwnerProcess owner_;
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

// Locks the file at `path` and adds it to the table.  Null, without an error:
// meanwhile the path names another file, or none.
Result<std::unique_ptr<FileLock>> TryToLock(const std::string& path,
                                            LockTable& table)
    TAMIS_REQUIRES(table.mutex) {
  const Status is_ours =
      Status::IoError(path + ": locked: it is open elsewhere in this process");
  std::set<FileIdentity>& held = table.held;
  struct stat info;
  if (::stat(path.c_str(), &info) == 0 && held.contains(IdentityOf(info))) {
    return is_ours;
  }
  FileDescriptor fd(::open(path.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0644));
  if (!fd.valid()) return SystemError(path, errno);
  if (::fstat(fd.get(), &info) != 0) return SystemError(path, errno);
  const FileIdentity file = IdentityOf(info);
  if (held.contains(file)) {
    // A file that we have locked was renamed to `path` since we looked.
    // Closing it would release our lock.
    static_cast<void>(fd.Release());
    return is_ours;
  }
  const int error = SetWriteLock(fd.get());
  if (error == EACCES || error == EAGAIN) {
    return Status::IoError(path + ": locked: it is open in another process");
  }
  if (error != 0) return SystemError(path, error);
  // Destroying a store removes the file while holding the lock on it.  We then
  // hold a lock on a file that nobody else can open.
  if (::stat(path.c_str(), &info) != 0) {
    if (errno != ENOENT) return SystemError(path, errno);
    return std::unique_ptr<FileLock>();
  }
  if (IdentityOf(info) != file) return std::unique_ptr<FileLock>();
  held.insert(file);
  std::unique_ptr<FileLock> lock(new (std::nothrow)
                                     PosixLock(file, std::move(fd)));
  if (lock == nullptr) {
    held.erase(file);  // otherwise it would stay locked
    return Status::ResourceExhausted(path + ": no memory to lock it");
  }
  return lock;
}

}  // namespace

Result<std::unique_ptr<FileLock>> LockPosixFile(const std::string& path) {
  // Another attempt is needed only if the file was removed in between.
  constexpr int kMaxAttempts = 100;
  LockTable& table = Locks();
  const MutexLock lock(table.mutex);
  for (int i = 0; i < kMaxAttempts; ++i) {
    Result<std::unique_ptr<FileLock>> taken = TryToLock(path, table);
    if (!taken.ok() || *taken != nullptr) return taken;
  }
  return Status::IoError(path +
                         ": locked: others remove and create it all the time");
}

}  // namespace tamis
