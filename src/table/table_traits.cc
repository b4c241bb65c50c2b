#include "table/table_traits.h"

#include <string>
#include <utility>

#include "table/block_file.h"
#include "table/table_meta.h"

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

// What cannot be read counts as not there: the table is then like those that
// have none.
std::vector<NamedLine> ReadProperties(const ReadableFile& file,
                                      const MetaEntry& entry) {
  BlockBuffer buffer;
  Slice bytes;
  if (!ReadBlock(file, entry.handle, &buffer, &bytes).ok()) return {};
  return ParseNamedLines(bytes).value_or(std::vector<NamedLine>());
}

void ReadFilter(const ReadableFile& file, const MetaEntry& entry,
                const FilterPolicy& policy, TableTraits* traits) {
  BlockBuffer buffer;
  Slice bytes;
  if (!ReadBlock(file, entry.handle, &buffer, &bytes).ok()) return;
  const auto reader = policy.Open(bytes);
  if (!reader.ok()) return;
  traits->has_whole_filter = true;
  if (traits->properties.empty()) traits->filter = (*reader)->Describe();
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
    traits.has_leveldb_filter |= entry.name == kLevelDbFilterMeta;
  }
  for (const MetaEntry& entry : entries) {
    const FilterPolicy* const policy = PolicyOfMeta(entry.name, preferred);
    if (policy != nullptr && !traits.has_whole_filter) {
      ReadFilter(file, entry, *policy, &traits);
    }
  }
  if (traits.properties.empty()) read = ReadCodecs(file, index, &traits);
  if (!read.ok()) return read;
  return traits;
}

}  // namespace tamis
