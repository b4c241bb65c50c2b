// Opening a store that is there: the manifest says which tables it has, the
// logs hold what was not in tables yet.

#include <algorithm>
#include <utility>

#include "formats/line_view.h"
#include "store/batch_access.h"
#include "store/file_names.h"
#include "store/log_reader.h"
#include "store/store_impl.h"
#include "store/table_outputs.h"

namespace tamis {
namespace {

// The numbers of the logs that may hold what no table has, rising.
Result<std::vector<std::uint64_t>> LogsToReplay(Env& env,
                                                const std::string& dir,
                                                const ManifestState& state) {
  Result<std::vector<std::string>> names = env.List(dir);
  if (!names.ok()) return names.status();
  std::vector<std::uint64_t> logs;
  for (const std::string& name : *names) {
    const std::optional<FileName> parsed = ParseFileName(name);
    if (parsed && parsed->type == FileType::kLog &&
        (parsed->number >= state.log_number ||
         parsed->number == state.previous_log_number)) {
      logs.push_back(parsed->number);
    }
  }
  std::sort(logs.begin(), logs.end());
  return logs;
}

}  // namespace

Status StoreImpl::Recover() {
  Result<ManifestState> state = ReadManifest(env_, dir_);
  if (!state.ok()) return state.status();
  read_manifest_number_ = state->number;
  read_manifest_end_ = state->end;
  const std::string wanted(order_.user().name());
  if (!state->comparator.empty() && state->comparator != wanted) {
    return Status::InvalidArgument(dir_ + ": its keys are ordered by " +
                                   state->comparator + ", the options say " +
                                   wanted);
  }
  state->comparator = wanted;
  next_file_number_ = state->next_file_number;
  last_sequence_ = state->last_sequence;
  log_number_ = state->log_number;
  compact_pointers_ = state->compact_pointers;

  VersionEdit tables;
  for (int i = 0; i < kStoreLevels; ++i) {
    for (FileFacts& facts : state->files[static_cast<std::size_t>(i)]) {
      tables.added.emplace_back(i, std::move(facts));
    }
  }
  Result<std::shared_ptr<const Version>> version =
      Version(order_).Apply(tables, table_context_);
  if (!version.ok()) {
    return Status::Corruption(ManifestFileName(dir_, state->number) + ": " +
                              version.status().message());
  }
  auto view = std::make_shared<ReadView>();
  view->version = *std::move(version);
  view->memtable = {NewMemtable(), 0};
  Publish(std::move(view));
  return RecoverLogs(*state);
}

// Who writes removes a log or a table only after the manifest says so.
bool StoreImpl::ChangedWhileOpening() {
  if (!options_.read_only) return false;
  const Result<ManifestState> now = ReadManifest(env_, dir_);
  return now.ok() && (now->number != read_manifest_number_ ||
                      now->end != read_manifest_end_);
}

Status StoreImpl::RecoverLogs(const ManifestState& state) {
  Result<std::vector<std::uint64_t>> logs = LogsToReplay(env_, dir_, state);
  if (!logs.ok()) return logs.status();
  std::vector<FileFacts> flushed;
  ReplayedLog last;
  for (const std::uint64_t number : *logs) {
    next_file_number_ = std::max(next_file_number_.load(), number + 1);
    Result<ReplayedLog> replayed = ReplayLog(number, &flushed);
    if (!replayed.ok()) return replayed.status();
    last = *replayed;
  }
  if (options_.read_only) return Status::Ok();
  if (state.can_be_continued) {
    if (Status going = manifest_.Continue(state); !going.ok()) return going;
  }
  // A log that can be written on stays; the memtable already has it.
  if (logs->size() == 1 && flushed.empty() && last.can_be_continued &&
      logs->front() == state.log_number) {
    Result<std::unique_ptr<WritableFile>> file = env_.Reopen(
        LogFileName(dir_, logs->front()), last.end, WriteKind::kLog);
    if (!file.ok()) return file.status();
    log_ = std::make_shared<LogWriter>(*std::move(file), last.end);
    auto view = std::make_shared<ReadView>(*current_);
    view->memtable.log_number = logs->front();
    Publish(std::move(view));
    if (!manifest_.needs_start()) return Status::Ok();
    return LogAndApply({}, {});
  }
  return StartAnewAfterReplay(std::move(flushed));
}

// What was replayed goes to tables, and a new log begins.
Status StoreImpl::StartAnewAfterReplay(std::vector<FileFacts> flushed) {
  if (Status written = FlushReplayed(&flushed); !written.ok()) return written;
  const std::uint64_t number = NewFileNumber();
  Result<std::unique_ptr<WritableFile>> file =
      env_.Create(LogFileName(dir_, number), WriteKind::kLog);
  if (!file.ok()) return file.status();
  log_ = std::make_shared<LogWriter>(*std::move(file));
  VersionEdit edit;
  edit.log_number = number;
  edit.previous_log_number = 0;
  for (FileFacts& facts : flushed) edit.added.emplace_back(0, std::move(facts));
  return LogAndApply(std::move(edit), [&](ReadView* view) {
    view->memtable = {NewMemtable(), number};
  });
}

// The memtable so far becomes a table; a new one takes its place.
Status StoreImpl::FlushReplayed(std::vector<FileFacts>* flushed) {
  if (current_->memtable.table->empty()) return Status::Ok();
  const std::unique_ptr<TableOutputs> outputs = NewOutputs();
  Status written = WriteMemtable(*current_->memtable.table, outputs.get());
  if (!written.ok()) return written;
  Result<std::vector<FileFacts>> tables = outputs->Finish();
  if (!tables.ok()) return tables.status();
  for (FileFacts& facts : *tables) flushed->push_back(std::move(facts));
  auto view = std::make_shared<ReadView>(*current_);
  view->memtable = {NewMemtable(), 0};
  Publish(std::move(view));
  return Status::Ok();
}

Result<StoreImpl::ReplayedLog> StoreImpl::ReplayLog(
    std::uint64_t number, std::vector<FileFacts>* flushed) {
  const std::string path = LogFileName(dir_, number);
  Result<std::unique_ptr<ReadableFile>> file = env_.OpenReadable(path, true);
  if (!file.ok()) return file.status();
  std::string scratch;
  Result<Slice> contents =
      (*file)->Read(0, static_cast<std::size_t>((*file)->size()), &scratch);
  if (!contents.ok()) return contents.status();

  LogReader reader(*contents);
  Slice record;
  while (reader.Next(&record)) {
    Status replayed = ReplayBatch(record);
    if (!replayed.ok()) {
      if (options_.skip_damaged_log_records) continue;
      return Status::Corruption(path + ": " + replayed.message());
    }
    if (!options_.read_only &&
        current_->memtable.table->bytes() >= options_.write_buffer_bytes) {
      Status written = FlushReplayed(flushed);
      if (!written.ok()) return written;
    }
  }
  if (!reader.damage().empty()) {
    const std::string what = path + ": " + reader.damage();
    info_log_->Write("damaged log: " + what);
    if (!options_.skip_damaged_log_records) {
      return Status::Corruption(
          what +
          "; repair the store, or open it with "
          "skip_damaged_log_records, to go on without that record");
    }
  }
  ReplayedLog log;
  log.end = reader.end_of_record();
  log.can_be_continued = reader.ended_clean();
  return log;
}

Status StoreImpl::ReplayBatch(Slice record) {
  Sequence sequence = BatchAccess::SequenceOfContents(record);
  // Looked through before any of it is applied: a batch is whole or not there.
  const auto ignore = [](ValueType, Slice, Slice) {};
  if (Status fine = ForEachChange(record, ignore); !fine.ok()) return fine;
  if (sequence > kMaxSequence - BatchAccess::CountOfContents(record)) {
    return Status::Corruption("write batch: its sequence number is too large");
  }
  Memtable& memtable = *current_->memtable.table;
  Status applied =
      ForEachChange(record, [&](ValueType type, Slice key, Slice value) {
        memtable.Add(sequence, type, key, value,
                     LineDigest(key, table_context_.seeds.own));
        ++sequence;
      });
  if (sequence > 0) last_sequence_ = std::max(last_sequence_, sequence - 1);
  return applied;
}

}  // namespace tamis
