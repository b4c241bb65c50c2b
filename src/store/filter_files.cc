// SPDX-License-Identifier: Apache-2.0
// MakeFilterFiles(): gives the tables of a store that is not open filters in
// files of their own.

#include "tamis/filter_files.h"

#include <cmath>
#include <map>
#include <optional>
#include <utility>

#include "base/no_throw.h"
#include "policy/table_policy.h"
#include "store/check_files.h"
#include "store/file_names.h"
#include "store/filter_file_build.h"
#include "store/filter_plan.h"
#include "store/remembered_settings.h"
#include "store/store_checks.h"
#include "store/store_context.h"
#include "store/table_filter_file.h"
#include "tamis/store_tables.h"

namespace tamis {
namespace {

double BitsPerKey(std::uint64_t bytes, std::uint64_t keys) noexcept {
  return 8 * static_cast<double>(bytes) / static_cast<double>(keys);
}

// Returns the keys of each level, as the store's own plans count them.
LevelKeys CountKeys(const std::vector<StoreTable>& tables) {
  LevelKeys keys;
  for (const StoreTable& table : tables) {
    keys.levels[static_cast<std::size_t>(table.level)] += table.estimated_keys;
    if (table.level == 0) ++keys.tables_of_level0;
  }
  if (keys.tables_of_level0 > 0) {
    keys.of_flush = keys.levels[0] / keys.tables_of_level0;
  }
  return keys;
}

FilterFileOfTable Describe(const StoreTable& table) {
  FilterFileOfTable row;
  row.level = table.level;
  row.file_number = table.file_number;
  row.keys = table.estimated_keys;
  row.before = {table.filter, table.filter_bytes, table.filter_rate};
  row.after = row.before;
  return row;
}

class FilterFilesMaker {
 public:
  FilterFilesMaker(const std::string& dir, const StoreOptions& options,
                   const FilterFilesOptions& filters)
      : dir_(dir), filters_(filters), context_(dir, options) {}

  Result<FilterFilesReport> Run() {
    if (Status fine = LevelFilters::Check(context_.options); !fine.ok()) {
      return fine;
    }
    if (Status chosen = context_.ChoosePrefixes(); !chosen.ok()) return chosen;
    if (Status found = ReadTables(); !found.ok()) return found;
    if (filters_.dry_run) return NameProblems(Work());
    const std::string lock_name = LockFileName(dir_);
    const bool had_lock = context_.env.Exists(lock_name);
    const Result<std::unique_ptr<FileLock>> lock = context_.env.Lock(lock_name);
    if (!lock.ok()) return lock.status();
    // It may have changed before the lock was ours.
    Status done = ReadTables();
    if (done.ok()) done = Work();
    if (!had_lock) (void)context_.env.Remove(lock_name);
    return NameProblems(done);
  }

 private:
  Result<FilterFilesReport> NameProblems(const Status& done) {
    if (!done.ok()) return done;
    return std::move(report_);
  }
  Status ReadTables();
  Status Work();
  Status ChooseFilters();
  Status Remove();
  Status MakeAll();
  Status MakeOne(const FileMetadata& table, FilterFileOfTable* row);
  bool IsAsWanted(const FilterFileOfTable& row, const StoreTable& table) const;
  FilterFileLook LookBeside(const FileMetadata& table);
  Status RemoveUseless(const StoreTable& table, FilterFileOfTable* row);
  void Tell(std::uint64_t bytes) const {
    if (filters_.progress) filters_.progress(bytes, bytes_to_read_);
  }

