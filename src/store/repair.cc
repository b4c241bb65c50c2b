// SPDX-License-Identifier: Apache-2.0
// RepairStore(): makes a store from whatever can still be read.  repair_plan.cc
// plans the work first, and this file does it: damaged tables and logs become
// new tables, tables that must not overlap are merged, the manifest is written,
// and what is no longer needed is moved to lost/.

#include <algorithm>
#include <array>
#include <optional>
#include <set>
#include <utility>

#include "base/no_throw.h"
#include "store/batch_access.h"
#include "store/check_files.h"
#include "store/compact_pick.h"
#include "store/file_names.h"
#include "store/level_filters.h"
#include "store/manifest.h"
#include "store/memtable.h"
#include "store/read_whole.h"
#include "store/repair_merge.h"
#include "store/repair_plan.h"
#include "store/store_checks.h"
#include "store/table_filter_file.h"
#include "store/table_outputs.h"
#include "tamis/store.h"

namespace tamis {
namespace {

class Repair {
 public:
  Repair(const std::string& dir, const StoreOptions& options)
      : env_(options.env != nullptr ? *options.env : DefaultEnv()),
        dir_(dir),
        options_(options),
        order_(*options.comparator) {
    read_.order = order_;
    read_.unpack = UnpackLimitsOf(options);
    write_.order = order_;
    write_.block_bytes = options.block_bytes;
    write_.in_pages = true;
    write_.restart_interval = options.restart_interval;
    write_.compression = options.compression;
    write_.zstd_level = options.zstd_level;
    write_.limits = PackLimitsOf(options);
    write_.filter_parts_above = options.filter_parts_above;
    limits_ = {.level1_bytes = options.level1_bytes,
               .level_growth = options.level_growth,
               .table_bytes = options.table_bytes};
    memtable_bytes_ = options.write_buffer_bytes;
  }

  // REQUIRES: before Run()
  void UseFilters(std::shared_ptr<const FilterPolicy> policy,
                  unsigned leveldb_bits) {
    policy_ = std::move(policy);
    write_.filter = policy_.get();
    write_.leveldb_filter_bits = leveldb_bits;
  }

  Result<RepairReport> Run(RepairMode mode) {
    // Checked before LOCK is opened, because another engine in this process
    // would lose its lock; and again when we hold it.
    if (Status may = CheckMayRepair(dir_, options_); !may.ok()) return may;
    const bool is_dry = mode == RepairMode::kDryRun;
    std::unique_ptr<FileLock> lock;
    // A process that has the store open has created that file.  If it does not
    // exist, it need not be created for an intact store.
    const bool may_be_open = env_.Exists(LockFileName(dir_));
    for (bool locks = may_be_open;; locks = true) {
      if (locks) {
        Result<std::unique_ptr<FileLock>> taken = env_.Lock(LockFileName(dir_));
        // Without write permission a dry run is still possible.
        const bool may_go_on =
            is_dry && taken.status().code() == StatusCode::kPermissionDenied;
        if (!taken.ok() && !may_go_on) return taken.status();
        if (taken.ok()) lock = *std::move(taken);
      }
      if (Status may = CheckMayRepair(dir_, options_); !may.ok()) return may;
      Result<RepairPlan> plan =
          PlanRepair(env_, dir_, read_, MostLogBytes(options_), mode);
      if (!plan.ok()) return plan.status();
      plan_ = *std::move(plan);
      if (plan_.report.was_clean || is_dry || locks) break;
    }
    if (plan_.report.was_clean) return std::move(plan_.report);
    if (is_dry) return Promise();
    const Status done = NoThrow([this] { return Write(); });
    if (!done.ok()) {
      RemoveNewTables();
      return done;
    }
    PutAsideAll();
    return std::move(plan_.report);
  }

 private:
  using FoundTables = std::vector<FoundTable>;

