// SPDX-License-Identifier: Apache-2.0
#include "sstable/rebuild_transaction.h"

#include <sys/stat.h>
#include <unistd.h>
#include <filesystem>
#include <optional>
#include <system_error>
#include <utility>

#include "base/crc32c.h"
#include "sstable/rebuild_undo.h"
#include "store/file_names.h"

namespace tamis {
namespace {

using Kind = RebuildMove::Kind;

std::string OwnDirectoryOf(const std::string& dir) {
  return dir + "/" + std::string(kRebuildDirectory);
}

std::string AskToDecide(const std::string& own_dir) {
  return "undo it by tamis rebuild --undo or, if all is well, remove " +
         own_dir;
}

// What an earlier attempt has left.  Ok: nothing, or what can be removed.
// `journal` is set if there is one that is not done.
Status LookAtOld(Env& env, const std::string& dir,
                 std::optional<RebuildJournal>* journal) {
  const std::string own_dir = OwnDirectoryOf(dir);
  if (!env.Exists(own_dir) && !env.List(own_dir).ok()) return Status::Ok();
  Result<RebuildJournal> found = ReadJournal(env, own_dir);
  if (found.status().code() == StatusCode::kNotFound) return Status::Ok();
  if (!found.ok()) return found.status();
  bool is_done = found->is_done;
  if (!is_done) {
    const Result<bool> is_switched = IsSwitched(env, dir, *found);
    if (!is_switched.ok()) return is_switched.status();
    is_done = *is_switched;
  }
  if (is_done) {
    return Status::AlreadyExists(
        own_dir + ": the old files of an earlier rebuild are kept there; " +
        AskToDecide(own_dir));
  }
  *journal = *std::move(found);
  return Status::Ok();
}

Status UndoUnfinished(Env& env, const std::string& dir,
                      const RebuildJournal& journal,
                      std::vector<std::string>* notes) {
  UndoReport report;
  bool is_whole;
  Status undone = UndoMoves(env, dir, journal, &report, &is_whole);
  if (!undone.ok()) return undone;
  if (!is_whole) {
    return Status::AlreadyExists(
        OwnDirectoryOf(dir) +
        ": an earlier rebuild was interrupted, and the database has changed "
        "since; if all is well, remove that directory");
  }
  notes->push_back(dir + ": an earlier rebuild was interrupted; it was undone");
  notes->insert(notes->end(), report.notes.begin(), report.notes.end());
  return Status::Ok();
}

}  // namespace

RebuildTransaction::RebuildTransaction(Env& env, std::string dir)
    : env_(&env), dir_(std::move(dir)), own_dir_(OwnDirectoryOf(dir_)) {}

RebuildTransaction::~RebuildTransaction() {
  if (lock_ == nullptr || !is_open_) return;
  static_cast<void>(RemoveRebuildDirectory(*env_, dir_).ok());
}

Result<RebuildTransaction> RebuildTransaction::Begin(
    Env& env, const std::string& dir, std::vector<std::string>* notes) {
  RebuildTransaction transaction(env, dir);
  const bool has_own_lock = env.Exists(CurrentFileName(dir));
  std::unique_ptr<FileLock> lock;
  const auto take = [&]() -> Status {
    auto taken = LockForRebuild(env, dir);
    if (!taken.ok()) return taken.status();
    lock = *std::move(taken);
    return Status::Ok();
  };
  Status status = has_own_lock ? take() : Status::Ok();
  if (status.ok()) status = env.CreateDirectory(transaction.own_dir_);
  if (status.ok()) status = env.SyncDirectory(dir);
  if (status.ok() && !has_own_lock) status = take();
  std::optional<RebuildJournal> unfinished;
  if (status.ok()) status = LookAtOld(env, dir, &unfinished);
  if (status.ok() && unfinished.has_value()) {
    status = UndoUnfinished(env, dir, *unfinished, notes);
  }
  if (!status.ok()) return status;
  // What is left of it has no use.
  if (status = RemoveRebuildDirectory(env, dir); status.ok()) {
    status = env.CreateDirectory(transaction.own_dir_);
  }
  if (status.ok()) status = env.SyncDirectory(dir);
  if (status.ok() && !has_own_lock) {
    lock.reset();
    status = take();
  }
  if (!status.ok()) return status;
  transaction.lock_ = std::move(lock);
  return transaction;
}

std::string RebuildTransaction::StagedPath(const std::string& name) const {
  return own_dir_ + "/" + StagedName(name);
}

Status RebuildTransaction::WriteStaged(const std::string& name, Slice bytes) {
  return WriteFileIn(*env_, StagedPath(name), bytes);
}

Result<FileMark> RebuildTransaction::MarkOfStaged(const std::string& name,
                                                  bool with_crc) const {
  return ReadFileMark(*env_, StagedPath(name), with_crc);
}

Result<FileMark> RebuildTransaction::MarkOf(const std::string& name,
                                            bool with_crc) const {
  return ReadFileMark(*env_, dir_ + "/" + name, with_crc);
}

Status RebuildTransaction::KeepReplaced(const RebuildUnit& unit) {
  for (const RebuildMove& move : unit.moves) {
    if (move.kind != Kind::kReplace) continue;
    const std::string path = dir_ + "/" + move.name;
    const std::string kept = own_dir_ + "/" + KeptName(move.name);
    const auto copied = CopyFileIn(*env_, path, kept);
    if (!copied.ok()) return copied.status();
    if (*copied != move.old_mark) {
      return Status::NotSupported(path + ": it changes while it is read");
    }
    CopyOwner(*env_, path, kept);
  }
  return Status::Ok();
}

Status RebuildTransaction::MakeMove(const RebuildMove& move) {
  const std::string path = dir_ + "/" + move.name;
  switch (move.kind) {
    case Kind::kAdd:
      if (env_->Exists(path)) {
        return Status::NotSupported(path + ": it has appeared meanwhile");
      }
      [[fallthrough]];
    case Kind::kReplace:
      return env_->Rename(StagedPath(move.name), path);
    case Kind::kRetire:
      break;
  }
  return env_->Rename(path, own_dir_ + "/" + KeptName(move.name));
}

// Names are durable before the next one depends on them: what is added before
// what names it, and that before what nobody names any more.
Status RebuildTransaction::MakeMoves(const RebuildUnit& unit) {
  std::optional<Kind> last;
  Status status;
  for (const RebuildMove& move : unit.moves) {
    if (last.has_value() && (*last != move.kind || *last == Kind::kReplace)) {
      status = env_->SyncDirectory(dir_);
    }
    if (status.ok()) status = MakeMove(move);
    if (!status.ok()) return status;
    last = move.kind;
  }
  status = env_->SyncDirectory(dir_);
  return status.ok() ? env_->SyncDirectory(own_dir_) : status;
}

Status RebuildTransaction::Commit(RebuildJournal journal) {
  Status status;
  for (const RebuildUnit& unit : journal.units) {
    if (status.ok()) status = KeepReplaced(unit);
  }
  if (status.ok()) status = env_->SyncDirectory(own_dir_);
  if (status.ok()) status = WriteJournal(*env_, own_dir_, journal);
  if (!status.ok()) return status;
  is_open_ = false;
  for (const RebuildUnit& unit : journal.units) {
    if (status.ok()) status = MakeMoves(unit);
  }
  journal.is_done = true;
  if (status.ok()) status = WriteJournal(*env_, own_dir_, journal);
  if (status.ok()) return status;
  UndoReport ignored;
  bool is_whole;
  const Status undone = UndoMoves(*env_, dir_, journal, &ignored, &is_whole);
  is_open_ = undone.ok() && is_whole;
  return status;
}

Result<std::unique_ptr<FileLock>> LockForRebuild(Env& env,
                                                 const std::string& dir) {
  const std::string path = env.Exists(CurrentFileName(dir))
                               ? LockFileName(dir)
                               : LockFileName(OwnDirectoryOf(dir));
  auto lock = env.Lock(path);
  if (lock.ok()) return lock;
  return Status::NotSupported(lock.status().message() +
                              "; close it, and try again");
}

Status CheckRebuildable(Env& env, const std::string& dir) {
  // A lock that nobody has ever taken is not taken here either: that would
  // create its file.
  const std::string lock_path = env.Exists(CurrentFileName(dir))
                                    ? LockFileName(dir)
                                    : LockFileName(OwnDirectoryOf(dir));
  std::unique_ptr<FileLock> lock;
  if (env.Exists(lock_path)) {
    auto taken = LockForRebuild(env, dir);
    if (!taken.ok()) return taken.status();
    lock = *std::move(taken);
  }
  std::optional<RebuildJournal> unfinished;
  return LookAtOld(env, dir, &unfinished);
}

Status WriteFileIn(Env& env, const std::string& path, Slice bytes) {
  const auto file = env.Create(path, WriteKind::kTable);
  if (!file.ok()) return file.status();
  Status done = (*file)->Append(bytes);
  if (done.ok()) done = (*file)->Sync();
  if (done.ok()) done = (*file)->Close();
  return done;
}

Result<FileMark> CopyFileIn(Env& env, const std::string& from,
                            const std::string& to) {
  constexpr std::size_t kPieceBytes = std::size_t{1} << 20;
  const auto in = env.OpenReadable(from, false);
  if (!in.ok()) return in.status();
  const auto out = env.Create(to, WriteKind::kTable);
  if (!out.ok()) return out.status();
  FileMark mark;
  std::uint32_t crc = 0;
  std::string scratch;
  while (mark.bytes < (*in)->size()) {
    const auto piece = (*in)->ReadAtMost(mark.bytes, kPieceBytes, &scratch);
    if (!piece.ok()) return piece.status();
    if (piece->empty()) break;
    if (Status done = (*out)->Append(*piece); !done.ok()) return done;
    crc = Crc32c(*piece, crc);
    mark.bytes += piece->size();
  }
  mark.crc = crc;
  Status done = (*out)->Sync();
  if (done.ok()) done = (*out)->Close();
  if (!done.ok()) return done;
  return mark;
}

void CopyOwner(Env& env, const std::string& from, const std::string& to) {
  struct stat info;
  if (&env != &DefaultEnv() || ::stat(from.c_str(), &info) != 0) return;
  if (::chown(to.c_str(), info.st_uid, info.st_gid) != 0) {
    // Only root may; the owner is then the caller.
    static_cast<void>(
        ::chown(to.c_str(), static_cast<::uid_t>(-1), info.st_gid));
  }
  static_cast<void>(::chmod(to.c_str(), info.st_mode & 07777));
}

Status CheckSpace(Env& env, const std::string& dir, std::uint64_t bytes) {
  if (&env != &DefaultEnv()) return Status::Ok();
  std::error_code error;
  const std::filesystem::space_info space = std::filesystem::space(dir, error);
  if (error || space.available >= bytes) return Status::Ok();
  return Status::ResourceExhausted(
      dir + ": it may take " + std::to_string(bytes) + " bytes, and " +
      std::to_string(space.available) +
      " are free; free some, or use --out with another disk");
}

}  // namespace tamis
