// SPDX-License-Identifier: Apache-2.0
// The real LevelDB with our filters: every key is found, most misses are
// skipped, and the database is nobody's prisoner.

#include <atomic>
#include <cstdint>
#include <cstdlib>
#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include <gtest/gtest.h>
#include <leveldb/c.h>
#include <leveldb/db.h>
#include <leveldb/filter_policy.h>

#include "tamis/filter.h"
#include "tamis/leveldb_filter_policy.h"
#include "tamis/leveldb_filter_policy_c.h"
#include "tests/peers/peer_policy.h"
#include "tests/peers/scratch_db.h"
#include "tests/support/filters.h"
#include "tests/support/specs.h"

namespace tamis::testing {
namespace {

// Counts what the policy says to LevelDB.
class Counting final : public leveldb::FilterPolicy {
 public:
  explicit Counting(const std::string& spec) : policy_(PolicyOf(spec)) {}

  const char* Name() const override { return policy_.Name(); }
  void CreateFilter(const leveldb::Slice* keys, int n,
                    std::string* dst) const override {
    policy_.CreateFilter(keys, n, dst);
  }
  bool KeyMayMatch(const leveldb::Slice& key,
                   const leveldb::Slice& filter) const override {
    const bool maybe = policy_.KeyMayMatch(key, filter);
    ++(maybe ? maybe_ : absent_);
    return maybe;
  }

  int maybe() const { return maybe_; }
  int absent() const { return absent_; }

 private:
  LevelDbFilterPolicy policy_;
  mutable std::atomic<int> maybe_ = 0;
  mutable std::atomic<int> absent_ = 0;
};

Scenario SomeWrites() {
  return {.name = "adapter", .keys = 2000, .versions = 2};
}

// How many of 1,000 keys that are not there, each next to one that is or was,
// the policy rules out.
int RuledOut(const std::filesystem::path& dir, const Written& written,
             const Counting& policy) {
  leveldb::Options options;
  options.filter_policy = &policy;
  leveldb::DB* opened = nullptr;
  EXPECT_TRUE(leveldb::DB::Open(options, dir.string(), &opened).ok());
  const std::unique_ptr<leveldb::DB> db(opened);
  const int before = policy.absent();
  int asked = 0;
  for (const auto& [key, value] : written.values) {
    std::string found;
    EXPECT_TRUE(db->Get({}, key + "!", &found).IsNotFound());
    if (++asked == 1000) break;
  }
  EXPECT_EQ(asked, 1000);
  return policy.absent() - before;
}

class LevelDbWithOurFilters : public ::testing::TestWithParam<std::string> {};

INSTANTIATE_TEST_SUITE_P(
    Specs, LevelDbWithOurFilters,
    ::testing::Values("leveldb:10", "rocksdb:10", "rocksdb-ribbon:10",
                      "parquet:10", "cassandra:10", "bloom:10", "ribbon:8",
                      "fuse8", "cuckoo:fpr=0.01", "splitblock:10"),
    [](const auto& test) { return TestNameOf(test.param); });

TEST_P(LevelDbWithOurFilters, FindsEveryKeyAndSkipsMostMisses) {
  const ScratchDir dir;
  const Counting policy(GetParam());
  const Written written = WriteDatabase(dir.path(), SomeWrites(), policy);
  ExpectHolds(dir.path(), written, policy);
  EXPECT_GE(policy.maybe(), static_cast<int>(written.values.size()));
  EXPECT_GT(RuledOut(dir.path(), written, policy), 900);
}

TEST_P(LevelDbWithOurFilters, TheDatabaseIsReadWithoutThePolicy) {
  const ScratchDir dir;
  const LevelDbFilterPolicy policy(PolicyOf(GetParam()));
  const Written written = WriteDatabase(dir.path(), SomeWrites(), policy);
  ExpectHolds(dir.path(), written, *TheirPolicy(10));
  leveldb::Options options;
  leveldb::DB* opened = nullptr;
  ASSERT_TRUE(leveldb::DB::Open(options, dir.path().string(), &opened).ok());
  const std::unique_ptr<leveldb::DB> db(opened);
  for (const auto& [key, expected] : written.values) {
    std::string value;
    ASSERT_TRUE(db->Get({}, key, &value).ok());
    ASSERT_EQ(value, expected);
  }
}

// Whoever changes the kind goes on reading what the other kind wrote: one name
// stands for the bytes of all our own kinds, another for another format's.
TEST_P(LevelDbWithOurFilters, AnotherKindReadsTheDatabase) {
  const ScratchDir dir;
  const LevelDbFilterPolicy policy(PolicyOf(GetParam()));
  const Written written = WriteDatabase(dir.path(), SomeWrites(), policy);
  for (const char* spec : {"bloom:10", "ribbon:8", "leveldb:10"}) {
    const Counting other(spec);
    ExpectHolds(dir.path(), written, other);
    const bool reads_it = std::string(other.Name()) == policy.Name();
    const int ruled_out = RuledOut(dir.path(), written, other);
    EXPECT_EQ(ruled_out > 900, reads_it) << spec << " " << ruled_out;
  }
}

TEST(LevelDbAdapter, WritesTheBytesOfLevelDbsOwnPolicy) {
  const LevelDbFilterPolicy ours(PolicyOf("leveldb:10"));
  EXPECT_STREQ(ours.Name(), TheirPolicy(10)->Name());
  const auto keys = NumberedKeys("key", 100);
  EXPECT_EQ(TheirFilter(ours, keys), TheirFilter(*TheirPolicy(10), keys));
}

TEST(LevelDbAdapter, WorksThroughTheCInterface) {
  const ScratchDir dir;
  leveldb_filterpolicy_t* policy =
      NewLevelDbFilterPolicyC(PolicyOf("rocksdb-ribbon:10"));
  leveldb_options_t* options = leveldb_options_create();
  leveldb_options_set_create_if_missing(options, 1);
  leveldb_options_set_filter_policy(options, policy);
  leveldb_writeoptions_t* write = leveldb_writeoptions_create();
  leveldb_readoptions_t* read = leveldb_readoptions_create();
  const auto keys = NumberedKeys("key", 1000);
  char* error = nullptr;
  leveldb_t* db = leveldb_open(options, dir.path().c_str(), &error);
  ASSERT_EQ(error, nullptr) << error;
  for (const std::string& key : keys) {
    leveldb_put(db, write, key.data(), key.size(), key.data(), key.size(),
                &error);
    ASSERT_EQ(error, nullptr) << error;
  }
  leveldb_compact_range(db, nullptr, 0, nullptr, 0);
  for (const std::string& key : keys) {
    std::size_t length = 0;
    char* value =
        leveldb_get(db, read, key.data(), key.size(), &length, &error);
    ASSERT_EQ(error, nullptr) << error;
    ASSERT_NE(value, nullptr);
    EXPECT_EQ(std::string(value, length), key);
    std::free(value);
  }
  leveldb_close(db);
  leveldb_readoptions_destroy(read);
  leveldb_writeoptions_destroy(write);
  leveldb_options_destroy(options);
  leveldb_filterpolicy_destroy(policy);
}

}  // namespace
}  // namespace tamis::testing
