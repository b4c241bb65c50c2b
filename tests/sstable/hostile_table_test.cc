// SPDX-License-Identifier: Apache-2.0
// Tables that nobody wrote by accident: what they state often or at length
// takes no more memory and time than the file allows, and hides nothing.

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "base/coding.h"
#include "sstable/key_batch.h"
#include "sstable/rocksdb/footer.h"
#include "sstable/rocksdb/table_keys.h"
#include "table/block_builder.h"
#include "table/block_file.h"
#include "table/footer.h"
#include "table/table_meta.h"
#include "tamis/filter.h"
#include "tamis/sstable.h"
#include "tests/base/temp_dir.h"
#include "tests/support/tables.h"
#include "tests/support/walked_keys.h"

namespace tamis::testing {
namespace {

// Appends the block and its trailer.
BlockHandle AppendBlock(std::string block, std::string* file) {
  const BlockHandle handle{file->size(), block.size()};
  AppendBlockTrailer(&block, Compression::kNone);
  file->append(block);
  return handle;
}

std::string HandleText(const BlockHandle& handle) {
  std::string text;
  AppendHandle(&text, handle);
  return text;
}

// The largest batch of keys of a walk.
class BatchMeasure final : public SstableVisitor {
 public:
  bool OnKeys(const StoredKeys& stored) override {
    std::size_t bytes = 0;
    for (const Slice key : stored.keys) bytes += key.size();
    if (stored.keys.size() > 1) most = std::max(most, bytes);
    for (const bool admitted : stored.admitted) hidden += admitted ? 0 : 1;
    keys += stored.keys.size();
    return true;
  }
  void OnProblem(const std::string& problem) override {
    problems.push_back(problem);
  }

  std::size_t most = 0;  // bytes of several keys
  std::size_t keys = 0;
  std::size_t hidden = 0;
  std::vector<std::string> problems;
};

Entry EntryOf(const std::string& key) {
  Entry entry;
  entry.user_key = key;
  return entry;
}

Entries KeysWithPrefix(const std::string& prefix, int count) {
  Entries entries;
  for (int i = 0; i < count; ++i) {
    entries.push_back(EntryOf(prefix + std::to_string(100000 + i)));
  }
  return entries;
}

// A walk that needs all keys of a block at once does not pass full ones on.
TEST(KeyBatchTest, KeepsEveryKeyAlsoIfItIsFull) {
  KeyBatch batch;
  for (int round = 0; round < 2; ++round) {
    std::vector<std::string> added;
    batch.Clear();
    bool was_full = false;
    for (std::size_t i = 0; i < 3000; ++i) {
      const std::string key = std::to_string(i) + std::string(i % 90, 'k');
      was_full = was_full || batch.IsFullFor(key);
      batch.Add(key);
      added.push_back(key);
    }
    EXPECT_TRUE(was_full);
    const auto keys = batch.Keys();
    EXPECT_EQ(std::vector<std::string>(keys.begin(), keys.end()), added);
    const auto answers = batch.Answers();
    EXPECT_EQ(answers.size(), added.size());
    EXPECT_EQ(std::count(answers.begin(), answers.end(), true), 3000);
  }
}

class HostileTable : public ::testing::Test {
 protected:
  FoundSstable Write(std::string_view engine, const std::string& bytes) {
    const std::string name = engine == "leveldb" ? "000005.ldb" : "000005.sst";
    dir_.Write(name, bytes);
    return {.path = dir_.File(name), .engine = engine, .bytes = bytes.size()};
  }

