// SPDX-License-Identifier: Apache-2.0
#include "sstable/rebuild_undo.h"

#include <algorithm>
#include <utility>
#include <vector>

#include "base/crc32c.h"
#include "sstable/rebuild_transaction.h"
#include "store/read_whole.h"

namespace tamis {
namespace {

using Kind = RebuildMove::Kind;

constexpr std::string_view kStagedSuffix = ".new";
constexpr std::string_view kKeptSuffix = ".kept";
constexpr std::size_t kPieceBytes = std::size_t{1} << 20;
constexpr std::uint64_t kMaxJournalBytes = std::uint64_t{256} << 20;

// One directory, while its moves are undone.
class Undo {
 public:
  Undo(Env& env, const std::string& dir, UndoReport* report)
      : env_(env),
        dir_(dir),
        own_dir_(dir + "/" + std::string(kRebuildDirectory)),
        report_(*report) {}

  // True: nothing but the moves has changed it, so that they can be undone.
  Result<bool> IsUntouched(const RebuildUnit& unit);
  Result<bool> IsSwitched(const RebuildUnit& unit);
  Status Run(const RebuildUnit& unit);

 private:
  std::string PathOf(const std::string& name) const {
    return dir_ + "/" + name;
  }
  std::string KeptPathOf(const std::string& name) const {
    return own_dir_ + "/" + KeptName(name);
  }
  Result<bool> Is(const std::string& path, const FileMark& mark);
  Result<bool> IsUntouched(const RebuildMove& move, bool is_switched);
  Status Run(const RebuildMove& move);
  Status SyncBoth();

