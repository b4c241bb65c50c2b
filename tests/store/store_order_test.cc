// SPDX-License-Identifier: Apache-2.0
// Tables whose checksums are right and whose keys are not in order: whoever
// reads them is told, and no key is missed in silence.

#include <algorithm>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "store/manifest.h"
#include "table/block.h"
#include "table/footer.h"
#include "tamis/store.h"
#include "tests/store/stores.h"
#include "tests/store/table_parts.h"
#include "tests/store/versions.h"

namespace tamis::testing {
namespace {

StoreOptions OneTableOptions() {
  StoreOptions options = StillOptions();
  options.compression = Compression::kNone;
  options.restart_interval = 1;  // so that keys lie whole in the file
  options.block_bytes = 600;
  options.filter = "";
  options.leveldb_filter_bits = 0;
  return options;
}

// A store with one table of NumberKey()s, and the table's bytes.
struct OneTableStore {
  static constexpr unsigned kKeys = 200;

  OneTableStore() : store(OneTableOptions()) {
    for (unsigned i = 0; i < kKeys; ++i) store.Put(NumberKey(i), "value");
    store.Flush();
    store.Close();
    path = store.Files(".ldb").front();
    bytes = store.env().Contents(path);
  }

  // Swaps two keys of one block, and makes the checksum right again.
  void Swap(unsigned a, unsigned b) {
    const std::size_t at = bytes.find(NumberKey(a));
    const std::size_t to = bytes.find(NumberKey(b));
    ASSERT_NE(at, std::string::npos);
    ASSERT_NE(to, std::string::npos);
    bytes.replace(at, 8, NumberKey(b));
    bytes.replace(to, 8, NumberKey(a));
    ResealBlockWith(at);
  }
  void ResealBlockWith(std::size_t at) {
    for (const BlockHandle& block : DataBlocks()) {
      if (block.offset <= at && at < block.offset + block.size) {
        Reseal(&bytes, block);
      }
    }
  }
  std::vector<BlockHandle> DataBlocks() {
    std::vector<BlockHandle> blocks;
    const PartPlaces parts = PartsOf(&store.env(), path);
    Slice rest =
        Slice(bytes).substr(parts.footer.index.offset, parts.footer.index.size);
    const std::uint32_t count = LoadLittle32(rest.data() + rest.size() - 4);
    rest = rest.substr(0, rest.size() - 4 - 4 * std::size_t{count});
    while (!rest.empty()) {
      EntryHead head;
      const char* key =
          DecodeEntry(rest.data(), rest.data() + rest.size(), &head);
      Slice value(key + head.unshared, head.value_bytes);
      rest.remove_prefix(
          static_cast<std::size_t>(value.data() + value.size() - rest.data()));
      BlockHandle handle;
      EXPECT_TRUE(ReadHandle(&value, &handle));
      blocks.push_back(handle);
    }
    return blocks;
  }
  void Reopen() {
    store.env().SetContents(path, bytes);
    store.Open();
  }

