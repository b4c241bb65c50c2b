// SPDX-License-Identifier: Apache-2.0
#include "table/table_meta.h"

#include "base/named_lines.h"
#include "table/block.h"
#include "table/block_cursor.h"
#include "table/block_file.h"

namespace tamis {

Status ReadMetaindex(const ReadableFile& file, const Footer& footer,
                     std::vector<MetaEntry>* entries,
                     const UnpackLimits& limits) {
  BlockBuffer buffer;
  Slice contents;
  Status read = ReadBlock(file, footer.metaindex, &buffer, &contents, limits);
  if (!read.ok()) return read;
  Block block;
  if (!Block::Parse(contents, &block)) {
    return Status::Corruption("the metaindex is not a block");
  }
  BlockCursor cursor;
  cursor.Reset(block);
  std::size_t name_bytes = 0;
  for (cursor.SeekToFirst(); cursor.valid(); cursor.Next()) {
    Slice value = cursor.value();
    BlockHandle handle;
    // Names that share long prefixes could take far more memory than the block.
    name_bytes += cursor.key().size();
    if (!ReadHandle(&value, &handle) || name_bytes > 64 * contents.size()) {
      return Status::Corruption("the metaindex has an entry that is damaged");
    }
    entries->push_back({std::string(cursor.key()), handle});
  }
  if (cursor.damaged()) {
    return Status::Corruption("the metaindex has an entry that is damaged");
  }
  return Status::Ok();
}

std::string ReadTableProperty(const ReadableFile& file,
                              const std::vector<MetaEntry>& entries,
                              const UnpackLimits& limits,
                              std::string_view name) {
  for (const MetaEntry& entry : entries) {
    if (entry.name != kPropertiesMeta) continue;
    BlockBuffer buffer;
    Slice bytes;
    if (!ReadBlock(file, entry.handle, &buffer, &bytes, limits).ok()) return {};
    const std::optional<std::vector<NamedLine>> lines = ParseNamedLines(bytes);
    const std::string* const text = lines ? FindLine(*lines, name) : nullptr;
    return text != nullptr ? *text : std::string();
  }
  return {};
}

std::string LevelDbFilterMeta(const FilterPolicy* custom) {
  if (custom == nullptr) return std::string(kLevelDbFilterMeta);
  return std::string("filter.").append(custom->name());
}

std::optional<FilterOpener> OpenerOfMeta(std::string_view meta_name,
                                         const FilterPolicy* preferred) {
  if (!meta_name.starts_with(kWholeFilterMeta)) return std::nullopt;
  meta_name.remove_prefix(kWholeFilterMeta.size());
  if (preferred != nullptr && preferred->name() == meta_name) {
    return FilterOpener(*preferred);
  }
  return FilterOpener::ForName(meta_name);
}

}  // namespace tamis
