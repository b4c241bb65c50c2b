// SPDX-License-Identifier: Apache-2.0
#include "store/repair_manifest.h"

#include <algorithm>
#include <functional>
#include <memory>
#include <utility>

#include "base/damage.h"
#include "base/no_throw.h"
#include "base/partial_read.h"
#include "store/file_names.h"
#include "store/log_reader.h"
#include "store/read_whole.h"
#include "table/block_file.h"

namespace tamis {
namespace {

// Reads all edits before the first damage.
class PrefixReader {
 public:
  explicit PrefixReader(ManifestFinding* finding) : finding_(finding) {}

  void Read(Env& env, const std::string& path, std::uint64_t number) {
    finding_->path = path;
    Result<std::unique_ptr<ReadableFile>> file = env.OpenReadable(path, false);
    if (!file.ok()) {
      finding_->unread = UnlessDamage(file.status());
      return Damage(file.status().message());
    }
    finding_->unread = CheckLength(path, file->size(), kMaxManifestBytes);
    if (!finding_->unread.ok()) return;
    std::string contents;
    UnreadableRanges unreadable;
    finding_->unread =
        AboutFile(path, NoThrow([&] {
                    return ReadWhatCanBeRead(
                        **file, 0, static_cast<std::size_t>(file->size()),
                        &contents, &unreadable);
                  }));
    if (!finding_->unread.ok()) return;
    if (!unreadable.empty()) {
      contents.resize(static_cast<std::size_t>(unreadable.first()));
      Damage(path + ": " + unreadable.ToSentences().front());
    }
    ReadEdits(contents, path);
    if (edits_ == 0) return;
    finding_->state = replay_.State(number);
    if (!replay_.says_all()) {
      Damage(path +
             ": it does not say which log, file number and sequence come next");
    }
    if (finding_->first_unknown == 0) FindFirstUnknown();
    finding_->trust = is_damaged_ ? ManifestFinding::Trust::kPart
                                  : ManifestFinding::Trust::kWhole;
  }

 private:
  void Damage(const std::string& what) {
    is_damaged_ = true;
    finding_->problems.push_back(what);
  }

  void ReadEdits(Slice contents, const std::string& path) {
    LogReader reader(contents);
    Slice record;
    while (reader.Next(&record) && reader.damage().empty()) {
      Result<VersionEdit> edit = VersionEdit::Parse(record);
      Status applied = edit.ok() ? CheckNoneMissing(reader) : edit.status();
      if (applied.ok()) applied = replay_.Apply(*edit, reader.began_empty());
      if (!applied.ok()) return Damage(path + ": " + applied.message());
      Note(*edit, reader.began_empty());
    }
    if (!reader.damage().empty()) Damage(path + ": " + reader.damage());
  }

  void Note(const VersionEdit& edit, bool is_ours) {
    // A manifest of ours starts with every table that was on disk, and removes
    // those that were no longer live.  So a table that it never names is newer,
    // even if its number had been assigned before.
    if (++edits_ == 1 && is_ours) finding_->first_unknown = 1;
    if (finding_->first_unknown == 0 && edit.next_file_number) {
      finding_->first_unknown = *edit.next_file_number;
    }
  }

  // No edit gives the next file number: uses the first after those it names.
  void FindFirstUnknown() {
    const auto& named = finding_->state.named;
    finding_->first_unknown = named.empty() ? 0 : *named.rbegin() + 1;
  }

  ManifestFinding* finding_;
  ManifestReplay replay_;
  std::uint64_t edits_ = 0;
  bool is_damaged_ = false;
};

}  // namespace

ManifestFinding FindManifest(Env& env, const std::string& dir,
                             std::vector<NumberedPath> manifests) {
  std::vector<std::string> problems;
  std::string current_path;
  const Result<std::string> current = ReadCurrent(env, dir);
  if (current.ok()) {
    current_path = *current;
  } else if (current.status().code() != StatusCode::kNotFound) {
    problems.push_back(current.status().message());
  }
  // The one that CURRENT names first, then the newest.
  std::sort(manifests.begin(), manifests.end(), std::greater<>());
  std::stable_partition(
      manifests.begin(), manifests.end(),
      [&](const NumberedPath& one) { return one.second == current_path; });
  if (!current_path.empty() && !env.Exists(current_path)) {
    problems.push_back(CurrentFileName(dir) + " names " + current_path +
                       ", which does not exist");
  }
  ManifestFinding found;
  found.unread = current.ok() ? Status::Ok() : UnlessDamage(current.status());
  if (!found.unread.ok()) return found;
  for (const auto& [number, path] : manifests) {
    found = ManifestFinding();
    PrefixReader(&found).Read(env, path, number);
    if (!found.unread.ok()) return found;
    found.is_current = path == current_path;
    for (std::string& problem : found.problems) {
      problems.push_back(std::move(problem));
    }
    if (found.trust != ManifestFinding::Trust::kNone) break;
    found = ManifestFinding();
  }
  found.problems = std::move(problems);
  return found;
}

}  // namespace tamis
