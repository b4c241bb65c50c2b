// SPDX-License-Identifier: Apache-2.0
// New filters for the tables of a database of LevelDB or RocksDB.
//
// New tables get new file numbers, since several files cannot be replaced at
// once: a new manifest names them, and one rename of CURRENT switches to it.
// Before it the engine sees the old database, and after it the new one; what
// the other consists of are files that no manifest names.

#include <algorithm>
#include <charconv>
#include <filesystem>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <utility>

#include "sstable/level_rebuild.h"
#include "sstable/manifest.h"
#include "sstable/rebuild.h"
#include "sstable/rebuild_transaction.h"
#include "store/file_names.h"
#include "store/read_whole.h"

namespace tamis {
namespace {

using Kind = RebuildMove::Kind;

// Of the file name, "000007.ldb".  0: it has none.
std::uint64_t NumberOf(std::string_view name) {
  if (name.starts_with("MANIFEST-")) name.remove_prefix(9);
  std::uint64_t number = 0;
  const auto end = name.data() + name.size();
  const auto [stop, error] = std::from_chars(name.data(), end, number);
  return error == std::errc() && number < kMaxFileNumber ? number : 0;
}

std::string NameIn(const std::string& path) {
  return path.substr(path.rfind('/') + 1);
}

// A table that is written.
struct Job {
  FoundSstable found;
  std::size_t row = 0;  // in the report
  NewTable table;
  std::string new_name;
};

class LevelRun {
 public:
  explicit LevelRun(RebuildRun* run)
      : run_(*run),
        env_(run->env),
        rebuilder_(run->engine == "rocksdb" ? NewRocksDbRebuilder()
                                            : NewLevelDbRebuilder()) {}

  Status Run();

 private:
  Status Begin();
  Status Plan();
  Status ReadDirectory();
  Status ReadDatabase();
  Status PlanTable(const FoundSstable& found);
  void PlanCopies(const SstableListing& listing);
  Status CheckListing(const SstableListing& listing) const;
  Status CheckFreeSpace() const;
  Status WriteAll();
  Status WriteOne(Job* job);
  Status Skip(const Status& why, Job* job);
  Status MakeCopy(Job* job);
  Status Verify(const Job& job, const SeenKeys& before);
  Status WriteManifest();
  Status CheckManifest(Slice bytes) const;
  Status Commit();
  Status FinishOut();
  std::vector<std::string> RetiredNames() const;

  RebuiltSstable& RowOf(const Job& job) {
    return run_.report.sstables[job.row];
  }
  std::string NewPath(const std::string& name) const {
    return run_.is_in_place() ? transaction_->StagedPath(name)
                              : run_.options.out_directory + "/" + name;
  }

