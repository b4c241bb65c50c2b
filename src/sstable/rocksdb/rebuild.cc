// SPDX-License-Identifier: Apache-2.0
// New filters for the tables of RocksDB.

#include <memory>
#include <string>
#include <utility>

#include "formats/rocksdb/filter.h"
#include "sstable/level_rebuild.h"
#include "sstable/manifest.h"
#include "sstable/rocksdb/rebuild_manifest.h"
#include "sstable/rocksdb/rebuild_table.h"
#include "store/file_names.h"
#include "store/read_whole.h"

namespace tamis {
namespace {

using Form = RocksDbNewFilter::Form;

constexpr double kUsualBitsPerKey = 10;  // as RocksDB's documentation has it

// The filter for a table that has this one.
RocksDbNewFilter FilterFor(const SstableFilterInfo& old,
                           const RebuildChoice& choice) {
  RocksDbNewFilter filter;
  // "mixed" are partitions of a Ribbon, some of which have too few keys for it.
  const bool has_ribbon = old.kind == "ribbon" || old.kind == "mixed";
  const bool wants_ribbon =
      choice.kind.empty() ? has_ribbon : choice.kind == "ribbon";
  if (wants_ribbon) filter.kind = RocksDbKind::kRibbon;
  if (old.is_partitioned) filter.form = Form::kPartitioned;
  if (choice.rate.has_value()) {
    filter.sizing.rate = *choice.rate;
  } else {
    filter.sizing.bits_per_key = choice.bits_per_key.value_or(kUsualBitsPerKey);
  }
  return filter;
}

class RocksDbRebuilder final : public LevelRebuilder {
 public:
  Status CheckDatabase(Env& env, const std::string& dir,
                       const RebuildChoice& choice) override;
  Status CheckTable(Env& env, const FoundSstable& found,
                    const RebuildChoice& choice) override;
  Status WriteTable(const TableJob& job, NewTable* table) override;
  Result<std::string> NewManifest(Slice old_manifest,
                                  const NewManifestPlan& plan) override;
  std::string TableName(std::uint64_t number) const override {
    std::string digits = std::to_string(number);
    constexpr std::size_t kDigits = 6;
    if (digits.size() < kDigits) digits.insert(0, kDigits - digits.size(), '0');
    return digits + ".sst";
  }
};

Status CheckChoice(const RebuildChoice& choice) {
  if (!choice.kind.empty() && choice.kind != "bloom" &&
      choice.kind != "ribbon") {
    return Status::InvalidArgument("RocksDB has no filter of the kind \"" +
                                   choice.kind +
                                   "\"; choose \"bloom\" or \"ribbon\"");
  }
  for (const char* const kind : {"bloom", "ribbon"}) {
    SstableFilterInfo old;
    old.kind = kind;
    const RocksDbNewFilter filter = FilterFor(old, choice);
    const auto policy = NewRocksDbPolicy(filter.kind, filter.sizing);
    if (!policy.ok()) return policy.status();
  }
  return Status::Ok();
}

Status RocksDbRebuilder::CheckDatabase(Env& env, const std::string& dir,
                                       const RebuildChoice& choice) {
  if (Status has = CheckChoice(choice); !has.ok()) return has;
  const auto current = ReadCurrent(env, dir);
  if (!current.ok()) return current.status();
  const auto manifest = ReadWholeFile(env, *current, kMaxManifestBytes);
  if (!manifest.ok()) return manifest.status();
  const auto about = [&](const Status& status) {
    return status.WithMessage(*current + ": " + status.message());
  };
  const auto records = ReadRocksDbTableRecords(*manifest);
  if (!records.ok()) return about(records.status());
  for (const auto& [number, table] : ParseLevelManifest(*manifest).tables) {
    const std::string name = "table " + std::to_string(number);
    if (table.path_id != 0) {
      return about(Status::NotSupported(name +
                                        " is in another directory (db_paths " +
                                        std::to_string(table.path_id) + ")"));
    }
    const auto record = records->find(number);
    if (record != records->end() && !IsKnownFileChecksum(record->second)) {
      return about(Status::NotSupported(
          "the checksum of " + name + " is by \"" +
          record->second.checksum_function + "\", which is not known"));
    }
  }
  return Status::Ok();
}

Status RocksDbRebuilder::CheckTable(Env& env, const FoundSstable& found,
                                    const RebuildChoice& /*choice*/) {
  const auto file = env.OpenReadable(found.path, false);
  if (!file.ok()) return file.status();
  const auto table = RocksDbTable::Open(**file);
  if (!table.ok()) return table.status();
  std::string why = WhyNotRebuilt(*table, Form::kFull);
  return why.empty() ? Status::Ok() : Status::NotSupported(std::move(why));
}

Status RocksDbRebuilder::WriteTable(const TableJob& job, NewTable* table) {
  const auto old = job.env.OpenReadable(job.found.path, false);
  if (!old.ok()) return old.status();
  const auto plan =
      RocksDbTableRebuild::Plan(**old, FilterFor(job.info.filter, job.choice));
  if (!plan.ok()) return plan.status();
  if (plan->filter_entries() == 0) {
    return Status::NotSupported("it has nothing that a filter could have");
  }
  const auto file = job.env.Create(job.new_path, WriteKind::kTable);
  if (!file.ok()) return file.status();
  Status done = plan->Write((*file).get(), &table->crc32c);
  if (done.ok()) done = (*file)->Sync();
  if (done.ok()) done = (*file)->Close();
  table->bytes = plan->bytes();
  table->tail_bytes = plan->tail_bytes();
  return done;
}

Result<std::string> RocksDbRebuilder::NewManifest(Slice old_manifest,
                                                  const NewManifestPlan& plan) {
  RocksDbManifestChange change;
  change.next_file = plan.next_file_number;
  for (const NewTable& table : plan.tables) {
    change.tables[table.old_number] = {.number = table.number,
                                       .is_copy = table.is_copy,
                                       .bytes = table.bytes,
                                       .tail_bytes = table.tail_bytes,
                                       .crc32c = table.crc32c};
  }
  return RebuildRocksDbManifest(old_manifest, change);
}

}  // namespace

std::unique_ptr<LevelRebuilder> NewRocksDbRebuilder() {
  return std::make_unique<RocksDbRebuilder>();
}

}  // namespace tamis
