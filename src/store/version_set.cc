// SPDX-License-Identifier: Apache-2.0
#include "store/version_set.h"

#include <algorithm>
#include <optional>
#include <set>
#include <utility>

#include "base/no_throw.h"
#include "store/file_names.h"
#include "store/table_filter_file.h"

namespace tamis {

namespace {

std::set<std::uint64_t> LiveTables(const Version& version) {
  std::set<std::uint64_t> live;
  for (const Level& level : version.levels()) {
    for (const TableFileRef& file : level.files()) live.insert(file->number());
  }
  return live;
}

// Returns the tables that the edit removes and does not add to another level.
std::vector<TableFileRef> RemovedBy(const VersionEdit& edit,
                                    const Version& base) {
  std::vector<TableFileRef> removed;
  for (const auto& [level, number] : edit.removed) {
    const std::uint64_t wanted = number;
    const bool is_moved = std::any_of(
        edit.added.begin(), edit.added.end(),
        [wanted](const auto& added) { return added.second.number == wanted; });
    if (is_moved) continue;
    for (const TableFileRef& file : base.level(level).files()) {
      if (file->number() == number) removed.push_back(file);
    }
  }
  return removed;
}

// The files that the current version, logs and manifest need.
struct FilesInForce {
  std::set<std::uint64_t> tables;
  std::uint64_t log_number = 0;       // and those after it
  std::uint64_t manifest_number = 0;  // and those after it