  RebuildRun& run_;
  Env& env_;
  std::unique_ptr<LevelRebuilder> rebuilder_;
  std::unique_ptr<FileLock> lock_;  // unless there is a transaction
  std::optional<RebuildTransaction> transaction_;
  DirectoryFiles files_;
  LevelManifest manifest_;
  std::string old_manifest_name_;
  std::string new_manifest_name_;
  std::uint64_t next_number_ = 0;
  std::vector<Job> jobs_;  // by number
};

Status LevelRun::Begin() {
  if (run_.options.dry_run) return CheckRebuildable(env_, run_.dir);
  // What is not understood is not touched, not even by the file of a lock.  A
  // rebuild that did not end may have left what only its undoing makes whole.
  if (!env_.Exists(run_.dir + "/" + std::string(kRebuildDirectory))) {
    if (Status read = ReadDirectory(); !read.ok()) return read;
  }
  if (run_.is_in_place()) {
    auto transaction =
        RebuildTransaction::Begin(env_, run_.dir, &run_.report.notes);
    if (!transaction.ok()) return transaction.status();
    transaction_.emplace(*std::move(transaction));
    return Status::Ok();
  }
  auto lock = LockForRebuild(env_, run_.dir);
  if (!lock.ok()) return lock.status();
  lock_ = *std::move(lock);
  return MakeOutDirectory(env_, run_.options.out_directory);
}

Status LevelRun::ReadDatabase() {
  const Result<std::string> current = ReadCurrent(env_, run_.dir);
  if (current.status().code() == StatusCode::kNotFound) {
    return Status::NotSupported(
        run_.dir +
        ": it has tables and no CURRENT: name the directory of the database");
  }
  if (!current.ok()) return current.status();
  old_manifest_name_ = NameIn(*current);
  Result<LevelManifest> manifest = ReadLevelManifest(run_.dir, env_);
  if (!manifest.ok()) return manifest.status();
  if (!manifest->damage.empty()) {
    return Status::Corruption(manifest->damage + "; repair the database first");
  }
  if (manifest->has_blob_files) {
    return Status::NotSupported(run_.dir + ": it has blob files");
  }
  manifest_ = *std::move(manifest);
  next_number_ = std::max<std::uint64_t>(manifest_.next_file_number, 1);
  for (const std::string& name : files_.names) {
    next_number_ = std::max(next_number_, NumberOf(name) + 1);
  }
  return rebuilder_->CheckDatabase(env_, run_.dir, run_.options.choice);
}

Status LevelRun::PlanTable(const FoundSstable& found) {
  const auto sstable = OpenSstableIn(env_, found);
  if (!sstable.ok()) return sstable.status();
  const SstableInfo& info = (*sstable)->info();
  if (!IsChosen(run_.options, info)) return Status::Ok();
  RebuiltSstable row;
  row.before = info;
  const Status checked =
      rebuilder_->CheckTable(env_, found, run_.options.choice);
  if (!checked.ok() && !IsAboutOneSstable(checked.code())) return checked;
  if (!checked.ok()) {
    row.why_skipped = checked.message();
  } else {
    Job job;
    job.found = found;
    job.row = run_.report.sstables.size();
    job.table.old_number = NumberOf(NameIn(found.path));
    jobs_.push_back(std::move(job));
  }
  run_.report.sstables.push_back(std::move(row));
  return Status::Ok();
}

// The newest table of level 0 has the highest number, so those that are newer
// than a new one need new numbers, too.
void LevelRun::PlanCopies(const SstableListing& listing) {
  std::uint64_t lowest = UINT64_MAX;
  std::map<std::uint64_t, bool> has_job;
  for (const Job& job : jobs_) {
    has_job[job.table.old_number] = true;
    if (job.found.level == 0) lowest = std::min(lowest, job.table.old_number);
  }
  for (const FoundSstable& found : listing.sstables) {
    const std::uint64_t number = NumberOf(NameIn(found.path));
    if (found.level != 0 || number <= lowest || has_job[number]) continue;
    Job job;
    job.found = found;
    job.table.old_number = number;
    job.table.is_copy = true;
    const auto is_same = [&](const RebuiltSstable& row) {
      return row.before.path == found.path;
    };
    auto& rows = run_.report.sstables;
    auto row = std::find_if(rows.begin(), rows.end(), is_same);
    if (row == rows.end()) {
      rows.emplace_back().before = InfoOf(found);
      row = rows.end() - 1;
    }
    row->is_copied = true;
    job.row = static_cast<std::size_t>(row - rows.begin());
    jobs_.push_back(std::move(job));
  }
  std::sort(jobs_.begin(), jobs_.end(), [](const Job& a, const Job& b) {
    return a.table.old_number < b.table.old_number;
  });
}

// Every table of the manifest is listed: one that could not be read for a
// moment would stay behind where others get new numbers.
Status LevelRun::CheckListing(const SstableListing& listing) const {
  if (!listing.problems.empty()) {
    return Status::Corruption(listing.problems.front() +
                              "; repair the database first");
  }
  std::set<std::uint64_t> listed;
  for (const FoundSstable& found : listing.sstables) {
    if (found.level >= 0) listed.insert(NumberOf(NameIn(found.path)));
  }
  for (const auto& [number, table] : manifest_.tables) {
    if (listed.contains(number)) continue;
    return Status::IoError(run_.dir + ": table " + std::to_string(number) +
                           " cannot be read, or is of another engine");
  }
  return Status::Ok();
}

Status LevelRun::ReadDirectory() {
  auto files = FilesOf(env_, run_.dir);
  if (!files.ok()) return files.status();
  files_ = *std::move(files);
  return ReadDatabase();
}

// Reads the directory again, now that nobody else changes it.
Status LevelRun::Plan() {
  if (Status read = ReadDirectory(); !read.ok()) return read;
  const SstableListing listing = ListingOf(files_);
  if (Status whole = CheckListing(listing); !whole.ok()) return whole;
  for (const FoundSstable& found : listing.sstables) {
    if (found.level < 0) continue;  // the engine does not read it
    if (Status planned = PlanTable(found); !planned.ok()) return planned;
  }
  const bool has_new = !jobs_.empty();
  if (has_new) PlanCopies(listing);
  // A filter of 20 bits per key is an eighth of keys and values of 20 bytes.
  constexpr std::uint64_t kSlack = std::uint64_t{1} << 20;
  for (const Job& job : jobs_) {
    run_.report.bytes_to_write += job.found.bytes + job.found.bytes / 8;
  }
  if (has_new) run_.report.bytes_to_write += kSlack;
  return Status::Ok();
}

Status LevelRun::CheckFreeSpace() const {
  std::uint64_t bytes = run_.report.bytes_to_write;
  if (run_.is_in_place()) return CheckSpace(env_, run_.dir, bytes);
  for (const std::string& name : files_.names) {
    const auto size = env_.FileSize(files_.PathOf(name));
    if (size.ok()) bytes += *size;
  }
  return CheckSpace(env_, run_.options.out_directory, bytes);
}

Status LevelRun::MakeCopy(Job* job) {
  const auto copied = CopyFileIn(env_, job->found.path, NewPath(job->new_name));
  if (!copied.ok()) return copied.status();
  job->table.bytes = copied->bytes;
  RowOf(*job).is_copied = true;
  RowOf(*job).new_file = job->new_name;
  CopyOwner(env_, job->found.path, NewPath(job->new_name));
  return Status::Ok();
}

// A table that cannot be rebuilt stays; on level 0 under a new number.
Status LevelRun::Skip(const Status& why, Job* job) {
  RowOf(*job).why_skipped = why.message();
  static_cast<void>(env_.Remove(NewPath(job->new_name)).ok());
  if (job->found.level == 0) {
    job->table.is_copy = true;
    return MakeCopy(job);
  }
  job->new_name.clear();
  return Status::Ok();
}

// Reads the new table back: it has the same keys, and its filter admits each.
Status LevelRun::Verify(const Job& job, const SeenKeys& before) {
  FoundSstable found = job.found;
  found.path = NewPath(job.new_name);
  found.bytes = job.table.bytes;
  found.recorded_bytes = job.table.bytes;
  const auto sstable = OpenSstableIn(env_, found);
  if (!sstable.ok()) return sstable.status();
  const auto after = SeeKeys(**sstable);
  if (!after.ok()) return after.status();
  const SstableInfo& info = (*sstable)->info();
  const bool has_filter = info.verdict != FilterVerdict::kMissing &&
                          info.verdict != FilterVerdict::kDamaged &&
                          info.verdict != FilterVerdict::kNotUsed;
  if (!after->HasSameKeysAs(before) || !after->all_admitted || !has_filter ||
      info.bytes != job.table.bytes) {
    return Status::IoError(found.path +
                           ": what was written is not what is read back; "
                           "check the disk and the memory");
  }
  RebuiltSstable& row = RowOf(job);
  row.keys = after->keys;
  row.new_file = job.new_name;
  row.after = info;
  row.after->path =
      (run_.is_in_place() ? run_.dir : run_.options.out_directory) + "/" +
      job.new_name;
  return Status::Ok();
}

Status LevelRun::WriteOne(Job* job) {
  job->table.number = next_number_++;
  job->new_name = rebuilder_->TableName(job->table.number);
  if (job->table.is_copy) return MakeCopy(job);
  const auto old = OpenSstableIn(env_, job->found);
  if (!old.ok()) return old.status();
  const auto before = SeeKeys(**old);
  if (!before.ok()) {
    return IsAboutOneSstable(before.status().code())
               ? Skip(before.status(), job)
               : before.status();
  }
  const Status written =
      rebuilder_->WriteTable({.env = env_,
                              .found = job->found,
                              .info = (*old)->info(),
                              .choice = run_.options.choice,
                              .new_path = NewPath(job->new_name)},
                             &job->table);
  if (!written.ok()) {
    return IsAboutOneSstable(written.code()) ? Skip(written, job) : written;
  }
  CopyOwner(env_, job->found.path, NewPath(job->new_name));
  return Verify(*job, *before);
}

Status LevelRun::WriteAll() {
  bool has_new = false;
  for (Job& job : jobs_) {
    if (Status written = WriteOne(&job); !written.ok()) return written;
    has_new = has_new || !job.table.is_copy;
    if (run_.options.on_progress) run_.options.on_progress(job.found.bytes);
  }
  std::erase_if(jobs_, [](const Job& job) { return job.new_name.empty(); });
  if (!has_new) jobs_.clear();
  return Status::Ok();
}

// The same tables at the same places, with new numbers and lengths alone.
Status LevelRun::CheckManifest(Slice bytes) const {
  const LevelManifest made = ParseLevelManifest(bytes);
  LevelManifest expected = manifest_;
  for (const Job& job : jobs_) {
    auto table = expected.tables.extract(job.table.old_number);
    if (table.empty()) return Status::Corruption("a table is not in it");
    table.key() = job.table.number;
    table.mapped().bytes = job.table.bytes;
    expected.tables.insert(std::move(table));
  }
  bool is_same = made.damage.empty() &&
                 made.comparator == expected.comparator &&
                 made.families == expected.families &&
                 made.tables.size() == expected.tables.size() &&
                 made.next_file_number >= next_number_;
  for (const auto& [number, table] : expected.tables) {
    const auto found = made.tables.find(number);
    is_same = is_same && found != made.tables.end() && found->second == table;
  }
  return is_same ? Status::Ok()
                 : Status::NotSupported(run_.dir +
                                        ": its manifest cannot be written "
                                        "again as it is; it is left alone");
}

Status LevelRun::WriteManifest() {
  const std::string old_path = run_.dir + "/" + old_manifest_name_;
  const auto old = ReadWholeFile(env_, old_path, kMaxManifestBytes);
  if (!old.ok()) return old.status();
  NewManifestPlan plan;
  plan.number = next_number_++;
  plan.next_file_number = next_number_;
  for (const Job& job : jobs_) plan.tables.push_back(job.table);
  new_manifest_name_ = ManifestFileName("", plan.number).substr(1);
  const Result<std::string> bytes = rebuilder_->NewManifest(*old, plan);
  if (!bytes.ok()) {
    return bytes.status().WithMessage(old_path + ": " +
                                      bytes.status().message());
  }
  Status done = CheckManifest(*bytes);
  const std::string path = NewPath(new_manifest_name_);
  if (done.ok()) done = WriteFileIn(env_, path, *bytes);
  CopyOwner(env_, old_path, path);
  const std::string current = NewPath("CURRENT");
  if (!done.ok() || !run_.is_in_place()) return done;
  done = WriteFileIn(env_, current, new_manifest_name_ + "\n");
  CopyOwner(env_, CurrentFileName(run_.dir), current);
  return done;
}

// Tables that the new manifest does not name, and filters beside them.
std::vector<std::string> LevelRun::RetiredNames() const {
  std::vector<std::string> names;
  for (const Job& job : jobs_) {
    names.push_back(NameIn(job.found.path));
    const std::string filter =
        FilterFileName("", job.table.old_number).substr(1);
    if (files_.Has(filter)) names.push_back(filter);
  }
  names.push_back(old_manifest_name_);
  return names;
}

Status LevelRun::Commit() {
  RebuildUnit unit{.anchor = "CURRENT", .moves = {}};
  Status status;
  const auto add = [&](Kind kind, const std::string& name, bool with_crc) {
    RebuildMove move{.kind = kind, .name = name};
    const auto mark = [&](Result<FileMark> found, FileMark* to) {
      if (found.ok()) *to = *found;
      if (status.ok()) status = found.status();
    };
    if (kind != Kind::kRetire) {
      mark(transaction_->MarkOfStaged(name, with_crc), &move.new_mark);
    }
    if (kind != Kind::kAdd) {
      mark(transaction_->MarkOf(name, with_crc), &move.old_mark);
    }
    unit.moves.push_back(std::move(move));
  };
  for (const Job& job : jobs_) add(Kind::kAdd, job.new_name, false);
  add(Kind::kAdd, new_manifest_name_, true);
  add(Kind::kReplace, "CURRENT", true);
  for (const std::string& name : RetiredNames()) {
    add(Kind::kRetire, name, name == old_manifest_name_);
  }
  if (!status.ok()) return status;
  RebuildJournal journal{.engine = std::string(run_.engine),
                         .is_done = false,
                         .units = {std::move(unit)}};
  status = transaction_->Commit(std::move(journal));
  if (!status.ok()) return status;
  run_.report.kept_in = run_.dir + "/" + std::string(kRebuildDirectory);
  return status;
}

// Copies what stays; CURRENT comes last, so that until then there is no
// database.
Status LevelRun::FinishOut() {
  const std::vector<std::string> retired = RetiredNames();
  const std::string& out = run_.options.out_directory;
  for (const std::string& name : files_.names) {
    const std::string path = files_.PathOf(name);
    std::error_code ignored;
    if (name == "LOCK" || name == "CURRENT" || name.starts_with("LOG") ||
        name == kRebuildDirectory ||
        std::find(retired.begin(), retired.end(), name) != retired.end() ||
        std::filesystem::is_directory(path, ignored)) {
      continue;
    }
    const auto copied = CopyFileIn(env_, path, out + "/" + name);
    if (!copied.ok()) return copied.status();
    CopyOwner(env_, path, out + "/" + name);
  }
  Status done = env_.SyncDirectory(out);
  if (done.ok()) done = SetCurrent(env_, out, NumberOf(new_manifest_name_));
  return done;
}

Status LevelRun::Run() {
  Status status = Begin();
  if (status.ok()) status = Plan();
  if (!status.ok() || jobs_.empty()) return status;
  status = CheckFreeSpace();
  if (!status.ok() || run_.options.dry_run) return status;
  status = WriteAll();
  if (!status.ok() || jobs_.empty()) return status;
  status = WriteManifest();
  if (!status.ok()) return status;
  return run_.is_in_place() ? Commit() : FinishOut();
}

}  // namespace

Status RebuildLevels(RebuildRun* run) { return LevelRun(run).Run(); }

}  // namespace tamis
