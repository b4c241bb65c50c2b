// SPDX-License-Identifier: Apache-2.0
#include "store/repair_merge.h"

#include <algorithm>
#include <memory>
#include <utility>

#include "store/level_iterator.h"
#include "store/merging_iterator.h"
#include "store/obsolete_entries.h"

namespace tamis {
namespace {

Slice FirstOf(const FoundTable& table) noexcept {
  return UserKeyOf(table.metadata.smallest);
}
Slice LastOf(const FoundTable& table) noexcept {
  return UserKeyOf(table.metadata.largest);
}

using Group = std::vector<FoundTable>;

// Returns groups of tables that overlap each other, directly or indirectly.
std::vector<Group> GroupsOf(const KeyOrder& order,
                            std::vector<FoundTable> tables) {
  std::sort(tables.begin(), tables.end(),
            [&](const FoundTable& a, const FoundTable& b) {
              return order.Compare(a.metadata.smallest, b.metadata.smallest) <
                     0;
            });
  std::vector<Group> groups;
  std::string last;
  for (FoundTable& table : tables) {
    const bool overlaps =
        !groups.empty() && order.CompareUser(FirstOf(table), last) <= 0;
    if (!overlaps) groups.emplace_back();
    if (!overlaps || order.CompareUser(LastOf(table), last) > 0) {
      last = LastOf(table);
    }
    groups.back().push_back(std::move(table));
  }
  return groups;
}

// Distributes the tables of a sorted group over few rows without overlaps.
std::vector<std::vector<TableFileRef>> RowsOf(const TableFileContext& context,
                                              const Group& group) {
  const KeyOrder& order = context.read.order;
  std::vector<std::vector<TableFileRef>> rows;
  for (const FoundTable& table : group) {
    const auto fitting =
        std::find_if(rows.begin(), rows.end(), [&](const auto& row) {
          return order.CompareUser(UserKeyOf(row.back()->largest()),
                                   FirstOf(table)) < 0;
        });
    auto& row = fitting == rows.end() ? rows.emplace_back() : *fitting;
    row.push_back(std::make_shared<const TableFile>(context, table.metadata));
  }
  return rows;
}

// REQUIRES: the group is sorted, and no other table has keys of its range
Result<std::vector<FoundTable>> MergeGroup(const RepairMerge& merge,
                                           const Group& group) {
  const TableFileContext context{
      .env = merge.env, .dir = merge.dir, .read = merge.read, .map = false};
  const KeyOrder& order = merge.read.order;
  const auto rows = RowsOf(context, group);
  std::vector<std::unique_ptr<InternalIterator>> inputs;
  for (const auto& row : rows) {
    inputs.push_back(NewLevelIterator(order, row, {.fill_cache = false}));
  }
  const auto entries = NewMergingIterator(order, std::move(inputs));
  ObsoleteEntries obsolete(order, {},
                           [&](Slice) { return !merge.may_drop_deletions; });
  TableOutputs outputs(*merge.env, merge.dir, merge.write, merge.new_number);
  std::vector<std::uint64_t> counts;  // of each output
  for (entries->SeekToFirst(); entries->Valid(); entries->Next()) {
    if (obsolete.MayDrop(entries->key())) continue;
    if (obsolete.is_new_key() && outputs.table_bytes() >= merge.table_bytes) {
      if (Status cut = outputs.Cut(); !cut.ok()) return cut;
    }
    Status added = outputs.Add(entries->key(), entries->value());
    if (!added.ok()) return added;
    counts.resize(outputs.tables().size());
    ++counts.back();
  }
  if (Status read = entries->status(); !read.ok()) return read;
  Result<std::vector<FileMetadata>> written = outputs.Finish();
  if (!written.ok()) return written.status();
  Sequence newest = 0;
  for (const FoundTable& table : group) newest = std::max(newest, table.newest);
  std::vector<FoundTable> merged;
  for (std::size_t i = 0; i < written->size(); ++i) {
    merged.push_back({std::move((*written)[i]), newest, counts[i]});
  }
  return merged;
}

}  // namespace

Result<std::vector<FoundTable>> MergeOverlapping(
    const RepairMerge& merge, std::vector<FoundTable> tables,
    std::vector<std::uint64_t>* replaced) {
  std::vector<FoundTable> apart;
  for (Group& group : GroupsOf(merge.read.order, std::move(tables))) {
    if (group.size() == 1) {
      apart.push_back(std::move(group.front()));
      continue;
    }
    Result<std::vector<FoundTable>> merged = MergeGroup(merge, group);
    if (!merged.ok()) return merged.status();
    for (FoundTable& table : *merged) apart.push_back(std::move(table));
    for (const FoundTable& table : group) {
      replaced->push_back(table.metadata.number);
    }
  }
  return apart;
}

}  // namespace tamis
