// SPDX-License-Identifier: Apache-2.0
// Whole tables that RocksDB wrote: what is in their filters, and that ours
// have the same bytes and give the same answers.

#include <algorithm>
#include <string>
#include <tuple>
#include <vector>

#include <gtest/gtest.h>

#include "tests/peers/rocksdb_bits.h"
#include "tests/peers/rocksdb_keys.h"
#include "tests/peers/rocksdb_tables.h"
#include "tests/support/filters.h"

namespace tamis::testing {
namespace {

constexpr std::size_t kPrefixBytes = 6;

// What a filter may be made of.
const std::vector<EntriesRule> kRules = {
    {.has_whole_keys = true, .prefix_length = 0},
    {.has_whole_keys = true, .prefix_length = kPrefixBytes},
    {.has_whole_keys = false, .prefix_length = kPrefixBytes},
};

std::vector<std::string> UserKeysOf(const SstTable& table) {
  std::vector<std::string> keys;
  for (const std::string& key : table.internal_keys) {
    keys.emplace_back(UserKeyOf(key));
  }
  return keys;
}

// What is judged: a table, and the entries of its filters by our rule.
struct Judged {
  TableSpec spec;
  SstTable table;
  std::vector<std::vector<std::string>> entries;
};

Judged Judge(const TableSpec& spec, const std::string& sst) {
  auto table = ParseSst(sst);
  EXPECT_TRUE(table.ok()) << table.status().ToString();
  Judged judged{.spec = spec, .table = {}, .entries = {}};
  if (!table.ok()) return judged;
  judged.table = *std::move(table);
  EXPECT_TRUE(judged.table.has_all_rows);
  EXPECT_EQ(judged.table.is_partitioned, spec.is_partitioned);
  EXPECT_EQ(judged.table.format_version,
            static_cast<std::uint32_t>(spec.format_version));
  judged.entries = FilterEntries(judged.table, spec.rule);
  return judged;
}

// RocksDB's own builder makes the table's filters of the entries: the rule is
// right, and so is what ParseSst() took for the filters.
void ExpectEntriesAreRight(const Judged& judged) {
  ASSERT_EQ(judged.table.filters.size(), judged.entries.size());
  std::uint64_t entry_count = 0;
  for (std::size_t i = 0; i < judged.entries.size(); ++i) {
    ASSERT_TRUE(BuildWithRocksDb(judged.spec.policy, judged.entries[i]) ==
                judged.table.filters[i].bytes)
        << "filter " << i << " of " << judged.entries.size();
    entry_count += RocksDbEntryCount(judged.spec.policy, judged.entries[i]);
  }
  EXPECT_EQ(judged.table.NumberProperty("rocksdb.num.filter_entries"),
            entry_count);
}

void ExpectOursAreTheSame(const Judged& judged) {
  const auto policy = PolicyOf(judged.spec.policy);
  const std::vector<std::string> absent = RandomKeys(77, 100);
  ASSERT_EQ(judged.table.filters.size(), judged.entries.size());
  for (std::size_t i = 0; i < judged.entries.size(); ++i) {
    SCOPED_TRACE("filter " + std::to_string(i) + " of " +
                 std::to_string(judged.entries.size()));
    const std::string& stored = judged.table.filters[i].bytes;
    ASSERT_TRUE(Build(*policy, judged.entries[i]) == stored);
    ASSERT_EQ(OurAnswers(*policy, stored, judged.entries[i]),
              std::string(judged.entries[i].size(), '1'));
    ASSERT_EQ(OurAnswers(*policy, stored, absent),
              RocksDbAnswers(stored, absent));
  }
}

using TableParam = std::tuple<int /*format_version*/, bool /*is_ribbon*/,
                              bool /*is_partitioned*/>;

class RocksDbTable : public ::testing::TestWithParam<TableParam> {
 protected:
  void SetUp() override {
    if (const auto why = WhyNotThisRocksDb()) GTEST_SKIP() << *why;
  }

  static TableSpec SpecWith(const EntriesRule& rule) {
    const auto [format_version, is_ribbon, is_partitioned] = GetParam();
    return {.policy = PolicyTextOf(is_ribbon, format_version, "10"),
            .format_version = format_version,
            .is_partitioned = is_partitioned,
            .rule = rule};
  }

