// SPDX-License-Identifier: Apache-2.0
// Filters beside the tables of a LevelDB database: LevelDB neither reads nor
// removes them, whatever it does to the tables.

#include "tamis/filter_files.h"

#include <filesystem>
#include <memory>
#include <random>
#include <string>

#include <gtest/gtest.h>
#include <leveldb/db.h>
#include <leveldb/filter_policy.h>

#include "tests/peers/scratch_db.h"
#include "tests/peers/store_pair.h"

namespace tamis::testing {
namespace {

constexpr ChangeKind kKind = {.keys = 1500, .longest_value = 200};

leveldb::Options TheirOptions(const leveldb::FilterPolicy* filter) {
  leveldb::Options options = Paranoid(filter);
  options.create_if_missing = true;
  options.write_buffer_size = std::size_t{64} << 10;
  options.max_file_size = std::size_t{1} << 20;
  return options;
}

// A failure fails the running test.
std::uint64_t MakeThem(const std::filesystem::path& dir) {
  const auto made = MakeFilterFiles(dir.string());
  EXPECT_TRUE(made.ok()) << made.status().ToString();
  if (!made.ok()) return 0;
  EXPECT_EQ(made->failed, 0u);
  return made->made;
}

class FilterFilesPeer : public ::testing::TestWithParam<int> {
 protected:
  FilterFilesPeer() {
    if (GetParam() > 0) {
      filter_.reset(leveldb::NewBloomFilterPolicy(GetParam()));
    }
    WriteTheirs(400);
  }
  void WriteTheirs(int batches) {
    const auto db = OpenTheirs(dir_.path(), TheirOptions(filter_.get()));
    ASSERT_NE(db, nullptr);
    WriteRandomly(kKind, batches, &random_, db.get(), &contents_);
    db->CompactRange(nullptr, nullptr);
  }
  void ExpectTheirs() {
    const auto db = OpenTheirs(dir_.path(), TheirOptions(filter_.get()));
    ASSERT_NE(db, nullptr);
    ExpectHolds(db.get(), contents_);
  }
  std::size_t Filters() const { return CountFiles(dir_.path(), ".filter"); }

  const ScratchDir dir_;
  std::unique_ptr<const leveldb::FilterPolicy> filter_;
  std::mt19937_64 random_{42};
  Contents contents_;
};

TEST_P(FilterFilesPeer, LevelDbIgnoresThem) {
  const std::uint64_t made = MakeThem(dir_.path());
  EXPECT_GT(made, 0u);
  EXPECT_EQ(made, CountFiles(dir_.path(), ".ldb"));
  ExpectSound(dir_.path());
  ExpectTheirs();
  EXPECT_EQ(Filters(), made);
  // Its compactions remove the tables, and leave the filters behind ...
  WriteTheirs(300);
  ExpectTheirs();
  EXPECT_EQ(Filters(), made);
  // ... which go when we open it; what they do not fit is read without.
  ExpectSound(dir_.path());
  MakeThem(dir_.path());
  ExpectWeHold(dir_.path(), contents_);
  EXPECT_LE(Filters(), CountFiles(dir_.path(), ".ldb"));
  ExpectTheirs();
}

TEST_P(FilterFilesPeer, LevelDbRepairsBesideThem) {
  const std::uint64_t made = MakeThem(dir_.path());
  const leveldb::Status repaired =
      leveldb::RepairDB(dir_.path().string(), TheirOptions(filter_.get()));
  ASSERT_TRUE(repaired.ok()) << repaired.ToString();
  EXPECT_EQ(Filters(), made);
  ExpectTheirs();
  ExpectSound(dir_.path());
  ExpectWeHold(dir_.path(), contents_);
}

TEST_P(FilterFilesPeer, AreUsedForTablesThatLevelDbWrote) {
  const std::uint64_t made = MakeThem(dir_.path());
  StoreOptions options;
  options.read_only = true;
  const auto store = OpenOurs(dir_.path(), options);
  ASSERT_NE(store, nullptr);
  ExpectHolds(store.get(), contents_);
  const StoreStats stats = store->Stats();
  std::uint64_t loaded = 0;
  for (const LevelStats& level : stats.levels) loaded += level.filters_loaded;
  EXPECT_EQ(loaded, made);
  EXPECT_EQ(stats.damaged_filters, 0u);
}

// With its filters, and without any.
INSTANTIATE_TEST_SUITE_P(BitsPerKey, FilterFilesPeer, ::testing::Values(10, 0));

}  // namespace
}  // namespace tamis::testing
