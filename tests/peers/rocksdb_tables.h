// SPDX-License-Identifier: Apache-2.0
// peers/rocksdb_tables.h -- tables that the real RocksDB writes, checks and
// looks keys up in.

#pragma once

#include <cstdint>
#include <memory>
#include <ostream>
#include <set>
#include <span>
#include <string>
#include <vector>

#include "tests/peers/rocksdb_entries.h"
#include "tests/peers/rocksdb_sst.h"

namespace rocksdb {
class Env;
}  // namespace rocksdb

namespace tamis::testing {

// How RocksDB writes a table.
struct TableSpec {
  // As MakePolicy() spells it.  REQUIRES: "rocksdb" with a format_version of
  // 5, "rocksdb-legacy" with one below, "rocksdb-ribbon" with any
  std::string policy = "rocksdb:10";
  int format_version = 5;
  bool is_partitioned = false;
  EntriesRule rule = {};
  SstChecksum checksum = SstChecksum::kCrc32c;
  bool is_compressed = false;  // with Snappy
  // From 2 on, the handles of an index are coded as differences.
  int index_restart_interval = 1;

  std::string ToString() const;
};

// For GoogleTest.
inline void PrintTo(const TableSpec& spec, std::ostream* out) {
  *out << spec.ToString();
}

// The content of the table that SstFileWriter makes of `keys`.  A failure
// fails the running test.  REQUIRES: the keys are in order, each once
std::string WriteSst(const TableSpec& spec, std::span<const std::string> keys);

// Ok if RocksDB opens the table and finds all its checksums right.
Status CheckedByRocksDb(const TableSpec& spec, const std::string& sst);

// What came of looking keys up in a database, each once.
struct LookupReport {
  Status status;                // the first thing that went wrong
  std::set<std::string> found;  // the keys that have a value
  // How often a filter ruled a key out, let it through, and rightly so.
  std::uint64_t ruled_out = 0;
  std::uint64_t let_through = 0;
  std::uint64_t rightly_let_through = 0;
};

// A database in memory that has one table.
class PeerDb {
 public:
  // Writes `versions` versions of every key, and then a deletion of every
  // 7th, into one table that keeps all of them.  A failure fails the running
  // test.
  PeerDb(const TableSpec& spec, std::span<const std::string> keys,
         int versions);
  ~PeerDb();
  PeerDb(const PeerDb&) = delete;
  PeerDb& operator=(const PeerDb&) = delete;

  // The table's content; ReplaceTable() puts another in its place.
  std::string table() const;
  void ReplaceTable(const std::string& sst);

  // Opens the database and looks `keys` up, checksums verified.
  LookupReport LookUp(std::span<const std::string> keys) const;

 private:
  const TableSpec spec_;
  const std::unique_ptr<rocksdb::Env> files_;
  std::string table_path_;
};

}  // namespace tamis::testing
