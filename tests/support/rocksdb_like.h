// SPDX-License-Identifier: Apache-2.0
// support/rocksdb_like.h -- the files of a directory that RocksDB might have
// written, made without RocksDB: its names, a manifest with its tags, a table
// with its end.

#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "base/coding.h"
#include "store/log_writer.h"
#include "tests/support/memory_env.h"

namespace tamis::testing {

using NamedFiles = std::map<std::string, std::string>;

inline constexpr std::uint64_t kRocksDbBlockBasedMagic = 0x88e241b785f4cff7;

// A manifest with the items every engine has, then one of that tag.
inline std::string ManifestWithTag(std::uint32_t tag) {
  std::string record;
  AppendVarint32(&record, 1);
  AppendLengthPrefixed(&record, "leveldb.BytewiseComparator");
  AppendVarint32(&record, 2);  // the log's number
  AppendVarint64(&record, 4);
  AppendVarint32(&record, 3);  // the next file's
  AppendVarint64(&record, 12);
  AppendVarint32(&record, 4);  // the last sequence
  AppendVarint64(&record, 100);
  AppendVarint32(&record, tag);
  AppendVarint32(&record, 0);
  MemoryEnv env;
  {
    LogWriter writer(*env.Create("manifest", WriteKind::kTable));
    EXPECT_TRUE(writer.Add(record).ok());
    EXPECT_TRUE(writer.Close().ok());
  }
  return env.Contents("manifest");
}

inline std::string TableWithMagic(std::uint64_t magic) {
  std::string bytes(500, 'x');
  AppendFixed64(&bytes, magic);
  return bytes;
}

// All that gives RocksDB away.
inline NamedFiles RocksDbLikeFiles() {
  return {
      {"000009.sst", TableWithMagic(kRocksDbBlockBasedMagic)},
      {"000010.log", "a log"},
      {"CURRENT", "MANIFEST-000005\n"},
      {"IDENTITY", "6a4a7c0b-1b1f-4c9a-8f59-0c6ee1c0a2f1"},
      {"LOCK", ""},
      {"LOG", "what it did\n"},
      {"LOG.old", "what it did before\n"},
      {"MANIFEST-000005", ManifestWithTag(203)},
      {"OPTIONS-000007", "[Version]\n"},
  };
}

// What was lost of such a directory.
struct LostFiles {
  std::string name;
  std::vector<std::string> files;
};

// In each of them it is still recognised.
inline std::vector<LostFiles> LossesThatDoNotHideIt() {
  return {
      {"nothing", {}},
      {"CURRENT", {"CURRENT"}},
      {"the lock", {"LOCK"}},
      {"its own names", {"IDENTITY", "OPTIONS-000007"}},
      {"its own names and the lock", {"IDENTITY", "OPTIONS-000007", "LOCK"}},
      {"its own names and CURRENT", {"IDENTITY", "OPTIONS-000007", "CURRENT"}},
      {"its own names and the tables",
       {"IDENTITY", "OPTIONS-000007", "000009.sst"}},
      {"its own names and the manifest",
       {"IDENTITY", "OPTIONS-000007", "MANIFEST-000005", "CURRENT"}},
      {"its own names and the manifest that CURRENT names",
       {"IDENTITY", "OPTIONS-000007", "MANIFEST-000005"}},
      {"all but IDENTITY",
       {"OPTIONS-000007", "MANIFEST-000005", "CURRENT", "000009.sst"}},
  };
}

}  // namespace tamis::testing
