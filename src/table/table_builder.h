// SPDX-License-Identifier: Apache-2.0
// table/table_builder.h -- writes a table in LevelDB's format, its filters in
// the same pass.

#pragma once

#include <cstdint>
#include <memory>
#include <string>

#include "table/compression.h"
#include "table/internal_key.h"
#include "tamis/env.h"
#include "tamis/prefix.h"
#include "tamis/store_options.h"

namespace tamis {

// What a table is written with.
// The limits of an entry: both must fit into one block, whose offsets have 32
// bits, with the rest of the block.
inline constexpr std::uint64_t kMaxUserKeyBytes = std::uint64_t{1} << 30;
inline constexpr std::uint64_t kMaxValueBytes = std::uint64_t{2} << 30;

struct TableWriteOptions {
  KeyOrder order = KeyOrder();
  std::size_t block_bytes = 4096;
  // Lays blocks in pages (page_layout.h), if block_bytes is a multiple of a
  // page or a part of one.  Otherwise a table without filters of our own has
  // the bytes that LevelDB would write.
  bool in_pages = false;
  unsigned restart_interval = 16;
  Compression compression = Compression::kNone;
  int zstd_level = 1;
  UnpackLimits limits = {};  // of readers
  // Our own whole-table filter, over user keys; null: none.
  // REQUIRES: outlives the builder
  const FilterPolicy* filter = nullptr;
  // A cache-local filter of our own that is larger is stored in parts; 0: none
  // is.
  std::uint64_t filter_parts_above = 0;
  // The prefixes of keys go into that filter, too; null: none do.
  // REQUIRES: outlives the builder; the order is bytewise, and there are
  // properties, which name it
  const PrefixExtractor* prefixes = nullptr;
  // LevelDB's filter block at that many bits per key; 0: none.
  unsigned leveldb_filter_bits = 0;
  // Null, or a custom policy for that block, which is then named after it.
  // REQUIRES: outlives the builder
  const FilterPolicy* leveldb_filter = nullptr;
  // A filter of the blocks at that many bits per key, which hashes with that
  // seed; 0: none.  At most kMaxBlockFilterBits.
  unsigned block_filter_bits = 0;
  std::uint64_t block_filter_seed = 0;
  // A range filter at that many bits per key, from kMinRangeFilterBits to
  // kMaxRangeFilterBits; 0: none.  REQUIRES: 0, or a bytewise order
  unsigned range_filter_bits = 0;
  // Lines (base/named_lines.h) that describe how the table is written; the
  // table stores them and adds its own (table_meta.h).  Empty: it stores none.
  std::string properties = {};
};

// Calls must match: Add* Finish.  Not thread-safe.
class TableBuilder {
 public:
  // REQUIRES: `file` is empty and outlives the builder, which does not close
  // it.
  TableBuilder(const TableWriteOptions& options, WritableFile* file);
  ~TableBuilder();

  // Corruption: the key is not an internal key, or does not come after the one
  // before.  Nothing was added then, and Finish() fails, too.
  Status Add(Slice internal_key, Slice value);
  // Writes what is left.  The file is neither flushed nor synced.
  Status Finish();

  std::uint64_t entries() const noexcept;
  // The size of the file so far, without the current block; after Finish(),
  // exact.
  std::uint64_t bytes() const noexcept;
  // After Finish(): why the table lacks a requested filter.  Empty: it does
  // not.
  std::string filter_problem() const;

 private:
  class Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace tamis