  TestStore store;
  std::string path;
  std::string bytes;
};

// Every key is answered with its value or with Corruption that names the file.
void ExpectNoKeyIsMissed(OneTableStore* damaged) {
  int refused = 0;
  for (unsigned i = 0; i < OneTableStore::kKeys; ++i) {
    const std::string got = damaged->store.Get(NumberKey(i));
    if (got == "value") continue;
    EXPECT_EQ(got.find("corruption: " + damaged->path), 0u) << got;
    ++refused;
  }
  EXPECT_GT(refused, 0);
  EXPECT_LT(refused, 40) << "other blocks are whole";
}

std::string StatusOfScan(TestStore* store) {
  const auto it = store->operator->()->NewIterator();
  std::string last;
  for (it->SeekToFirst(); it->Valid(); it->Next()) {
    EXPECT_LT(last, it->key());
    last = it->key();
  }
  return it->status().ToString();
}
std::string StatusOfScanBackward(TestStore* store) {
  const auto it = store->operator->()->NewIterator();
  std::string last = "~";
  for (it->SeekToLast(); it->Valid(); it->Prev()) {
    EXPECT_GT(last, it->key());
    last = it->key();
  }
  return it->status().ToString();
}

TEST(UnsortedTable, IsNoticedByLookups) {
  OneTableStore damaged;
  damaged.Swap(103, 107);
  damaged.Reopen();
  ExpectNoKeyIsMissed(&damaged);
}

TEST(UnsortedTable, IsNoticedByScansAndSeeks) {
  OneTableStore damaged;
  damaged.Swap(103, 107);
  damaged.Reopen();
  const std::string wanted = "corruption: " + damaged.path;
  EXPECT_EQ(StatusOfScan(&damaged.store).find(wanted), 0u);
  damaged.store.Reopen();
  EXPECT_EQ(StatusOfScanBackward(&damaged.store).find(wanted), 0u);
  damaged.store.Reopen();
  const auto it = damaged.store->NewIterator();
  it->Seek(NumberKey(105));
  EXPECT_FALSE(it->Valid());
  EXPECT_EQ(it->status().code(), StatusCode::kCorruption);
  it->Seek(NumberKey(2));
  EXPECT_TRUE(it->Valid()) << "another block";
}

// A walk that turns round stands in a block that was not searched.
TEST(UnsortedTable, IsNoticedByAWalkThatTurnsRound) {
  OneTableStore damaged;
  damaged.Swap(103, 107);
  damaged.Reopen();
  const auto it = damaged.store->NewIterator();
  it->SeekToFirst();
  while (it->Valid() && it->key() != NumberKey(102)) it->Next();
  if (it->Valid()) it->Prev();
  EXPECT_TRUE(!it->Valid() || it->key() == NumberKey(101));
}

TEST(UnsortedTable, FailsACompactionThatNamesIt) {
  OneTableStore damaged;
  damaged.Swap(103, 107);
  damaged.Reopen();
  damaged.store.Put(NumberKey(5), "newer");
  const Status compacted = damaged.store->Compact();
  EXPECT_EQ(compacted.code(), StatusCode::kCorruption);
  EXPECT_NE(compacted.message().find(damaged.path), std::string::npos)
      << compacted.ToString();
  EXPECT_EQ(damaged.store.Get(NumberKey(5)), "newer");
  EXPECT_EQ(damaged.store.Get(NumberKey(1)), "value");
}

// The last key of a block becomes one that the index looks for elsewhere.
TEST(UnsortedTable, HasNoKeysOutsideTheIndex) {
  OneTableStore damaged;
  const std::vector<BlockHandle> blocks = damaged.DataBlocks();
  ASSERT_GT(blocks.size(), 3u);
  const std::size_t end = blocks[1].offset + blocks[1].size;
  const std::size_t at = damaged.bytes.rfind("000000", end);
  const unsigned last =
      static_cast<unsigned>(std::stoul(damaged.bytes.substr(at, 8)));
  damaged.bytes.replace(at, 8, NumberKey(last + 50));
  damaged.ResealBlockWith(at);
  damaged.Reopen();
  ExpectNoKeyIsMissed(&damaged);
  damaged.store.Reopen();
  EXPECT_EQ(StatusOfScan(&damaged.store).find("corruption"), 0u);
}

TEST(UnsortedTable, HasNoRestartsElsewhere) {
  OneTableStore damaged;
  const BlockHandle block = damaged.DataBlocks()[1];
  const std::size_t end = block.offset + block.size;
  char* const restarts = damaged.bytes.data() + end - 12;
  std::swap_ranges(restarts, restarts + 4, restarts + 4);
  damaged.ResealBlockWith(block.offset);
  damaged.Reopen();
  ExpectNoKeyIsMissed(&damaged);
}

// What the manifest says of a table's first and last key is less than it has.
TEST(UnsortedTable, HasNoKeysBeyondTheManifest) {
  OneTableStore damaged;
  Result<ManifestState> state =
      ReadManifest(damaged.store.env(), TestStore::dir());
  ASSERT_TRUE(state.ok());
  FileMetadata& metadata = state->files[0].front();
  metadata.smallest = InternalKey(NumberKey(3), 4);
  metadata.largest =
      InternalKey(NumberKey(OneTableStore::kKeys - 5), OneTableStore::kKeys);
  Manifest manifest(damaged.store.env(), TestStore::dir());
  ASSERT_TRUE(manifest.Start(state->number + 10, FullEdit(*state)).ok());
  damaged.Reopen();
  EXPECT_EQ(StatusOfScan(&damaged.store).find("corruption"), 0u);
  EXPECT_EQ(StatusOfScanBackward(&damaged.store).find("corruption"), 0u);
  EXPECT_EQ(damaged.store->Compact().code(), StatusCode::kCorruption);
  EXPECT_EQ(damaged.store.Get(NumberKey(4)).find("corruption"), 0u);
  EXPECT_EQ(damaged.store.Get(NumberKey(90)), "value");
}

TEST(UnsortedTable, HasNoBlocksThatOverlap) {
  OneTableStore damaged;
  const PartPlaces parts = PartsOf(&damaged.store.env(), damaged.path);
  const std::vector<BlockHandle> blocks = damaged.DataBlocks();
  // The second block begins with the last byte of the first one's trailer.
  std::string wanted;
  AppendHandle(&wanted, blocks[1]);
  const std::size_t at = damaged.bytes.find(wanted, parts.footer.index.offset);
  std::string other;
  AppendHandle(&other, {blocks[1].offset - 1, blocks[1].size});
  ASSERT_EQ(other.size(), wanted.size());
  damaged.bytes.replace(at, wanted.size(), other);
  Reseal(&damaged.bytes, parts.footer.index);
  damaged.Reopen();
  const std::string got = damaged.store.Get(NumberKey(1));
  EXPECT_EQ(got.find("corruption: " + damaged.path), 0u) << got;
}

}  // namespace
}  // namespace tamis::testing
