// SPDX-License-Identifier: Apache-2.0
// support/memory_env.h -- files in memory that can fail, fill up, be damaged,
// and lose at a crash what was not synced.
//
//   MemoryEnv env;
//   ... write to it, with env as the store's Env ...
//   env.Crash(CrashMode::kDropUnsynced);  // the power goes
//   ... throw the store away: nothing it does now has an effect ...
//   env.Restart();                        // open again, see what is left
//
// The directories "/" and "." are there from the start.

#pragma once

#include <condition_variable>
#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <random>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "tamis/env.h"

namespace tamis::testing {

// What a crash leaves.
enum class CrashMode {
  // The process was killed: all that was handed over by Flush(), Sync() or
  // Close() is there.
  kKillProcess,
  // The machine died: only what was synced is there.  A file's bytes are
  // synced by Sync(); that it exists, its new name or its removal are so by
  // SyncDirectory() alone, however often the file itself was synced.
  kDropUnsynced,
  // The machine died: of each file's bytes that were not synced there is a
  // prefix by chance, which may end within a write; of the creations, renames
  // and removals that were not synced the first few by chance are there.
  kKeepRandomPrefix,
  // The machine died: of each file's bytes that were not synced some pages or
  // sectors are there and others are zeros, in any order; and a page may be as
  // it was before its last bytes came.  Logs may have zeros behind them, as
  // those that are allocated ahead.  Names as above.
  kKeepRandomSectors,
};

// Sorts of calls, to be combined by |.
using CallKinds = unsigned;
inline constexpr CallKinds kOpenCalls = 1u << 0;    // OpenReadable
inline constexpr CallKinds kReadCalls = 1u << 1;    // Read, List, FileSize
inline constexpr CallKinds kCreateCalls = 1u << 2;  // Create, Reopen
inline constexpr CallKinds kWriteCalls = 1u << 3;   // Append, Flush
inline constexpr CallKinds kSyncCalls = 1u << 4;    // Sync, SyncDirectory
inline constexpr CallKinds kCloseCalls = 1u << 5;
inline constexpr CallKinds kNameCalls = 1u << 6;  // Remove, Rename, directories
inline constexpr CallKinds kLockCalls = 1u << 7;
inline constexpr CallKinds kEveryCall = ~0u;

// Safe to share among threads.  REQUIRES: outlives the files and locks that
// came from it
class MemoryEnv final : public Env {
 public:
  struct Options {
    // Readable files offer mapped() if asked to.
    bool can_map = true;
    // A write that fails leaves half of its bytes behind; else none.
    bool tear_failed_writes = false;
    // A Sync() that fails loses the bytes it was to write, as Linux does: they
    // can still be read, a later Sync() succeeds, and a crash shows that they
    // never came to the disk.
    bool failed_syncs_lose = false;
  };
  MemoryEnv();
  explicit MemoryEnv(const Options& options);
  ~MemoryEnv() override;

  // ---- Faults ----

  // The n-th call of those kinds from now (1: the next) fails with an IoError
  // for `error`, EIO or ENOSPC, say; with `from_then_on`, so does every later
  // one until Heal().  Replaces what was asked for before.  To try all places:
  //   for (n = 1; ; ++n) { ... FailCall(n, EIO); ...; if (!failures()) break; }
  void FailCall(std::uint64_t n, int error, bool from_then_on = false,
                CallKinds kinds = kEveryCall);
  // No more failures by FailCall(); failures() begins anew.
  void Heal();
  std::uint64_t failures() const;  // by FailCall()
  // All so far that can fail.
  std::uint64_t calls() const;

  // Writes that would make the files longer than this, all together, fail for
  // ENOSPC.  At first there is no limit.
  void SetCapacity(std::uint64_t bytes);

  // The next Create() of a file whose name ends so waits until ReleaseCreate().
  void HoldCreate(std::string ending);
  bool is_holding() const;  // a call waits
  void ReleaseCreate();

  // The file is changed as by a bad disk: at once and for good.
  // REQUIRES: there is such a byte; bit < 8
  void FlipBit(const std::string& path, std::uint64_t offset, unsigned bit);

  // As a sector that is lost: from now on Read() of any of these bytes fails
  // with EIO, and the file is not mapped.  A new file of that name is well.
  // REQUIRES: there is such a file
  void MakeUnreadable(const std::string& path, std::uint64_t offset,
                      std::uint64_t bytes);

