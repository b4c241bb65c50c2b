#include "store/manifest.h"

#include <algorithm>
#include <map>
#include <utility>

#include "base/no_throw.h"
#include "store/file_names.h"
#include "store/log_format.h"
#include "store/log_reader.h"
#include "store/read_whole.h"

namespace tamis {
namespace {

// A manifest that is this much longer than what it began with is written anew.
constexpr std::uint64_t kMostGrowth = std::uint64_t{4} << 20;

// Longer than any manifest of ours: what it is shows before.
constexpr std::uint64_t kMaxPrefix = std::uint64_t{16} << 20;

using FilesByNumber = std::map<std::uint64_t, FileFacts>;

void ApplyFiles(const VersionEdit& edit,
                std::array<FilesByNumber, kStoreLevels>* levels) {
  // What is removed but not there does no harm; LevelDB takes it, too.
  for (const auto& [level, number] : edit.removed) {
    (*levels)[static_cast<std::size_t>(level)].erase(number);
  }
  for (const auto& [level, facts] : edit.added) {
    (*levels)[static_cast<std::size_t>(level)][facts.number] = facts;
  }
}

struct Seen {
  bool log_number = false;
  bool next_file_number = false;
  bool last_sequence = false;
};

// An edit of ours that names a log is told from others by how it begins: see
// LogWriter::AddBegunEmpty().
Status AddEdit(const VersionEdit& edit, LogWriter* writer) {
  std::string record;
  edit.AppendTo(&record);
  return edit.log_number ? writer->AddBegunEmpty(record) : writer->Add(record);
}

void ApplyNumbers(const VersionEdit& edit, bool is_ours, ManifestState* state,
                  Seen* seen) {
  if (edit.comparator) state->comparator = *edit.comparator;
  if (edit.log_number) {
    state->log_number = *edit.log_number;
    state->logs_are_ours = is_ours;
    seen->log_number = true;
  }
  if (edit.previous_log_number) {
    state->previous_log_number = *edit.previous_log_number;
  }
  if (edit.next_file_number) {
    state->next_file_number = *edit.next_file_number;
    seen->next_file_number = true;
  }
  if (edit.last_sequence) {
    state->last_sequence = *edit.last_sequence;
    seen->last_sequence = true;
  }
  for (const auto& [level, key] : edit.compact_pointers) {
    state->compact_pointers[static_cast<std::size_t>(level)] = key;
  }
}

Status ReadEdits(LogReader* reader, ManifestState* state) {
  std::array<FilesByNumber, kStoreLevels> levels;
  Seen seen;
  Slice record;
  while (reader->Next(&record)) {
    Result<VersionEdit> edit = VersionEdit::Parse(record);
    if (!edit.ok()) return edit.status();
    // Every edit is synced, and no more is left free than keeps one uncut.
    if (reader->zeros() >= kLongestUncut) {
      return Status::Corruption(
          "edits are missing before the one that ends at " +
          std::to_string(reader->end_of_record()));
    }
    ApplyNumbers(*edit, reader->began_empty(), state, &seen);
    ApplyFiles(*edit, &levels);
  }
  if (!reader->damage().empty()) return Status::Corruption(reader->damage());
  if (!seen.log_number || !seen.next_file_number || !seen.last_sequence) {
    return Status::Corruption(
        "it does not say which log, file number and sequence come next");
  }
  for (std::size_t i = 0; i < levels.size(); ++i) {
    for (auto& [number, facts] : levels[i]) {
      state->next_file_number = std::max(state->next_file_number, number + 1);
      state->files[i].push_back(std::move(facts));
    }
  }
  return Status::Ok();
}

}  // namespace

Result<ManifestState> ReadManifest(Env& env, const std::string& dir) {
  Result<std::string> path = ReadCurrent(env, dir);
  if (!path.ok()) return path.status();
  const Result<std::string> contents =
      ReadWholeFile(env, *path, kMostManifestBytes);
  if (contents.status().code() == StatusCode::kNotFound) {
    return Status::Corruption(CurrentFileName(dir) + " names " + *path +
                              ", which does not exist");
  }
  if (!contents.ok()) return contents.status();

  ManifestState state;
  LogReader reader(*contents);
  if (Status read = ReadEdits(&reader, &state); !read.ok()) {
    return Status(read.code(), *path + ": " + read.message());
  }
  const std::string name = path->substr(path->rfind('/') + 1);
  if (const auto parsed = ParseFileName(name)) state.number = parsed->number;
  state.next_file_number = std::max(
      {state.next_file_number, state.number + 1, state.log_number + 1});
  state.end = reader.end_of_record();
  state.can_be_continued = reader.ended_clean() && state.end < kMostGrowth;
  return state;
}

void ForEachEditPrefix(Env& env, const std::string& path,
                       const std::function<void(const EditPrefix&)>& take) {
  const Result<std::unique_ptr<ReadableFile>> file =
      env.OpenReadable(path, false);
  if (!file.ok()) return;
  std::string scratch;
  const std::uint64_t bytes = std::min((*file)->size(), kMaxPrefix);
  const Result<Slice> contents =
      (*file)->Read(0, static_cast<std::size_t>(bytes), &scratch);
  if (!contents.ok()) return;
  LogReader reader(*contents);
  Slice record;
  while (reader.Next(&record)) take(ReadEditPrefix(record));
}

VersionEdit FullEdit(const ManifestState& state) {
  VersionEdit edit;
  edit.comparator = state.comparator;
  edit.log_number = state.log_number;
  edit.previous_log_number = 0;
  edit.next_file_number = state.next_file_number;
  edit.last_sequence = state.last_sequence;
  for (int i = 0; i < kStoreLevels; ++i) {
    const auto at = static_cast<std::size_t>(i);
    if (!state.compact_pointers[at].empty()) {
      edit.compact_pointers.emplace_back(i, state.compact_pointers[at]);
    }
    for (const FileFacts& facts : state.files[at]) {
      edit.added.emplace_back(i, facts);
    }
  }
  return edit;
}

Status Manifest::Start(std::uint64_t number, const VersionEdit& full) {
  const std::string path = ManifestFileName(dir_, number);
  Result<std::unique_ptr<WritableFile>> file =
      env_->Create(path, WriteKind::kTable);
  if (!file.ok()) return file.status();
  auto writer = std::make_unique<LogWriter>(*std::move(file));
  const Status written = NoThrow([&] {
    Status done = AddEdit(full, writer.get());
    if (done.ok()) done = writer->Sync();
    if (done.ok()) done = SetCurrent(*env_, dir_, number);
    return done;
  });
  if (!written.ok()) {
    writer.reset();
    // CURRENT may name it already: then it must stay.
    const Result<std::string> current = ReadCurrent(*env_, dir_);
    if (current.ok() && *current != path) (void)env_->Remove(path);
    return written;
  }
  number_ = number;
  start_bytes_ = writer->bytes();
  writer_ = std::move(writer);
  return Status::Ok();
}

Status Manifest::Continue(const ManifestState& state) {
  Result<std::unique_ptr<WritableFile>> file = env_->Reopen(
      ManifestFileName(dir_, state.number), state.end, WriteKind::kTable);
  if (!file.ok()) return file.status();
  writer_ = std::make_unique<LogWriter>(*std::move(file), state.end);
  number_ = state.number;
  start_bytes_ = 0;
  return Status::Ok();
}

Status Manifest::Append(const VersionEdit& edit) {
  Status written = NoThrow([&] {
    Status added = AddEdit(edit, writer_.get());
    return added.ok() ? writer_->Sync() : added;
  });
  // After an error nobody knows what is in the file: begin a new one.
  if (!written.ok() || writer_->bytes() > start_bytes_ + kMostGrowth) {
    writer_.reset();
  }
  return written;
}

}  // namespace tamis
