// SPDX-License-Identifier: Apache-2.0
#include "tests/peers/rocksdb_settings.h"

#include <gtest/gtest.h>
#include <rocksdb/filter_policy.h>
#include <rocksdb/slice_transform.h>

#include "sstable/codecs.h"

namespace tamis::testing {
namespace {

using BlockOptions = rocksdb::BlockBasedTableOptions;

const DbSetting kSettings[] = {
    {.name = "Plain"},
    {.name = "NoFilter", .filter = "none"},
    {.name = "Ribbon", .filter = "ribbon", .index_restarts = 16},
    {.name = "Legacy", .format_version = 2, .checksum = rocksdb::kCRC32c},
    {.name = "Version3", .format_version = 3, .checksum = rocksdb::kxxHash},
    {.name = "Version4",
     .format_version = 4,
     .checksum = rocksdb::kxxHash64,
     .index_restarts = 8},
    {.name = "NoChecksum", .checksum = rocksdb::kNoChecksum},
    {.name = "Partitioned",
     .is_partitioned = true,
     .compression = rocksdb::kSnappyCompression,
     .index = BlockOptions::kTwoLevelIndexSearch},
    {.name = "PartitionedRibbonWithPrefixes",
     .filter = "ribbon",
     .is_partitioned = true,
     .prefix = 7,
     .index = BlockOptions::kTwoLevelIndexSearch,
     .index_restarts = 4},
    {.name = "Prefixes", .prefix = 6},
    {.name = "OnlyPrefixes", .prefix = 6, .has_whole_keys = false},
    {.name = "FirstKeysInIndex",
     .index = BlockOptions::kBinarySearchWithFirstKey,
     .index_restarts = 2},
    {.name = "HashInBlocks", .has_hash_in_blocks = true},
    {.name = "Zlib", .compression = rocksdb::kZlibCompression},
    {.name = "Lz4", .compression = rocksdb::kLZ4Compression},
    {.name = "Lz4hc", .compression = rocksdb::kLZ4HCCompression},
    {.name = "Zstd", .compression = rocksdb::kZSTD},
    {.name = "ZstdWithDictionary",
     .compression = rocksdb::kZSTD,
     .dictionary_bytes = 4096},
    {.name = "Lz4WithDictionary",
     .compression = rocksdb::kLZ4Compression,
     .dictionary_bytes = 4096},
    {.name = "ZlibWithDictionary",
     .compression = rocksdb::kZlibCompression,
     .dictionary_bytes = 4096},
};

}  // namespace

std::vector<DbSetting> DbSettings() {
  return {std::begin(kSettings), std::end(kSettings)};
}

rocksdb::Options SettingOptions(const DbSetting& setting) {
  BlockOptions table;
  table.format_version = static_cast<std::uint32_t>(setting.format_version);
  table.checksum = setting.checksum;
  table.index_type = setting.index;
  table.index_block_restart_interval = setting.index_restarts;
  table.block_size = 1024;
  table.metadata_block_size = 512;
  table.partition_filters = setting.is_partitioned;
  table.whole_key_filtering = setting.has_whole_keys;
  if (setting.has_hash_in_blocks) {
    table.data_block_index_type = BlockOptions::kDataBlockBinaryAndHash;
  }
  if (setting.filter == "bloom") {
    table.filter_policy.reset(rocksdb::NewBloomFilterPolicy(10));
  } else if (setting.filter == "ribbon") {
    table.filter_policy.reset(rocksdb::NewRibbonFilterPolicy(10, -1));
  }
  rocksdb::Options options;
  options.create_if_missing = true;
  options.disable_auto_compactions = true;
  options.compression = setting.compression;
  options.compression_opts.max_dict_bytes = setting.dictionary_bytes;
  if (setting.prefix != 0) {
    options.prefix_extractor.reset(
        rocksdb::NewFixedPrefixTransform(setting.prefix));
  }
  options.table_factory.reset(rocksdb::NewBlockBasedTableFactory(table));
  return options;
}

// A build may lack codecs.
bool CanRead(rocksdb::CompressionType compression) {
  switch (compression) {
    case rocksdb::kZlibCompression:
      return HasCodec(BlockCodec::kRawDeflate);
    case rocksdb::kLZ4Compression:
    case rocksdb::kLZ4HCCompression:
      return HasCodec(BlockCodec::kLz4);
    default:
      return true;
  }
}

std::string RocksDbKey(int i) { return "user" + std::to_string(1000 + i); }

// One table on the lowest level, and two on level 0.
std::set<std::string> FillLevels(rocksdb::DB* db) {
  std::set<std::string> keys;
  const auto put = [&](int from, int to) {
    for (int i = from; i < to; ++i) {
      keys.insert(RocksDbKey(i));
      EXPECT_TRUE(
          db->Put({}, RocksDbKey(i), "a value of " + std::to_string(i * 7))
              .ok());
    }
    EXPECT_TRUE(db->Flush({}).ok());
  };
  put(0, 600);
  rocksdb::CompactRangeOptions whole;
  whole.bottommost_level_compaction =
      rocksdb::BottommostLevelCompaction::kForce;
  EXPECT_TRUE(db->CompactRange(whole, nullptr, nullptr).ok());
  put(300, 700);
  EXPECT_TRUE(db->Delete({}, RocksDbKey(5)).ok());
  put(600, 900);
  return keys;
}

std::unique_ptr<rocksdb::DB> OpenPeer(const std::string& dir,
                                      const rocksdb::Options& options) {
  rocksdb::DB* db = nullptr;
  const rocksdb::Status opened = rocksdb::DB::Open(options, dir, &db);
  EXPECT_TRUE(opened.ok()) << opened.ToString();
  return std::unique_ptr<rocksdb::DB>(db);
}

}  // namespace tamis::testing
