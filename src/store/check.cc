// SPDX-License-Identifier: Apache-2.0
// CheckStore(): reads everything and trusts nothing.
//
// Another process may write to the store meanwhile.  A table that the manifest
// names existed when the manifest was written, and is removed only after the
// manifest no longer names it.  So a missing table is a problem if a manifest
// that is read afterwards still names it.  Tables do not change: they need not
// be read again.

#include <algorithm>
#include <map>
#include <optional>
#include <set>
#include <utility>

#include "base/damage.h"
#include "base/no_throw.h"
#include "store/check_files.h"
#include "store/file_names.h"
#include "store/log_replay.h"
#include "store/manifest.h"
#include "store/named_files.h"
#include "store/read_whole.h"
#include "store/settings_file.h"
#include "store/store_checks.h"
#include "store/version.h"
#include "tamis/store.h"

namespace tamis {
namespace {

// The maximum number of times that the manifest is read; each time only new
// files are checked.
constexpr int kMaxRounds = 50;

// A concurrent writer may make a log look damaged, but not so often in the same
// place.
constexpr int kSureReads = 3;

class StoreCheck {
 public:
  StoreCheck(Env& env, const std::string& dir, const StoreOptions& options)
      : env_(env),
        dir_(dir),
        order_(*options.comparator),
        max_log_bytes_(MostLogBytes(options)) {
    context_.order = order_;
    context_.unpack = UnpackLimitsOf(options);
  }

  static CheckReport OnlyProblem(const Status& status) {
    CheckReport report;
    report.problems.push_back(status.message());
    return report;
  }

  // REQUIRES: `progress` outlives this
  void Tell(const CheckProgress& progress) { progress_ = &progress; }

  Result<CheckReport> Run() {
    bool is_settled = false;
    for (int round = 0; round < kMaxRounds && !is_settled; ++round) {
      Status read = ReadState();
      if (read.code() == StatusCode::kCorruption) return OnlyProblem(read);
      if (!read.ok()) return read;
      const bool all_there = CheckTables();
      const bool logs_are_well = unread_.ok() && CheckLogs();
      if (!unread_.ok()) return unread_;
      is_settled = all_there && logs_are_well;
    }
    if (!is_settled) {
      report_.notes.insert(
          report_.notes.begin(),
          dir_ +
              ": it changes faster than it can be checked; some files came and "
              "went unread");
    }
    CheckLevels();
    Count();
    for (std::string& problem : ProblemsOfSettings(env_, dir_)) {
      report_.notes.push_back(std::move(problem));
    }
    return std::move(report_);
  }

 private:
  Status ReadState();
  bool CheckTables();
  bool CheckLogs();
  bool CheckNamedLog(const std::vector<std::string>& names);
  bool CheckNeededLogs(const std::set<std::uint64_t>& numbers);
  bool TakeLog(ReplayLog log, std::vector<std::string> problems);
  void CheckLevels();
  void Count();
  void CountTable(const TableFileCheck& check);
  void NoteWhatIsNotNamed(const std::vector<std::string>& names);

  template <typename Visit>
  void ForEachTable(Visit&& visit) const {
    for (const auto& level : state_.files) {
      for (const FileMetadata& metadata : level) visit(metadata);
    }
  }
  bool NeedsLog(std::uint64_t number) const noexcept {
    return number >= state_.log_number || number == state_.previous_log_number;
  }

  Env& env_;
  const std::string& dir_;
  KeyOrder order_;
  const std::uint64_t max_log_bytes_;
  TableReadContext context_;
  const CheckProgress* progress_ = nullptr;
  ManifestState state_;
  std::uint64_t bytes_done_ = 0;
  std::map<std::uint64_t, TableFileCheck> tables_;  // read so far
  std::set<std::uint64_t> missing_;  // tables that were missing last time
  std::string missing_log_;          // nor was this log
  struct LogFound {
    ReplayLog log;
    std::vector<std::string> problems;  // each names the file
    int same = 0;                       // times in a row that these were found

