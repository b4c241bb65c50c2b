// SPDX-License-Identifier: Apache-2.0
// New filters for the tables of LevelDB and of Tamis stores.

#include <algorithm>
#include <map>
#include <memory>
#include <string>
#include <utility>

#include "sstable/level_rebuild.h"
#include "sstable/leveldb/rebuild_table.h"
#include "store/file_names.h"
#include "store/foreign_store.h"
#include "store/log_writer.h"
#include "store/manifest.h"
#include "tamis/filter.h"

namespace tamis {
namespace {

constexpr std::string_view kKnownOrder = "leveldb.BytewiseComparator";

// A file that is a string.
class StringFile final : public WritableFile {
 public:
  explicit StringFile(std::string* contents) : contents_(*contents) {}

  Status Append(Slice bytes) override {
    contents_.append(bytes);
    return Status::Ok();
  }
  Status Flush() override { return Status::Ok(); }
  Status Sync() override { return Status::Ok(); }
  Status Close() override { return Status::Ok(); }

 private:
  std::string& contents_;
};

class LevelDbRebuilder final : public LevelRebuilder {
 public:
  Status CheckDatabase(Env& env, const std::string& dir,
                       const RebuildChoice& choice) override;
  Status CheckTable(Env& env, const FoundSstable& found,
                    const RebuildChoice& choice) override;
  Status WriteTable(const TableJob& job, NewTable* table) override;
  Result<std::string> NewManifest(Slice old_manifest,
                                  const NewManifestPlan& plan) override;
  std::string TableName(std::uint64_t number) const override {
    return TableFileName("", number).substr(1);
  }
};

Status LevelDbRebuilder::CheckDatabase(Env& env, const std::string& dir,
                                       const RebuildChoice& /*choice*/) {
  const auto names = env.List(dir);
  if (!names.ok()) return names.status();
  if (Status ours = RefuseForeignNames(env, dir, *names); !ours.ok()) {
    return ours;
  }
  const Result<ManifestState> state = ReadManifest(env, dir);
  if (!state.ok()) return state.status();
  // Keys that are equal in another order may differ in their bytes, and a
  // filter would then hide one of them.
  if (state->comparator != kKnownOrder) {
    return Status::NotSupported(dir + ": the order of its keys is " +
                                state->comparator +
                                ", for which filters cannot be built without "
                                "the program that defines it");
  }
  return Status::Ok();
}

Status LevelDbRebuilder::CheckTable(Env& env, const FoundSstable& found,
                                    const RebuildChoice& choice) {
  const auto file = env.OpenReadable(found.path, false);
  if (!file.ok()) return file.status();
  return PlanLevelDbTable(env, ParentDirectory(found.path), **file, choice)
      .status();
}

Status LevelDbRebuilder::WriteTable(const TableJob& job, NewTable* table) {
  const auto old = job.env.OpenReadable(job.found.path, false);
  if (!old.ok()) return old.status();
  const auto plan = PlanLevelDbTable(job.env, ParentDirectory(job.found.path),
                                     **old, job.choice);
  if (!plan.ok()) return plan.status();
  const auto file = job.env.Create(job.new_path, WriteKind::kTable);
  if (!file.ok()) return file.status();
  const Result<std::uint64_t> bytes =
      WriteLevelDbTable(**old, *plan, (*file).get());
  if (!bytes.ok()) return bytes.status();
  table->bytes = *bytes;
  Status done = (*file)->Sync();
  return done.ok() ? (*file)->Close() : done;
}

// A manifest of one record, as LevelDB writes one when it opens a database.
Result<std::string> LevelDbRebuilder::NewManifest(Slice old_manifest,
                                                  const NewManifestPlan& plan) {
  Result<ManifestState> state = ParseManifest(old_manifest, plan.number);
  if (!state.ok()) return state.status();
  std::map<std::uint64_t, const NewTable*> by_old;
  for (const NewTable& table : plan.tables) by_old[table.old_number] = &table;
  std::size_t replaced = 0;
  for (auto& level : state->files) {
    for (FileMetadata& file : level) {
      const auto found = by_old.find(file.number);
      if (found == by_old.end()) continue;
      file.number = found->second->number;
      if (!found->second->is_copy) file.bytes = found->second->bytes;
      ++replaced;
    }
  }
  if (replaced != plan.tables.size()) {
    return Status::Corruption("a table that was rebuilt is not in it");
  }
  state->next_file_number =
      std::max(state->next_file_number, plan.next_file_number);
  VersionEdit edit = FullEdit(*state);
  edit.previous_log_number = state->previous_log_number;
  std::string record;
  edit.AppendTo(&record);
  std::string contents;
  LogWriter writer(std::make_unique<StringFile>(&contents));
  // Its start tells a Tamis store whether the logs are of its own form.
  Status added =
      state->logs_are_ours ? writer.AddBegunEmpty(record) : writer.Add(record);
  if (!added.ok()) return added;
  return contents;
}

}  // namespace

std::unique_ptr<LevelRebuilder> NewLevelDbRebuilder() {
  return std::make_unique<LevelDbRebuilder>();
}

}  // namespace tamis
