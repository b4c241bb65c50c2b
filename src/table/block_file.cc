// SPDX-License-Identifier: Apache-2.0
#include "table/block_file.h"

#include <cassert>
#include <utility>

namespace tamis {

void AppendBlockTrailer(std::string* block, Compression compression) {
  block->push_back(static_cast<char>(compression));
  AppendFixed32(block, MaskCrc32c(Crc32c(*block)));
}

Status ReadStored(const ReadableFile& file, const BlockHandle& handle,
                  std::string* scratch, StoredBlock* block) {
  assert(LiesBefore(handle, file.size()));
  const std::size_t bytes =
      static_cast<std::size_t>(handle.size) + kBlockTrailerBytes;
  Result<Slice> read = file.Read(handle.offset, bytes, scratch);
  if (!read.ok()) return read.status();
  if (read->size() != bytes) {
    return Status::IoError("a read returned fewer bytes than requested");
  }
  block->bytes = *read;
  return Status::Ok();
}

Status ReadBlock(const ReadableFile& file, const BlockHandle& handle,
                 BlockBuffer* buffer, Slice* contents,
                 const UnpackLimits& limits) {
  if (!LiesBefore(handle, file.size())) {
    return Status::Corruption("a block is not within the file");
  }
  StoredBlock block;
  Status read = ReadStored(file, handle, &buffer->stored, &block);
  if (!read.ok()) return read;
  if (!block.ChecksumHolds()) {
    return Status::Corruption("the checksum of the block at offset " +
                              std::to_string(handle.offset) +
                              " does not match");
  }
  *contents = block.contents();
  if (block.codec() == static_cast<unsigned>(Compression::kNone)) {
    return Status::Ok();
  }
  Status raw = Decompress(block.codec(), *contents, &buffer->raw, limits);
  *contents = buffer->raw;
  return raw;
}

Status AboutFile(const std::string& name, const Status& status) {
  if (status.ok()) return status;
  const std::string prefix = name + ": ";
  std::string message = status.message();
  const std::size_t named = message.find(prefix);
  if (named != std::string::npos) message.erase(named, prefix.size());
  return status.WithMessage(prefix + message);
}

Result<Footer> ReadFooter(const ReadableFile& file) {
  if (file.size() < kFooterBytes) {
    return Status::Corruption("shorter than the footer of a table");
  }
  std::string scratch;
  Result<Slice> bytes =
      file.Read(file.size() - kFooterBytes, kFooterBytes, &scratch);
  if (!bytes.ok()) return bytes.status();
  if (bytes->size() != kFooterBytes) {
    return Status::IoError("a read returned fewer bytes than requested");
  }
  return ParseFooter(*bytes, file.size());
}

}  // namespace tamis