  Env& env_;
  const std::string dir_;
  const std::string own_dir_;
  UndoReport& report_;
};

// False: another file, or none.
Result<bool> Undo::Is(const std::string& path, const FileMark& mark) {
  if (!env_.Exists(path)) return false;
  const auto size = env_.FileSize(path);
  if (!size.ok()) return size.status();
  if (*size != mark.bytes) return false;
  if (!mark.crc.has_value()) return true;
  const auto found = ReadFileMark(env_, path, true);
  if (!found.ok()) return found.status();
  return *found == mark;
}

Result<bool> Undo::IsUntouched(const RebuildMove& move, bool is_switched) {
  const std::string path = PathOf(move.name);
  const std::string kept = KeptPathOf(move.name);
  switch (move.kind) {
    case Kind::kAdd:
      if (!is_switched && !env_.Exists(path)) return true;
      return Is(path, move.new_mark);
    case Kind::kReplace: {
      const Result<bool> is_old = Is(path, move.old_mark);
      if (!is_old.ok() || *is_old) return is_old;
      const Result<bool> is_new = Is(path, move.new_mark);
      if (!is_new.ok() || !*is_new) return is_new;
      return Is(kept, move.old_mark);
    }
    case Kind::kRetire:
      break;
  }
  const Result<bool> is_there = Is(path, move.old_mark);
  if (!is_there.ok() || *is_there) return is_there;
  return env_.Exists(path) ? Result<bool>(false) : Is(kept, move.old_mark);
}

// With a new file in place of an old one, the engine uses all that were added.
Result<bool> Undo::IsUntouched(const RebuildUnit& unit) {
  bool is_switched = false;
  for (const RebuildMove& move : unit.moves) {
    if (move.kind != Kind::kReplace) continue;
    const Result<bool> is_old = Is(PathOf(move.name), move.old_mark);
    if (!is_old.ok()) return is_old;
    is_switched = is_switched || !*is_old;
  }
  for (const RebuildMove& move : unit.moves) {
    const Result<bool> untouched = IsUntouched(move, is_switched);
    if (!untouched.ok() || !*untouched) return untouched;
  }
  return true;
}

Result<bool> Undo::IsSwitched(const RebuildUnit& unit) {
  for (const RebuildMove& move : unit.moves) {
    const bool is_retired = move.kind == Kind::kRetire;
    const Result<bool> is_new =
        Is(is_retired ? KeptPathOf(move.name) : PathOf(move.name),
           is_retired ? move.old_mark : move.new_mark);
    if (!is_new.ok() || !*is_new) return is_new;
  }
  return true;
}

Status Undo::SyncBoth() {
  Status synced = env_.SyncDirectory(dir_);
  return synced.ok() ? env_.SyncDirectory(own_dir_) : synced;
}

// Does nothing if the move was not made, or was undone.
Status Undo::Run(const RebuildMove& move) {
  const std::string path = PathOf(move.name);
  if (move.kind == Kind::kAdd) {
    if (!env_.Exists(path)) return Status::Ok();
    Status removed = env_.Remove(path);
    return removed.ok() ? SyncBoth() : removed;
  }
  const Result<bool> is_old = Is(path, move.old_mark);
  if (!is_old.ok()) return is_old.status();
  if (*is_old) return Status::Ok();
  Status back = env_.Rename(KeptPathOf(move.name), path);
  if (!back.ok()) return back;
  report_.files.push_back(move.name);
  return SyncBoth();
}

Status Undo::Run(const RebuildUnit& unit) {
  for (auto move = unit.moves.rbegin(); move != unit.moves.rend(); ++move) {
    if (Status undone = Run(*move); !undone.ok()) return undone;
  }
  return Status::Ok();
}

}  // namespace

std::string StagedName(const std::string& name) {
  return name + std::string(kStagedSuffix);
}
std::string KeptName(const std::string& name) {
  return name + std::string(kKeptSuffix);
}

Result<FileMark> ReadFileMark(Env& env, const std::string& path,
                              bool with_crc) {
  FileMark mark;
  if (!with_crc) {
    const auto size = env.FileSize(path);
    if (!size.ok()) return size.status();
    mark.bytes = *size;
    return mark;
  }
  const auto file = env.OpenReadable(path, false);
  if (!file.ok()) return file.status();
  std::uint32_t crc = 0;
  std::string scratch;
  for (mark.bytes = 0; mark.bytes < (*file)->size();) {
    const auto piece = (*file)->ReadAtMost(mark.bytes, kPieceBytes, &scratch);
    if (!piece.ok()) return piece.status();
    if (piece->empty()) break;
    crc = Crc32c(*piece, crc);
    mark.bytes += piece->size();
  }
  mark.crc = crc;
  return mark;
}

Result<RebuildJournal> ReadJournal(Env& env, const std::string& own_dir) {
  const std::string path = own_dir + "/" + std::string(kJournalName);
  if (!env.Exists(path)) return Status::NotFound(path + ": there is none");
  const Result<std::string> text = ReadWholeFile(env, path, kMaxJournalBytes);
  if (!text.ok()) return text.status();
  Result<RebuildJournal> journal = ParseRebuildJournal(*text);
  if (!journal.ok()) {
    return journal.status().WithMessage(path + ": " +
                                        journal.status().message());
  }
  return journal;
}

Status WriteJournal(Env& env, const std::string& own_dir,
                    const RebuildJournal& journal) {
  const std::string path = own_dir + "/" + std::string(kJournalName);
  const std::string staged = StagedName(path);
  Status done = WriteFileIn(env, staged, FormatRebuildJournal(journal));
  if (done.ok()) done = env.Rename(staged, path);
  if (done.ok()) done = env.SyncDirectory(own_dir);
  return done;
}

Result<bool> IsSwitched(Env& env, const std::string& dir,
                        const RebuildJournal& journal) {
  UndoReport ignored;
  Undo undo(env, dir, &ignored);
  for (const RebuildUnit& unit : journal.units) {
    const Result<bool> is_switched = undo.IsSwitched(unit);
    if (!is_switched.ok() || !*is_switched) return is_switched;
  }
  return true;
}

Status UndoMoves(Env& env, const std::string& dir,
                 const RebuildJournal& journal, UndoReport* report,
                 bool* is_whole) {
  Undo undo(env, dir, report);
  *is_whole = true;
  for (const RebuildUnit& unit : journal.units) {
    if (!env.Exists(dir + "/" + unit.anchor)) {
      report->notes.push_back(unit.anchor +
                              " is gone, so nothing of it is brought back");
      continue;
    }
    const Result<bool> is_untouched = undo.IsUntouched(unit);
    if (!is_untouched.ok()) return is_untouched.status();
    if (!*is_untouched) {
      *is_whole = false;
      report->notes.push_back(dir + ": what belongs to " + unit.anchor +
                              " has changed since its filters were rebuilt");
      continue;
    }
    if (Status undone = undo.Run(unit); !undone.ok()) return undone;
  }
  return Status::Ok();
}

Status RemoveRebuildDirectory(Env& env, const std::string& dir) {
  const std::string own_dir = dir + "/" + std::string(kRebuildDirectory);
  const auto names = env.List(own_dir);
  if (!names.ok()) return names.status();
  std::vector<std::string> last;
  for (const std::string& name : *names) {
    if (name == kJournalName || name == "LOCK") {
      last.push_back(name);
    } else if (name.ends_with(kStagedSuffix) || name.ends_with(kKeptSuffix)) {
      if (Status removed = env.Remove(own_dir + "/" + name); !removed.ok()) {
        return removed;
      }
    }
  }
  Status done = env.SyncDirectory(own_dir);
  for (const std::string& name : last) {
    if (done.ok()) done = env.Remove(own_dir + "/" + name);
  }
  if (done.ok()) done = env.SyncDirectory(own_dir);
  // Fails where somebody has put other files there.
  if (done.ok()) static_cast<void>(env.RemoveDirectory(own_dir).ok());
  return done.ok() ? env.SyncDirectory(dir) : done;
}

}  // namespace tamis