  const std::string& dir_;
  const FilterFilesOptions& filters_;
  StoreContext context_;
  RememberedSettings settings_{context_};
  std::vector<StoreTable> tables_;
  std::map<std::uint64_t, FileMetadata> metadata_;
  std::uint64_t bytes_to_read_ = 0;
  std::uint64_t bytes_read_ = 0;
  FilterFilesReport report_;
};

Status FilterFilesMaker::ReadTables() {
  const Result<StoreDirectory> found = LookAtDirectory(context_.env, dir_);
  if (!found.ok()) return found.status();
  if (!found->has_current) return NoStoreHere(dir_);
  const Result<ManifestState> manifest =
      ReadManifestFor(context_.env, dir_, context_.order.user());
  if (!manifest.ok()) return manifest.status();
  metadata_.clear();
  for (const auto& level : manifest->files) {
    for (const FileMetadata& table : level) metadata_[table.number] = table;
  }
  return Status::Ok();
}

Status FilterFilesMaker::Work() {
  Result<std::vector<StoreTable>> tables =
      ListStoreTables(dir_, context_.options);
  if (!tables.ok()) return tables.status();
  tables_ = *std::move(tables);
  for (const StoreTable& table : tables_) {
    report_.tables.push_back(Describe(table));
  }
  if (filters_.remove) return Remove();
  if (!context_.filters_fit) {
    return Status::NotSupported(
        dir_ +
        ": its comparator takes distinct keys for equal, so no filter "
        "fits it");
  }
  Status chosen = ChooseFilters();
  return chosen.ok() ? MakeAll() : chosen;
}

// As for the tables that the store would write.
Status FilterFilesMaker::ChooseFilters() {
  settings_.Load();
  StoreOptions& options = context_.options;
  Status chosen = context_.filters.Choose(options, context_.filters_fit,
                                          settings_.ChooseSeed());
  const bool is_chosen = options.filter_policy != nullptr ||
                         !options.filter_per_level.empty() ||
                         options.filter.empty();
  if (!chosen.ok() || is_chosen || !options.filter_memory_bytes) return chosen;
  FilterPlanInput input;
  input.limit = *options.filter_memory_bytes;
  input.expects_hits = options.expect_hits;
  if (const auto asked = settings_.asked()) input.asked = *asked;
  const auto specs = PlanNewFilters(CountKeys(tables_), input);
  if (!specs.ok()) return specs.status();
  return context_.filters.Plan(options, *specs);
}

Status FilterFilesMaker::Remove() {
  bool any = false;
  for (FilterFileOfTable& row : report_.tables) {
    const std::string path = FilterFileName(dir_, row.file_number);
    if (!IsOurFilterFile(context_.env, path)) continue;
    row.action = FilterFileAction::kRemoved;
    row.after = {};
    ++report_.removed;
    if (filters_.dry_run) continue;
    if (Status gone = context_.env.Remove(path); !gone.ok()) return gone;
    any = true;
  }
  return any ? context_.env.SyncDirectory(dir_) : Status::Ok();
}

bool FilterFilesMaker::IsAsWanted(const FilterFileOfTable& row,
                                  const StoreTable& table) const {
  constexpr double kNear = 1.5;  // bits per key
  const std::shared_ptr<const FilterPolicy> policy =
      context_.filters.at(row.level)->policy;
  if (policy == nullptr) return true;
  if (row.before.kind != KindOf(*policy) || row.keys == 0) return false;
  // Prefixes that nobody asked for do no harm.
  if (context_.prefixes != nullptr &&
      table.prefix_extractor != context_.prefixes->name()) {
    return false;
  }
  // Prefixes count as keys.
  const bool has_more =
      !table.prefix_extractor.empty() && table.filter_keys > 0;
  const double has =
      BitsPerKey(row.before.bytes, has_more ? table.filter_keys : row.keys);
  const double wanted = BitsPerKey(policy->Predict(row.keys).bytes, row.keys);
  return std::abs(has - wanted) <= kNear;
}

Status FilterFilesMaker::MakeAll() {
  std::vector<std::size_t> to_make;
  for (std::size_t i = 0; i < tables_.size(); ++i) {
    if (IsAsWanted(report_.tables[i], tables_[i])) {
      Status gone = RemoveUseless(tables_[i], &report_.tables[i]);
      if (!gone.ok()) return gone;
      continue;
    }
    to_make.push_back(i);
    bytes_to_read_ += tables_[i].bytes;
  }
  // The seed must be remembered before filters have it.
  if (!to_make.empty() && !filters_.dry_run) {
    if (Status saved = settings_.Save(false); !saved.ok()) return saved;
  }
  for (const std::size_t i : to_make) {
    Tell(bytes_read_);
    FilterFileOfTable& row = report_.tables[i];
    Status made = MakeOne(metadata_[row.file_number], &row);
    bytes_read_ += tables_[i].bytes;
    if (made.ok()) {
      row.action = FilterFileAction::kMade;
      ++report_.made;
      continue;
    }
    row.action = FilterFileAction::kFailed;
    row.problem = made.message();
    row.after = row.before;
    ++report_.failed;
  }
  Tell(bytes_read_);
  return Status::Ok();
}

// Returns what is known of the filter beside the table.
FilterFileLook FilterFilesMaker::LookBeside(const FileMetadata& table) {
  TableReadContext read;
  read.unpack = UnpackLimitsOf(context_.options);
  const auto binding = [&](BoundBlocks blocks) -> Result<std::uint32_t> {
    std::string path;
    auto file = OpenTableFile(context_.env, dir_, table.number, &path);
    if (!file.ok()) return file.status();
    const auto opened = Table::Open(read, *std::move(file), path);
    if (!opened.ok()) return opened.status();
    return opened->ReadBinding(blocks);
  };
  return ReadFilterFile({.env = context_.env,
                         .dir = dir_,
                         .number = table.number,
                         .table_bytes = table.bytes,
                         .binding = binding,
                         .read = read});
}

// Removes a file that is of no use to a table that needs none, as a store that
// is open for writing does.  One that cannot be judged is named, and stays.
Status FilterFilesMaker::RemoveUseless(const StoreTable& table,
                                       FilterFileOfTable* row) {
  const std::string path = FilterFileName(dir_, table.file_number);
  if (table.has_filter_file || !context_.env.Exists(path)) return Status::Ok();
  const FilterFileLook look = LookBeside(metadata_[table.file_number]);
  if (look.state == FilterFileState::kForeign) return Status::Ok();
  row->problem = look.problem;
  if (!IsUseless(look.state)) return Status::Ok();
  row->action = FilterFileAction::kRemoved;
  ++report_.removed;
  return filters_.dry_run
             ? Status::Ok()
             : RemoveFilterFile(context_.env, dir_, table.file_number);
}

Status FilterFilesMaker::MakeOne(const FileMetadata& table,
                                 FilterFileOfTable* row) {
  const std::shared_ptr<const FilterPolicy> policy =
      context_.filters.at(row->level)->policy;
  if (filters_.dry_run) {
    const Estimate estimate = policy->Predict(row->keys);
    row->after = {KindOf(*policy), estimate.bytes,
                  estimate.false_positive_rate};
    return Status::Ok();
  }
  const FilterFileJob job{.env = context_.env,
                          .dir = dir_,
                          .table = table,
                          .order = context_.order,
                          .unpack = UnpackLimitsOf(context_.options),
                          .policy = *policy,
                          .prefixes = context_.prefixes.get(),
                          .progress = [this](std::uint64_t bytes) {
                            Tell(bytes_read_ + bytes);
                            return Status::Ok();
                          }};
  // A table for which there is no memory, for example, costs no other table its
  // filter.
  const Result<BuiltFilterFile> built = NoThrow(
      [&]() -> Result<BuiltFilterFile> { return BuildFilterFile(job); });
  if (!built.ok()) return built.status();
  row->after = {built->kind, built->filter_bytes, built->rate};
  row->keys = built->keys;
  return WriteFilterFileOf(job, *built);
}

}  // namespace

Result<FilterFilesReport> MakeFilterFiles(const std::string& dir,
                                          const StoreOptions& options,
                                          const FilterFilesOptions& filters) {
  return NoThrow([&]() -> Result<FilterFilesReport> {
    if (options.comparator == nullptr) {
      return Status::InvalidArgument("a store needs a comparator");
    }
    return FilterFilesMaker(dir, options, filters).Run();
  });
}

}  // namespace tamis
