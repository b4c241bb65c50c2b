// SPDX-License-Identifier: Apache-2.0
// peers/rocksdb_settings.h -- databases that the real RocksDB writes, with many
// settings.

#pragma once

#include <cstdint>
#include <memory>
#include <ostream>
#include <set>
#include <string>
#include <vector>

#include <rocksdb/db.h>
#include <rocksdb/options.h>
#include <rocksdb/table.h>

namespace tamis::testing {

struct DbSetting {
  std::string name;
  std::string filter = "bloom";  // "ribbon", "none"
  int format_version = 5;
  bool is_partitioned = false;
  std::size_t prefix = 0;
  bool has_whole_keys = true;
  rocksdb::CompressionType compression = rocksdb::kNoCompression;
  std::uint32_t dictionary_bytes = 0;
  rocksdb::ChecksumType checksum = rocksdb::kXXH3;
  rocksdb::BlockBasedTableOptions::IndexType index =
      rocksdb::BlockBasedTableOptions::kBinarySearch;
  bool has_hash_in_blocks = false;
  int index_restarts = 1;
};

// For GoogleTest.
inline void PrintTo(const DbSetting& setting, std::ostream* out) {
  *out << setting.name;
}

// One for everything that a reader must understand.
std::vector<DbSetting> DbSettings();

rocksdb::Options SettingOptions(const DbSetting& setting);

// False: this build of ours lacks the codec.
bool CanRead(rocksdb::CompressionType compression);

// The keys of FillLevels(), of all databases.
std::string RocksDbKey(int i);

// Writes one table on the lowest level, and two on level 0; returns the keys
// with a value or a deletion.  A failure fails the running test.
std::set<std::string> FillLevels(rocksdb::DB* db);

// Null if that fails, which fails the running test.
std::unique_ptr<rocksdb::DB> OpenPeer(const std::string& dir,
                                      const rocksdb::Options& options);

}  // namespace tamis::testing