  bool Need(const FileName& file) const {
    switch (file.type) {
      case FileType::kLog:
        return file.number >= log_number;
      case FileType::kManifest:
        return file.number >= manifest_number;
      case FileType::kTable:
        return tables.contains(file.number);
      case FileType::kTemporary:
        return false;
      case FileType::kCurrent:
      case FileType::kLock:
      case FileType::kInfoLog:
        return true;
    }
    return true;
  }
};

}  // namespace

VersionSet::VersionSet(StoreContext& context, ViewPublisher& views,
                       BackgroundState& background)
    : context_(context),
      views_(views),
      background_(background),
      manifest_(context.env, context.dir) {}

void VersionSet::Inherit(const ManifestState& state) {
  const MutexLock lock(edit_mutex_);
  manifest_.Inherit(state);
  next_file_number_ = state.next_file_number;
  log_number_ = state.log_number;
}

Status VersionSet::Start(std::uint64_t log_number) {
  const MutexLock lock(edit_mutex_);
  log_number_ = log_number;
  const std::uint64_t number = NewFileNumber();
  ManifestState state = StateOf(Version(context_.order));
  state.next_file_number = next_file_number_.load();
  return manifest_.Start(number, FullEdit(state));
}

void VersionSet::SkipFileNumber(std::uint64_t number) noexcept {
  next_file_number_ = std::max(next_file_number_.load(), number + 1);
}

ManifestState VersionSet::StateOf(const Version& version) const {
  ManifestState state;
  state.comparator = std::string(context_.order.user().name());
  state.log_number = log_number_;
  state.compact_pointers = version.compact_pointers();
  for (std::size_t i = 0; i < state.files.size(); ++i) {
    for (const TableFileRef& file : version.levels()[i].files()) {
      state.files[i].push_back(file->metadata());
    }
  }
  return state;
}

// Tables that are no longer live may still be on disk, because they are being
// read.  A new manifest records that they were removed: so if it is damaged
// later, a table that it never names is known to be newer.
Status VersionSet::NoteObsoleteTables(const Version& next, VersionEdit* full) {
  Result<std::vector<std::string>> names = context_.env.List(context_.dir);
  if (!names.ok()) return names.status();
  const std::set<std::uint64_t> live = LiveTables(next);
  for (const std::string& name : *names) {
    const std::optional<FileName> parsed = ParseFileName(name);
    if (parsed && parsed->type == FileType::kTable &&
        manifest_.HasNamed(parsed->number) && !live.contains(parsed->number)) {
      full->removed.emplace_back(0, parsed->number);
    }
  }
  return Status::Ok();
}

// Writes the edit to the manifest or, if necessary, starts a new one with all
// of `next`.
Status VersionSet::WriteEdit(VersionEdit* edit, const Version& next) {
  if (!manifest_.needs_start()) {
    edit->next_file_number = next_file_number_.load();
    return manifest_.Append(*edit);
  }
  const std::uint64_t number = NewFileNumber();
  ManifestState state = StateOf(next);
  state.last_sequence = edit->last_sequence.value_or(0);
  state.next_file_number = next_file_number_.load();
  if (edit->log_number) state.log_number = *edit->log_number;
  VersionEdit full = FullEdit(state);
  if (Status noted = NoteObsoleteTables(next, &full); !noted.ok()) return noted;
  const std::uint64_t before = manifest_.number();
  Status started = manifest_.Start(number, full);
  if (started.ok() && before != 0) {
    (void)context_.env.Remove(ManifestFileName(context_.dir, before));
  }
  return started;
}

// Opens new tables and loads their filters, so that no lookup waits for that.
// One that does not open is left to the first lookup that needs it.
void VersionSet::OpenAdded(const VersionEdit& edit,
                           const Version& next) const noexcept {
  for (const auto& added : edit.added) {
    const Level& level = next.level(added.first);
    for (std::size_t i = 0; i < level.size(); ++i) {
      const TableFile& file = *level.files()[i];
      if (file.number() != added.second.number) continue;
      (void)NoThrow([&] {
        Status loaded = file.Load();
        if (loaded.ok()) {
          level.slot(i).Publish(*file.loaded_filter(), file.seeds());
        }
        return loaded;
      });
    }
  }
}

Status VersionSet::LogAndApply(VersionEdit edit, const ViewChange& change) {
  const MutexLock edit_lock(edit_mutex_);
  // The version cannot change meanwhile: that takes edit_mutex_.
  std::shared_ptr<const Version> base;
  Sequence last_sequence = 0;
  {
    const StoreLock lock(context_.mutex);
    base = views_.current()->version;
    last_sequence = context_.last_sequence;
  }
  Result<std::shared_ptr<const Version>> next =
      base->Apply(edit, context_.tables);
  if (!next.ok()) return next.status();
  OpenAdded(edit, **next);
  // Without routes all tables are asked.
  (void)NoThrow([&] {
    (*next)->level(0).InheritRoutes(base->level(0));
    return Status::Ok();
  });
  edit.last_sequence = last_sequence;
  // Once the manifest has the edit nothing may fail, so memory is allocated
  // before.
  constexpr std::size_t kMaxImmutable = 8;
  auto view = std::make_shared<ReadView>();
  view->immutable.reserve(kMaxImmutable);
  std::vector<TableFileRef> removed = RemovedBy(edit, *base);
  // Most were freed since.
  std::erase_if(removed_, [](const auto& file) { return file.expired(); });
  removed_.reserve(removed_.size() + removed.size());
  if (Status written = WriteEdit(&edit, **next); !written.ok()) return written;
  if (edit.log_number) log_number_ = *edit.log_number;
  for (const TableFileRef& file : removed) {
    file->MarkObsolete();
    removed_.push_back(file);
  }
  removed.clear();
  {
    const StoreLock lock(context_.mutex);
    view->memtable = views_.current()->memtable;
    view->immutable = views_.current()->immutable;
    view->version = *std::move(next);
    if (change) change(view.get());
    views_.Publish(std::move(view));
    background_.NotifyWaiters();
    background_.NotifyWorkers();
  }
  base.reset();
  return Status::Ok();
}

void VersionSet::WhileUnchanged(
    const std::function<void(const Version&)>& work) {
  const MutexLock lock(edit_mutex_);
  const std::shared_ptr<const ReadView> view = views_.Current();
  work(*view->version);
}

std::vector<std::weak_ptr<const TableFile>> VersionSet::TakeRemoved() {
  edit_mutex_.AssertHeld();
  return std::exchange(removed_, {});
}

void VersionSet::RemoveOldLogs() {
  std::uint64_t oldest_needed = 0;
  {
    const MutexLock lock(edit_mutex_);
    oldest_needed = log_number_;
  }
  Result<std::vector<std::string>> names = context_.env.List(context_.dir);
  if (!names.ok()) return;
  for (const std::string& name : *names) {
    const std::optional<FileName> parsed = ParseFileName(name);
    if (parsed && parsed->type == FileType::kLog &&
        parsed->number < oldest_needed) {
      (void)context_.env.Remove(context_.dir + "/" + name);
    }
  }
}

std::vector<std::string> VersionSet::ObsoleteFiles() const {
  std::vector<std::string> obsolete;
  Result<std::vector<std::string>> names = context_.env.List(context_.dir);
  if (!names.ok()) return obsolete;
  FilesInForce in_force;
  in_force.tables = LiveTables(*views_.Current()->version);
  {
    const MutexLock lock(edit_mutex_);
    in_force.log_number = log_number_;
    in_force.manifest_number = manifest_.number();
  }
  for (const std::string& name : *names) {
    const std::optional<FileName> parsed = ParseFileName(name);
    if (parsed && !in_force.Need(*parsed)) obsolete.push_back(name);
    const std::optional<std::uint64_t> table = ParseFilterFileName(name);
    if (table && !in_force.tables.contains(*table) &&
        IsOurFilterFile(context_.env, context_.dir + "/" + name)) {
      obsolete.push_back(name);
    }
  }
  return obsolete;
}

bool VersionSet::NeedsNewManifest() const {
  const MutexLock lock(edit_mutex_);
  return manifest_.needs_start();
}

// All files that the manifest names exist, so the contents of all others are in
// them, too.
void VersionSet::RemoveObsoleteFiles() {
  if (ObsoleteFiles().empty()) return;
  // The manifest must be durable before files are removed because of it.
  if (NeedsNewManifest()) {
    const Status started = LogAndApply({});
    if (!started.ok()) {
      context_.info_log.Write("files left over are not removed: " +
                              started.message());
      return;
    }
  }
  for (const std::string& name : ObsoleteFiles()) {
    (void)context_.env.Remove(context_.dir + "/" + name);
  }
}

}  // namespace tamis