  TempDir dir_{TempDir::InMemory()};
};

// A block of less than 40 KB has 20 MB of keys.
TEST_F(HostileTable, ABlockIsGivenInBatchesThatFitIntoMemory) {
  TableWriteOptions options;
  options.restart_interval = 1 << 20;
  options.leveldb_filter_bits = 10;
  options.block_bytes = 1 << 20;
  for (const std::size_t prefix : {20'000u, 5'000u, 20u}) {
    const Entries entries = KeysWithPrefix(std::string(prefix, 'p'), 1000);
    const FoundSstable found = Write("leveldb", BuildTable(options, entries));
    const auto sstable = OpenSstable(found);
    ASSERT_TRUE(sstable.ok());
    BatchMeasure measure;
    const auto walk = (*sstable)->Walk(measure);
    ASSERT_TRUE(walk.ok()) << walk.status().ToString();
    EXPECT_EQ(walk->blocks, 1u);
    EXPECT_EQ(walk->keys, 1000u);
    EXPECT_EQ(measure.keys, 1000u);
    EXPECT_EQ(measure.hidden, 0u);
    EXPECT_EQ(measure.problems, std::vector<std::string>());
    EXPECT_LE(measure.most, std::size_t{64} << 10);
    EXPECT_EQ(WalkAll(**sstable).keys.back(), entries.back().user_key);
  }
}

// The first one is what readers use; the second, of 16 bytes, is not a filter.
TEST_F(HostileTable, AFilterThatIsNamedTwiceIsReadOnce) {
  const auto policy = MakePolicy("bloom:10");
  ASSERT_TRUE(policy.ok());
  for (const bool is_own : {false, true}) {
    TableWriteOptions options;
    if (is_own) {
      options.filter = (*policy).get();
    } else {
      options.leveldb_filter_bits = 10;
    }
    const Entries entries = KeysWithPrefix("user", 1000);
    std::string table = BuildTable(options, entries);
    const StringSource source(table);
    Footer footer = *ReadFooter(source);
    std::vector<MetaEntry> names;
    ASSERT_TRUE(ReadMetaindex(source, footer, &names).ok());
    ASSERT_FALSE(names.empty());
    const BlockHandle other = AppendBlock(std::string(16, '\0'), &table);
    BlockBuilder metaindex(1);
    metaindex.Add(names[0].name, HandleText(names[0].handle), 0);
    metaindex.Add(names[0].name, HandleText(other), 0);
    footer.metaindex = AppendBlock(metaindex.Finish(), &table);
    AppendFooter(&table, footer);

    const auto sstable = OpenSstable(Write("leveldb", table));
    ASSERT_TRUE(sstable.ok());
    EXPECT_EQ((*sstable)->info().verdict, FilterVerdict::kDamaged);
    EXPECT_EQ(WalkAll(**sstable).hidden, std::vector<std::string>());
    int passed = 0;
    for (int i = 0; i < 1000; ++i) {
      const std::string absent = "user" + std::to_string(100000 + i) + "x";
      passed += (*sstable)->MayContain(absent) ? 1 : 0;
    }
    EXPECT_LT(passed, 100);
  }
}

// A table of RocksDB without checksums, of the blocks that it is given.
class RocksDbFile {
 public:
  BlockHandle Add(const std::string& block) {
    return AppendBlock(block, &all_);
  }
  void Name(const std::string& name, const BlockHandle& handle) {
    metaindex_.Add(name, HandleText(handle), 0);
  }
  void NameBlock(const std::string& block) { metaindex_at_ = Add(block); }

  std::string Finish(const BlockHandle& index) {
    if (metaindex_at_.size == 0) NameBlock(metaindex_.Finish());
    std::string footer(1, '\0');  // no checksums
    footer += HandleText(metaindex_at_) + HandleText(index);
    footer.resize(kRocksDbFooterBytes - 12);
    AppendFixed32(&footer, 5);  // the format version
    AppendFixed64(&footer, kRocksDbTableMagic);
    return all_ + footer;
  }