  // Every rule with tables of several sizes and kinds of keys.
  template <typename Expect>
  static void ForEveryTable(Expect expect) {
    for (const EntriesRule& rule : kRules) {
      const TableSpec spec = SpecWith(rule);
      for (const auto& [kind, count] :
           {std::pair(TableKeys::kText, 1), std::pair(TableKeys::kText, 2),
            std::pair(TableKeys::kText, 150), std::pair(TableKeys::kText, 5000),
            std::pair(TableKeys::kBinary, 3),
            std::pair(TableKeys::kBinary, 3000)}) {
        const auto keys = SortedKeys(kind, static_cast<std::size_t>(count));
        SCOPED_TRACE(spec.ToString() + ", " + std::to_string(count) + " keys");
        const Judged judged = Judge(spec, WriteSst(spec, keys));
        ASSERT_EQ(UserKeysOf(judged.table), keys);
        ASSERT_EQ(judged.table.has_user_key_separators,
                  spec.format_version >= 3);
        ASSERT_EQ(judged.table.filters.size() > 1,
                  spec.is_partitioned && count >= 3000);
        ASSERT_NO_FATAL_FAILURE(expect(judged));
      }
    }
  }
};

TEST_P(RocksDbTable, EntriesAreRight) { ForEveryTable(ExpectEntriesAreRight); }

TEST_P(RocksDbTable, OursAreTheSame) { ForEveryTable(ExpectOursAreTheSame); }

// Several versions of each key, and deletions.  Where a key's versions lie on
// both sides of a boundary, separators are internal keys.
TEST_P(RocksDbTable, VersionsOfAKeyAreOneEntry) {
  for (const EntriesRule& rule : kRules) {
    const TableSpec spec = SpecWith(rule);
    SCOPED_TRACE(spec.ToString());
    std::vector<std::string> keys = SortedKeys(TableKeys::kText, 1200);
    keys.insert(keys.begin(), {"", std::string("\0", 1), "\xff\xff"});
    const Judged judged = Judge(spec, PeerDb(spec, keys, 3).table());
    // Each three times, and every seventh deleted.
    ASSERT_EQ(judged.table.internal_keys.size(),
              keys.size() * 3 + (keys.size() + 6) / 7);
    ASSERT_FALSE(judged.table.has_user_key_separators);
    ASSERT_EQ(judged.table.filters.size() > 1, spec.is_partitioned);
    ASSERT_NO_FATAL_FAILURE(ExpectEntriesAreRight(judged));
    ASSERT_NO_FATAL_FAILURE(ExpectOursAreTheSame(judged));
  }
}

std::string TableName(const ::testing::TestParamInfo<TableParam>& test) {
  const auto [format_version, is_ribbon, is_partitioned] = test.param;
  return "Version" + std::to_string(format_version) +
         (is_ribbon ? "Ribbon" : "Bloom") +
         (is_partitioned ? "Partitioned" : "Full");
}

INSTANTIATE_TEST_SUITE_P(Versions, RocksDbTable,
                         ::testing::Combine(::testing::Values(2, 3, 4, 5),
                                            ::testing::Bool(),
                                            ::testing::Bool()),
                         TableName);

class RocksDbBigTable : public RocksDbTable {};

TEST_P(RocksDbBigTable, EntriesAreRightAndOursAreTheSame) {
  const auto keys = SortedKeys(TableKeys::kText, 200'000);
  const TableSpec spec = SpecWith(kRules[1]);
  const Judged judged = Judge(spec, WriteSst(spec, keys));
  ASSERT_EQ(judged.table.internal_keys.size(), keys.size());
  ExpectEntriesAreRight(judged);
  ExpectOursAreTheSame(judged);
}

INSTANTIATE_TEST_SUITE_P(Versions, RocksDbBigTable,
                         ::testing::Values(TableParam(4, false, false),
                                           TableParam(5, false, false),
                                           TableParam(5, true, false),
                                           TableParam(5, true, true)),
                         TableName);

// The parser's corners: every kind of checksum, compressed data and indexes,
// handles coded as differences.
class RocksDbTableLayout : public ::testing::TestWithParam<SstChecksum> {
 protected:
  void SetUp() override {
    if (const auto why = WhyNotThisRocksDb()) GTEST_SKIP() << *why;
  }
};

TEST_P(RocksDbTableLayout, EveryChecksumIsAsRocksDbComputesIt) {
  const auto keys = SortedKeys(TableKeys::kText, 4000);
  for (const bool is_partitioned : {false, true}) {
    const TableSpec spec{.is_partitioned = is_partitioned,
                         .checksum = GetParam(),
                         .is_compressed = true,
                         .index_restart_interval = 8};
    const std::string sst = WriteSst(spec, keys);
    const Judged judged = Judge(spec, sst);
    ASSERT_EQ(judged.table.seal.kind, GetParam());
    ASSERT_EQ(UserKeysOf(judged.table), keys);
    ASSERT_NO_FATAL_FAILURE(ExpectEntriesAreRight(judged));
    std::uint64_t blocks_bytes = 0;
    for (const SstHandle& block : judged.table.blocks) {
      blocks_bytes += block.size + kSstTrailerBytes;
    }
    EXPECT_EQ(blocks_bytes + kSstFooterBytes, sst.size());  // none was missed
    EXPECT_TRUE(CheckedByRocksDb(spec, sst).ok());
    // Sealed by us, RocksDB finds every checksum right; as it was, wrong.
    const SstFilter& filter = judged.table.filters.back();
    const std::string other(filter.bytes.size(), 'x');
    std::string changed =
        WithFilter(sst, judged.table, judged.table.filters.size() - 1, other);
    EXPECT_TRUE(CheckedByRocksDb(spec, changed).ok());
    const std::size_t seal_at = filter.handle.offset + filter.handle.size + 1;
    changed.replace(seal_at, 4, sst.substr(seal_at, 4));
    EXPECT_EQ(CheckedByRocksDb(spec, changed).ok(),
              GetParam() == SstChecksum::kNone);
    EXPECT_EQ(ParseSst(changed).ok(), GetParam() == SstChecksum::kNone);
  }
}

INSTANTIATE_TEST_SUITE_P(Checksums, RocksDbTableLayout,
                         ::testing::Values(SstChecksum::kNone,
                                           SstChecksum::kCrc32c,
                                           SstChecksum::kXxh32,
                                           SstChecksum::kXxh64,
                                           SstChecksum::kXxh3));

}  // namespace
}  // namespace tamis::testing
