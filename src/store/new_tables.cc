// SPDX-License-Identifier: Apache-2.0
#include "store/new_tables.h"

#include <string>

#include "store/obsolete_entries.h"

namespace tamis {
namespace {

// Takes some 20 us.
constexpr int kEntriesOfPiece = 64;

TableWriteOptions TableWriteOptionsOf(const StoreContext& context,
                                      const LevelFilters::Choice& filter) {
  TableWriteOptions options;
  options.order = context.order;
  options.block_bytes = context.options.block_bytes;
  options.in_pages = true;
  options.restart_interval = context.options.restart_interval;
  options.compression = context.options.compression;
  options.zstd_level = context.options.zstd_level;
  options.limits = PackLimitsOf(context.options);
  options.filter = filter.policy.get();
  options.filter_parts_above = context.options.filter_parts_above;
  options.prefixes = context.prefixes.get();
  options.leveldb_filter_bits =
      context.filters_fit ? context.options.leveldb_filter_bits : 0;
  options.leveldb_filter = context.options.leveldb_filter_policy.get();
  options.block_filter_bits =
      context.filters_fit ? context.options.block_filter_bits : 0;
  options.block_filter_seed = context.tables.seeds.own;
  options.range_filter_bits =
      context.order.is_bytewise() ? context.options.range_filter_bits : 0;
  options.properties = filter.wanted.properties();
  return options;
}

}  // namespace

std::unique_ptr<TableOutputs> NewTableOutputs(StoreContext& context,
                                              VersionSet& versions, int level) {
  const std::shared_ptr<const LevelFilters::Choice> filter =
      context.filters.at(level);
  return std::make_unique<TableOutputs>(
      context.env, context.dir, TableWriteOptionsOf(context, *filter),
      [&versions] { return versions.NewFileNumber(); },
      [&context](const std::string& what) {
        context.filter_faults.NoteNotBuilt(what);
      },
      filter->policy);
}

Status WriteMemtable(const Memtable& memtable, const StoreContext& context,
                     TableOutputs* outputs, const GiveWay& give_way) {
  ObsoleteEntries obsolete(context.order, context.snapshots.All(), {});
  const std::unique_ptr<InternalIterator> entries = memtable.NewIterator();
  entries->SeekToFirst();
  return RunInPieces(give_way, [&]() -> Result<bool> {
    for (int i = 0; i < kEntriesOfPiece && entries->Valid();
         ++i, entries->Next()) {
      if (obsolete.MayDrop(entries->key())) continue;
      Status added = outputs->Add(entries->key(), entries->value());
      if (!added.ok()) return added;
    }
    if (entries->Valid()) return false;
    Status cut = outputs->Cut();
    if (!cut.ok()) return cut;
    return true;
  });
}

}  // namespace tamis
