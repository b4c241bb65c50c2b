// SPDX-License-Identifier: Apache-2.0
#include "table/table_binding.h"

#include <algorithm>
#include <cstddef>
#include <string>
#include <vector>

#include "base/crc32c.h"
#include "table/table_meta.h"

namespace tamis {
namespace {

// Of BoundBlocks::kSome.
constexpr std::size_t kSomeDataBlocks = 16;
constexpr std::size_t kMaxMetaBlocks = 16;

// Appends what is stored after a block: its compression and its checksum.
Status AppendTrailer(const ReadableFile& file, const BlockHandle& handle,
                     std::string* bytes) {
  std::string scratch;
  const Result<Slice> trailer =
      file.Read(handle.offset + handle.size, kBlockTrailerBytes, &scratch);
  if (!trailer.ok()) return trailer.status();
  bytes->append(*trailer);
  return Status::Ok();
}

// Appends the handles of the metaindex, as far as they lead to blocks.  A
// damaged metaindex has none.
Status AppendMetaHandles(const ReadableFile& file, const Footer& footer,
                         const UnpackLimits& limits,
                         std::vector<BlockHandle>* handles) {
  std::vector<MetaEntry> entries;
  std::size_t count = 0;
  const Status read = ReadMetaindex(file, footer, &entries, limits);
  if (read.code() == StatusCode::kCorruption) return Status::Ok();
  if (!read.ok()) return read;
  for (const MetaEntry& entry : entries) {
    if (!LiesBefore(entry.handle, file.size() - kFooterBytes)) continue;
    if (++count > kMaxMetaBlocks) break;
    handles->push_back(entry.handle);
  }
  return Status::Ok();
}

// At most so many: the first, the last and some between.
void AppendDataHandles(const TableIndex& index, std::size_t most,
                       std::vector<BlockHandle>* handles) {
  const std::size_t count = std::min(index.size(), most);
  for (std::size_t i = 0; i < count; ++i) {
    handles->push_back(
        index.block(count < 2 ? 0 : i * (index.size() - 1) / (count - 1)));
  }
}

}  // namespace

Result<std::uint32_t> ReadTableBinding(const ReadableFile& file,
                                       const Footer& footer,
                                       const TableIndex& index,
                                       const UnpackLimits& limits,
                                       BoundBlocks blocks) {
  std::string scratch;
  const Result<Slice> end =
      file.Read(file.size() - kFooterBytes, kFooterBytes, &scratch);
  if (!end.ok()) return end.status();
  std::string bytes(*end);
  std::vector<BlockHandle> handles = {footer.index, footer.metaindex};
  Status read = AppendMetaHandles(file, footer, limits, &handles);
  if (!read.ok()) return read;
  const bool has_all = blocks == BoundBlocks::kAll;
  AppendDataHandles(index, has_all ? index.size() : kSomeDataBlocks, &handles);
  if (has_all) file.WillRead(0, static_cast<std::size_t>(file.size()));
  for (const BlockHandle& handle : handles) {
    read = AppendTrailer(file, handle, &bytes);
    if (!read.ok()) return read;
  }
  return Crc32c(bytes);
}

}  // namespace tamis