  // From now on every call fails, and every file and lock that is open is dead
  // for good, though ReadableFiles still show what they showed.
  void Crash(CrashMode mode, std::uint64_t seed = 0);
  // Calls work again.
  void Restart();

  // ---- For looking at it; these neither fail nor count ----

  // What was handed over, synced or not.  REQUIRES: there is such a file
  std::string Contents(const std::string& path) const;
  // Puts a file there, as if all had been synced.
  void SetContents(const std::string& path, std::string bytes);

  // ---- Env ----

  Result<std::unique_ptr<ReadableFile>> OpenReadable(const std::string& path,
                                                     bool map) override;
  Result<std::unique_ptr<WritableFile>> Create(const std::string& path,
                                               WriteKind kind) override;
  Result<std::unique_ptr<WritableFile>> Reopen(const std::string& path,
                                               std::uint64_t keep,
                                               WriteKind kind) override;
  Result<std::vector<std::string>> List(const std::string& dir) override;
  bool Exists(const std::string& path) override;
  Result<std::uint64_t> FileSize(const std::string& path) override;
  Status Remove(const std::string& path) override;
  Status Rename(const std::string& from, const std::string& to) override;
  // A new directory is lost at a crash, with all in it, unless the one it is
  // in was synced since.  Removals are for good at once.
  Status CreateDirectory(const std::string& dir) override;
  Status RemoveDirectory(const std::string& dir) override;
  Status SyncDirectory(const std::string& dir) override;
  Result<std::unique_ptr<FileLock>> Lock(const std::string& path) override;

 private:
  class Readable;
  class Writable;
  class HeldLock;

  // A file, under whatever name.
  struct Inode {
    std::string content;
    std::size_t synced = 0;  // so many of its bytes survive ...
    // ... unless it was cut below them since: then these do.
    std::optional<std::string> synced_before_cut;
    // From the first to before the second: synced in vain.
    std::vector<std::pair<std::size_t, std::size_t>> lost;
    // From where to where it cannot be read.
    std::vector<std::pair<std::uint64_t, std::uint64_t>> unreadable;
    // The content as readers have it; null: nobody asked since it changed.
    std::shared_ptr<const std::string> shown;

    void CutTo(std::size_t bytes);
    void MarkSynced();
    void LoseWhatIsSynced();  // from now on, all that is not so yet
    void LoseUnsynced(CrashMode mode, std::mt19937_64* random);
    void LoseSectors(std::mt19937_64* random);
  };
  using Names = std::map<std::string, std::shared_ptr<Inode>>;

  // A change of names that was not synced yet: what is at `path` now (null:
  // nothing), and the name it had, which is gone.
  struct NameChange {
    std::string path;
    std::shared_ptr<Inode> file;
    std::string old_name;

    void ApplyTo(Names* names) const;
  };

  // REQUIRES, for all below: mutex_ is held
  Status Called(CallKinds kind, const std::string& path);
  Status CheckRoom(const std::string& path, std::size_t more) const;
  Status CheckParent(const std::string& path) const;
  Result<std::shared_ptr<Inode>> Find(const std::string& path) const;
  void Change(NameChange change);
  void LoseDirectory(const std::string& dir);
  std::unique_ptr<WritableFile> NewWritable(const std::string& path,
                                            std::shared_ptr<Inode> file);

  const Options options_;
  mutable std::mutex mutex_;
  std::condition_variable released_;
  std::string hold_ending_;  // empty: no call is to wait
  bool is_holding_ = false;
  Names names_;
  Names synced_names_;
  std::vector<NameChange> unsynced_changes_;  // synced_names_ -> names_
  std::set<std::string> directories_ = {"/", "."};
  std::set<std::string> unsynced_directories_;  // a part of them
  std::set<std::string> locked_;
  std::optional<std::uint64_t> capacity_;
  std::uint64_t epoch_ = 0;  // how many crashes there were
  bool is_down_ = false;

  std::uint64_t calls_ = 0;
  std::uint64_t failures_ = 0;
  std::uint64_t until_failure_ = 0;  // 0: none will be
  int error_ = 0;
  bool from_then_on_ = false;
  CallKinds failing_kinds_ = kEveryCall;
};

}  // namespace tamis::testing
