// SPDX-License-Identifier: Apache-2.0
#include "store/repair_plan.h"

#include <algorithm>
#include <limits>
#include <map>
#include <optional>
#include <set>
#include <utility>

#include "base/damage.h"
#include "store/check_files.h"
#include "store/file_names.h"
#include "store/version.h"
#include "table/block_file.h"

namespace tamis {
namespace {

using Trust = ManifestFinding::Trust;

std::string NameOf(const std::string& path) {
  return path.substr(path.rfind('/') + 1);
}

std::string Entries(std::uint64_t count) {
  return std::to_string(count) + (count == 1 ? " entry" : " entries");
}

class Planner {
 public:
  Planner(Env& env, const std::string& dir, const TableReadContext& context,
          std::uint64_t max_log_bytes, RepairMode mode)
      : env_(env),
        dir_(dir),
        context_(context),
        max_log_bytes_(max_log_bytes),
        is_dry_(mode == RepairMode::kDryRun) {}

  Result<RepairPlan> Run() {
    if (Status found = FindFiles(); !found.ok()) return found;
    plan_.manifest = FindManifest(env_, dir_, manifests_);
    if (!plan_.manifest.unread.ok()) return plan_.manifest.unread;
    is_recognised_ = plan_.manifest.trust != Trust::kNone;
    if (Status fits = CheckComparator(); !fits.ok()) return fits;
    DoubtAnOldManifest();
    for (const std::string& problem : plan_.manifest.problems) Lose(problem);
    plan_.next_number =
        std::max(plan_.next_number, plan_.manifest.state.next_file_number);
    SayWhatMayComeBack();
    if (Status read = ReadLiveTables(); !read.ok()) return read;
    if (Status read = ReadUnknownTables(); !read.ok()) return read;
    if (Status read = ReadLogs(); !read.ok()) return read;
    if (!is_recognised_) return NothingOfAStore();
    if (Status fits = CheckKeyOrder(); !fits.ok()) return fits;
    CheckSequence();
    ChooseLayout();
    if (IsClean()) return Clean();
    for (const std::string& dropped : dropped_) Lose(dropped);
    SayWhatIsDone();
    return std::move(plan_);
  }

 private:
  Status FindFiles();
  void AddFile(const std::string& name, const FileName& parsed);
  Status CheckComparator() const;
  void DoubtAnOldManifest();
  void SayWhatMayComeBack();
  // These fail if something cannot be read for a reason other than damage.
  Status ReadLiveTables();
  Status ReadUnknownTables();
  Status ReadTable(int level, const FileMetadata& metadata);
  Status Keep(TableFileCheck check, int level, const FileMetadata& metadata);
  Status SaveWhatCanBeRead(PlannedTable* table);
  Status ReadLogs();
  Status NothingOfAStore() const;
  Status CheckKeyOrder() const;
  void CheckSequence();
  void ChooseLayout();
  bool FitsLevels() const;
  bool IsClean() const;
  RepairPlan Clean();
  void SayWhatIsDone();
  void SayTable(const PlannedTable& table);
  void SayLog(const ReplayLog& log);

  void Lose(const std::string& what) { plan_.report.lost.push_back(what); }
  // "000007.ldb was kept in level 2", or "would be".
  void Act(const std::string& path, const std::string& what) {
    plan_.report.actions.push_back(NameOf(path) + " " + was() + " " + what);
  }
  const char* was() const noexcept { return is_dry_ ? "would be" : "was"; }
  void PutAside(const std::string& path, const std::string& why) {
    plan_.to_put_aside.push_back(path);
    set_aside_.emplace_back(path, "moved to lost/: " + why);
  }

