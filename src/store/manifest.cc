// SPDX-License-Identifier: Apache-2.0
#include "store/manifest.h"

#include <algorithm>
#include <utility>

#include "base/no_throw.h"
#include "store/file_names.h"
#include "store/log_format.h"
#include "store/log_reader.h"
#include "store/read_whole.h"

namespace tamis {
namespace {

// A manifest that has grown by this much is replaced by a new one.
constexpr std::uint64_t kMaxGrowth = std::uint64_t{4} << 20;

// Longer than any manifest of ours: a prefix suffices to recognise it.
constexpr std::uint64_t kMaxPrefix = std::uint64_t{16} << 20;

Status CheckFileNumbers(const VersionEdit& edit) {
  std::uint64_t largest = std::max({edit.log_number.value_or(0),
                                    edit.previous_log_number.value_or(0),
                                    edit.next_file_number.value_or(0)});
  for (const auto& [level, metadata] : edit.added) {
    largest = std::max(largest, metadata.number);
  }
  if (largest <= kMaxFileNumber) return Status::Ok();
  return Status::Corruption("the file number " + std::to_string(largest) +
                            " is too large");
}

void NoteNames(const VersionEdit& edit, std::set<std::uint64_t>* named) {
  for (const auto& [level, table] : edit.removed) named->insert(table);
  for (const auto& [level, metadata] : edit.added)
    named->insert(metadata.number);
}

// An edit of ours that names a log is recognised by its start: see
// LogWriter::AddBegunEmpty().
Status AddEdit(const VersionEdit& edit, LogWriter* writer) {
  std::string record;
  edit.AppendTo(&record);
  return edit.log_number ? writer->AddBegunEmpty(record) : writer->Add(record);
}

Status ReadEdits(LogReader* reader, ManifestReplay* replay) {
  Slice record;
  while (reader->Next(&record)) {
    Result<VersionEdit> edit = VersionEdit::Parse(record);
    if (!edit.ok()) return edit.status();
    if (Status whole = CheckNoneMissing(*reader); !whole.ok()) return whole;
    Status applied = replay->Apply(*edit, reader->began_empty());
    if (!applied.ok()) return applied;
  }
  if (!reader->damage().empty()) return Status::Corruption(reader->damage());
  if (!replay->says_all()) {
    return Status::Corruption(
        "it does not say which log, file number and sequence come next");
  }
  return Status::Ok();
}

}  // namespace

Status CheckNoneMissing(const LogReader& reader) {
  if (reader.zeros() < kLongestUncut) return Status::Ok();
  return Status::Corruption("edits are missing before the one that ends at " +
                            std::to_string(reader.end_of_record()));
}

Status ManifestReplay::Apply(const VersionEdit& edit, bool is_ours) {
  if (Status fine = CheckFileNumbers(edit); !fine.ok()) return fine;
  if (edit.comparator) state_.comparator = *edit.comparator;
  if (edit.log_number) {
    state_.log_number = *edit.log_number;
    state_.logs_are_ours = is_ours;
  }
  if (edit.previous_log_number) {
    state_.previous_log_number = *edit.previous_log_number;
  }
  if (edit.next_file_number) state_.next_file_number = *edit.next_file_number;
  if (edit.last_sequence) state_.last_sequence = *edit.last_sequence;
  says_log_number_ |= edit.log_number.has_value();
  says_next_file_number_ |= edit.next_file_number.has_value();
  says_last_sequence_ |= edit.last_sequence.has_value();
  for (const auto& [level, key] : edit.compact_pointers) {
    state_.compact_pointers[static_cast<std::size_t>(level)] = key;
  }
  // Removing a table that is not there is harmless; LevelDB accepts it, too.
  for (const auto& [level, number] : edit.removed) {
    levels_[static_cast<std::size_t>(level)].erase(number);
  }
  for (const auto& [level, metadata] : edit.added) {
    levels_[static_cast<std::size_t>(level)][metadata.number] = metadata;
  }
  NoteNames(edit, &state_.named);
  return Status::Ok();
}

ManifestState ManifestReplay::State(std::uint64_t number) const {
  ManifestState state = state_;
  state.number = number;
  for (std::size_t i = 0; i < levels_.size(); ++i) {
    for (const auto& [table, metadata] : levels_[i]) {
      state.next_file_number = std::max(state.next_file_number, table + 1);
      state.files[i].push_back(metadata);
    }
  }
  state.next_file_number =
      std::max({state.next_file_number, number + 1, state.log_number + 1});
  return state;
}

Result<ManifestState> ParseManifest(Slice contents, std::uint64_t number) {
  ManifestReplay replay;
  LogReader reader(contents);
  if (Status read = ReadEdits(&reader, &replay); !read.ok()) return read;
  ManifestState state = replay.State(number);
  state.end = reader.end_of_record();
  return state;
}

Result<ManifestState> ReadManifest(Env& env, const std::string& dir) {
  Result<std::string> path = ReadCurrent(env, dir);
  if (!path.ok()) return path.status();
  const Result<std::string> contents =
      ReadWholeFile(env, *path, kMaxManifestBytes);
  if (contents.status().code() == StatusCode::kNotFound) {
    return Status::Corruption(CurrentFileName(dir) + " names " + *path +
                              ", which does not exist");
  }
  if (!contents.ok()) return contents.status();

  const auto parsed = ParseFileName(path->substr(path->rfind('/') + 1));
  Result<ManifestState> state =
      ParseManifest(*contents, parsed ? parsed->number : 0);
  if (state.ok()) return state;
  return state.status().WithMessage(*path + ": " + state.status().message());
}

void ForEachEditPrefix(Env& env, const std::string& path,
                       const std::function<void(const EditPrefix&)>& take) {
  const Result<std::unique_ptr<ReadableFile>> file =
      env.OpenReadable(path, false);
  if (!file.ok()) return;
  std::string scratch;
  const std::uint64_t bytes = std::min(file->size(), kMaxPrefix);
  const Result<Slice> contents =
      file->Read(0, static_cast<std::size_t>(bytes), &scratch);
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
    for (const FileMetadata& metadata : state.files[at]) {
      edit.added.emplace_back(i, metadata);
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
  std::set<std::uint64_t> named;
  const Status written = NoThrow([&] {
    NoteNames(full, &named);
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
  named_ = std::move(named);
  return Status::Ok();
}

void Manifest::Inherit(const ManifestState& state) {
  writer_.reset();
  number_ = state.number;
  named_ = state.named;
}

Status Manifest::Append(const VersionEdit& edit) {
  Status written = NoThrow([&] {
    NoteNames(edit, &named_);
    Status added = AddEdit(edit, writer_.get());
    return added.ok() ? writer_->Sync() : added;
  });
  // After an error the contents of the file are unknown: start a new one.
  if (!written.ok() || writer_->bytes() > start_bytes_ + kMaxGrowth) {
    writer_.reset();
  }
  return written;
}

}  // namespace tamis
