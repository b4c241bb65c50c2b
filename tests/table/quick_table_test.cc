// SPDX-License-Identifier: Apache-2.0
// A table that is not loaded answers as one that is, or not at all.

#include "table/quick_table.h"

#include <sys/mman.h>
#include <algorithm>
#include <set>
#include <utility>

#include <gtest/gtest.h>

#include "base/growing_pages.h"
#include "table/block_builder.h"
#include "table/block_cursor.h"
#include "table/block_file.h"
#include "tests/support/tables.h"

namespace tamis::testing {
namespace {

Entries SomeEntries() {
  Entries entries;
  for (unsigned i = 100; i < 400; ++i) {
    const std::string key = "key" + std::to_string(i);
    for (Sequence version = i % 3 + 1; version > 0; --version) {
      entries.push_back(
          {key, version * 2,
           (i + version) % 5 == 0 ? ValueType::kDeletion : ValueType::kValue,
           "value " + std::to_string(i + version)});
    }
  }
  return entries;
}

std::string TableOf(Compression compression) {
  TableWriteOptions options;
  options.block_bytes = 200;
  options.compression = compression;
  return BuildTable(options, SomeEntries());
}

std::unique_ptr<const QuickTable> OpenQuickly(const std::string& bytes,
                                              bool mapped = true) {
  return QuickTable::Open({}, std::make_shared<StringSource>(bytes, mapped),
                          "t.ldb", {});
}

// As Lookup() of tables; "(must be loaded)" if it does not answer.
std::string QuickLookup(const QuickTable& table, Slice key, Sequence sequence) {
  std::string value;
  LookupResult result;
  if (!table.Get(LookupKey(key, sequence), &value, &result)) {
    return "(must be loaded)";
  }
  if (result.state == LookupResult::State::kValue) return "value " + value;
  return result.state == LookupResult::State::kDeletion ? "deletion" : "absent";
}

class QuickTableOf : public ::testing::TestWithParam<Compression> {};

TEST_P(QuickTableOf, AnswersAsTheEntriesSay) {
  const Entries entries = SomeEntries();
  const auto table = OpenQuickly(TableOf(GetParam()));
  ASSERT_NE(table, nullptr);
  for (int i = 98; i < 402; ++i) {
    for (const char* end : {"", "x"}) {
      const std::string key = "key" + std::to_string(i) + end;
      for (Sequence sequence = 0; sequence < 9; ++sequence) {
        ASSERT_EQ(QuickLookup(*table, key, sequence),
                  Expected(KeyOrder(), entries, key, sequence));
      }
    }
  }
}

TEST_P(QuickTableOf, NeverLiesWhateverBitIsDamaged) {
  const Entries entries = SomeEntries();
  const std::string bytes = TableOf(GetParam());
  for (std::size_t bit = 0; bit < 8 * bytes.size(); bit += 5) {
    std::string damaged = bytes;
    damaged[bit / 8] = static_cast<char>(damaged[bit / 8] ^ (1 << bit % 8));
    const auto table = OpenQuickly(damaged);
    if (table == nullptr) continue;
    for (const char* key : {"key100", "key233", "key234x", "key399"}) {
      const std::string got = QuickLookup(*table, key, 9);
      if (got == "(must be loaded)") continue;
      ASSERT_EQ(got, Expected(KeyOrder(), entries, key, 9)) << bit;
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Codecs, QuickTableOf,
                         ::testing::Values(Compression::kNone,
                                           Compression::kSnappy),
                         [](const auto& instance) {
                           return std::to_string(
                               static_cast<int>(instance.param));
                         });

TEST(QuickTable, IsOfMappedFilesOnly) {
  const std::string bytes = TableOf(Compression::kNone);
  EXPECT_EQ(OpenQuickly(bytes, /*mapped=*/false), nullptr);
  EXPECT_EQ(OpenQuickly(bytes.substr(0, 20)), nullptr);
}

// The index of a table, and its parts, to damage it.
struct IndexPlace {
  std::size_t offset = 0;  // of its first byte in the table
  std::size_t bytes = 0;   // without the trailer
  std::size_t restarts = 0;
  std::uint32_t count = 0;
};

IndexPlace IndexOf(const std::string& table) {
  const StringSource source(table);
  const Result<Footer> footer = ReadFooter(source);
  EXPECT_TRUE(footer.ok());
  IndexPlace place{.offset = static_cast<std::size_t>(footer->index.offset),
                   .bytes = static_cast<std::size_t>(footer->index.size)};
  Block index;
  EXPECT_TRUE(
      Block::Parse(Slice(table).substr(place.offset, place.bytes), &index));
  place.restarts =
      place.offset + static_cast<std::size_t>(index.end() - index.begin());
  place.count = index.restart_count();
  return place;
}

// A damaged checksum of the index alone: no entry is wrong.
TEST(QuickTable, NeedsNoWholeIndexForAKeyThatABlockSpans) {
  const Entries entries = SomeEntries();
  std::string bytes = TableOf(Compression::kNone);
  const IndexPlace index = IndexOf(bytes);
  bytes[index.offset + index.bytes + kBlockTrailerBytes - 1] ^= 1;
  const auto table = OpenQuickly(bytes);
  ASSERT_NE(table, nullptr);
  int answered = 0;
  for (int i = 98; i < 402; ++i) {
    for (const char* end : {"", "x"}) {
      const std::string key = "key" + std::to_string(i) + end;
      const std::string got = QuickLookup(*table, key, 9);
      if (got == "(must be loaded)") continue;
      ++answered;
      ASSERT_EQ(got, Expected(KeyOrder(), entries, key, 9)) << key;
    }
  }
  EXPECT_GT(answered, 300);
  // No block has an entry on both sides of these.
  EXPECT_EQ(QuickLookup(*table, "a", 9), "(must be loaded)");
  EXPECT_EQ(QuickLookup(*table, "z", 9), "(must be loaded)");
}

// Whatever is wrong with the index, the block must be the right one.
TEST(QuickTable, NeverLiesWhateverByteOfTheIndexIsDamaged) {
  const Entries entries = SomeEntries();
  const std::string bytes = TableOf(Compression::kNone);
  const IndexPlace index = IndexOf(bytes);
  for (std::size_t at = 0; at < index.bytes + kBlockTrailerBytes; ++at) {
    for (const int flip : {1, 0x80}) {
      std::string damaged = bytes;
      char& byte = damaged[index.offset + at];
      byte = static_cast<char>(byte ^ flip);
      const auto table = OpenQuickly(damaged);
      if (table == nullptr) continue;
      for (int i = 99; i < 401; i += 11) {
        const std::string key =
            "key" + std::to_string(i) + (i % 2 == 0 ? "" : "x");
        const std::string got = QuickLookup(*table, key, 9);
        if (got == "(must be loaded)") continue;
        ASSERT_EQ(got, Expected(KeyOrder(), entries, key, 9)) << key << at;
      }
    }
  }
}

// A mapped file of which only those pages can be touched that were made
// readable.
class GuardedSource final : public ReadableFile {
 public:
  explicit GuardedSource(std::string bytes)
      : bytes_(std::move(bytes)),
        pages_((bytes_.size() + PageBytes() - 1) / PageBytes()) {
    void* const start =
        ::mmap(nullptr, pages_ * PageBytes(), PROT_READ | PROT_WRITE,
               MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    EXPECT_NE(start, MAP_FAILED);
    mapped_ = static_cast<char*>(start);
    bytes_.copy(mapped_, bytes_.size());
    EXPECT_EQ(::mprotect(mapped_, pages_ * PageBytes(), PROT_NONE), 0);
  }
  GuardedSource(const GuardedSource&) = delete;
  GuardedSource& operator=(const GuardedSource&) = delete;
  ~GuardedSource() override { ::munmap(mapped_, pages_ * PageBytes()); }

  std::uint64_t size() const noexcept override { return bytes_.size(); }
  Result<Slice> Read(std::uint64_t offset, std::size_t bytes,
                     std::string* /*scratch*/) const override {
    return Slice(bytes_).substr(static_cast<std::size_t>(offset), bytes);
  }
  Slice mapped() const noexcept override { return {mapped_, bytes_.size()}; }
  bool MakeReadable(std::uint64_t offset,
                    std::size_t bytes) const noexcept override {
    const auto first = static_cast<std::size_t>(offset) / PageBytes();
    const auto last =
        static_cast<std::size_t>(offset + bytes - 1) / PageBytes();
    EXPECT_LT(last, pages_);
    for (std::size_t page = first; page <= last; ++page) {
      readable_.insert(page);
      EXPECT_EQ(
          ::mprotect(mapped_ + page * PageBytes(), PageBytes(), PROT_READ), 0);
    }
    return true;
  }

  std::size_t readable_pages() const { return readable_.size(); }

 private:
  const std::string bytes_;
  const std::size_t pages_;
  char* mapped_ = nullptr;
  mutable std::set<std::size_t> readable_;
};

TEST(QuickTable, TouchesFewPagesAndNoneThatIsNotMadeReadable) {
  Entries entries;
  for (unsigned i = 10'000; i < 30'000; ++i) {
    entries.push_back({"a key of some length " + std::to_string(i), 1,
                       ValueType::kValue, "value"});
  }
  TableWriteOptions options;
  options.block_bytes = 100;
  options.compression = Compression::kNone;
  const std::string bytes = BuildTable(options, entries);
  const std::size_t index_pages = IndexOf(bytes).bytes / PageBytes();
  ASSERT_GT(index_pages, 50u);
  const auto source = std::make_shared<const GuardedSource>(bytes);
  const auto table = QuickTable::Open({}, source, "t.ldb", {});
  ASSERT_NE(table, nullptr);
  int answered = 0;
  for (const char* key :
       {"a key of some length 10007", "a key of some length 15551",
        "a key of some length 29990"}) {
    const std::size_t before = source->readable_pages();
    std::string value;
    LookupResult result;
    ASSERT_TRUE(table->Get(LookupKey(key, 9), &value, &result)) << key;
    EXPECT_EQ(value, "value");
    if (source->readable_pages() - before < index_pages / 2) ++answered;
  }
  EXPECT_GE(answered, 2);
  // To call any key absent, all of the index is made readable.
  EXPECT_EQ(QuickLookup(*table, "b", 9), "absent");
  EXPECT_GE(source->readable_pages(), index_pages);
}

// Two entries of the index change places, and the checksum is right.
TEST(QuickTable, CallsNoKeyAbsentByAnIndexThatIsOutOfOrder) {
  const Entries entries = SomeEntries();
  const std::string bytes = TableOf(Compression::kNone);
  const IndexPlace index = IndexOf(bytes);
  ASSERT_GT(index.count, 5u);
  std::string changed = bytes;
  char* const restarts = changed.data() + index.restarts;
  std::swap_ranges(restarts + 4, restarts + 8,
                   restarts + std::size_t{index.count - 1} * 4);
  std::string block = changed.substr(index.offset, index.bytes);
  AppendBlockTrailer(&block, Compression::kNone);
  changed.replace(index.offset, block.size(), block);
  const auto table = OpenQuickly(changed);
  ASSERT_NE(table, nullptr);
  for (const char* key : {"a", "z"}) {
    EXPECT_EQ(QuickLookup(*table, key, 9), "(must be loaded)");
  }
  for (int i = 98; i < 402; ++i) {
    for (const char* end : {"", "x"}) {
      const std::string key = "key" + std::to_string(i) + end;
      const std::string got = QuickLookup(*table, key, 9);
      if (got == "(must be loaded)") continue;
      ASSERT_EQ(got, Expected(KeyOrder(), entries, key, 9)) << key;
    }
  }
}

// An index is a block with keys, too, and its checksum holds.  Damage that
// leads there in place of a data block would make all keys absent, but for its
// keys, which are not between the two of the index around the key.
TEST(QuickTable, TakesNoIndexForABlockOfData) {
  const Entries entries = SomeEntries();
  std::string bytes = TableOf(Compression::kNone);
  const IndexPlace place = IndexOf(bytes);
  const StringSource source(bytes);
  Footer footer = *ReadFooter(source);
  std::string to_index;
  AppendHandle(&to_index, footer.index);
  BlockBuilder damaged(1);
  BlockCursor cursor;
  Block index;
  ASSERT_TRUE(
      Block::Parse(Slice(bytes).substr(place.offset, place.bytes), &index));
  cursor.Reset(index);
  for (cursor.SeekToFirst(); cursor.valid(); cursor.Next()) {
    damaged.Add(cursor.key(), to_index, 0);
  }
  bytes.resize(bytes.size() - kFooterBytes);
  std::string block = damaged.Finish();
  footer.index = {.offset = bytes.size(), .size = block.size()};
  AppendBlockTrailer(&block, Compression::kNone);
  block.back() ^= 1;  // what no checksum covers, as nobody wrote it
  bytes += block;
  AppendFooter(&bytes, footer);

  const auto table = OpenQuickly(bytes);
  ASSERT_NE(table, nullptr);
  for (const char* key : {"key100", "key101", "key233", "key350", "key399"}) {
    EXPECT_EQ(QuickLookup(*table, key, 9), "(must be loaded)") << key;
  }
}

}  // namespace
}  // namespace tamis::testing
