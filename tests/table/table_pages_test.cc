// SPDX-License-Identifier: Apache-2.0
// Data blocks are laid in pages, with zeros between them where that takes few;
// whoever reads the table, with an index or without, finds all of it.

#include <algorithm>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "hash/splitmix64.h"
#include "table/block_file.h"
#include "table/block_scan.h"
#include "table/page_layout.h"
#include "table/table_index.h"
#include "tests/support/tables.h"

namespace tamis::testing {
namespace {

Entries EntriesOf(unsigned count, std::size_t value_bytes) {
  Entries entries;
  for (unsigned i = 0; i < count; ++i) {
    entries.push_back({"user" + std::to_string(100'000'000 + i), i + 1,
                       ValueType::kValue, std::string(value_bytes, 'v')});
  }
  return entries;
}

std::vector<BlockHandle> HandlesOf(const std::string& table) {
  const StringSource file(table);
  const Result<Footer> footer = ReadFooter(file);
  EXPECT_TRUE(footer.ok());
  BlockBuffer buffer;
  Slice contents;
  EXPECT_TRUE(ReadBlock(file, footer->index, &buffer, &contents).ok());
  TableIndex index;
  EXPECT_TRUE(index.Load(KeyOrder(), contents, table.size()).ok());
  std::vector<BlockHandle> handles;
  for (std::size_t i = 0; i < index.size(); ++i) {
    handles.push_back(index.block(i));
  }
  return handles;
}

std::uint64_t PagesOf(const BlockHandle& handle) {
  const std::uint64_t last = handle.offset + handle.size + kBlockTrailerBytes;
  return (last - 1) / kPageBytes - handle.offset / kPageBytes + 1;
}

TEST(TablePages, ABlockOfSmallEntriesIsInAsFewPagesAsItCanBe) {
  for (const std::size_t block_bytes : {1024u, 4096u, 16'384u}) {
    TableWriteOptions options;
    options.in_pages = true;
    options.block_bytes = block_bytes;
    const std::string table = BuildTable(options, EntriesOf(5000, 100));
    for (const BlockHandle& handle : HandlesOf(table)) {
      ASSERT_LE(PagesOf(handle), (block_bytes + kPageBytes - 1) / kPageBytes);
    }
  }
}

// Values of which a part can be compressed away.
Entries CompressibleEntries(unsigned count, std::size_t value_bytes,
                            double share) {
  Entries entries = EntriesOf(count, value_bytes);
  const auto random =
      static_cast<std::size_t>(static_cast<double>(value_bytes) * share);
  std::uint64_t state = 1;
  for (Entry& entry : entries) {
    for (std::size_t i = 0; i < random; ++i) {
      state = SplitMix64(state);
      entry.value[i] = static_cast<char>(state);
    }
  }
  return entries;
}

double ShareInFewestPages(const std::string& table) {
  std::size_t in_fewest = 0;
  const std::vector<BlockHandle> handles = HandlesOf(table);
  for (const BlockHandle& handle : handles) {
    const std::uint64_t bytes = handle.size + kBlockTrailerBytes;
    if (PagesOf(handle) == (bytes + kPageBytes - 1) / kPageBytes) ++in_fewest;
  }
  return static_cast<double>(in_fewest) / static_cast<double>(handles.size());
}

TEST(TablePages, CompressedBlocksAreLaidInPagesForLittleSpace) {
  for (const double share : {0.1, 0.3, 0.5, 0.7, 0.9, 1.0}) {
    for (const std::size_t block_bytes : {4096u, 16'384u}) {
      TableWriteOptions options;
      options.compression = Compression::kSnappy;
      options.block_bytes = block_bytes;
      const Entries entries = CompressibleEntries(20'000, 100, share);
      const std::size_t without = BuildTable(options, entries).size();
      options.in_pages = true;
      const std::string table = BuildTable(options, entries);
      EXPECT_GT(ShareInFewestPages(table), 0.9) << share << " " << block_bytes;
      EXPECT_LT(table.size(), without * 105 / 100)
          << share << " " << block_bytes;
    }
  }
}

TEST(TablePages, EveryEntryOfCompressedBlocksIsFound) {
  TableWriteOptions options;
  options.in_pages = true;
  options.compression = Compression::kSnappy;
  options.leveldb_filter_bits = 10;
  const Entries entries = CompressibleEntries(3000, 100, 0.5);
  const std::string bytes = BuildTable(options, entries);
  const auto table = OpenTable(bytes);
  const auto filter = table->ReadFilter();
  for (const Entry& entry : entries) {
    ASSERT_EQ(Lookup(*table, entry.user_key, kMaxSequence, filter.get()),
              "value " + entry.value);
  }
  ExpectTableHolds(*table, KeyOrder(), entries);
}

TEST(TablePages, ABlockEndsWithItsPartOfAPage) {
  // At the start of a page: as near to the usual size as parts of it are.
  EXPECT_EQ(SpaceForBlock(8192, 4096), 4096u);
  EXPECT_EQ(SpaceForBlock(8192, 3300), 4096u);
  EXPECT_EQ(SpaceForBlock(8192, 2400), 2048u);
  EXPECT_EQ(SpaceForBlock(8192, 1900), 2048u);
  EXPECT_EQ(SpaceForBlock(8192, 1400), 1365u);
  EXPECT_EQ(SpaceForBlock(8192, 9600), 8192u);
  EXPECT_EQ(SpaceForBlock(8192, 16'384), 16'384u);
  // Within one: up to where its part ends, or the next one.
  EXPECT_EQ(SpaceForBlock(8192 + 2000, 2400), 2096u);
  EXPECT_EQ(SpaceForBlock(8192 + 2100, 2400), 1996u);
  EXPECT_EQ(SpaceForBlock(8192 + 40, 9600), 8152u);
  for (std::uint64_t usual = 1; usual < 20'000; ++usual) {
    for (const std::uint64_t within : {0u, 1u, 2000u, 2048u, 4000u, 4095u}) {
      const std::uint64_t space = SpaceForBlock(within, usual);
      ASSERT_GT(space, 0u);
      ASSERT_LE(space, std::max<std::uint64_t>(kPageBytes, usual * 4 / 3));
      ASSERT_TRUE(within + space <= kPageBytes ||
                  (within + space) % kPageBytes == 0)
          << usual << " " << within;
    }
  }
}

TEST(TablePages, TakeLittleMoreRoomThanBlocksWithoutThem) {
  for (const std::size_t value_bytes : {10u, 100u, 200u, 1000u, 5000u}) {
    TableWriteOptions options;
    const Entries entries = EntriesOf(2000, value_bytes);
    const std::size_t without = BuildTable(options, entries).size();
    options.in_pages = true;
    EXPECT_LT(BuildTable(options, entries).size(), without * 104 / 100)
        << value_bytes;
  }
}

TEST(TablePages, EveryEntryIsFoundThroughAnyFilter) {
  for (const std::size_t value_bytes : {30u, 100u, 250u, 900u}) {
    TableWriteOptions options;
    options.in_pages = true;
    options.leveldb_filter_bits = 10;
    const Entries entries = EntriesOf(3000, value_bytes);
    const std::string bytes = BuildTable(options, entries);
    const auto table = OpenTable(bytes);
    const auto filter = table->ReadFilter();
    ASSERT_EQ(filter->kind(), TableFilter::Kind::kLevelDbBlock);
    for (const Entry& entry : entries) {
      ASSERT_EQ(Lookup(*table, entry.user_key, kMaxSequence, filter.get()),
                "value " + entry.value)
          << value_bytes;
    }
    ExpectTableHolds(*table, KeyOrder(), entries);
  }
}

TEST(TablePages, ZerosBetweenBlocksAreNoDamage) {
  // Blocks of 4068 bytes each end their pages, the last one as well.
  for (const std::size_t value_bytes : {30u, 77u, 100u, 250u, 4068u}) {
    TableWriteOptions options;
    options.in_pages = true;
    const std::string bytes = BuildTable(options, EntriesOf(4000, value_bytes));
    const std::vector<BlockHandle> handles = HandlesOf(bytes);
    const StringSource file(bytes, false);
    BlockScanOptions as_it_comes;
    as_it_comes.is_block = [](Slice) { return true; };
    BlockScan scan(file, as_it_comes);
    ScannedBlock block;
    for (const BlockHandle& handle : handles) {
      ASSERT_TRUE(scan.Next(&block));
      ASSERT_EQ(block.handle.offset, handle.offset) << value_bytes;
      ASSERT_EQ(block.handle.size, handle.size);
      ASSERT_FALSE(block.is_behind_damage);
    }
    EXPECT_TRUE(scan.gaps().empty());
    // No zeros follow the last data block: what remains is the footer.
    while (scan.Next(&block)) continue;
    ASSERT_EQ(scan.gaps().size(), 1u);
    EXPECT_EQ(scan.gaps().front().first, bytes.size() - kFooterBytes);
  }
}

}  // namespace
}  // namespace tamis::testing
