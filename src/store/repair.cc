// RepairStore(): makes a store of whatever can still be read.  Logs and tables
// that are damaged in part are read as far as they go and written anew; tables
// that overlap are merged, for which of them is newer nobody can tell; the
// manifest is written from what was found.

#include <algorithm>
#include <optional>
#include <utility>

#include "base/no_throw.h"
#include "store/batch_access.h"
#include "store/compact_pick.h"
#include "store/file_names.h"
#include "store/log_reader.h"
#include "store/manifest.h"
#include "store/memtable.h"
#include "store/read_whole.h"
#include "store/repair_merge.h"
#include "store/store_checks.h"
#include "store/table_outputs.h"
#include "tamis/store.h"

namespace tamis {
namespace {

class Repair {
 public:
  Repair(std::string dir, const StoreOptions& options)
      : dir_(std::move(dir)),
        env_(options.env != nullptr ? *options.env : DefaultEnv()),
        order_(*options.comparator),
        most_log_bytes_(MostLogBytes(options)) {
    read_.order = order_;
    read_.unpack = UnpackLimitsOf(options);
    write_.order = order_;
    write_.block_bytes = options.block_bytes;
    write_.restart_interval = options.restart_interval;
    write_.compression = options.compression;
    write_.zstd_level = options.zstd_level;
    write_.limits = PackLimitsOf(options);
    limits_ = {.level1_bytes = options.level1_bytes,
               .level_growth = options.level_growth,
               .table_bytes = options.table_bytes};
    if (options.comparator->EqualMeansIdentical()) {
      write_.leveldb_filter_bits = options.leveldb_filter_bits;
      policy_ = options.filter_policy;
      if (policy_ == nullptr && !options.filter.empty()) {
        Result<std::unique_ptr<const FilterPolicy>> made =
            MakePolicy(options.filter);
        if (made.ok()) policy_ = *std::move(made);
      }
      write_.filter = policy_.get();
    }
  }

  Result<RepairReport> Run() {
    if (Status found = FindFiles(); !found.ok()) return found;
    Result<std::unique_ptr<FileLock>> lock = env_.Lock(LockFileName(dir_));
    if (!lock.ok()) return lock.status();
    for (const std::uint64_t number : tables_) KeepTable(number);
    for (const std::uint64_t number : logs_) {
      if (Status turned = TurnLog(number); !turned.ok()) return turned;
    }
    std::vector<std::uint64_t> replaced;
    if (Status merged = Merge(&replaced); !merged.ok()) return merged;
    if (Status written = WriteManifest(); !written.ok()) return written;
    for (const std::string& path : to_put_aside_) PutAside(path);
    for (const std::uint64_t number : replaced) RemoveTable(number);
    return std::move(report_);
  }

 private:
  Status FindFiles() {
    Result<std::vector<std::string>> names = env_.List(dir_);
    if (!names.ok()) return names.status();
    for (const std::string& name : *names) {
      const std::optional<FileName> parsed = ParseFileName(name);
      if (!parsed) continue;
      next_number_ = std::max(next_number_, parsed->number + 1);
      if (parsed->type == FileType::kLog) logs_.push_back(parsed->number);
      if (parsed->type == FileType::kTable) tables_.push_back(parsed->number);
      if (parsed->type == FileType::kManifest) {
        manifests_.push_back(dir_ + "/" + name);
      }
    }
    if (logs_.empty() && tables_.empty() && manifests_.empty()) {
      return Status::NotFound(dir_ + ": there is nothing of a store here");
    }
    std::sort(logs_.begin(), logs_.end());
    std::sort(tables_.begin(), tables_.end());
    return Status::Ok();
  }

  void Lose(const std::string& what) { report_.lost.push_back(what); }

