// SPDX-License-Identifier: Apache-2.0
// RocksDB at work with filters that we wrote: taken out of its tables and put
// back, it finds every key by them and skips the reads they save.

#include <optional>
#include <set>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "tests/peers/rocksdb_bits.h"
#include "tests/peers/rocksdb_keys.h"
#include "tests/peers/rocksdb_tables.h"
#include "tests/support/filters.h"

namespace tamis::testing {
namespace {

constexpr std::size_t kTransplantKeys = 3000;

class RocksDbTransplant : public ::testing::TestWithParam<TableSpec> {
 protected:
  void SetUp() override {
    if (const auto why = WhyNotThisRocksDb()) GTEST_SKIP() << *why;
    written_ = SortedKeys(TableKeys::kText, kTransplantKeys);
    db_.emplace(spec_, written_, 2);
    original_ = db_->table();
    auto table = ParseSst(original_);
    ASSERT_TRUE(table.ok()) << table.status().ToString();
    table_ = *std::move(table);
    ASSERT_EQ(table_.filters.size() > 1, spec_.is_partitioned);
    for (std::size_t i = 0; i < written_.size(); ++i) {
      if (i % 7 != 0) alive_.insert(written_[i]);
    }
    // Between the keys, so that RocksDB must ask the table.  Half of them
    // have a prefix that no key has ("g0007." for "g0007/").
    for (std::size_t i = 0; i + 1 < written_.size(); ++i) {
      std::string key = written_[i] + "+";
      if (i % 2 != 0 && i >= 100) key[5] = '.';
      absent_.push_back(key);
    }
  }

  // Puts a filter in the place of each, made by `make` from its number.
  template <typename Make>
  void Transplant(Make make) {
    std::string sst = original_;
    for (std::size_t i = 0; i < table_.filters.size(); ++i) {
      const std::string bytes = make(i);
      ASSERT_EQ(bytes.size(), table_.filters[i].bytes.size());
      sst = WithFilter(sst, table_, i, bytes);
    }
    db_->ReplaceTable(sst);
  }

  // What RocksDB asks a filter about: the key, or else its prefix.
  bool OursRulesOut(const FilterPolicy& policy, const std::string& key) const {
    const SstFilter& filter = table_.FilterFor(key);
    if (spec_.rule.has_whole_keys) {
      return !AnswersMaybe(policy, filter.bytes, key);
    }
    const auto prefix = spec_.rule.PrefixOf(key);
    return prefix && !AnswersMaybe(policy, filter.bytes, *prefix);
  }

  const TableSpec spec_ = GetParam();
  std::optional<PeerDb> db_;
  std::string original_;
  SstTable table_;
  std::vector<std::string> written_;
  std::set<std::string> alive_;
  std::vector<std::string> absent_;
};

// A filter of zeros lets everything through.
TEST_P(RocksDbTransplant, WithoutAFilterEveryKeyIsReadFor) {
  ASSERT_NO_FATAL_FAILURE(Transplant([&](std::size_t i) {
    return std::string(table_.filters[i].bytes.size(), '\0');
  }));
  const LookupReport strangers = db_->LookUp(absent_);
  ASSERT_TRUE(strangers.status.ok()) << strangers.status.ToString();
  EXPECT_EQ(strangers.found.size(), 0u);
  EXPECT_EQ(strangers.ruled_out, 0u);
  const LookupReport keys = db_->LookUp(written_);
  ASSERT_TRUE(keys.status.ok()) << keys.status.ToString();
  EXPECT_EQ(keys.found, alive_);
}

// Zeros before the trailer hide the keys: RocksDB does go by what is there.
TEST_P(RocksDbTransplant, WithAFilterOfNoKeysTheyAreHidden) {
  ASSERT_NO_FATAL_FAILURE(Transplant([&](std::size_t i) {
    const std::string& bytes = table_.filters[i].bytes;
    return std::string(bytes.size() - kRocksDbTrailerBytes, '\0') +
           bytes.substr(bytes.size() - kRocksDbTrailerBytes);
  }));
  const LookupReport keys = db_->LookUp(written_);
  ASSERT_TRUE(keys.status.ok()) << keys.status.ToString();
  EXPECT_LT(keys.found.size(), alive_.size() / 10);
  EXPECT_GT(keys.ruled_out, kTransplantKeys / 10 * 9);
}

TEST_P(RocksDbTransplant, WithOurFilterEveryKeyIsFoundAndStrangersAreNot) {
  const auto policy = PolicyOf(spec_.policy);
  const auto entries = FilterEntries(table_, spec_.rule);
  ASSERT_EQ(entries.size(), table_.filters.size());
  // Blanked first, so that not a byte of RocksDB's own is left.
  ASSERT_NO_FATAL_FAILURE(Transplant([&](std::size_t i) {
    return std::string(table_.filters[i].bytes.size(), '\0');
  }));
  ASSERT_NO_FATAL_FAILURE(
      Transplant([&](std::size_t i) { return Build(*policy, entries[i]); }));

  const LookupReport keys = db_->LookUp(written_);
  ASSERT_TRUE(keys.status.ok()) << keys.status.ToString();
  EXPECT_EQ(keys.found, alive_);
  EXPECT_EQ(keys.ruled_out, 0u);

  std::uint64_t expected = 0;
  for (const std::string& key : absent_) {
    if (OursRulesOut(*policy, key)) ++expected;
  }
  const LookupReport strangers = db_->LookUp(absent_);
  ASSERT_TRUE(strangers.status.ok()) << strangers.status.ToString();
  EXPECT_EQ(strangers.found.size(), 0u);
  EXPECT_EQ(strangers.rightly_let_through, 0u);
  EXPECT_EQ(strangers.ruled_out, expected);
  EXPECT_GT(expected,
            absent_.size() / 10 * (spec_.rule.has_whole_keys ? 9 : 4));
}

std::vector<TableSpec> TransplantSpecs() {
  const EntriesRule whole;
  const EntriesRule both{.has_whole_keys = true, .prefix_length = 6};
  const EntriesRule prefix_only{.has_whole_keys = false, .prefix_length = 6};
  std::vector<TableSpec> specs;
  for (const int format_version : {2, 3, 4, 5}) {
    for (const bool is_ribbon : {false, true}) {
      for (const bool is_partitioned : {false, true}) {
        specs.push_back(
            {.policy = PolicyTextOf(is_ribbon, format_version, "10"),
             .format_version = format_version,
             .is_partitioned = is_partitioned,
             .rule = is_partitioned == is_ribbon ? whole : both});
      }
    }
  }
  specs.push_back({.policy = "rocksdb:10", .rule = prefix_only});
  specs.push_back({.policy = "rocksdb-ribbon:12",
                   .is_partitioned = true,
                   .rule = prefix_only});
  return specs;
}

INSTANTIATE_TEST_SUITE_P(
    Tables, RocksDbTransplant, ::testing::ValuesIn(TransplantSpecs()),
    [](const auto& test) {
      const TableSpec& spec = test.param;
      return "Version" + std::to_string(spec.format_version) +
             (spec.policy.starts_with("rocksdb-ribbon") ? "Ribbon" : "Bloom") +
             (spec.is_partitioned ? "Partitioned" : "Full") +
             (spec.rule.prefix_length == 0 ? "" : "Prefix") +
             (spec.rule.has_whole_keys ? "" : "Only");
    });

}  // namespace
}  // namespace tamis::testing
