// SPDX-License-Identifier: Apache-2.0
// SalvageTable(): every entry of every block that is still there, and nothing
// else.

#include "table/table_salvage.h"

#include <algorithm>
#include <cstdint>
#include <random>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "table/block.h"
#include "table/block_cursor.h"
#include "table/block_file.h"
#include "table/table_index.h"
#include "tests/support/tables.h"

namespace tamis::testing {
namespace {

using Pairs = std::vector<std::pair<std::string, std::string>>;

struct PlacedBlock {
  BlockHandle handle;
  Pairs entries;
};

// The data blocks of a whole table, and where its index lies.
std::vector<PlacedBlock> BlocksOf(const std::string& table,
                                  BlockHandle* index_place = nullptr) {
  const StringSource file(table);
  const Result<Footer> footer = ReadFooter(file);
  EXPECT_TRUE(footer.ok());
  if (index_place != nullptr) *index_place = footer->index;
  BlockBuffer buffer;
  Slice contents;
  EXPECT_TRUE(ReadBlock(file, footer->index, &buffer, &contents).ok());
  TableIndex index;
  EXPECT_TRUE(index.Load(KeyOrder(), contents, table.size()).ok());
  std::vector<PlacedBlock> blocks;
  for (std::size_t i = 0; i < index.size(); ++i) {
    PlacedBlock placed{index.block(i), {}};
    BlockBuffer data;
    EXPECT_TRUE(ReadBlock(file, placed.handle, &data, &contents).ok());
    Block block;
    EXPECT_TRUE(Block::Parse(contents, &block));
    BlockCursor cursor;
    cursor.Reset(block);
    for (cursor.SeekToFirst(); cursor.valid(); cursor.Next()) {
      placed.entries.emplace_back(cursor.key(), cursor.value());
    }
    blocks.push_back(std::move(placed));
  }
  return blocks;
}

// Those of the blocks whose bytes are as they were.
Pairs EntriesLeft(const std::string& whole, const std::string& damaged) {
  Pairs left;
  for (PlacedBlock& block : BlocksOf(whole)) {
    const auto begin = static_cast<std::size_t>(block.handle.offset);
    const auto size =
        static_cast<std::size_t>(block.handle.size) + kBlockTrailerBytes;
    if (begin + size > damaged.size() ||
        damaged.compare(begin, size, whole, begin, size) != 0) {
      continue;
    }
    for (auto& entry : block.entries) left.push_back(std::move(entry));
  }
  return left;
}

Pairs Saved(const ReadableFile& file, SalvageReport* report = nullptr,
            const SalvageBounds& bounds = {}) {
  Pairs saved;
  const Result<SalvageReport> salvaged =
      SalvageTable({}, file, bounds, [&](Slice key, Slice value) {
        saved.emplace_back(key, value);
        return Status::Ok();
      });
  EXPECT_TRUE(salvaged.ok());
  if (report != nullptr && salvaged.ok()) *report = *salvaged;
  return saved;
}

Entries ManyEntries(unsigned count) {
  std::mt19937_64 random(5);
  Entries entries;
  for (unsigned i = 0; i < count; ++i) {
    std::string value = "value " + std::to_string(random());
    if (i % 50 == 0) value += std::string(3000, static_cast<char>(random()));
    entries.push_back({"key" + std::to_string(100'000 + i), i + 1,
                       i % 9 == 0 ? ValueType::kDeletion : ValueType::kValue,
                       i % 9 == 0 ? "" : value});
  }
  return entries;
}

class TableSalvage : public ::testing::TestWithParam<Compression> {
 protected:
  TableSalvage() : policy_(*MakePolicy("bloom:10")) {
    TableWriteOptions options;
    options.block_bytes = 700;
    options.compression = GetParam();
    options.filter = policy_.get();
    options.leveldb_filter_bits = 10;
    whole_ = BuildTable(options, ManyEntries(1500));
  }

  void ExpectSavesTheRest(const std::string& damaged) {
    SalvageReport report;
    const Pairs saved = Saved(StringSource(damaged, false), &report);
    const Pairs expected = EntriesLeft(whole_, damaged);
    ASSERT_EQ(saved.size(), expected.size());
    ASSERT_TRUE(saved == expected);
    EXPECT_EQ(report.entries, saved.size());
    if (saved.empty()) return;
    EXPECT_EQ(report.smallest, saved.front().first);
    EXPECT_EQ(report.largest, saved.back().first);
  }
  // As if these bytes had never been written.
  static void Zero(std::string* bytes, std::size_t from, std::size_t count) {
    std::fill_n(bytes->begin() + static_cast<std::ptrdiff_t>(from),
                std::min(count, bytes->size() - from), '\0');
  }
  void BreakFooter(std::string* bytes) const {
    bytes->back() = static_cast<char>(bytes->back() ^ 1);
  }

  std::unique_ptr<const FilterPolicy> policy_;
  std::string whole_;
};

TEST_P(TableSalvage, TakesAllOfAWholeTable) {
  ExpectSavesTheRest(whole_);
  EXPECT_EQ(Saved(StringSource(whole_)).size(), 1500u);
}

TEST_P(TableSalvage, OfATableCutOffAnywhereTakesTheWholeBlocks) {
  for (std::size_t cut = 0; cut < whole_.size();
       cut += whole_.size() / 40 + 1) {
    SCOPED_TRACE(cut);
    ExpectSavesTheRest(whole_.substr(0, cut));
    if (HasFailure()) return;
  }
  for (std::size_t less = 1; less < 60; less += 7) {
    ExpectSavesTheRest(whole_.substr(0, whole_.size() - less));
  }
}

TEST_P(TableSalvage, TakesWhatLiesBetweenTwoDamagedBlocks) {
  const std::vector<PlacedBlock> blocks = BlocksOf(whole_);
  for (const bool has_footer : {true, false}) {
    std::string damaged = whole_;
    for (const std::size_t i : {blocks.size() / 4, blocks.size() / 2}) {
      damaged[blocks[i].handle.offset + 3] ^= 4;
    }
    if (!has_footer) BreakFooter(&damaged);
    ExpectSavesTheRest(damaged);
    EXPECT_LT(EntriesLeft(whole_, damaged).size(), 1500u);
  }
}

TEST_P(TableSalvage, GoesOnBehindLostPagesWithoutAnIndex) {
  std::mt19937_64 random(11);
  for (int i = 0; i < 12; ++i) {
    std::string damaged = whole_;
    BreakFooter(&damaged);
    for (std::uint64_t pages = 1 + random() % 3; pages > 0; --pages) {
      const std::size_t page = random() % (damaged.size() / 4096);
      Zero(&damaged, page * 4096, 4096);
    }
    if (random() % 2 == 0) damaged.resize(damaged.size() - random() % 9000);
    SCOPED_TRACE(i);
    ExpectSavesTheRest(damaged);
    if (HasFailure()) return;
  }
}

TEST_P(TableSalvage, SaysWhatIsLost) {
  std::string damaged = whole_;
  BreakFooter(&damaged);
  Zero(&damaged, 4096, 4096);
  SalvageReport report;
  (void)Saved(StringSource(damaged), &report);
  ASSERT_EQ(report.lost.size(), 1u);
  EXPECT_NE(report.lost[0].find("there is no whole block in bytes "),
            std::string::npos)
      << report.lost[0];
}

// The footer is lost, and so is a block: then some of what the index names was
// not seen.
TEST_P(TableSalvage, DoesNotTakeTheIndexForData) {
  BlockHandle index;
  const std::vector<PlacedBlock> blocks = BlocksOf(whole_, &index);
  for (const std::size_t lost : {std::size_t{0}, blocks.size() / 3}) {
    std::string damaged = whole_;
    BreakFooter(&damaged);
    damaged[blocks[lost].handle.offset] ^= 1;
    ExpectSavesTheRest(damaged);
    // Of a table of one block, too: all that was before the index is lost.
    ExpectSavesTheRest(damaged.substr(0, index.offset + index.size + 5));
  }
}

TEST_P(TableSalvage, KeepsToWhatTheManifestSays) {
  std::string damaged = whole_;
  BreakFooter(&damaged);
  SalvageBounds bounds;
  AppendInternalKey(&bounds.smallest, "key100500", kMaxSequence,
                    ValueType::kValue);
  AppendInternalKey(&bounds.largest, "key100699", 0, ValueType::kDeletion);
  SalvageReport report;
  EXPECT_EQ(Saved(StringSource(damaged), &report, bounds).size(), 200u);
  EXPECT_EQ(report.out_of_order, 1300u);
}

INSTANTIATE_TEST_SUITE_P(Codecs, TableSalvage,
                         ::testing::Values(Compression::kNone,
                                           Compression::kSnappy,
                                           Compression::kZstd),
                         [](const auto& tested) {
                           return tested.param == Compression::kNone ? "Raw"
                                  : tested.param == Compression::kSnappy
                                      ? "Snappy"
                                      : "Zstd";
                         });

// A file some bytes of which cannot be read.
class BadFile final : public ReadableFile {
 public:
  BadFile(std::string bytes, std::uint64_t begin, std::uint64_t end)
      : source_(std::move(bytes), false), begin_(begin), end_(end) {}
  std::uint64_t size() const noexcept override { return source_.size(); }
  Result<Slice> Read(std::uint64_t offset, std::size_t bytes,
                     std::string* scratch) const override {
    if (offset < end_ && offset + bytes > begin_) {
      return Status::IoError("t.ldb: Input/output error");
    }
    return source_.Read(offset, bytes, scratch);
  }

 private:
  StringSource source_;
  std::uint64_t begin_;
  std::uint64_t end_;
};

TEST(TableSalvageUnreadable, CostsTheBlocksInTheSectorOnly) {
  TableWriteOptions options;
  options.block_bytes = 700;
  const std::string whole = BuildTable(options, ManyEntries(1500));
  std::string zeroed = whole;
  std::fill_n(zeroed.begin() + 8192, 4096, '\0');
  const Pairs expected = EntriesLeft(whole, zeroed);
  // The index is read, and then not even that.
  for (const std::size_t cut : {0u, 100u}) {
    const BadFile file(whole.substr(0, whole.size() - cut), 8192, 12288);
    SalvageReport report;
    const Pairs saved = Saved(file, &report);
    EXPECT_TRUE(saved == expected) << saved.size();
    ASSERT_FALSE(report.lost.empty());
    EXPECT_NE(report.lost[0].find("Input/output error"), std::string::npos)
        << report.lost[0];
  }
  const BadFile at_end(whole, whole.size() - 10, whole.size());
  EXPECT_EQ(Saved(at_end).size(), 1500u);
}

TEST(TableSalvageOrder, KeepsWhatIsInOrder) {
  TableWriteOptions options;
  options.block_bytes = 700;
  options.restart_interval = 1;
  std::string whole = BuildTable(options, ManyEntries(500));
  // A key in the middle becomes one that sorts after all, checksum and all.
  const std::vector<PlacedBlock> blocks = BlocksOf(whole);
  const std::size_t begin = blocks[blocks.size() / 2].handle.offset;
  const std::size_t size = blocks[blocks.size() / 2].handle.size;
  whole[whole.find("key", begin)] = 'z';
  std::string stored = whole.substr(begin, size);
  AppendBlockTrailer(&stored, Compression::kNone);
  whole.replace(begin, stored.size(), stored);
  SalvageReport report;
  const Pairs saved = Saved(StringSource(whole), &report);
  EXPECT_EQ(saved.size(), 499u);
  EXPECT_EQ(report.out_of_order, 1u);
  EXPECT_TRUE(std::is_sorted(saved.begin(), saved.end(),
                             [](const auto& a, const auto& b) {
                               return KeyOrder().Compare(a.first, b.first) < 0;
                             }));
}

class PlainOrder final : public Comparator {
 public:
  std::string_view name() const noexcept override { return "plain"; }
  int Compare(Slice a, Slice b) const noexcept override { return a.compare(b); }
};

// Where keys are not shortened, those of the index are those of entries.  With
// the only block lost, nothing but its values tells it from data.
TEST(TableSalvageIndex, IsNotTakenForDataThoughItsKeysAreThoseOfEntries) {
  static const PlainOrder plain;
  TableWriteOptions options;
  options.order = KeyOrder(plain);
  std::string bytes = BuildTable(options, ManyEntries(5));
  bytes[1] ^= 1;
  bytes.back() ^= 1;
  TableReadContext context;
  context.order = KeyOrder(plain);
  const auto salvaged = SalvageTable(context, StringSource(bytes), {},
                                     [](Slice, Slice) { return Status::Ok(); });
  ASSERT_TRUE(salvaged.ok());
  EXPECT_EQ(salvaged->entries, 0u);
}

TEST(TableSalvageSize, FindsBlocksOfAnySizeInALine) {
  Entries entries = ManyEntries(20);
  entries[7].value.assign(5 << 20, 'x');
  TableWriteOptions options;
  options.block_bytes = 700;
  std::string bytes = BuildTable(options, entries);
  bytes.pop_back();
  EXPECT_EQ(Saved(StringSource(bytes)).size(), 20u);
}

TEST(TableSalvageFailure, StopsWithTheReasonOfWhoTakes) {
  const std::string table = BuildTable({}, ManyEntries(10));
  const auto salvaged = SalvageTable(
      {}, StringSource(table), {},
      [](Slice, Slice) { return Status::ResourceExhausted("no room"); });
  EXPECT_EQ(salvaged.status().code(), StatusCode::kResourceExhausted);
}

// No more work per byte than a bound says, however much of it is damaged.
TEST(TableSalvageSize, GoesThroughNoiseInLinearTime) {
  std::mt19937_64 random(3);
  std::string noise;
  for (int i = 0; i < 1 << 20; ++i) {
    noise.push_back(static_cast<char>(random()));
  }
  EXPECT_TRUE(Saved(StringSource(noise)).empty());
  EXPECT_TRUE(Saved(StringSource(std::string(1 << 20, '\0'))).empty());
}

}  // namespace
}  // namespace tamis::testing
