// SPDX-License-Identifier: Apache-2.0
// A table that is not loaded answers as one that is, or not at all.

#include "table/quick_table.h"

#include <gtest/gtest.h>

#include "base/coding.h"
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

// Two entries of the index change places, and the checksum is right.
TEST(QuickTable, CallsNoKeyAbsentIfTheIndexIsOutOfOrder) {
  const std::string bytes = TableOf(Compression::kNone);
  const StringSource source(bytes);
  const Result<Footer> footer = ReadFooter(source);
  ASSERT_TRUE(footer.ok());
  const Slice contents =
      Slice(bytes).substr(footer->index.offset, footer->index.size);
  Block index;
  ASSERT_TRUE(Block::Parse(contents, &index));
  const std::uint32_t last = index.restart_count() - 1;
  ASSERT_GT(last, 4u);
  std::string changed = bytes;
  char* const restarts = changed.data() + (index.end() - bytes.data());
  std::swap_ranges(restarts + 4, restarts + 8,
                   restarts + std::size_t{last} * 4);
  std::string block = changed.substr(footer->index.offset, footer->index.size);
  AppendBlockTrailer(&block, Compression::kNone);
  changed.replace(footer->index.offset, block.size(), block);
  const auto table = OpenQuickly(changed);
  ASSERT_NE(table, nullptr);
  for (int i = 98; i < 402; ++i) {
    const std::string key = "key" + std::to_string(i) + "x";
    EXPECT_EQ(QuickLookup(*table, key, 9), "(must be loaded)");
  }
}

}  // namespace
}  // namespace tamis::testing
