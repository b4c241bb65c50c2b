// SPDX-License-Identifier: Apache-2.0
// sstable/cassandra/compressed_data.h -- reads Data.db at any place, with the
// help of CompressionInfo.db if it is compressed.

#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "formats/cassandra/version.h"
#include "sstable/codecs.h"
#include "tamis/env.h"
#include "tamis/result.h"
#include "tamis/slice.h"

namespace tamis {

// The contents of CompressionInfo.db.
struct CassandraCompression {
  std::string compressor;  // a Java class, without its package
  std::uint32_t chunk_bytes = 0;
  // A chunk at least as long is stored as it is.
  std::uint64_t max_compressed_bytes = 0;
  std::uint64_t data_bytes = 0;
  std::vector<std::uint64_t> offsets;  // of the chunks in Data.db

  // Corruption: damaged; the message names the offset.
  static Result<CassandraCompression> Parse(CassandraEra era, Slice bytes);
};

// For one walk, or one sstable: not safe to share among threads.
class CassandraData {
 public:
  // REQUIRES: `file` outlives this.  Nothing: it is not compressed
  CassandraData(const ReadableFile& file,
                std::optional<CassandraCompression> compression)
      : file_(file), compression_(std::move(compression)) {}

  // Returns `bytes` bytes at that place of the uncompressed data, valid until
  // the next call.  Corruption: the place is not within it, or a chunk is
  // damaged.  NotSupported: the compressor is unknown, or not in this build.
  Result<Slice> Read(std::uint64_t at, std::size_t bytes);

  // Chunks whose checksum was verified.
  std::uint64_t chunks() const noexcept { return chunks_; }
  std::uint64_t bytes() const noexcept { return bytes_; }

 private:
  Status LoadChunk(std::uint64_t number);

  const ReadableFile& file_;
  const std::optional<CassandraCompression> compression_;
  std::uint64_t loaded_ = UINT64_MAX;  // the number of the chunk in chunk_
  std::string stored_;
  std::string chunk_;
  std::string joined_;
  std::uint64_t chunks_ = 0;
  std::uint64_t bytes_ = 0;
};

}  // namespace tamis
