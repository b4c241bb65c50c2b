// SPDX-License-Identifier: Apache-2.0
// sstable/rocksdb/rebuild_manifest.h -- a manifest of RocksDB that tells of
// rebuilt tables what is now true of them.
//
// It has the records of the old one, with the same tags in the same order.  Of
// a table that was rebuilt, the length, the checksum of the file and the length
// of what follows its data are mended, and its number, where that has changed;
// what RocksDB remembers to open the file faster is left out.

#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>

#include "tamis/result.h"
#include "tamis/slice.h"

namespace tamis {

// What the manifest tells of one table, and what a rebuilt one needs.
struct RocksDbTableRecord {
  std::uint64_t bytes = 0;
  std::optional<std::uint64_t> tail_bytes;
  std::string checksum_function;
  std::string checksum;  // of the file; empty: there is none
};

// True if the checksum of the file, if it has one, can be computed.
bool IsKnownFileChecksum(const RocksDbTableRecord& table) noexcept;

// Returns the checksum by RocksDB's own function, as the manifest has it.
std::string RocksDbFileChecksum(std::uint32_t crc32c);

// Returns what the manifest tells of every table it names, also of those that
// were removed later; the last record of a number counts.
// Corruption: it is damaged, or its end is not whole.  NotSupported: it has
// something that may not be copied unread, by name: blob files, user-defined
// timestamps, an unknown tag.  Messages name the offset.
Result<std::map<std::uint64_t, RocksDbTableRecord>> ReadRocksDbTableRecords(
    Slice manifest);

struct RocksDbRebuiltTable {
  std::uint64_t number = 0;  // may be the old one
  // True: only the number is new, and what follows is not set.
  bool is_copy = false;
  std::uint64_t bytes = 0;
  std::uint64_t tail_bytes = 0;
  std::uint32_t crc32c = 0;
};

struct RocksDbManifestChange {
  std::map<std::uint64_t, RocksDbRebuiltTable> tables;  // by their old numbers
  // A record at the end says that this is the next number of a file; 0: there
  // is no such record.  REQUIRES: if not 0, it is above all numbers in use,
  // that of the new manifest included
  std::uint64_t next_file = 0;
};

// Returns the contents of the new manifest.  Without a change they are those of
// the old one, byte for byte, if RocksDB wrote it.
// NotFound: a table is not in the manifest.  NotSupported: its checksum is by
// an unknown function; and as above.  Corruption: as above.
Result<std::string> RebuildRocksDbManifest(Slice manifest,
                                           const RocksDbManifestChange& change);

}  // namespace tamis
