// SPDX-License-Identifier: Apache-2.0
#include "sstable/rocksdb/rebuild_table.h"

#include <algorithm>
#include <limits>
#include <map>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

#include "base/coding.h"
#include "base/crc32c.h"
#include "base/no_throw.h"
#include "formats/rocksdb/bloom.h"
#include "sstable/rocksdb/features.h"
#include "sstable/rocksdb/filter_maker.h"
#include "sstable/rocksdb/index_builder.h"
#include "sstable/rocksdb/table_keys.h"
#include "table/block_builder.h"
#include "table/shared_prefix.h"

namespace tamis {
namespace {

using Form = RocksDbNewFilter::Form;

constexpr std::string_view kIndexName = "rocksdb.index";
constexpr std::string_view kPropertiesName = "rocksdb.properties";
// Blocks whose contents name no place in the file.
constexpr std::string_view kMovable[] = {
    "rocksdb.compression_dict", "rocksdb.hashindex.metadata",
    "rocksdb.hashindex.prefixes", "rocksdb.range_del"};
constexpr std::string_view kFilters[] = {"fullfilter.", "partitionedfilter.",
                                         "filter."};
constexpr unsigned kUncompressed =
    0;  // the compression type of what is written here

bool IsFilterName(std::string_view name) noexcept {
  return std::ranges::any_of(
      kFilters, [&](std::string_view form) { return name.starts_with(form); });
}

// RocksDB finds a filter by the name of the policy that it was opened with.
bool IsOfAnotherPolicy(std::string_view name) noexcept {
  // Names that RocksDB's own policies had in 7.0.
  constexpr std::string_view kEarlyNames = "rocksdb.internal.";
  if (!IsFilterName(name)) return false;
  name.remove_prefix(name.find('.') + 1);
  return name != kRocksDbFilterName && !name.starts_with(kEarlyNames);
}

std::string WhyNotFiltered(const RocksDbTable& table) {
  const Slice has_prefixes =
      table.Property("rocksdb.block.based.table.prefix.filtering");
  const Slice has_whole_keys =
      table.Property("rocksdb.block.based.table.whole.key.filtering");
  // RocksDB takes a property that is not there for "1".
  if (has_prefixes.empty() || has_whole_keys.empty()) {
    return "its properties do not tell whether a filter has prefixes, as those "
           "of very old tables";
  }
  const Slice extractor = table.Property("rocksdb.prefix.extractor.name");
  if (has_prefixes == "0" || RocksDbPrefix::Named(extractor).has_value()) {
    return "";
  }
  return "its filter has prefixes of the prefix extractor " +
         std::string(extractor) + ", which is not known";
}

RocksDbFilterShape ShapeFor(const RocksDbTable& table,
                            const RocksDbNewFilter& filter) {
  RocksDbFilterShape shape;
  shape.has_whole_keys =
      table.Property("rocksdb.block.based.table.whole.key.filtering") != "0";
  if (table.Property("rocksdb.block.based.table.prefix.filtering") != "0") {
    shape.prefix =
        RocksDbPrefix::Named(table.Property("rocksdb.prefix.extractor.name"));
  }
  if (filter.form == Form::kPartitioned) {
    shape.partition_bytes = std::max<std::uint64_t>(filter.partition_bytes, 1);
  }
  return shape;
}

// The properties and the metaindex are such blocks.
std::string NamedBlock(const std::map<std::string, std::string>& entries,
                       unsigned restart_interval) {
  BlockBuilder block(restart_interval);
  std::string_view last;
  for (const auto& [name, value] : entries) {
    block.Add(name, value, SharedPrefix(last, name));
    last = name;
  }
  return block.Finish();
}

}  // namespace

std::string WhyNotRebuilt(const RocksDbTable& table, Form form) {
  if (std::string why = table.WhyNotReadable(); !why.empty()) return why;
  if (std::string why = WhyNotComparable(table.Property("rocksdb.comparator"));
      !why.empty()) {
    return why;
  }
  for (const auto& [name, handle] : table.blocks()) {
    if (name.starts_with(kRocksDbUserIndex)) {
      return "it has a user-defined index (" +
             name.substr(kRocksDbUserIndex.size()) + ")";
    }
    if (IsOfAnotherPolicy(name)) {
      return "its filter (" + name + ") is of a custom policy";
    }
    const bool is_known =
        name == kIndexName || name == kPropertiesName || IsFilterName(name) ||
        std::ranges::find(kMovable, name) != std::end(kMovable);
    if (!is_known)
      return "its metaindex has \"" + name + "\", which is unknown";
  }
  if (form == Form::kPartitioned && !table.has_two_level_index()) {
    return "its index has one level, and RocksDB uses a partitioned filter "
           "only "
           "with a partitioned index";
  }
  return form == Form::kNone ? "" : WhyNotFiltered(table);
}

// Puts everything together that follows the data blocks.
class RocksDbTail {
 public:
  RocksDbTail(const RocksDbTable& table, const ReadableFile& old,
              const RocksDbTableKeys& keys, RocksDbTableRebuild* rebuild)
      : table_(table),
        old_(old),
        keys_(keys),
        rebuild_(*rebuild),
        properties_(table.properties()) {}

