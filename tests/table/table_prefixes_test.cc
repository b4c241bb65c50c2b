// SPDX-License-Identifier: Apache-2.0
// Prefixes in the filter of a table: the table names their extractor, and they
// are used by that one alone.

#include <memory>
#include <optional>
#include <string>

#include <gtest/gtest.h>

#include "table/table_meta.h"
#include "tamis/filter.h"
#include "tests/support/filters.h"
#include "tests/support/tables.h"

namespace tamis::testing {
namespace {

// Gives keys other prefixes than its name says.
class LyingExtractor final : public PrefixExtractor {
 public:
  std::string_view name() const noexcept override { return "fixed=4"; }
  std::optional<std::size_t> PrefixLength(Slice key) const override {
    return key.size() < 5 ? std::nullopt : std::optional<std::size_t>(5);
  }
};

Entries GroupedEntries() {
  Entries entries;
  for (int group = 100; group < 300; group += 2) {
    for (const char* item : {":a", ":b", ":c"}) {
      entries.push_back(
          {"g" + std::to_string(group) + item, 1, ValueType::kValue, "value"});
    }
  }
  return entries;
}

std::string TableWith(const PrefixExtractor* prefixes, const char* filter,
                      std::uint64_t parts_above = 0) {
  const auto policy = PolicyOf(filter);
  TableWriteOptions options;
  options.filter = policy.get();
  options.filter_parts_above = parts_above;
  options.leveldb_filter_bits = 10;
  options.prefixes = prefixes;
  options.properties = "written_by = test\n";
  return BuildTable(options, GroupedEntries());
}

std::shared_ptr<const TableFilter> FilterOf(const std::string& bytes,
                                            const PrefixExtractor* wanted) {
  TableReadContext context;
  context.prefixes = wanted;
  const auto table =
      Table::Open(context, std::make_shared<StringSource>(bytes), "test");
  EXPECT_TRUE(table.ok());
  return table->ReadFilter();
}

TEST(TablePrefixes, AreInTheFilterAndBelongToOneExtractor) {
  const auto five = *MakePrefixExtractor("fixed=5");
  const auto four = *MakePrefixExtractor("fixed=4");
  for (const char* filter : {"bloom:20", "ribbon:12", "rocksdb:20"}) {
    for (const std::uint64_t parts_above : {0u, 1u}) {
      const std::string table = TableWith(five.get(), filter, parts_above);
      const auto read = FilterOf(table, five.get());
      EXPECT_TRUE(read->has_prefixes()) << filter;
      EXPECT_EQ(read->prefixes(), "fixed=5");
      int maybe = 0;
      for (int group = 100; group < 300; ++group) {
        const std::string prefix = "g" + std::to_string(group) + ":";
        const bool is_maybe = read->MayContain(prefix);
        if (group % 2 == 0) {
          EXPECT_TRUE(is_maybe) << prefix;
        } else {
          maybe += is_maybe;
        }
      }
      EXPECT_LT(maybe, 10);
      EXPECT_FALSE(FilterOf(table, four.get())->has_prefixes());
      EXPECT_FALSE(FilterOf(table, nullptr)->has_prefixes());
      EXPECT_FALSE(
          FilterOf(TableWith(nullptr, filter), five.get())->has_prefixes());
    }
  }
}

// A table that has lost the name of its extractor is one without prefixes.
TEST(TablePrefixes, AreNotUsedWhereThePropertiesAreDamaged) {
  const auto five = *MakePrefixExtractor("fixed=5");
  std::string table = TableWith(five.get(), "bloom:20");
  const std::size_t at = table.find("fixed=5");
  ASSERT_NE(at, std::string::npos);
  table[at + 6] ^= 1;
  const auto four = *MakePrefixExtractor("fixed=4");
  for (const PrefixExtractor* wanted : {five.get(), four.get()}) {
    const auto filter = FilterOf(table, wanted);
    EXPECT_FALSE(filter->has_prefixes());
    EXPECT_TRUE(filter->damage().ok());
    EXPECT_TRUE(filter->MayContain("g100:a"));
  }
}

TEST(TablePrefixes, ThatTheFilterLacksAreFoundByACheck) {
  const LyingExtractor lying;
  TableReadContext context;
  const std::string bad = TableWith(&lying, "bloom:20");
  const TableCheck check = CheckTable(context, StringSource(bad));
  ASSERT_EQ(check.problems.size(), 1u);
  EXPECT_NE(check.problems.front().find("hides prefixes of 300 keys"),
            std::string::npos)
      << check.problems.front();
  const auto five = *MakePrefixExtractor("fixed=5");
  const std::string good = TableWith(five.get(), "bloom:20");
  EXPECT_TRUE(CheckTable(context, StringSource(good)).problems.empty());
}

}  // namespace
}  // namespace tamis::testing
