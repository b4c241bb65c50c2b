// SPDX-License-Identifier: Apache-2.0
#include "store/recovery.h"

#include <algorithm>
#include <utility>

#include "formats/tamis/line_view.h"
#include "store/batch_access.h"
#include "store/file_names.h"
#include "store/named_files.h"
#include "store/new_tables.h"
#include "store/read_whole.h"
#include "store/store_checks.h"

namespace tamis {
namespace {

// How often a log that another process writes to is read.
constexpr int kMaxTries = 20;

bool HasDamage(const std::vector<ReplayLog>& logs) {
  return std::any_of(logs.begin(), logs.end(),
                     [](const ReplayLog& log) { return !log.damage.empty(); });
}

bool SameContents(const std::vector<ReplayLog>& a,
                  const std::vector<ReplayLog>& b) {
  return std::equal(a.begin(), a.end(), b.begin(), b.end(),
                    [](const ReplayLog& x, const ReplayLog& y) {
                      return x.number == y.number && x.contents == y.contents;
                    });
}

Status DamageOf(const ReplayLog& log) {
  return Status::Corruption(log.path + ": " + log.damage.front() +
                            "; repair the store, or open it with "
                            "skip_damaged_log_records, to go on "
                            "without that")
      .With(Remedy::kRepairStore);
}

}  // namespace

Recovery::Recovery(StoreContext& context, ViewPublisher& views,
                   VersionSet& versions, StoreWriter& writer)
    : context_(context), views_(views), versions_(versions), writer_(writer) {}

Status Recovery::Run() {
  Result<ManifestState> state =
      ReadManifestFor(context_.env, context_.dir, context_.order.user());
  if (!state.ok()) return state.status();
  manifest_number_ = state->number;
  manifest_end_ = state->end;
  versions_.Inherit(*state);
  if (Status there = CheckNamedFiles(*state); !there.ok()) return there;
  state->comparator = std::string(context_.order.user().name());

  VersionEdit tables;
  for (int i = 0; i < kStoreLevels; ++i) {
    for (FileMetadata& metadata : state->files[static_cast<std::size_t>(i)]) {
      tables.added.emplace_back(i, std::move(metadata));
    }
    tables.compact_pointers.emplace_back(
        i, std::move(state->compact_pointers[static_cast<std::size_t>(i)]));
  }
  Result<std::shared_ptr<const Version>> version =
      Version(context_.order).Apply(tables, context_.tables);
  if (!version.ok()) {
    return Status::Corruption(ManifestFileName(context_.dir, state->number) +
                              ": " + version.status().message());
  }
  memtable_ = context_.NewMemtable();
  last_sequence_ = state->last_sequence;
  auto view = std::make_shared<ReadView>();
  view->version = *std::move(version);
  view->memtable = {memtable_, 0};
  {
    const StoreLock lock(context_.mutex);
    views_.Publish(std::move(view));
  }
  Status recovered = RecoverLogs(*state);
  memtable_.reset();  // the view has it
  return recovered;
}

// A manifest may be outdated, or have lost its end, without any sign.  But
// files that it names are removed only after it records that: if one is
// missing, the manifest cannot be trusted, and files that it does not name must
// not be removed.
Status Recovery::CheckNamedFiles(const ManifestState& state) {
  const Result<std::vector<std::string>> names =
      context_.env.List(context_.dir);
  if (!names.ok()) return names.status();
  const MissingFiles missing = FindMissingFiles(state, context_.dir, *names);
  if (!missing.tables.empty()) {
    return Status::Corruption(
        missing.tables.front() + ": the manifest names it, and it is missing" +
        (missing.tables.size() == 1
             ? std::string()
             : ", as are " + std::to_string(missing.tables.size() - 1) +
                   " other tables"));
  }
  if (missing.log.empty()) return Status::Ok();
  if (missing.has_unnamed_tables) {
    return Status::Corruption(WordsForMissingLog(missing))
        .With(Remedy::kRepairStore);
  }
  // The log may have been empty, or have had only unsynced writes.
  context_.info_log.Write(WordsForMissingLog(missing));
  return Status::Ok();
}

// A writer removes a log or a table only after the manifest records that.
bool Recovery::HasChangedSince(const Status& opened) const {
  if (!context_.options.read_only) return false;
  const Result<ManifestState> now = ReadManifest(context_.env, context_.dir);
  const bool had_read = manifest_number_ != 0;
  // Between reading CURRENT and the manifest that it named, another manifest
  // may have replaced it.
  if (!now.ok()) return had_read;
  if (!had_read) {
    return opened.code() == StatusCode::kNotFound ||
           opened.code() == StatusCode::kCorruption;
  }
  return now->number != manifest_number_ || now->end != manifest_end_;
}

// Returns the logs with their replay plan.  Corruption: one of them is damaged.
Result<std::vector<ReplayLog>> Recovery::LogsToReplay(
    const ManifestState& state) {
  const std::uint64_t limit = MostLogBytes(context_.options);
  Result<std::vector<ReplayLog>> logs =
      ReadLogs(context_.env, context_.dir, state, limit);
  if (!logs.ok()) return logs.status();
  PlanReplay(state, &*logs);
  // Beside a concurrent writer, a later write may be visible before an earlier
  // one.
  for (int tries = 1;
       context_.options.read_only && HasDamage(*logs) && tries < kMaxTries;
       ++tries) {
    Result<std::vector<ReplayLog>> again =
        ReadLogs(context_.env, context_.dir, state, limit);
    if (!again.ok()) return again.status();
    if (SameContents(*logs, *again)) break;
    logs = std::move(again);
    PlanReplay(state, &*logs);
  }
  for (const ReplayLog& log : *logs) {
    for (const std::string& note : log.notes) {
      context_.info_log.Write(log.path + ": " + note);
    }
    for (const std::string& damage : log.damage) {
      context_.info_log.Write("damaged log: " + log.path + ": " + damage);
    }
    if (!log.damage.empty() && !context_.options.skip_damaged_log_records) {
      return DamageOf(log);
    }
  }
  return logs;
}

Status Recovery::RecoverLogs(const ManifestState& state) {
  Result<std::vector<ReplayLog>> logs = LogsToReplay(state);
  if (!logs.ok()) return logs.status();
  for (const ReplayLog& log : *logs) versions_.SkipFileNumber(log.number);
  for (const ReplayLog& log : *logs) {
    if (Status replayed = Replay(log); !replayed.ok()) return replayed;
  }
  {
    const StoreLock lock(context_.mutex);
    context_.last_sequence = last_sequence_;
  }
  if (context_.options.read_only) return Status::Ok();
  // A log that can be continued stays; the memtable already has its writes.
  if (logs->size() == 1 && flushed_.empty() &&
      logs->front().number == state.log_number &&
      CanBeContinued(logs->front(), state)) {
    return ContinueLog(logs->front());
  }
  if (Status saved = SaveWhatIsDropped(*logs); !saved.ok()) return saved;
  return StartAnew();
}

// New writes must be distinguishable from a hole: by a head of ours, and by
// sequence numbers that continue at the end of the log.
bool Recovery::CanBeContinued(const ReplayLog& log,
                              const ManifestState& state) const {
  if (!log.can_be_continued) return false;
  return log.next == 0 ? log.end == 0 && state.logs_are_ours
                       : log.next == last_sequence_ + 1;
}

Status Recovery::ContinueLog(const ReplayLog& log) {
  Result<std::unique_ptr<WritableFile>> file =
      context_.env.Reopen(log.path, log.end, WriteKind::kLog);
  if (!file.ok()) return file.status();
  writer_.UseLog(std::make_shared<WriteLog>(log.number, *std::move(file),
                                            log.head, log.end, log.next));
  PublishMemtable(log.number);
  return Status::Ok();
}

void Recovery::PublishMemtable(std::uint64_t log_number) {
  const StoreLock lock(context_.mutex);
  auto view = std::make_shared<ReadView>(*views_.current());
  view->memtable = {memtable_, log_number};
  views_.Publish(std::move(view));
}

// Called before the manifest records that the logs are no longer needed.
Status Recovery::SaveWhatIsDropped(const std::vector<ReplayLog>& logs) {
  for (const ReplayLog& log : logs) {
    std::string path;
    if (Status saved = SaveDropped(context_.env, context_.dir, log, &path);
        !saved.ok()) {
      return saved;
    }
    if (path.empty()) continue;
    const std::string records = std::to_string(log.dropped) + " records";
    context_.info_log.Write(
        log.path + ": " +
        (log.may_hide_records
             ? "after what is missing there are " + records +
                   ", and bytes that may hold more: the log was copied to "
             : records + " after what is missing were put into ") +
        path);
  }
  return Status::Ok();
}

// Writes what was replayed to tables, and starts a new log.
Status Recovery::StartAnew() {
  if (Status written = FlushReplayed(); !written.ok()) return written;
  const std::uint64_t number = versions_.NewFileNumber();
  Result<std::unique_ptr<WritableFile>> file =
      context_.env.Create(LogFileName(context_.dir, number), WriteKind::kLog);
  if (!file.ok()) return file.status();
  writer_.UseLog(
      std::make_shared<WriteLog>(number, *std::move(file), LogHead()));
  VersionEdit edit;
  edit.log_number = number;
  edit.previous_log_number = 0;
  for (FileMetadata& metadata : flushed_) {
    edit.added.emplace_back(0, std::move(metadata));
  }
  flushed_.clear();
  return versions_.LogAndApply(std::move(edit), [&](ReadView* view) {
    view->memtable = {memtable_, number};
  });
}

// Writes the memtable to a table, and starts a new one.
Status Recovery::FlushReplayed() {
  if (memtable_->empty()) return Status::Ok();
  const std::unique_ptr<TableOutputs> outputs =
      NewTableOutputs(context_, versions_, 0);
  Status written = WriteMemtable(*memtable_, context_, outputs.get());
  if (!written.ok()) return written;
  Result<std::vector<FileMetadata>> tables = outputs->Finish();
  if (!tables.ok()) return tables.status();
  for (FileMetadata& metadata : *tables)
    flushed_.push_back(std::move(metadata));
  memtable_ = context_.NewMemtable();
  PublishMemtable(0);
  return Status::Ok();
}

Status Recovery::Replay(const ReplayLog& log) {
  return ForEachBatch(log, LogPart::kReplayed, [&](Slice batch) {
    Status replayed = ReplayBatch(batch);
    if (!replayed.ok()) return replayed;
    if (context_.options.read_only ||
        memtable_->bytes() < context_.options.write_buffer_bytes) {
      return replayed;
    }
    return FlushReplayed();
  });
}

// REQUIRES: the batch is valid, as those of ForEachBatch() are
Status Recovery::ReplayBatch(Slice batch) {
  Sequence sequence = BatchAccess::SequenceOfContents(batch);
  Status applied =
      ForEachChange(batch, [&](ValueType type, Slice key, Slice value) {
        memtable_->Add(sequence, type, key, value,
                       LineHash(key, context_.tables.seeds.own));
        ++sequence;
      });
  if (sequence > 0) last_sequence_ = std::max(last_sequence_, sequence - 1);
  return applied;
}

}  // namespace tamis
