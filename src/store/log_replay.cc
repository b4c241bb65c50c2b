// SPDX-License-Identifier: Apache-2.0
#include "store/log_replay.h"

#include <algorithm>
#include <optional>
#include <utility>

#include "base/no_throw.h"
#include "base/partial_read.h"
#include "store/batch_access.h"
#include "store/file_names.h"
#include "store/log_reader.h"
#include "store/log_writer.h"
#include "store/read_whole.h"
#include "table/block_file.h"

namespace tamis {
namespace {

// A log can have millions of bad records.
constexpr std::size_t kMaxSentences = 100;

// A record, or the end of a log, and the gap before it.
struct Scanned {
  std::uint64_t end = 0;  // in the file
  Sequence sequence = 0;
  std::uint32_t count = 0;
  LogGap gap = LogGap::kNone;
  bool is_mark = false;
  bool is_bad = false;            // right checksum, but not a batch
  bool passed_mark = false;       // a sync mark is in the gap before it
  bool may_hide_records = false;  // that gap does
  const char* problem = nullptr;  // of a bad one

  Sequence next() const noexcept { return sequence + count; }
};

struct ScannedLog {
  bool has_head = false;         // a whole one
  bool begins_as_ours = false;   // with a head, which may be incomplete
  bool begins_at_start = false;  // its first record does
  LogHead head;
  std::vector<Scanned> records;  // without the head
  Scanned tail;
  bool ended_clean = false;
};

// A position in the logs: a record, or the tail of a log.
struct Place {
  std::size_t log = 0;
  std::size_t record = 0;

  friend auto operator<=>(const Place&, const Place&) = default;
};

Scanned ScanBatch(Slice record) {
  Scanned scanned;
  scanned.sequence = BatchAccess::SequenceOfContents(record);
  scanned.count = BatchAccess::CountOfContents(record);
  scanned.is_mark = IsMark(record);
  const auto ignore = [](ValueType, Slice, Slice) {};
  if (!ForEachChange(record, ignore).ok()) {
    scanned.problem = "a record that is not a write batch";
  } else if (scanned.sequence > kMaxSequence - scanned.count) {
    scanned.problem = "a write batch whose sequence number is too large";
  }
  scanned.is_bad = scanned.problem != nullptr;
  return scanned;
}

// Sets the fields that describe the gap before a record or the tail.
void ScanGap(const LogReader& reader, Slice contents, Sequence from,
             Scanned* scanned) {
  scanned->gap = reader.gap();
  scanned->may_hide_records = reader.may_hide_records();
  for (const LogReader::Range& range : reader.passed_over()) {
    const Slice bytes = contents.substr(range.start, range.end - range.start);
    scanned->passed_mark |= HoldsSyncMark(bytes, from);
  }
}

ScannedLog ScanLog(Slice contents) {
  ScannedLog log;
  LogReader reader(contents);
  Slice record;
  Sequence from = 0;
  bool is_first = true;
  bool in_head = true;
  LogHeadReader head;
  while (reader.Next(&record)) {
    Scanned scanned = ScanBatch(record);
    scanned.end = reader.end_of_record();
    ScanGap(reader, contents, from, &scanned);
    const bool adjoins = scanned.gap == LogGap::kNone;
    if (std::exchange(is_first, false)) log.begins_at_start = adjoins;
    if (in_head) {
      using Found = LogHeadReader::Found;
      const Found found =
          adjoins ? head.Take(record, reader.first_piece()) : Found::kNone;
      in_head = found == Found::kMore;
      if (found == Found::kWhole) {
        log.head = head.head();
        log.has_head = true;
      }
      if (found != Found::kNone) continue;
    }
    if (!scanned.is_bad) from = scanned.next();
    log.records.push_back(scanned);
  }
  log.tail.end = contents.size();
  ScanGap(reader, contents, from, &log.tail);
  log.ended_clean = reader.ended_clean();
  log.begins_as_ours = head.has_begun();
  return log;
}

class Planner {
 public:
  Planner(const ManifestState& state, std::vector<ReplayLog>* logs)
      : state_(state), logs_(*logs) {
    for (const ReplayLog& log : logs_)
      scanned_.push_back(ScanLog(log.contents));
  }

  void Run() {
    FindLastMark();
    for (std::size_t i = 0; i < logs_.size(); ++i) {
      at_ = {i, 0};
      PlanLog(&logs_[i], scanned_[i]);
    }
  }

 private:
  bool IsOurs(const ScannedLog& log) const noexcept {
    return log.begins_as_ours || (!log.begins_at_start && state_.logs_are_ours);
  }

  void FindLastMark() {
    for (std::size_t i = 0; i < scanned_.size(); ++i) {
      const ScannedLog& log = scanned_[i];
      if (!IsOurs(log)) continue;
      for (std::size_t j = 0; j < log.records.size(); ++j) {
        if (log.records[j].is_mark || log.records[j].passed_mark) {
          last_mark_ = Place{i, j};
        }
      }
      if (log.tail.passed_mark) last_mark_ = Place{i, log.records.size()};
    }
  }