  void KeepTable(std::uint64_t number) {
    std::string path = TableFileName(dir_, number);
    if (!env_.Exists(path)) path = OldTableFileName(dir_, number);
    Result<std::unique_ptr<ReadableFile>> file = env_.OpenReadable(path, false);
    if (!file.ok()) {
      Lose(file.status().message());
      return;
    }
    const TableCheck check = CheckTable(read_, **file);
    if (check.problems.empty()) {
      if (check.entries == 0) return;
      kept_.push_back({{number, (*file)->size(), check.smallest, check.largest},
                       check.largest_sequence,
                       check.entries});
      return;
    }
    for (const std::string& problem : check.problems) {
      Lose(path + ": " + problem);
    }
    to_put_aside_.push_back(path);
    RewriteTable(path, *std::move(file));
  }

  // What can be read of a damaged table, entry by entry.
  void RewriteTable(const std::string& path,
                    std::unique_ptr<ReadableFile> file) {
    Result<std::unique_ptr<Table>> table =
        Table::Open(read_, std::move(file), path);
    if (!table.ok()) {
      Lose(table.status().message() + "; none of it could be saved");
      return;
    }
    Memtable saved(order_, 0, false);
    const std::unique_ptr<InternalIterator> entries =
        (*table)->NewIterator({.verify_checksums = true, .check_order = false});
    std::string last;
    for (entries->SeekToFirst(); entries->Valid(); entries->Next()) {
      const Slice key = entries->key();
      if (!IsInternalKey(key)) continue;
      if (!last.empty() && order_.Compare(last, key) >= 0) break;
      last.assign(key);
      saved.Add(SequenceOf(key), TypeOf(key), UserKeyOf(key), entries->value(),
                0);
      newest_ = std::max(newest_, SequenceOf(key));
    }
    // Behind a block that cannot be read there may be others that can.
    SaveFromTheEnd(**table, last, &saved);
    if (Status written = WriteTable(saved); !written.ok()) {
      Lose(path + ": " + written.message());
    }
  }

  void SaveFromTheEnd(const Table& table, const std::string& last,
                      Memtable* saved) {
    const std::unique_ptr<InternalIterator> entries =
        table.NewIterator({.verify_checksums = true, .check_order = false});
    std::string before;
    for (entries->SeekToLast(); entries->Valid(); entries->Prev()) {
      const Slice key = entries->key();
      if (!IsInternalKey(key)) continue;
      if (!last.empty() && order_.Compare(key, last) <= 0) break;
      if (!before.empty() && order_.Compare(key, before) >= 0) break;
      before.assign(key);
      saved->Add(SequenceOf(key), TypeOf(key), UserKeyOf(key), entries->value(),
                 0);
      newest_ = std::max(newest_, SequenceOf(key));
    }
  }

  Status TurnLog(std::uint64_t number) {
    const std::string path = LogFileName(dir_, number);
    const Result<std::string> contents =
        ReadWholeFile(env_, path, most_log_bytes_);
    if (!contents.ok()) {
      Lose(contents.status().message());
      return Status::Ok();
    }
    LogReader reader(*contents);
    Memtable memtable(order_, 0, false);
    Slice record;
    while (reader.Next(&record)) Replay(record, path, &memtable);
    if (!reader.damage().empty()) Lose(path + ": " + reader.damage());
    if (Status written = WriteTable(memtable); !written.ok()) return written;
    ++report_.logs;
    to_put_aside_.push_back(path);
    return Status::Ok();
  }

  void Replay(Slice record, const std::string& path, Memtable* memtable) {
    const auto ignore = [](ValueType, Slice, Slice) {};
    Sequence sequence = BatchAccess::SequenceOfContents(record);
    const Status fine = ForEachChange(record, ignore);
    if (!fine.ok() ||
        sequence > kMaxSequence - BatchAccess::CountOfContents(record)) {
      Lose(path + ": " +
           (fine.ok() ? "a sequence number is too large" : fine.message()));
      return;
    }
    const Status added =
        ForEachChange(record, [&](ValueType type, Slice key, Slice value) {
          memtable->Add(sequence, type, key, value, 0);
          newest_ = std::max(newest_, sequence);
          ++sequence;
        });
    if (!added.ok()) Lose(path + ": " + added.message());
  }