  RepairReport Promise();
  Status Write();
  Status KeepTables();
  Status WriteSaved(const PlannedTable& table);
  Status TurnLog(const ReplayLog& log);
  Status WriteMemtable(const Memtable& memtable);
  Status TakeOutputs(TableOutputs* outputs, int level, Sequence newest,
                     std::uint64_t entries);
  Status Merge(FoundTables* tables, bool may_drop_deletions);
  Status MergeAll();
  std::size_t LevelFor(const FoundTables& tables) const noexcept;
  Status WriteManifest();
  void RemoveNewTables();
  void PutAsideAll();
  void PutAside(const std::string& path);
  std::uint64_t NewNumber() { return plan_.next_number++; }

  Env& env_;
  const std::string& dir_;
  const StoreOptions& options_;
  KeyOrder order_;
  TableReadContext read_;
  TableWriteOptions write_;
  std::shared_ptr<const FilterPolicy> policy_;
  CompactionLimits limits_;
  std::size_t memtable_bytes_ = 0;
  RepairPlan plan_;
  std::array<FoundTables, kStoreLevels> levels_;
  FoundTables unplaced_;  // tables whose level is unknown
  std::set<std::uint64_t> new_tables_;
  std::set<std::uint64_t> new_and_merged_;  // no longer needed
};

// Returns what a dry run can report.
RepairReport Repair::Promise() {
  RepairReport report = std::move(plan_.report);
  for (const PlannedTable& table : plan_.tables) {
    ++report.tables;
    report.entries += table.entries;
  }
  for (const ReplayLog& log : plan_.logs) {
    if (log.changes == 0) continue;
    ++report.logs;
    ++report.tables;
    report.entries += log.changes;
  }
  return report;
}

Status Repair::Write() {
  if (Status kept = KeepTables(); !kept.ok()) return kept;
  for (const ReplayLog& log : plan_.logs) {
    if (Status turned = TurnLog(log); !turned.ok()) return turned;
  }
  Status merged;
  if (plan_.layout == RepairLayout::kMergeLevel0) {
    merged = Merge(&levels_[0], false);
  } else if (plan_.layout == RepairLayout::kMergeAll) {
    merged = MergeAll();
  }
  if (!merged.ok()) return merged;
  return WriteManifest();
}

Status Repair::KeepTables() {
  for (const PlannedTable& table : plan_.tables) {
    if (!table.is_whole) {
      if (Status saved = WriteSaved(table); !saved.ok()) return saved;
      continue;
    }
    FoundTables& place = table.level < 0
                             ? unplaced_
                             : levels_[static_cast<std::size_t>(table.level)];
    place.push_back({table.metadata, table.newest, table.entries});
  }
  return Status::Ok();
}

// Writes entry by entry, as they are read: there may be many.
Status Repair::WriteSaved(const PlannedTable& table) {
  const auto file = env_.OpenReadable(table.path, false);
  if (!file.ok()) return file.status();
  TableOutputs outputs(env_, dir_, write_, [this] { return NewNumber(); });
  const Result<SalvageReport> saved = SalvageTable(
      read_, **file, SalvageBoundsOf(plan_.manifest.state, table),
      [&](Slice key, Slice value) { return outputs.Add(key, value); });
  if (!saved.ok()) return saved.status();
  return TakeOutputs(&outputs, table.level, saved->largest_sequence,
                     saved->entries);
}

Status Repair::TakeOutputs(TableOutputs* outputs, int level, Sequence newest,
                           std::uint64_t entries) {
  Result<std::vector<FileMetadata>> written = outputs->Finish();
  if (!written.ok()) return written.status();
  for (FileMetadata& metadata : *written) {  // exactly one: it was not split
    new_tables_.insert(metadata.number);
    FoundTables& place =
        level < 0 ? unplaced_ : levels_[static_cast<std::size_t>(level)];
    place.push_back({std::move(metadata), newest, entries});
  }
  return Status::Ok();
}

// Turns a log into one or several tables of level 0, each newer than those
// before.
Status Repair::TurnLog(const ReplayLog& log) {
  auto memtable = std::make_unique<Memtable>(order_, 0, false);
  const auto replay = [&](Slice batch) {
    Sequence sequence = BatchAccess::SequenceOfContents(batch);
    Status added =
        ForEachChange(batch, [&](ValueType type, Slice key, Slice value) {
          memtable->Add(sequence++, type, key, value, 0);
        });
    if (!added.ok() || memtable->bytes() < memtable_bytes_) return added;
    Status written = WriteMemtable(*memtable);
    memtable = std::make_unique<Memtable>(order_, 0, false);
    return written;
  };
  Status replayed = ForEachBatch(log, LogPart::kReplayed, replay);
  if (!replayed.ok()) return replayed;
  if (log.changes > 0) ++plan_.report.logs;
  return WriteMemtable(*memtable);
}

Status Repair::WriteMemtable(const Memtable& memtable) {
  if (memtable.empty()) return Status::Ok();
  TableOutputs outputs(env_, dir_, write_, [this] { return NewNumber(); });
  const std::unique_ptr<InternalIterator> entries = memtable.NewIterator();
  std::string last;
  Sequence newest = 0;
  std::uint64_t count = 0;
  for (entries->SeekToFirst(); entries->Valid(); entries->Next()) {
    // A damaged log may have the same sequence number twice.
    if (!last.empty() && order_.Compare(last, entries->key()) >= 0) continue;
    last.assign(entries->key());
    newest = std::max(newest, SequenceOf(last));
    ++count;
    Status added = outputs.Add(entries->key(), entries->value());
    if (!added.ok()) return added;
  }
  return TakeOutputs(&outputs, 0, newest, count);
}

Status Repair::Merge(FoundTables* tables, bool may_drop_deletions) {
  const RepairMerge merge{.env = &env_,
                          .dir = dir_,
                          .read = read_,
                          .write = write_,
                          .table_bytes = limits_.table_bytes,
                          .may_drop_deletions = may_drop_deletions,
                          .new_number = [this] {
                            const std::uint64_t number = NewNumber();
                            new_tables_.insert(number);
                            return number;
                          }};
  std::vector<std::uint64_t> replaced;
  Result<FoundTables> apart =
      MergeOverlapping(merge, std::move(*tables), &replaced);
  if (!apart.ok()) return apart.status();
  *tables = *std::move(apart);
  for (const std::uint64_t number : replaced) {
    if (new_tables_.contains(number)) {
      new_and_merged_.insert(number);
      continue;
    }
    for (const PlannedTable& table : plan_.tables) {
      if (table.metadata.number != number) continue;
      plan_.to_put_aside.push_back(table.path);
      break;
    }
  }
  return Status::Ok();
}

Status Repair::MergeAll() {
  FoundTables all = std::move(unplaced_);
  for (FoundTables& level : levels_) {
    for (FoundTable& table : level) all.push_back(std::move(table));
    level.clear();
  }
  if (Status merged = Merge(&all, true); !merged.ok()) return merged;
  const std::size_t level = LevelFor(all);
  levels_[level] = std::move(all);
  return Status::Ok();
}

// Returns the first level that is large enough for all.
std::size_t Repair::LevelFor(const FoundTables& tables) const noexcept {
  std::uint64_t bytes = 0;
  for (const FoundTable& table : tables) bytes += table.metadata.bytes;
  int level = 1;
  while (level < kStoreLevels - 1 && limits_.LevelBytes(level) < bytes) {
    ++level;
  }
  return static_cast<std::size_t>(level);
}

Status Repair::WriteManifest() {
  ManifestState state;
  state.comparator = std::string(order_.user().name());
  state.last_sequence = plan_.last_sequence;
  if (plan_.layout == RepairLayout::kLevels) {
    state.compact_pointers = plan_.manifest.state.compact_pointers;
  }
  for (std::size_t i = 0; i < levels_.size(); ++i) {
    for (const FoundTable& table : levels_[i]) {
      plan_.report.entries += table.entries;
      ++plan_.report.tables;
      state.files[i].push_back(table.metadata);
    }
  }
  // Every existing log has become a table.  The log that a manifest names must
  // exist, so there is a new, empty one.
  state.log_number = NewNumber();
  const std::string log = LogFileName(dir_, state.log_number);
  Result<std::unique_ptr<WritableFile>> made =
      env_.Create(log, WriteKind::kLog);
  Status closed = made.ok() ? made->Close() : made.status();
  if (closed.ok()) closed = env_.SyncDirectory(dir_);
  if (!closed.ok()) return closed;
  const std::uint64_t number = NewNumber();
  state.next_file_number = plan_.next_number;
  Manifest manifest(env_, dir_);
  Status started = manifest.Start(number, FullEdit(state));
  if (started.ok()) return started;
  // CURRENT may name the new manifest already: then its tables must stay.
  const Result<std::string> current = ReadCurrent(env_, dir_);
  if (!current.ok() || *current == ManifestFileName(dir_, number)) {
    new_tables_.clear();
  } else {
    (void)env_.Remove(log);
  }
  return started;
}

// After a failure: restores the store.
void Repair::RemoveNewTables() {
  for (const std::uint64_t number : new_tables_) {
    (void)env_.Remove(TableFileName(dir_, number));
  }
}

void Repair::PutAsideAll() {
  for (const std::string& path : plan_.to_put_aside) PutAside(path);
  for (const std::uint64_t number : new_and_merged_) {
    (void)env_.Remove(TableFileName(dir_, number));
  }
  Status synced = env_.SyncDirectory(dir_);
  if (synced.ok() && !plan_.to_put_aside.empty()) {
    synced = env_.SyncDirectory(dir_ + "/lost");
  }
  if (!synced.ok()) {
    plan_.report.lost.push_back("could not sync " + synced.message());
  }
}

// Moves a file to lost/, never over an existing file; of a table, the filter
// beside it as well.
void Repair::PutAside(const std::string& path) {
  const std::string lost = dir_ + "/lost";
  const auto parsed = ParseFileName(path.substr(path.rfind('/') + 1));
  if (parsed && parsed->type == FileType::kTable) {
    const std::string filter = FilterFileName(dir_, parsed->number);
    if (IsOurFilterFile(env_, filter)) PutAside(filter);
  }
  Status moved = env_.CreateDirectory(lost);
  if (moved.ok()) {
    moved = env_.Rename(path,
                        UnusedName(env_, lost + path.substr(path.rfind('/'))));
  }
  if (!moved.ok()) {
    plan_.report.lost.push_back("could not put aside " + path + " (" +
                                moved.message() +
                                "); opening the store removes it");
  }
}

}  // namespace

Result<RepairReport> RepairStore(const std::string& dir,
                                 const StoreOptions& options, RepairMode mode) {
  return NoThrow([&]() -> Result<RepairReport> {
    if (options.comparator == nullptr) {
      return Status::InvalidArgument("a store needs a comparator");
    }
    std::shared_ptr<const FilterPolicy> policy = options.filter_policy;
    // What a repair writes has the filters of level 0, whatever its level.
    if (policy == nullptr && !FilterTextOf(options, 0).empty()) {
      Result<std::unique_ptr<const FilterPolicy>> made =
          MakePolicy(FilterTextOf(options, 0));
      if (!made.ok()) return made.status();
      policy = *std::move(made);
    }
    Repair repair(dir, options);
    if (options.comparator->EqualMeansIdentical()) {
      repair.UseFilters(std::move(policy), options.leveldb_filter_bits);
    }
    return repair.Run(mode);
  });
}

}  // namespace tamis