  // Returns whether what is missing before at_ had been durable.
  bool WasDurable() const noexcept { return last_mark_ && at_ <= *last_mark_; }

  void PlanLog(ReplayLog* log, const ScannedLog& scanned) {
    log->is_ours = IsOurs(scanned);
    log->head = scanned.head;
    log->replay_to = log->contents.size();
    const bool had_stopped = has_stopped_;
    if (!has_stopped_) CheckHead(log, scanned);
    expected_.reset();
    for (const Scanned& record : scanned.records) {
      if (!has_stopped_) CheckRecord(log, record, at_.record == 0);
      if (has_stopped_) {
        Drop(log, record);
      } else if (!record.is_bad) {
        Replay(log, record);
      }
      ++at_.record;
    }
    if (!has_stopped_) CheckTail(log, scanned);
    if (had_stopped && log->dropped > 0) {
      log->notes.push_back(
          "writes of a log before it are missing, which were not synced: what "
          "it holds is dropped");
    }
    if (has_stopped_ || scanned.tail.gap != LogGap::kDamaged) {
      log->may_hide_records |= scanned.tail.may_hide_records;
    }
    TellOfTheRest(log);
    log->can_be_continued = !has_stopped_ && log->damage.empty() &&
                            scanned.ended_clean &&
                            (scanned.has_head || scanned.records.empty());
  }

  // Checks whether everything before this log is there.
  void CheckHead(ReplayLog* log, const ScannedLog& scanned) {
    if (!scanned.has_head) return;
    const std::uint64_t previous = scanned.head.previous_log;
    const bool is_needed =
        previous != 0 && (previous >= state_.log_number ||
                          previous == state_.previous_log_number);
    if (!is_needed) return;
    const auto before = std::find_if(
        logs_.begin(), logs_.end(),
        [&](const ReplayLog& other) { return other.number == previous; });
    if (before != logs_.end() && before->number < log->number &&
        before->next >= scanned.head.follows) {
      return;
    }
    Lose(log, 0,
         "the log before it, " + std::to_string(previous) +
             ", has lost its last writes");
  }

  void CheckRecord(ReplayLog* log, const Scanned& record, bool is_first) {
    // If the sequence numbers are contiguous, no write is missing, whatever is
    // in between.
    const bool goes_on = expected_ && record.sequence == *expected_;
    if (!goes_on && record.gap == LogGap::kDamaged) {
      PassOver(log, "bytes before the record that ends at " +
                        std::to_string(record.end) + " are damaged");
    }
    const bool is_hole =
        record.gap == LogGap::kTorn ||
        (record.gap == LogGap::kZeros && (expected_ || is_first));
    if (!goes_on && is_hole) {
      Lose(log, log->end,
           "writes are missing before the record that ends at " +
               std::to_string(record.end));
    }
    if (!has_stopped_ && record.is_bad) {
      PassOver(log, std::string(record.problem) + " ends at " +
                        std::to_string(record.end));
    }
  }

  void CheckTail(ReplayLog* log, const ScannedLog& scanned) {
    if (scanned.tail.gap == LogGap::kDamaged) {
      PassOver(log, "bytes after the record that ends at " +
                        std::to_string(log->end) + " are damaged");
    } else if (scanned.tail.passed_mark) {
      PassOver(log, "synced writes are missing after the record that ends at " +
                        std::to_string(log->end));
    } else if (scanned.tail.gap == LogGap::kTorn) {
      // The head of the next log says whether it was acknowledged.
      log->notes.push_back(
          scanned.tail.may_hide_records
              ? "a part after the record that ends at " +
                    std::to_string(log->end) +
                    " was never written: what follows it is dropped"
              : "its last record was not written to its end");
    }
  }

  // Writes are missing: records whether that is damage.
  void Lose(ReplayLog* log, std::uint64_t replay_to, const std::string& what) {
    if (!log->is_ours || log->is_read_in_part || WasDurable()) {
      return PassOver(log, what);
    }
    has_stopped_ = true;
    log->replay_to = replay_to;
    log->notes.push_back(
        what + ", which were not synced: what follows them is dropped");
  }

  void PassOver(ReplayLog* log, std::string what) {
    if (log->damage.size() < kMaxSentences) {
      log->damage.push_back(std::move(what));
    } else {
      ++not_told_;
    }
    expected_.reset();
  }

  void TellOfTheRest(ReplayLog* log) {
    const std::uint64_t more = std::exchange(not_told_, 0);
    if (more == 0) return;
    log->damage.push_back("the like is found " + std::to_string(more) +
                          (more == 1 ? " more time" : " more times"));
  }