 private:
  std::string all_;
  BlockHandle metaindex_at_;
  BlockBuilder metaindex_{1};
};

// Entries that share all of a long key but its last six bytes.
std::string BlockOfLongNames(std::size_t shared, int count,
                             const std::string& value) {
  BlockBuilder block(1 << 20);
  const std::string prefix(shared, 'n');
  for (int i = 0; i < count; ++i) {
    block.Add(prefix + std::to_string(100000 + i), value, i == 0 ? 0 : shared);
  }
  return block.Finish();
}

bool AnyContains(const std::vector<std::string>& texts, const char* what) {
  return std::any_of(texts.begin(), texts.end(), [&](const auto& text) {
    return text.find(what) != std::string::npos;
  });
}

// 40 KB of names would be 40 MB, and of a block of MiBs terabytes.
TEST_F(HostileTable, NamesThatShareLongPrefixesAreRefused) {
  const std::string names =
      BlockOfLongNames(20'000, 2000, HandleText({.offset = 0, .size = 1}));
  RocksDbFile in_metaindex;
  in_metaindex.NameBlock(names);
  RocksDbFile in_properties;
  in_properties.Name("rocksdb.properties", in_properties.Add(names));
  const auto first = OpenSstable(Write("rocksdb", in_metaindex.Finish({})));
  ASSERT_TRUE(first.ok());
  EXPECT_TRUE(
      AnyContains((*first)->info().remarks, "the metaindex is damaged"));
  const auto second = OpenSstable(Write("rocksdb", in_properties.Finish({})));
  ASSERT_TRUE(second.ok());
  EXPECT_TRUE(
      AnyContains((*second)->info().remarks, "the properties are damaged"));
}

TEST_F(HostileTable, PartitionsThatNameTheSameBytesAreRefused) {
  RocksDbFile file;
  const BlockHandle part = file.Add(std::string(100'000, '\1'));
  BlockBuilder top(1);
  for (int i = 0; i < 1000; ++i) {
    top.Add(EntryOf(std::to_string(1000 + i)).internal(), HandleText(part), 0);
  }
  file.Name("partitionedfilter.rocksdb.BuiltinBloomFilter",
            file.Add(top.Finish()));
  file.Name("rocksdb.properties", file.Add(BlockBuilder(1).Finish()));
  const auto sstable = OpenSstable(Write("rocksdb", file.Finish({})));
  ASSERT_TRUE(sstable.ok());
  const SstableInfo& info = (*sstable)->info();
  EXPECT_EQ(info.verdict, FilterVerdict::kDamaged);
  EXPECT_LT(info.filter.parts, 5u);
  EXPECT_TRUE((*sstable)->MayContain("1500"));
}

TEST_F(HostileTable, AnIndexThatNamesAPartitionTwiceIsFollowedOnce) {
  RocksDbFile file;
  BlockBuilder builder(1);
  const std::string key = EntryOf("k").internal();
  builder.Add(key, "v", 0);
  const BlockHandle data = file.Add(builder.Finish());
  builder.Add(key, HandleText(data), 0);
  const BlockHandle partition = file.Add(builder.Finish());
  for (int i = 0; i < 3; ++i) builder.Add(key, HandleText(partition), 0);
  const BlockHandle top = file.Add(builder.Finish());
  builder.Add("rocksdb.block.based.table.index.type", {"\2\0\0\0", 4}, 0);
  file.Name("rocksdb.properties", file.Add(builder.Finish()));
  const WalkedKeys walked = WalkAll(Write("rocksdb", file.Finish(top)));
  EXPECT_EQ(walked.keys, std::vector<std::string>{"k"});
  EXPECT_EQ(walked.walk.blocks, 3u);
  EXPECT_EQ(walked.problems.size(), 2u);
  EXPECT_TRUE(AnyContains(walked.problems, "leads back"));
}

// A new filter needs all keys of a block at once: 50 KB of block would be 170
// MB of keys.
TEST_F(HostileTable, ABlockOfTooLongKeysGetsNoNewFilter) {
  for (const int count : {500, 4000}) {
    RocksDbFile file;
    BlockBuilder block(1 << 20);
    const std::string prefix(40'000, 'k');
    std::string last;
    for (int i = 0; i < count; ++i) {
      last = EntryOf(prefix + std::to_string(100000 + i)).internal();
      block.Add(last, "", i == 0 ? 0 : prefix.size());
    }
    const BlockHandle data = file.Add(block.Finish());
    BlockBuilder index(1);
    index.Add(last, HandleText(data), 0);
    const BlockHandle top = file.Add(index.Finish());
    file.Name("rocksdb.properties", file.Add(BlockBuilder(1).Finish()));
    const StringSource source(file.Finish(top));
    const auto table = RocksDbTable::Open(source);
    ASSERT_TRUE(table.ok()) << table.status().ToString();
    RocksDbTableKeys keys;
    const Status walked = WalkTableKeys(
        *table, source, [](auto, auto) { return Status::Ok(); }, &keys);
    // The properties tell no number of entries, which is noticed at the end.
    EXPECT_EQ(walked.code(), StatusCode::kCorruption);
    EXPECT_EQ(walked.message().find("too long for it") != std::string::npos,
              count == 4000)
        << walked.message();
  }
}

}  // namespace
}  // namespace tamis::testing
