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

// A file by its device and number: it may have several paths.
using FileIdentity = std::pair<dev_t, ino_t>;

FileIdentity IdentityOf(const struct stat& info) {
  return {info.st_dev, info.st_ino};
}

// The files this process holds locks on.  The system does not tell two openers
// of one process apart; worse, closing any descriptor of a file gives up the
// process's lock on it, so a locked file must not even be opened.
struct LockTable {
  OwnerProcess owner;
  Mutex mutex;
  std::set<FileIdentity> held TAMIS_GUARDED_BY(mutex);
};

// Of this process: a forked child holds no lock, and in its copy of the table
// the mutex may be held by a thread that it does not have.
LockTable& Locks() {
  // Outlives every lock.
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
      // A forked child may hold the lock itself by now, and would give it up
      // by closing its copy of the parent's descriptor.
      static_cast<void>(fd_.Release());
      return;
    }
    LockTable& table = Locks();
    const MutexLock lock(table.mutex);
    fd_.Close();  // gives up the system's lock
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

// Locks what is at `path` now and puts it into the table.  Null, without an
// error: meanwhile the path has come to name another file, or none.
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
    // Renamed to here since we looked.  Closing it would give up our lock.
    static_cast<void>(fd.Release());
    return is_ours;
  }
  const int error = SetWriteLock(fd.get());
  if (error == EACCES || error == EAGAIN) {
    return Status::IoError(path + ": locked: it is open in another process");
  }
  if (error != 0) return SystemError(path, error);
  // Whoever destroys a store removes the file while holding the lock on it.
  // Then we have got a lock that nobody else will ever ask for.
  if (::stat(path.c_str(), &info) != 0) {
    if (errno != ENOENT) return SystemError(path, errno);
    return std::unique_ptr<FileLock>();
  }
  if (IdentityOf(info) != file) return std::unique_ptr<FileLock>();
  held.insert(file);
  std::unique_ptr<FileLock> lock(new (std::nothrow)
                                     PosixLock(file, std::move(fd)));
  if (lock == nullptr) {
    held.erase(file);  // nobody would
    return Status::ResourceExhausted(path + ": no memory to lock it");
  }
  return lock;
}

}  // namespace

Result<std::unique_ptr<FileLock>> LockPosixFile(const std::string& path) {
  // Each further attempt takes somebody who removed the file in between.
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