  void Replay(ReplayLog* log, const Scanned& record) {
    log->end = record.end;
    expected_ = record.next();
    if (record.is_mark) return;
    log->next = std::max(log->next, record.next());
    ++log->records;
    log->changes += record.count;
  }

  static void Drop(ReplayLog* log, const Scanned& record) {
    log->replay_to = std::min(log->replay_to, log->end);
    log->may_hide_records |= record.may_hide_records;
    if (!record.is_bad && !record.is_mark) ++log->dropped;
  }

  const ManifestState& state_;
  std::vector<ReplayLog>& logs_;
  std::vector<ScannedLog> scanned_;
  std::optional<Place> last_mark_;
  Place at_;
  std::optional<Sequence> expected_;
  bool has_stopped_ = false;
  std::uint64_t not_told_ = 0;  // damage in the log of at_
};

Status WriteDropped(const ReplayLog& log, std::unique_ptr<WritableFile> file) {
  if (log.may_hide_records) {
    Status saved = file->Append(log.contents);
    if (saved.ok()) saved = file->Sync();
    return saved.ok() ? file->Close() : saved;
  }
  LogWriter writer(std::move(file));
  Status saved = ForEachBatch(log, LogPart::kDropped,
                              [&](Slice batch) { return writer.Add(batch); });
  if (saved.ok()) saved = writer.Sync();
  return saved.ok() ? writer.Close() : saved;
}

}  // namespace

Result<std::vector<ReplayLog>> ReadLogs(Env& env, const std::string& dir,
                                        const ManifestState& state,
                                        std::uint64_t limit) {
  Result<std::vector<std::string>> names = env.List(dir);
  if (!names.ok()) return names.status();
  std::vector<ReplayLog> logs;
  for (const std::string& name : *names) {
    const std::optional<FileName> parsed = ParseFileName(name);
    if (!parsed || parsed->type != FileType::kLog ||
        (parsed->number < state.log_number &&
         parsed->number != state.previous_log_number)) {
      continue;
    }
    ReplayLog log;
    log.number = parsed->number;
    log.path = dir + "/" + name;
    logs.push_back(std::move(log));
  }
  std::sort(logs.begin(), logs.end(),
            [](const ReplayLog& a, const ReplayLog& b) {
              return a.number < b.number;
            });
  for (ReplayLog& log : logs) {
    Result<std::string> contents = ReadWholeFile(env, log.path, limit);
    if (!contents.ok()) return contents.status();
    log.contents = *std::move(contents);
  }
  return logs;
}

Result<ReplayLog> ReadLogInPart(Env& env, const std::string& dir,
                                std::uint64_t number, std::uint64_t limit) {
  ReplayLog log;
  log.number = number;
  log.path = LogFileName(dir, number);
  Result<std::string> whole = ReadWholeFile(env, log.path, limit);
  if (whole.ok()) {
    log.contents = *std::move(whole);
    return log;
  }
  if (whole.status().code() != StatusCode::kIoError) return whole.status();
  Result<std::unique_ptr<ReadableFile>> file =
      env.OpenReadable(log.path, false);
  if (!file.ok()) return file.status();
  UnreadableRanges unreadable;
  const Status read = NoThrow([&] {
    return ReadWhatCanBeRead(**file, 0, static_cast<std::size_t>(file->size()),
                             &log.contents, &unreadable);
  });
  if (!read.ok()) return AboutFile(log.path, read);
  log.is_read_in_part = !unreadable.empty();
  log.damage = unreadable.ToSentences();
  return log;
}

void PlanReplay(const ManifestState& state, std::vector<ReplayLog>* logs) {
  Planner(state, logs).Run();
}

Status ForEachBatch(const ReplayLog& log, LogPart part,
                    const std::function<Status(Slice batch)>& visit) {
  LogReader reader(log.contents);
  Slice record;
  while (reader.Next(&record)) {
    const bool is_replayed = reader.end_of_record() <= log.replay_to;
    if (is_replayed != (part == LogPart::kReplayed)) continue;
    if (IsMark(record) || ScanBatch(record).is_bad) continue;
    if (Status done = visit(record); !done.ok()) return done;
  }
  return Status::Ok();
}

Status SaveDropped(Env& env, const std::string& dir, const ReplayLog& log,
                   std::string* path) {
  path->clear();
  if (log.dropped == 0 && !log.may_hide_records) return Status::Ok();
  const std::string lost = dir + "/lost";
  if (Status made = env.CreateDirectory(lost); !made.ok()) return made;
  *path = UnusedName(env, lost + log.path.substr(log.path.rfind('/')));
  Result<std::unique_ptr<WritableFile>> file =
      env.Create(*path, WriteKind::kTable);
  if (!file.ok()) return file.status();
  Status saved = WriteDropped(log, *std::move(file));
  if (saved.ok()) saved = env.SyncDirectory(lost);
  if (saved.ok()) saved = env.SyncDirectory(dir);
  return saved;
}

}  // namespace tamis