  Status WriteTable(const Memtable& memtable) {
    if (memtable.empty()) return Status::Ok();
    TableOutputs outputs(env_, dir_, write_, [this] { return next_number_++; });
    const std::unique_ptr<InternalIterator> entries = memtable.NewIterator();
    std::string last;
    for (entries->SeekToFirst(); entries->Valid(); entries->Next()) {
      // A damaged log may have given a number twice.
      if (!last.empty() && order_.Compare(last, entries->key()) >= 0) continue;
      last.assign(entries->key());
      Status added = outputs.Add(entries->key(), entries->value());
      if (!added.ok()) return added;
    }
    Result<std::vector<FileFacts>> written = outputs.Finish();
    if (!written.ok()) return written.status();
    for (FileFacts& facts : *written) {  // one: it was not cut
      kept_.push_back({std::move(facts), newest_, memtable.entries()});
    }
    return Status::Ok();
  }

  Status Merge(std::vector<std::uint64_t>* replaced) {
    const RepairMerge merge{.env = &env_,
                            .dir = dir_,
                            .read = read_,
                            .write = write_,
                            .table_bytes = limits_.table_bytes,
                            .new_number = [this] { return next_number_++; }};
    Result<std::vector<FoundTable>> apart =
        MergeOverlapping(merge, std::move(kept_), replaced);
    if (!apart.ok()) return apart.status();
    kept_ = *std::move(apart);
    return Status::Ok();
  }

  // The first level that has room for all.
  std::size_t LevelForAll() const noexcept {
    std::uint64_t bytes = 0;
    for (const FoundTable& kept : kept_) bytes += kept.facts.bytes;
    int level = 1;
    while (level < kStoreLevels - 1 && limits_.LevelBytes(level) < bytes) {
      ++level;
    }
    return static_cast<std::size_t>(level);
  }

  Status WriteManifest() {
    ManifestState state;
    state.comparator = std::string(order_.user().name());
    std::vector<FileFacts>& level = state.files[LevelForAll()];
    for (FoundTable& kept : kept_) {
      state.last_sequence = std::max(state.last_sequence, kept.newest);
      report_.entries += kept.entries;
      ++report_.tables;
      level.push_back(std::move(kept.facts));
    }
    const std::uint64_t number = next_number_++;
    state.next_file_number = next_number_;
    // Every log there is has become a table.
    state.log_number = next_number_;
    Manifest manifest(env_, dir_);
    Status started = manifest.Start(number, FullEdit(state));
    if (!started.ok()) return started;
    for (const std::string& old : manifests_) to_put_aside_.push_back(old);
    return Status::Ok();
  }

  void PutAside(const std::string& path) {
    const std::string lost = dir_ + "/lost";
    if (!env_.CreateDirectory(lost).ok()) return;
    const Status moved = env_.Rename(path, lost + path.substr(path.rfind('/')));
    if (!moved.ok()) Lose("could not put aside " + moved.message());
  }

  // What is still needed of it is in another table.
  void RemoveTable(std::uint64_t number) {
    const Status removed = env_.Remove(TableFileName(dir_, number));
    if (removed.code() == StatusCode::kNotFound) {
      (void)env_.Remove(OldTableFileName(dir_, number));
    }
  }

  std::string dir_;
  Env& env_;
  KeyOrder order_;
  std::uint64_t most_log_bytes_;
  TableReadContext read_;
  TableWriteOptions write_;
  std::shared_ptr<const FilterPolicy> policy_;
  std::vector<std::uint64_t> logs_;
  std::vector<std::uint64_t> tables_;
  std::vector<std::string> manifests_;
  std::vector<std::string> to_put_aside_;
  CompactionLimits limits_;
  std::vector<FoundTable> kept_;
  std::uint64_t next_number_ = 1;
  Sequence newest_ = 0;
  RepairReport report_;
};

}  // namespace

Result<RepairReport> RepairStore(const std::string& dir,
                                 const StoreOptions& options) {
  return NoThrow([&]() -> Result<RepairReport> {
    if (Status may = CheckMayRepair(dir, options); !may.ok()) return may;
    return Repair(dir, options).Run();
  });
}

}  // namespace tamis