  void AddFilter(const std::vector<RocksDbFilterMaker::Part>& parts,
                 const RocksDbNewFilter& filter, std::uint64_t entries);
  // Afterwards the tail is complete.
  Status AddOtherBlocks();

 private:
  // A block of the old table that the new one has, too.
  struct Kept {
    std::string name;  // in the metaindex; empty: a partition of the index
    BlockHandle handle;
    std::size_t partition = 0;
  };

  BlockHandle Add(Slice contents, unsigned compression = kUncompressed);
  BlockHandle AddProperties();
  std::vector<Kept> BlocksToKeep() const;
  Status Keep(const Kept& kept);
  bool HasMovedPartitions() const noexcept;
  BlockHandle AddTopIndex(const BlockHandle& old);
  void SetNumber(const std::string& property, std::uint64_t value);
  void Change(const std::string& property, std::uint64_t from,
              std::uint64_t to);
  void AddEnd();

  const RocksDbTable& table_;
  const ReadableFile& old_;
  const RocksDbTableKeys& keys_;
  RocksDbTableRebuild& rebuild_;
  std::map<std::string, std::string> properties_;
  std::map<std::string, std::string> metaindex_;
  std::vector<BlockHandle> partitions_;  // of the index, where they are now
  BlockHandle index_;
};

BlockHandle RocksDbTail::Add(Slice contents, unsigned compression) {
  const BlockHandle handle{rebuild_.bytes(), contents.size()};
  std::string block(contents);
  AppendRocksDbBlockTrailer(&block, compression, table_.footer().seal,
                            handle.offset);
  rebuild_.tail_ += block;
  return handle;
}

BlockHandle RocksDbTail::AddProperties() {
  constexpr unsigned kNoRestarts = std::numeric_limits<unsigned>::max();
  const std::string properties = NamedBlock(properties_, kNoRestarts);
  if (!table_.has_global_sequence()) return Add(properties);
  const BlockHandle handle = Add(WithoutGlobalSequence(properties));
  rebuild_.tail_.replace(
      static_cast<std::size_t>(handle.offset - rebuild_.kept_),
      properties.size(), properties);
  return handle;
}

void RocksDbTail::SetNumber(const std::string& property, std::uint64_t value) {
  std::string& stored = properties_[property];
  stored.clear();
  AppendVarint64(&stored, value);
}

// Does nothing if the table has no such property.
void RocksDbTail::Change(const std::string& property, std::uint64_t from,
                         std::uint64_t to) {
  const std::uint64_t before = table_.NumberProperty(property);
  if (before >= from && before != 0) SetNumber(property, before - from + to);
}

void RocksDbTail::AddFilter(const std::vector<RocksDbFilterMaker::Part>& parts,
                            const RocksDbNewFilter& filter,
                            std::uint64_t entries) {
  const bool is_partitioned = filter.form == Form::kPartitioned;
  RocksDbIndexBuilder top(table_.index_coding());
  BlockHandle handle;
  for (const RocksDbFilterMaker::Part& part : parts) {
    handle = Add(part.bytes);
    rebuild_.filter_bytes_ += handle.size;
    if (is_partitioned) top.Add(part.separator, handle);
  }
  if (is_partitioned && !parts.empty()) {
    handle = Add(top.Finish());
    rebuild_.filter_bytes_ += handle.size;
  }
  rebuild_.filter_entries_ = entries;
  SetNumber("rocksdb.filter.size", rebuild_.filter_bytes_);
  SetNumber("rocksdb.num.filter_entries", entries);
  if (parts.empty()) {
    properties_.erase("rocksdb.filter.policy");
    return;
  }
  properties_["rocksdb.filter.policy"] =
      filter.kind == RocksDbKind::kRibbon ? "ribbonfilter" : "bloomfilter";
  AppendHandle(&metaindex_[std::string(is_partitioned ? "partitionedfilter."
                                                      : "fullfilter.") +
                           std::string(kRocksDbFilterName)],
               handle);
}

// In the order in which they are in the old table; the top of a two-level index
// follows its partitions.
std::vector<RocksDbTail::Kept> RocksDbTail::BlocksToKeep() const {
  std::vector<Kept> kept;
  for (std::size_t i = 0; i < keys_.index_partitions.size(); ++i) {
    kept.push_back({"", keys_.index_partitions[i].handle, i});
  }
  kept.push_back({std::string(kIndexName), table_.footer().index});
  for (const auto& [name, handle] : table_.blocks()) {
    if (std::ranges::find(kMovable, name) != std::end(kMovable)) {
      kept.push_back({name, handle});
    }
  }
  const auto place = [&](const Kept& block) {
    std::uint64_t at = block.handle.offset;
    if (block.name == kIndexName && !keys_.index_partitions.empty()) {
      at = std::max(at, keys_.index_partitions.back().handle.offset + 1);
    }
    return at;
  };
  std::ranges::stable_sort(
      kept, [&](const Kept& a, const Kept& b) { return place(a) < place(b); });
  return kept;
}

Status RocksDbTail::Keep(const Kept& kept) {
  BlockHandle handle = kept.handle;
  RocksDbBuffer buffer;
  RocksDbStoredBlock block;
  Status read = table_.ReadStored(old_, handle, &buffer, &block);
  if (!read.ok()) return read;
  const bool stays = handle.offset < rebuild_.kept_;
  if (stays &&
      handle.offset + handle.size + kBlockTrailerBytes > rebuild_.kept_) {
    return AtOffset(handle.offset,
                    Status::Corruption("it overlaps the data blocks"));
  }
  if (kept.name == kIndexName && HasMovedPartitions()) {
    handle = AddTopIndex(handle);
  } else if (!stays) {
    handle = Add(block.contents, block.compression);
  }
  if (kept.name.empty()) {
    partitions_.push_back(handle);
  } else if (kept.name == kIndexName) {
    index_ = handle;
  } else {
    AppendHandle(&metaindex_[kept.name], handle);
  }
  return Status::Ok();
}

bool RocksDbTail::HasMovedPartitions() const noexcept {
  for (std::size_t i = 0; i < partitions_.size(); ++i) {
    if (partitions_[i].offset != keys_.index_partitions[i].handle.offset) {
      return true;
    }
  }
  return false;
}

BlockHandle RocksDbTail::AddTopIndex(const BlockHandle& old) {
  RocksDbIndexBuilder top(table_.index_coding());
  for (std::size_t i = 0; i < partitions_.size(); ++i) {
    top.Add(keys_.index_partitions[i].separator, partitions_[i]);
  }
  const BlockHandle handle = Add(top.Finish());
  for (const char* const property :
       {"rocksdb.index.size", "rocksdb.top-level.index.size"}) {
    Change(property, old.size, handle.size);
  }
  return handle;
}

Status RocksDbTail::AddOtherBlocks() {
  for (const Kept& kept : BlocksToKeep()) {
    if (Status status = Keep(kept); !status.ok()) return status;
  }
  AddEnd();
  return Status::Ok();
}

void RocksDbTail::AddEnd() {
  const std::string kTailStart = "rocksdb.tail.start.offset";
  rebuild_.tail_start_ = rebuild_.kept_;
  if (properties_.contains(kTailStart)) {
    rebuild_.tail_start_ =
        std::min(rebuild_.kept_, table_.NumberProperty(kTailStart));
    SetNumber(kTailStart, rebuild_.tail_start_);
  }
  RocksDbFooter footer = table_.footer();
  AppendHandle(&metaindex_[std::string(kPropertiesName)], AddProperties());
  // From version 6 on, this is where the handle of the index is.
  const std::string index(kIndexName);
  if (table_.blocks().contains(index)) AppendHandle(&metaindex_[index], index_);
  footer.index = index_;
  footer.metaindex = Add(NamedBlock(metaindex_, 1));
  AppendRocksDbFooter(&rebuild_.tail_, footer, rebuild_.bytes());
}

Result<RocksDbTableRebuild> RocksDbTableRebuild::Plan(
    const ReadableFile& old, const RocksDbNewFilter& filter) {
  return NoThrow([&]() -> Result<RocksDbTableRebuild> {
    const Result<RocksDbTable> table = RocksDbTable::Open(old);
    if (!table.ok()) return table.status();
    if (std::string why = WhyNotRebuilt(*table, filter.form); !why.empty()) {
      return Status::NotSupported(std::move(why));
    }
    std::unique_ptr<const FilterPolicy> policy;
    std::optional<RocksDbFilterMaker> maker;
    if (filter.form != Form::kNone) {
      auto made = NewRocksDbPolicy(filter.kind, filter.sizing);
      if (!made.ok()) return made.status();
      policy = *std::move(made);
      maker.emplace(*policy, ShapeFor(*table, filter));
    }
    const auto visit = [&](std::span<const Slice> found, Slice separator) {
      return maker.has_value() ? maker->AddBlock(found, separator)
                               : Status::Ok();
    };
    RocksDbTableKeys keys;
    Status status = WalkTableKeys(*table, old, visit, &keys);
    if (!status.ok()) return status;
    std::vector<RocksDbFilterMaker::Part> parts;
    if (maker.has_value()) status = maker->Finish(&parts);
    if (!status.ok()) return status;

    RocksDbTableRebuild rebuild;
    rebuild.old_ = &old;
    rebuild.kept_ = keys.data_end;
    RocksDbTail tail(*table, old, keys, &rebuild);
    tail.AddFilter(parts, filter, maker.has_value() ? maker->entries() : 0);
    status = tail.AddOtherBlocks();
    if (!status.ok()) return status;
    return rebuild;
  });
}

Status RocksDbTableRebuild::Write(WritableFile* file,
                                  std::uint32_t* crc32c) const {
  return NoThrow([&]() -> Status {
    constexpr std::uint64_t kPieceBytes = std::uint64_t{1} << 20;
    std::string scratch;
    std::uint32_t sum = 0;
    for (std::uint64_t at = 0; at < kept_;) {
      const auto bytes = static_cast<std::size_t>(
          std::min<std::uint64_t>(kPieceBytes, kept_ - at));
      const Result<Slice> piece = old_->Read(at, bytes, &scratch);
      if (!piece.ok()) return piece.status();
      sum = Crc32c(*piece, sum);
      if (Status added = file->Append(*piece); !added.ok()) return added;
      at += bytes;
    }
    *crc32c = Crc32c(tail_, sum);
    return file->Append(tail_);
  });
}

}  // namespace tamis
