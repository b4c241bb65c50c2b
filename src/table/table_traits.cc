// SPDX-License-Identifier: Apache-2.0
#include "table/table_traits.h"

#include <string>
#include <utility>

#include "formats/leveldb/filter_block.h"
#include "formats/tamis/block_filter.h"
#include "table/block_file.h"
#include "table/held_range_filter.h"
#include "table/table_filter.h"
#include "table/table_meta.h"
#include "table/table_range_filter.h"

namespace tamis {
namespace {

Status ReadCodecs(const ReadableFile& file, const TableIndex& index,
                  TableTraits* traits) {
  std::string scratch;
  for (std::size_t i = 0; i < index.size(); ++i) {
    const BlockHandle handle = index.block(i);
    const Result<Slice> type =
        file.Read(handle.offset + handle.size, 1, &scratch);
    if (!type.ok()) return type.status();
    const auto codec = static_cast<unsigned char>(type->front());
    if (codec >= traits->codecs.size()) {
      return Status::Corruption("a block of an unknown type");
    }
    traits->codecs[codec] = true;
  }
  return Status::Ok();
}

// Properties that cannot be read count as missing.
std::vector<NamedLine> ReadProperties(const ReadableFile& file,
                                      const MetaEntry& entry) {
  BlockBuffer buffer;
  Slice bytes;
  if (!ReadBlock(file, entry.handle, &buffer, &bytes).ok()) return {};
  return ParseNamedLines(bytes).value_or(std::vector<NamedLine>());
}

// Returns true if the filter opens, and sets *info.
bool OpensWhole(const ReadableFile& file, const MetaEntry& entry,
                const FilterOpener& opener, FilterInfo* info) {
  BlockBuffer buffer;
  Slice bytes;
  if (!ReadBlock(file, entry.handle, &buffer, &bytes).ok()) return false;
  const auto reader = opener.Open(bytes);
  if (!reader.ok()) return false;
  *info = reader->Describe();
  return true;
}

bool OpensLevelDb(const ReadableFile& file, const MetaEntry& entry) {
  BlockBuffer buffer;
  Slice bytes;
  return ReadBlock(file, entry.handle, &buffer, &bytes).ok() &&
         LevelDbFilterBlockReader(bytes).damage().empty();
}

// The same for a filter in parts, all of which must be undamaged.
bool OpensParts(const ReadableFile& file, const MetaEntry& entry,
                FilterInfo* info) {
  BlockBuffer buffer;
  Slice bytes;
  if (!ReadBlock(file, entry.handle, &buffer, &bytes).ok()) return false;
  const auto filter = TableFilter::OpenParts(
      bytes,
      {.file = std::shared_ptr<const ReadableFile>(
           std::shared_ptr<const ReadableFile>(), &file)},
      TableFilter::kWholly);
  if (filter->kind() != TableFilter::Kind::kLines ||
      filter->damaged_parts() > 0) {
    return false;
  }
  const LineView& lines = filter->lines();
  info->format = "tamis";
  info->kind = filter->kind_name();
  info->bits = lines.count * kLineBits;
  info->probes = lines.probes.count;
  info->seed = lines.seed;
  if (lines.keys != 0) info->keys = lines.keys;
  info->rate = filter->expected_rate();
  return true;
}

bool OpensBlocks(const ReadableFile& file, const MetaEntry& entry) {
  BlockBuffer buffer;
  Slice bytes;
  return ReadBlock(file, entry.handle, &buffer, &bytes).ok() &&
         ViewBlockFilter(bytes).ok();
}

bool OpensRange(const ReadableFile& file, const MetaEntry& entry) {
  const auto filter = ReadRangeFilter(file, {entry}, {}, nullptr);
  return filter != nullptr && filter->is_held();
}

void ReadFilters(const ReadableFile& file,
                 const std::vector<MetaEntry>& entries,
                 const FilterPolicy* preferred, TableTraits* traits) {
  for (const MetaEntry& entry : entries) {
    if (entry.name == kLevelDbFilterMeta) {
      const bool opens = OpensLevelDb(file, entry);
      (opens ? traits->has_leveldb_filter : traits->has_damaged_filter) = true;
    }
    if (entry.name == kBlockFilterMeta) {
      const bool opens = OpensBlocks(file, entry);
      (opens ? traits->has_block_filter : traits->has_damaged_filter) = true;
    }
    if (entry.name == kRangeFilterMeta) {
      const bool opens = OpensRange(file, entry);
      (opens ? traits->has_range_filter : traits->has_damaged_filter) = true;
    }
    const auto opener = OpenerOfMeta(entry.name, preferred);
    const bool is_in_parts = entry.name == kFilterPartsMeta;
    if (!opener.has_value() && !is_in_parts) continue;
    FilterInfo info;
    const bool opens = is_in_parts ? OpensParts(file, entry, &info)
                                   : OpensWhole(file, entry, *opener, &info);
    if (opens && !traits->has_whole_filter && traits->properties.empty()) {
      traits->filter = std::move(info);
    }
    (opens ? traits->has_whole_filter : traits->has_damaged_filter) = true;
  }
}

}  // namespace

Result<TableTraits> ReadTableTraits(const ReadableFile& file,
                                    const Footer& footer,
                                    const TableIndex& index,
                                    const FilterPolicy* preferred) {
  std::vector<MetaEntry> entries;
  Status read = ReadMetaindex(file, footer, &entries);
  if (!read.ok()) return read;
  TableTraits traits;
  for (const MetaEntry& entry : entries) {
    if (entry.name == kPropertiesMeta) {
      traits.properties = ReadProperties(file, entry);
    }
  }
  ReadFilters(file, entries, preferred, &traits);
  if (traits.properties.empty()) read = ReadCodecs(file, index, &traits);
  if (!read.ok()) return read;
  return traits;
}

}  // namespace tamis