  Env& env_;
  const std::string& dir_;
  const TableReadContext& context_;
  const std::uint64_t max_log_bytes_;
  const bool is_dry_;
  std::map<std::uint64_t, std::string> tables_;  // all tables, by number
  std::set<std::uint64_t> live_;                 // those the manifest names
  std::vector<std::uint64_t> logs_;
  std::vector<NumberedPath> manifests_;
  std::vector<std::pair<std::string, std::string>> set_aside_;  // path, why
  // True: a table, a record of a log or an edit of a manifest was read.
  bool is_recognised_ = false;
  // What opening would drop from logs, too, which is not damage.
  std::vector<std::string> dropped_;
  std::uint64_t entries_in_order_ = 0;
  std::uint64_t entries_out_of_order_ = 0;
  std::uint64_t unordered_tables_ = 0;
  RepairPlan plan_;
};

Status Planner::FindFiles() {
  Result<std::vector<std::string>> names = env_.List(dir_);
  if (!names.ok()) return names.status();
  std::sort(names->begin(), names->end());
  for (const std::string& name : *names) {
    const std::optional<FileName> parsed = ParseFileName(name);
    if (parsed && parsed->number <= kMaxFileNumber) AddFile(name, *parsed);
    // A new table must not get the number of an old filter.
    if (const auto number = ParseFilterFileName(name)) {
      plan_.next_number = std::max(plan_.next_number, *number + 1);
    }
  }
  if (logs_.empty() && tables_.empty() && manifests_.empty()) {
    return Status::NotFound(dir_ + ": there is nothing of a store here");
  }
  std::sort(logs_.begin(), logs_.end());
  return Status::Ok();
}

// Names that a store does not use ("7.ldb") are not its own.
void Planner::AddFile(const std::string& name, const FileName& parsed) {
  const std::string path = dir_ + "/" + name;
  const std::uint64_t number = parsed.number;
  plan_.next_number = std::max(plan_.next_number, number + 1);
  if (parsed.type == FileType::kLog && path == LogFileName(dir_, number)) {
    logs_.push_back(number);
  } else if (parsed.type == FileType::kManifest) {
    manifests_.emplace_back(number, path);
  } else if (path == TableFileName(dir_, number) ||
             path == OldTableFileName(dir_, number)) {
    // The new name comes first, and is what a store opens.
    if (!tables_.emplace(number, path).second) {
      PutAside(path, "there is another table of that number");
    }
  }
}

Status Planner::CheckComparator() const {
  const std::string& named = plan_.manifest.state.comparator;
  if (named.empty() || named == context_.order.user().name()) {
    return Status::Ok();
  }
  return Status::InvalidArgument(dir_ + ": its keys are ordered by " + named +
                                 ", which is not the comparator given; "
                                 "nothing was changed")
      .With(Remedy::kUseComparator);
}

// A manifest may be truncated, or be an old copy, without any sign.  But a log
// or table that it names is removed only once it no longer names it.  If such
// files are missing and there are tables that it never named, it says nothing
// about these.
void Planner::DoubtAnOldManifest() {
  ManifestFinding& manifest = plan_.manifest;
  if (manifest.trust != Trust::kWhole) return;
  // A number is assigned long before the manifest names the table, so a new
  // table does not always have the largest.
  const bool has_unknown =
      std::any_of(tables_.begin(), tables_.end(), [&](const auto& table) {
        return table.first >= manifest.first_unknown &&
               !manifest.state.named.contains(table.first);
      });
  if (!has_unknown) return;
  const bool has_log =
      std::binary_search(logs_.begin(), logs_.end(), manifest.state.log_number);
  bool has_tables = true;
  for (const auto& level : manifest.state.files) {
    for (const FileMetadata& metadata : level) {
      has_tables = has_tables && tables_.contains(metadata.number);
    }
  }
  if (has_log && has_tables) return;
  manifest.trust = Trust::kPart;
  manifest.problems.push_back(
      manifest.path +
      ": it names files that are gone, and there are tables that it never "
      "named: it seems to be old, or cut off");
}

Status Planner::ReadLiveTables() {
  for (int level = 0; level < kStoreLevels; ++level) {
    const auto at = static_cast<std::size_t>(level);
    for (const FileMetadata& metadata : plan_.manifest.state.files[at]) {
      if (Status read = ReadTable(level, metadata); !read.ok()) return read;
    }
  }
  return Status::Ok();
}

Status Planner::ReadTable(int level, const FileMetadata& metadata) {
  if (!live_.insert(metadata.number).second) {
    Lose(plan_.manifest.path + ": it names table " +
         std::to_string(metadata.number) + " twice");
    return Status::Ok();
  }
  TableFileCheck check = CheckTableFile(env_, dir_, context_, metadata);
  tables_.erase(metadata.number);
  if (check.opened.code() == StatusCode::kNotFound) {
    Lose(check.path + ": it is missing, and the manifest names it");
    return Status::Ok();
  }
  return Keep(std::move(check), level, metadata);
}

// Reads the tables that are left in tables_.
Status Planner::ReadUnknownTables() {
  for (const auto& [number, path] : tables_) {
    if (!plan_.manifest.CannotSpeakFor(number)) {
      PutAside(path, "the manifest does not name it");
      continue;
    }
    TableFileCheck check = CheckUnknownTableFile(env_, dir_, context_, number);
    FileMetadata metadata;
    metadata.number = number;
    Status kept = Keep(std::move(check), -1, metadata);
    if (!kept.ok()) return kept;
    if (plan_.manifest.trust == Trust::kPart) {
      plan_.report.may_come_back.push_back(
          path + (is_dry_ ? ": would be taken" : ": taken") +
          " though the readable part of the manifest does not name it; keys "
          "deleted or overwritten since may come back");
    }
  }
  return Status::Ok();
}

void Planner::SayWhatMayComeBack() {
  const ManifestFinding& manifest = plan_.manifest;
  if (manifest.trust == Trust::kWhole) return;
  plan_.report.may_come_back.push_back(
      manifest.trust == Trust::kNone
          ? dir_ + ": no manifest can be read, so every table and log " +
                was() + " taken; keys deleted or overwritten may come back"
          : manifest.path +
                ": keys deleted or overwritten since the part of "
                "it that can be read may come back");
}

Status Planner::Keep(TableFileCheck check, int level,
                     const FileMetadata& metadata) {
  if (!check.unread.ok()) return check.unread;
  for (const std::string& problem : check.problems) Lose(problem);
  if (!check.filter_problem.empty()) {
    Lose(check.filter_problem);
    PutAside(FilterFileName(dir_, metadata.number), "it is of no use");
  }
  is_recognised_ |= check.table.has_footer;
  PlannedTable table;
  table.path = check.path;
  table.level = level;
  table.is_whole = check.is_whole;
  table.manifest_metadata = level < 0 ? FileMetadata() : metadata;
  table.metadata = {metadata.number, check.bytes, check.table.smallest,
                    check.table.largest};
  table.newest = check.table.largest_sequence;
  table.entries = check.table.entries;
  if (!check.opened.ok()) {
    PutAside(check.path, "it cannot be opened");
    return Status::Ok();
  }
  if (!table.is_whole) {
    if (Status read = SaveWhatCanBeRead(&table); !read.ok()) return read;
  }
  entries_in_order_ += table.entries;
  if (table.entries == 0) {
    PutAside(check.path, "it has no entries");
    return Status::Ok();
  }
  plan_.last_sequence = std::max(plan_.last_sequence, table.newest);
  if (!table.is_whole) plan_.to_put_aside.push_back(table.path);
  plan_.tables.push_back(std::move(table));
  return Status::Ok();
}

Status Planner::SaveWhatCanBeRead(PlannedTable* table) {
  table->entries = 0;
  const auto file = env_.OpenReadable(table->path, false);
  if (!file.ok()) {
    Lose(file.status().message());
    return UnlessDamage(file.status());
  }
  const Result<SalvageReport> saved = SalvageTable(
      context_, **file, SalvageBoundsOf(plan_.manifest.state, *table),
      [](Slice, Slice) { return Status::Ok(); });
  if (!saved.ok()) return AboutFile(table->path, saved.status());
  for (const std::string& lost : saved->lost) Lose(table->path + ": " + lost);
  table->metadata.smallest = saved->smallest;
  table->metadata.largest = saved->largest;
  table->newest = saved->largest_sequence;
  table->entries = saved->entries;
  entries_out_of_order_ += saved->out_of_order;
  if (saved->out_of_order > 0) ++unordered_tables_;
  is_recognised_ |= saved->entries + saved->out_of_order > 0;
  return Status::Ok();
}

Status Planner::ReadLogs() {
  std::vector<ReplayLog> logs;
  for (const std::uint64_t number : logs_) {
    const std::string path = LogFileName(dir_, number);
    if (!plan_.manifest.NeedsLog(number)) {
      PutAside(path, "the manifest does not need it");
      continue;
    }
    Result<ReplayLog> log = ReadLogInPart(env_, dir_, number, max_log_bytes_);
    if (!log.ok() && !IsDamage(log.status())) return log.status();
    if (!log.ok()) {
      Lose(log.status().message());
      PutAside(path, "it cannot be read");
      continue;
    }
    logs.push_back(*std::move(log));
  }
  ManifestState state = plan_.manifest.state;
  if (plan_.manifest.trust != ManifestFinding::Trust::kWhole) {
    // It is unknown which earlier logs are in tables: none counts as missing.
    state.log_number = std::numeric_limits<std::uint64_t>::max();
    state.previous_log_number = 0;
  }
  PlanReplay(state, &logs);
  for (ReplayLog& log : logs) {
    is_recognised_ |= log.is_ours || log.records + log.dropped > 0;
    for (const std::string& damage : log.damage) Lose(log.path + ": " + damage);
    if (log.dropped > 0) {
      dropped_.push_back(log.path + ": " + log.notes.back() + ": " +
                         Entries(log.dropped) + " or more");
    }
    if (log.next > 0) {
      plan_.last_sequence = std::max(plan_.last_sequence, log.next - 1);
    }
    plan_.to_put_aside.push_back(log.path);
    plan_.logs.push_back(std::move(log));
  }
  return Status::Ok();
}

// Other programs number their files and call them .log or .sst, too.
Status Planner::NothingOfAStore() const {
  return Status::NotSupported(
      dir_ + ": nothing in it can be read as part of a store: no table, no " +
      "record of a log, no manifest; nothing was changed");
}

// A few keys that are out of order are damage.  If most tables have some, the
// comparator was another one.
Status Planner::CheckKeyOrder() const {
  const bool in_general =
      2 * unordered_tables_ >= plan_.tables.size() &&
      8 * entries_out_of_order_ >= entries_in_order_ + entries_out_of_order_;
  if (entries_out_of_order_ == 0 || !in_general ||
      !plan_.manifest.state.comparator.empty()) {
    return Status::Ok();
  }
  return Status::InvalidArgument(
      dir_ + ": no manifest says how its keys are ordered, and by " +
      std::string(context_.order.user().name()) + " " +
      std::to_string(entries_out_of_order_) + " of them are out of order: " +
      "the store probably has another comparator; nothing was changed");
}

void Planner::CheckSequence() {
  const ManifestFinding& manifest = plan_.manifest;
  Sequence in_tables = 0;
  for (const PlannedTable& table : plan_.tables) {
    in_tables = std::max(in_tables, table.newest);
  }
  if (manifest.trust == Trust::kWhole &&
      in_tables > manifest.state.last_sequence) {
    Lose(manifest.path + ": its last sequence number is smaller than that of " +
         "a table: entries were hidden");
  }
  plan_.last_sequence =
      std::max(plan_.last_sequence, manifest.state.last_sequence);
}

// Returns whether the tables as they are now do not overlap in their levels.
bool Planner::FitsLevels() const {
  VersionEdit edit;
  for (const PlannedTable& table : plan_.tables) {
    if (table.level < 0) return false;
    edit.added.emplace_back(table.level, table.metadata);
  }
  const TableFileContext context{.env = &env_, .dir = dir_, .read = context_};
  return Version(context_.order).Apply(edit, context).ok();
}

void Planner::ChooseLayout() {
  if (plan_.manifest.trust == Trust::kNone || !FitsLevels()) {
    plan_.layout = RepairLayout::kMergeAll;
    return;
  }
  // A salvaged table gets a new number, which in level 0 would make it the
  // newest.
  const bool level0_is_damaged = std::any_of(
      plan_.tables.begin(), plan_.tables.end(),
      [](const PlannedTable& t) { return t.level == 0 && !t.is_whole; });
  if (level0_is_damaged) plan_.layout = RepairLayout::kMergeLevel0;
}

bool Planner::IsClean() const {
  return plan_.manifest.trust == Trust::kWhole && plan_.manifest.is_current &&
         plan_.report.lost.empty() && plan_.report.may_come_back.empty() &&
         plan_.layout == RepairLayout::kLevels;
}

RepairPlan Planner::Clean() {
  RepairPlan clean;
  clean.report.was_clean = true;
  clean.report.tables = plan_.tables.size();
  clean.report.entries = entries_in_order_;
  return clean;
}

void Planner::SayWhatIsDone() {
  for (const PlannedTable& table : plan_.tables) SayTable(table);
  for (const ReplayLog& log : plan_.logs) SayLog(log);
  for (const auto& [path, why] : set_aside_) Act(path, why);
  if (!plan_.manifest.is_current) Act(CurrentFileName(dir_), "written anew");
  for (const auto& [number, path] : manifests_) {
    plan_.to_put_aside.push_back(path);
    Act(path, "replaced by a new manifest and moved to lost/");
  }
}

void Planner::SayTable(const PlannedTable& table) {
  const bool is_merged =
      plan_.layout == RepairLayout::kMergeAll ||
      (plan_.layout == RepairLayout::kMergeLevel0 && table.level == 0);
  const std::string where =
      is_merged ? "merged with tables that overlap it, if there are any"
                : "kept in level " + std::to_string(table.level);
  if (table.is_whole) return Act(table.path, where);
  Act(table.path, "replaced by what can be read of it, " +
                      Entries(table.entries) + ", which " + was() + " " +
                      where + "; and moved to lost/");
}

void Planner::SayLog(const ReplayLog& log) {
  if (log.changes == 0) {
    return Act(log.path, "moved to lost/: it has no entries to take");
  }
  Act(log.path, "turned into a table, with " + Entries(log.changes) +
                    ", and moved to lost/");
}

}  // namespace

SalvageBounds SalvageBoundsOf(const ManifestState& manifest,
                              const PlannedTable& table) {
  const FileMetadata& metadata = table.manifest_metadata;
  if (metadata.number == 0) return {};
  SalvageBounds bounds{
      .smallest = metadata.smallest,
      .largest = metadata.largest,
      .file_bytes = metadata.bytes,
  };
  // An edit that names a table is written after all of the table's entries.
  if (manifest.last_sequence != 0) {
    bounds.last_sequence = manifest.last_sequence;
  }
  return bounds;
}

Result<RepairPlan> PlanRepair(Env& env, const std::string& dir,
                              const TableReadContext& context,
                              std::uint64_t max_log_bytes, RepairMode mode) {
  return Planner(env, dir, context, max_log_bytes, mode).Run();
}

}  // namespace tamis
