// SPDX-License-Identifier: Apache-2.0
// Filters with prefixes that RocksDB wrote, asked for prefixes by ours.

#include <cstddef>
#include <memory>
#include <set>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "tamis/prefix_filter.h"
#include "tests/peers/rocksdb_bits.h"
#include "tests/peers/rocksdb_tables.h"
#include "tests/support/filters.h"

namespace tamis::testing {
namespace {

constexpr std::size_t kGroupBytes = 6;
constexpr int kGroups = 500;

std::string GroupName(int group) { return std::to_string(100'000 + group); }

// The groups of even numbers have three keys each.
std::vector<std::string> GroupedKeys() {
  std::vector<std::string> keys = {"1000", "10000"};  // too short for a prefix
  for (int group = 0; group < kGroups; group += 2) {
    for (const char* rest : {"", ":a", ":b"}) {
      keys.push_back(GroupName(group) + rest);
    }
  }
  return keys;
}

void ExpectAskedRight(const TableSpec& spec) {
  SCOPED_TRACE(spec.ToString());
  const std::vector<std::string> keys = GroupedKeys();
  const std::string sst = WriteSst(spec, keys);
  const auto table = ParseSst(sst);
  ASSERT_TRUE(table.ok()) << table.status().ToString();
  ASSERT_EQ(table->filters.size(), 1u);
  // The name that the table stores is one that we understand.
  const auto name = table->properties.find("rocksdb.prefix.extractor.name");
  ASSERT_NE(name, table->properties.end());
  auto extractor = MakePrefixExtractor(name->second);
  ASSERT_TRUE(extractor.ok()) << name->second;
  const auto policy = PolicyOf(spec.policy);
  const auto filter = policy->Open(table->filters.front().bytes);
  ASSERT_TRUE(filter.ok());
  EXPECT_TRUE(filter->MayContainPrefix(GroupName(1)));  // nobody told it
  const auto reader =
      AskForPrefixes(**filter, *std::move(extractor),
                     spec.rule.has_whole_keys ? PrefixContents::kKeysAndPrefixes
                                              : PrefixContents::kPrefixesAlone);
  EXPECT_EQ(reader->Describe().prefixes, "fixed=6");
  for (const std::string& key : keys) EXPECT_TRUE(reader->MayContain(key));
  int maybe = 0;
  int maybe_keys = 0;
  for (int group = 0; group < kGroups; ++group) {
    const std::string prefix = GroupName(group);
    const bool is_maybe = reader->MayContainPrefix(prefix);
    EXPECT_EQ(reader->MayContainRange(prefix + "\0", prefix + ":z"), is_maybe);
    if (group % 2 == 0) {
      EXPECT_TRUE(is_maybe) << prefix;
    } else {
      maybe += is_maybe;
      maybe_keys += reader->MayContain(prefix + ":a");
    }
    // Of these it knows nothing.
    EXPECT_TRUE(reader->MayContainPrefix(prefix.substr(0, kGroupBytes - 1)));
    EXPECT_TRUE(reader->MayContainRange(prefix, GroupName(group + 1) + ":"));
  }
  EXPECT_LT(maybe, kGroups / 2 / 10);
  EXPECT_LT(maybe_keys, kGroups / 2 / 10);
}

TEST(RocksDbPrefixes, AreAskedAsRocksDbWroteThem) {
  if (const auto why = WhyNotThisRocksDb()) GTEST_SKIP() << *why;
  for (const bool has_whole_keys : {true, false}) {
    const EntriesRule rule{.has_whole_keys = has_whole_keys,
                           .prefix_length = kGroupBytes};
    ExpectAskedRight({.policy = "rocksdb:10", .rule = rule});
    ExpectAskedRight({.policy = "rocksdb-ribbon:10", .rule = rule});
    ExpectAskedRight(
        {.policy = "rocksdb-legacy:10", .format_version = 4, .rule = rule});
  }
}

}  // namespace
}  // namespace tamis::testing
