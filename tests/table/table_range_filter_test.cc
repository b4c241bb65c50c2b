// SPDX-License-Identifier: Apache-2.0
// The range filter of a table: it is over the user keys of all entries, and a
// table without it is as good.

#include "table/table_range_filter.h"

#include <cstdint>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "formats/tamis/range.h"
#include "table/block_file.h"
#include "table/filter_room.h"
#include "table/footer.h"
#include "table/held_range_filter.h"
#include "table/table_meta.h"
#include "table/table_reader.h"
#include "tests/support/tables.h"

namespace tamis::testing {
namespace {

std::string KeyOf(unsigned i, const char* prefix = "key") {
  return prefix + std::to_string(10'000 + 7 * i);
}

// Values, deletions, and keys with many versions.
Entries EntriesOf(unsigned keys, const char* prefix = "key") {
  Entries entries;
  for (unsigned i = 0; i < keys; ++i) {
    for (Sequence sequence = i % 5 + 1; sequence > 0; --sequence) {
      entries.push_back({KeyOf(i, prefix), sequence,
                         i % 7 == 0 ? ValueType::kDeletion : ValueType::kValue,
                         "value"});
    }
  }
  return entries;
}

std::string TableOf(const Entries& entries, unsigned bits) {
  TableWriteOptions options;
  options.block_bytes = 300;
  options.range_filter_bits = bits;
  return BuildTable(options, entries);
}

BlockHandle RangeFilterIn(const std::string& table) {
  const StringSource file(table);
  const Result<Footer> footer = ReadFooter(file);
  std::vector<MetaEntry> entries;
  EXPECT_TRUE(footer.ok() && ReadMetaindex(file, *footer, &entries).ok());
  for (const MetaEntry& entry : entries) {
    if (entry.name == kRangeFilterMeta) return entry.handle;
  }
  ADD_FAILURE() << "no range filter";
  return {};
}

TEST(TableRangeFilter, HasEveryUserKeyOnce) {
  const auto table = OpenTable(TableOf(EntriesOf(900), 10));
  const auto filter = table->ReadRangeFilter();
  ASSERT_NE(filter, nullptr);
  ASSERT_TRUE(filter->is_held()) << filter->damage().ToString();
  EXPECT_EQ(filter->reader().Describe().keys, 900u);
  std::string to;
  for (unsigned i = 0; i < 900; ++i) {
    ASSERT_TRUE(filter->reader().MayContainRange(KeyOf(i), KeyOf(i)));
    ASSERT_TRUE(filter->reader().SkipForward(KeyOf(i), &to));
    ASSERT_EQ(to, KeyOf(i));
  }
  EXPECT_FALSE(filter->reader().SkipForward("l", &to));
}

TEST(TableRangeFilter, IsThereOnlyIfRequested) {
  const Entries entries = EntriesOf(50);
  EXPECT_EQ(OpenTable(TableOf(entries, 0))->ReadRangeFilter(), nullptr);
  EXPECT_NE(OpenTable(TableOf(entries, 3))->ReadRangeFilter(), nullptr);
  const auto of_none = OpenTable(TableOf({}, 8))->ReadRangeFilter();
  ASSERT_NE(of_none, nullptr);
  std::string to;
  EXPECT_FALSE(of_none->reader().SkipForward("", &to));
}

TEST(TableRangeFilter, TakesNoMoreMemoryThanItMay) {
  TableRangeFilterBuilder builder(8, /*max_bytes=*/1000);
  for (unsigned i = 0; i < 100; ++i) builder.Add(KeyOf(i));
  std::string bytes;
  EXPECT_FALSE(builder.Finish(&bytes));
  EXPECT_NE(builder.problem().find("in memory"), std::string::npos)
      << builder.problem();
}

// One that hides keys is found, however it came about.
TEST(TableRangeFilter, IsCheckedAgainstTheKeys) {
  std::string table = TableOf(EntriesOf(900), 10);
  const TableCheck fine = CheckTable({}, StringSource(table));
  EXPECT_TRUE(fine.problems.empty());
  EXPECT_EQ(fine.filters, 1u);
  const std::string other = TableOf(EntriesOf(900, "kez"), 10);
  const BlockHandle from = RangeFilterIn(other);
  const BlockHandle to = RangeFilterIn(table);
  ASSERT_EQ(from.size, to.size);
  table.replace(to.offset, to.size + kBlockTrailerBytes, other, from.offset,
                from.size + kBlockTrailerBytes);
  const TableCheck wrong = CheckTable({}, StringSource(table));
  ASSERT_EQ(wrong.problems.size(), 1u);
  EXPECT_NE(wrong.problems[0].find("its range filter hides 2700 keys"),
            std::string::npos)
      << wrong.problems[0];
}

// A limit of memory counts what the filter makes ready for queries, too.
TEST(HeldRangeFilters, TakeRoomForAllThatTheyHold) {
  const auto policy = MakePolicy("range:10");
  ASSERT_TRUE(policy.ok());
  const auto builder = policy->NewBuilder();
  for (unsigned i = 0; i < 2000; ++i) builder->Add(KeyOf(i));
  std::string bytes;
  ASSERT_TRUE(builder->Finish(&bytes).ok());
  std::uint64_t prepared = 0;
  ASSERT_TRUE(OpenTamisRange(bytes, &prepared).ok());
  ASSERT_GT(prepared, 0u);

  FilterRoom room;
  room.set_limit(bytes.size() + prepared - 1);
  auto filter = HeldRangeFilter::Open(bytes, &room);
  EXPECT_FALSE(filter->is_held());
  EXPECT_TRUE(filter->damage().ok());
  EXPECT_EQ(filter->stored_bytes(), bytes.size() + prepared);
  EXPECT_EQ(filter->bytes(), 0u);
  EXPECT_EQ(room.held(), 0u);

  room.set_limit(bytes.size() + prepared);
  filter = HeldRangeFilter::Open(bytes, &room);
  EXPECT_TRUE(filter->is_held());
  EXPECT_EQ(filter->bytes(), bytes.size() + prepared);
  EXPECT_EQ(room.held(), bytes.size() + prepared);
  filter = nullptr;
  EXPECT_EQ(room.held(), 0u);
}

}  // namespace
}  // namespace tamis::testing
