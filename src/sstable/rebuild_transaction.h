// SPDX-License-Identifier: Apache-2.0
// sstable/rebuild_transaction.h -- switches files of a directory from old ones
// to new ones, such that a crash at any moment leaves the old or the new.
//
// New files are written in kRebuildDirectory first: NAME.new.  Once all are
// complete and synced, copies of the files that will be replaced are, too
// (NAME.kept), and a journal says what will happen.  Then the moves are made,
// in order.  Files that are no longer needed are moved to NAME.kept at the end.
// The same journal tells how to go back: after a crash, or when asked to.

#pragma once

#include <memory>
#include <string>
#include <vector>

#include "sstable/rebuild_journal.h"
#include "tamis/env.h"
#include "tamis/result.h"
#include "tamis/sstable_rebuild.h"

namespace tamis {

// Holds the lock on a directory, and its kRebuildDirectory.  Not thread-safe.
class RebuildTransaction {
 public:
  // Locks the directory, creates kRebuildDirectory, and undoes what an earlier
  // attempt left unfinished, which is noted.
  // AlreadyExists: old files of an earlier rebuild are kept, or the engine has
  // changed the database since an attempt was interrupted.  NotSupported: the
  // lock is held.
  static Result<RebuildTransaction> Begin(Env& env, const std::string& dir,
                                          std::vector<std::string>* notes);

  RebuildTransaction(RebuildTransaction&&) noexcept = default;
  // What was not committed is removed.
  ~RebuildTransaction();

  // Where the new file of that name is to be written.
  std::string StagedPath(const std::string& name) const;
  // Writes it, and syncs it.
  Status WriteStaged(const std::string& name, Slice bytes);
  // What a staged file is recognised by.
  Result<FileMark> MarkOfStaged(const std::string& name, bool with_crc) const;
  // What a file of the directory is recognised by.
  Result<FileMark> MarkOf(const std::string& name, bool with_crc) const;

  // Makes the moves, which have their marks.  On error everything is as it was,
  // or, if even that failed, the journal stays for the next attempt.
  // REQUIRES: the new files are staged, and synced
  Status Commit(RebuildJournal journal);

 private:
  RebuildTransaction(Env& env, std::string dir);

  Status KeepReplaced(const RebuildUnit& unit);
  Status MakeMoves(const RebuildUnit& unit);
  Status MakeMove(const RebuildMove& move);

  Env* env_;
  std::string dir_;
  std::string own_dir_;
  std::unique_ptr<FileLock> lock_;
  bool is_open_ = true;  // there is something to remove
};

// Takes the lock of a directory: that of LevelDB and RocksDB, or one in
// kRebuildDirectory, which must be there.  NotSupported: it is held.
Result<std::unique_ptr<FileLock>> LockForRebuild(Env& env,
                                                 const std::string& dir);

// Checks without a change whether Begin() would succeed, as far as that can be
// told.
Status CheckRebuildable(Env& env, const std::string& dir);

// Copies a file, and syncs the copy.  `to` is created, or truncated.
Result<FileMark> CopyFileIn(Env& env, const std::string& from,
                            const std::string& to);

// Writes a file, and syncs it.
Status WriteFileIn(Env& env, const std::string& path, Slice bytes);

// Gives the file at `to` the owner, the group and the mode of that at `from`.
// Does nothing in another Env than the system's, and without the permission.
void CopyOwner(Env& env, const std::string& from, const std::string& to);

// ResourceExhausted: the file system of `dir` has fewer free bytes than that,
// as far as it is known.
Status CheckSpace(Env& env, const std::string& dir, std::uint64_t bytes);

}  // namespace tamis