    bool is_sure() const noexcept {
      return problems.empty() || same >= kSureReads;
    }
  };
  std::map<std::uint64_t, LogFound> logs_;  // as of the last read
  // Not ok: something could not be read for a reason other than damage.
  Status unread_;
  CheckReport report_;
};

// The manifest that CURRENT names may be replaced between reading the two.
Status StoreCheck::ReadState() {
  Status failed;
  for (int tries = 0; tries < kMaxRounds; ++tries) {
    const Result<std::string> before = ReadCurrent(env_, dir_);
    Result<ManifestState> state = ReadManifest(env_, dir_);
    if (state.ok()) {
      state_ = *std::move(state);
      if (state_.comparator.empty() ||
          state_.comparator == order_.user().name()) {
        return Status::Ok();
      }
      return Status::InvalidArgument(dir_ + ": its keys are ordered by " +
                                     state_.comparator +
                                     ", which is not the comparator given")
          .With(Remedy::kUseComparator);
    }
    // The same error twice means that nothing changed in between.
    const Result<std::string> after = ReadCurrent(env_, dir_);
    const bool is_same =
        before.ok() == after.ok() && (!before.ok() || *before == *after);
    if (is_same && state.status().message() == failed.message()) {
      return state.status();
    }
    failed = state.status();
  }
  return failed;
}

// True: each table that the manifest names is there, or is certainly missing.
bool StoreCheck::CheckTables() {
  std::uint64_t bytes = bytes_done_;
  ForEachTable([&](const FileMetadata& metadata) {
    if (!tables_.contains(metadata.number)) bytes += metadata.bytes;
  });
  std::set<std::uint64_t> missing;
  bool is_sure = true;
  ForEachTable([&](const FileMetadata& metadata) {
    if (tables_.contains(metadata.number) || !unread_.ok()) return;
    TableFileCheck check = CheckTableFile(env_, dir_, context_, metadata);
    if (check.opened.code() == StatusCode::kNotFound &&
        !missing_.contains(metadata.number)) {
      missing.insert(metadata.number);
      is_sure = false;
      bytes -= metadata.bytes;
      return;
    }
    unread_ = check.unread;
    tables_.emplace(metadata.number, std::move(check));
    bytes_done_ += metadata.bytes;
    if (progress_ != nullptr && *progress_) (*progress_)(bytes_done_, bytes);
  });
  missing_ = std::move(missing);
  return is_sure;
}

// True: none has a problem that may disappear when it is read again.
bool StoreCheck::CheckLogs() {
  Result<std::vector<std::string>> names = env_.List(dir_);
  std::set<std::uint64_t> there;
  report_.problems.clear();
  report_.notes.clear();
  report_.logs = 0;
  report_.log_bytes = 0;
  if (!names.ok()) {
    unread_ = UnlessDamage(names.status());
    report_.problems.push_back(names.status().message());
    return true;
  }
  for (const std::string& name : *names) {
    const std::optional<FileName> parsed = ParseFileName(name);
    if (!parsed || parsed->type != FileType::kLog) continue;
    ++report_.logs;
    const Result<std::uint64_t> bytes = env_.FileSize(dir_ + "/" + name);
    if (bytes.ok()) report_.log_bytes += *bytes;
    if (NeedsLog(parsed->number)) there.insert(parsed->number);
  }
  std::erase_if(logs_,
                [&](const auto& log) { return !there.contains(log.first); });
  bool is_sure = CheckNeededLogs(there);
  is_sure = CheckNamedLog(*names) && is_sure;
  NoteWhatIsNotNamed(*names);
  return is_sure;
}

// The log that the manifest names is removed only after it names another.
bool StoreCheck::CheckNamedLog(const std::vector<std::string>& names) {
  const MissingFiles missing = FindMissingFiles(state_, dir_, names);
  const bool is_sure = missing.log == missing_log_;
  missing_log_ = missing.log;
  if (missing.log.empty()) return true;
  if (!is_sure) return false;
  auto& told = missing.has_unnamed_tables ? report_.problems : report_.notes;
  told.push_back(WordsForMissingLog(missing));
  return true;
}

// Checks all together: whether one may be replayed depends on those before it.
bool StoreCheck::CheckNeededLogs(const std::set<std::uint64_t>& numbers) {
  std::vector<ReplayLog> logs;
  bool is_sure = true;
  for (const std::uint64_t number : numbers) {
    Result<ReplayLog> log = ReadLogInPart(env_, dir_, number, max_log_bytes_);
    if (log.ok()) {
      logs.push_back(*std::move(log));
      continue;
    }
    if (!IsDamage(log.status())) {
      unread_ = log.status();
      return true;
    }
    ReplayLog lost;
    lost.number = number;
    is_sure = TakeLog(std::move(lost), {log.status().message()}) && is_sure;
  }
  PlanReplay(state_, &logs);
  for (ReplayLog& log : logs) {
    std::vector<std::string> problems;
    for (const std::string& damage : log.damage) {
      problems.push_back(log.path + ": " + damage);
    }
    is_sure = TakeLog(std::move(log), std::move(problems)) && is_sure;
  }
  return is_sure;
}

bool StoreCheck::TakeLog(ReplayLog log, std::vector<std::string> problems) {
  LogFound& before = logs_[log.number];
  before.same = before.problems == problems ? before.same + 1 : 1;
  before.log = std::move(log);
  before.problems = std::move(problems);
  return before.is_sure();
}

void StoreCheck::NoteWhatIsNotNamed(const std::vector<std::string>& names) {
  std::set<std::uint64_t> live;
  ForEachTable(
      [&](const FileMetadata& metadata) { live.insert(metadata.number); });
  std::uint64_t others = 0;
  for (const std::string& name : names) {
    const std::optional<FileName> parsed = ParseFileName(name);
    if (!parsed) continue;
    others +=
        (parsed->type == FileType::kTable && !live.contains(parsed->number)) ||
        (parsed->type == FileType::kLog && !NeedsLog(parsed->number));
  }
  if (others == 0) return;
  report_.notes.push_back(
      dir_ + ": the manifest does not name " + std::to_string(others) +
      (others == 1 ? " table or log that is" : " tables or logs that are") +
      " there: left over, or being written; not read");
}

void StoreCheck::CheckLevels() {
  VersionEdit edit;
  for (int i = 0; i < kStoreLevels; ++i) {
    for (const FileMetadata& metadata :
         state_.files[static_cast<std::size_t>(i)]) {
      edit.added.emplace_back(i, metadata);
    }
  }
  const TableFileContext context{.env = &env_, .dir = dir_, .read = context_};
  Result<std::shared_ptr<const Version>> version =
      Version(order_).Apply(edit, context);
  if (!version.ok()) {
    report_.problems.push_back(ManifestFileName(dir_, state_.number) + ": " +
                               version.status().message());
  }
}

void StoreCheck::CountTable(const TableFileCheck& check) {
  if (check.opened.ok()) {
    ++report_.tables;
    report_.bytes += check.bytes;
    report_.table_bytes += check.bytes;
    report_.entries += check.table.entries;
    report_.blocks += check.table.blocks;
    report_.filters += check.table.filters;
    if (check.table.filters > 0) ++report_.filtered_tables;
  }
  for (const std::string& problem : check.problems) {
    report_.problems.push_back(problem);
  }
  if (!check.filter_problem.empty()) {
    report_.problems.push_back(check.filter_problem);
  }
  if (!check.filter_note.empty()) report_.notes.push_back(check.filter_note);
  if (check.is_whole && check.table.largest_sequence > state_.last_sequence) {
    report_.problems.push_back(
        check.path +
        ": it has entries that are newer than the manifest says, which are "
        "hidden");
  }
}

// Counts what is live now.
void StoreCheck::Count() {
  ForEachTable([&](const FileMetadata& metadata) {
    const auto found = tables_.find(metadata.number);
    if (found != tables_.end()) CountTable(found->second);
  });
  for (const auto& [number, log] : logs_) {
    report_.bytes += log.log.contents.size();
    report_.log_records += log.log.records;
    report_.entries += log.log.changes;
    for (const std::string& note : log.log.notes) {
      report_.notes.push_back(log.log.path + ": " + note);
    }
    if (!log.is_sure()) continue;
    for (const std::string& problem : log.problems) {
      report_.problems.push_back(problem);
    }
  }
}

}  // namespace

Result<CheckReport> CheckStore(const std::string& dir,
                               const StoreOptions& options,
                               const CheckProgress& progress) {
  return NoThrow([&]() -> Result<CheckReport> {
    if (options.comparator == nullptr) {
      return Status::InvalidArgument("a store needs a comparator");
    }
    Env& env = options.env != nullptr ? *options.env : DefaultEnv();
    StoreCheck check(env, dir, options);
    const Status found = CheckIsStore(dir, options);
    if (found.code() == StatusCode::kCorruption) {
      return StoreCheck::OnlyProblem(found);
    }
    if (!found.ok()) return found;
    check.Tell(progress);
    return check.Run();
  });
}

}  // namespace tamis
