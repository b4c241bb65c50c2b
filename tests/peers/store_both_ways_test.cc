// SPDX-License-Identifier: Apache-2.0
// Databases of LevelDB opened by our store, and ours by LevelDB: the contents
// are the same, point by point and in order.

#include <atomic>
#include <chrono>
#include <filesystem>
#include <fstream>
#include <memory>
#include <optional>
#include <random>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

#include <gtest/gtest.h>
#include <leveldb/comparator.h>
#include <leveldb/db.h>

#include "tests/peers/child_process.h"
#include "tests/peers/peer_policy.h"
#include "tests/peers/scratch_db.h"
#include "tests/peers/store_pair.h"

namespace tamis::testing {
namespace {

namespace fs = std::filesystem;

// The smallest that LevelDB takes.
constexpr std::size_t kTheirSmallestBuffer = std::size_t{64} << 10;

struct History {
  std::string name;
  ChangeKind kind = {};
  int batches = 700;
  int filter_bits = 10;  // LevelDB's; 0: none
  bool compressed = true;
  bool compact = false;  // at the end
  std::size_t their_buffer = kTheirSmallestBuffer;
  std::string our_filter = "bloom:10";
  std::optional<std::uint64_t> our_filter_memory = {};
};

std::vector<History> Histories() {
  return {
      {.name = "ManyTables"},
      {.name = "NoFilters", .filter_bits = 0, .our_filter = ""},
      {.name = "Plain", .compressed = false, .our_filter = "leveldb:10"},
      {.name = "Binary",
       .kind = {.binary_keys = true},
       .our_filter = "splitblock:12"},
      {.name = "Compacted", .compact = true, .our_filter = "rocksdb-ribbon:10"},
      {.name = "LogOnly",
       .batches = 300,
       .their_buffer = std::size_t{64} << 20},
      {.name = "LittleMemoryForFilters",
       .filter_bits = 0,
       .compact = true,
       .our_filter_memory = 2000},
      {.name = "OneKey", .kind = {.keys = 1}, .batches = 20},
      {.name = "HugeValues",
       .kind = {.keys = 60, .huge_one_in = 40},
       .batches = 40},
  };
}

leveldb::Options TheirOptions(const History& history,
                              const leveldb::FilterPolicy* filter) {
  leveldb::Options options;
  options.create_if_missing = true;
  options.filter_policy = history.filter_bits > 0 ? filter : nullptr;
  options.write_buffer_size = history.their_buffer;
  options.max_file_size = std::size_t{1} << 20;
  options.compression = history.compressed ? leveldb::kSnappyCompression
                                           : leveldb::kNoCompression;
  return options;
}

StoreOptions OurOptions(const History& history) {
  StoreOptions options;
  options.create_if_missing = true;
  options.filter = history.our_filter;
  options.filter_memory_bytes = history.our_filter_memory;
  options.leveldb_filter_bits = static_cast<unsigned>(history.filter_bits);
  // LevelDB ignores the second layer, and range filters.
  options.block_filter_bits = history.compressed ? 10 : 0;
  options.range_filter_bits = history.compressed ? 8 : 0;
  // And prefixes.
  options.prefix_extractor = "fixed=3";
  options.compression =
      history.compressed ? Compression::kSnappy : Compression::kNone;
  options.write_buffer_bytes = history.their_buffer;
  options.table_bytes = std::uint64_t{64} << 10;
  options.level1_bytes = std::uint64_t{256} << 10;
  return options;
}

StoreOptions Creating() {
  StoreOptions options;
  options.create_if_missing = true;
  return options;
}

// ---- What LevelDB wrote ----

class StoreFromLevelDb : public ::testing::TestWithParam<History> {
 protected:
  std::unique_ptr<leveldb::DB> Write() {
    filter_ = TheirPolicy(GetParam().filter_bits);
    auto db = OpenTheirs(dir_, TheirOptions(GetParam(), filter_.get()));
    if (db == nullptr) return db;
    std::mt19937_64 random(1);
    WriteRandomly(GetParam().kind, GetParam().batches, &random, db.get(),
                  &contents_);
    if (GetParam().compact) db->CompactRange(nullptr, nullptr);
    return db;
  }

  const ScratchDir scratch_;
  const fs::path dir_ = scratch_.path() / "db";
  std::unique_ptr<const leveldb::FilterPolicy> filter_;
  Contents contents_;
};

TEST_P(StoreFromLevelDb, HoldsTheSame) {
  Write().reset();
  ExpectWeHold(dir_, contents_);
  ExpectTheyHold(dir_, contents_);
}

TEST_P(StoreFromLevelDb, HoldsTheSameWithTablesOfOldNames) {
  Write().reset();
  for (const auto& [name, bytes] : TableFiles(dir_)) {
    const fs::path old = dir_ / name;
    fs::rename(old, fs::path(old).replace_extension(".sst"));
  }
  ExpectWeHold(dir_, contents_);
  ExpectTheyHold(dir_, contents_);
}

// As a crash leaves it: nothing was closed.
TEST_P(StoreFromLevelDb, HoldsTheSameWhenCopiedWhileOpen) {
  const auto db = Write();
  ASSERT_NE(db, nullptr);
  // Waits for what goes on in the background, without flushing the log.
  std::this_thread::sleep_for(std::chrono::milliseconds(60));
  const fs::path copy = scratch_.path() / "copy";
  CopyDirectory(dir_, copy);
  ExpectWeHold(copy, contents_);
}

INSTANTIATE_TEST_SUITE_P(Histories, StoreFromLevelDb,
                         ::testing::ValuesIn(Histories()),
                         [](const auto& instance) {
                           return instance.param.name;
                         });

TEST(StoreFromLevelDb, SeesSeveralLevels) {
  const ScratchDir scratch;
  Contents contents;
  {
    const auto db = OpenTheirs(scratch.path(), TheirOptions({}, nullptr));
    ASSERT_NE(db, nullptr);
    std::mt19937_64 random(2);
    const ChangeKind kind{.keys = 20'000, .longest_value = 1000};
    WriteRandomly(kind, 2000, &random, db.get(), &contents);
  }
  StoreOptions reading;
  reading.read_only = true;
  const auto store = OpenOurs(scratch.path(), reading);
  ASSERT_NE(store, nullptr);
  int levels = 0;
  for (const LevelStats& level : store->Stats().levels) {
    levels += level.tables > 0 ? 1 : 0;
  }
  EXPECT_GE(levels, 2);
  ExpectHolds(store.get(), contents);
}

// Run as a process of its own, and killed.
TEST(StoreFromLevelDb, DISABLED_WritesUntilKilled) {
  const std::string dir = ChildArgument();
  if (dir.empty()) GTEST_SKIP() << "to be started by another test only";
  const auto filter = TheirPolicy(10);
  const auto db = OpenTheirs(dir, TheirOptions({}, filter.get()));
  ASSERT_NE(db, nullptr);
  for (int i = 0; i < 1'000'000; ++i) {
    const std::string number = std::to_string(i);
    const std::string value = number + std::string(500, 'v');
    Apply({{"a" + number, value}, {"b" + number, value}}, db.get());
    std::ofstream(dir + ".done", std::ios::trunc) << number << '\n';
  }
}

TEST(StoreFromLevelDb, HoldsTheSameAfterLevelDbWasKilled) {
  std::mt19937_64 random(3);
  for (int round = 0; round < 3; ++round) {
    const ScratchDir scratch;
    const fs::path dir = scratch.path() / "db";
    const fs::path note = scratch.path() / "db.done";
    ChildProcess child("StoreFromLevelDb.DISABLED_WritesUntilKilled",
                       dir.string());
    for (int i = 0; i < 5000 && !fs::exists(note); ++i) {
      std::this_thread::sleep_for(std::chrono::milliseconds(2));
    }
    std::this_thread::sleep_for(std::chrono::milliseconds(20 + random() % 100));
    ASSERT_TRUE(child.Kill());
    int done = 0;
    std::ifstream(note) >> done;

    fs::copy(dir, scratch.path() / "theirs");
    const auto db = OpenTheirs(scratch.path() / "theirs", {});
    ASSERT_NE(db, nullptr);
    const Contents contents = ContentsOf(db.get());
    EXPECT_GE(contents.size(), 2 * static_cast<std::size_t>(done));
    ExpectWeHold(dir, contents);
  }
}

// ---- What we wrote ----

class StoreToLevelDb : public ::testing::TestWithParam<History> {
 protected:
  void SetUp() override {
    store_ = OpenOurs(dir_, OurOptions(GetParam()));
    ASSERT_NE(store_, nullptr);
    WriteMore(1);
  }
  void WriteMore(std::uint64_t seed) {
    std::mt19937_64 random(seed);
    WriteRandomly(GetParam().kind, GetParam().batches, &random, store_.get(),
                  &contents_);
  }

  const ScratchDir scratch_;
  const fs::path dir_ = scratch_.path() / "db";
  std::unique_ptr<Store> store_;
  Contents contents_;
};

TEST_P(StoreToLevelDb, HoldsTheSameAtRest) {
  store_.reset();
  ExpectTheyHold(dir_, contents_);
}

TEST_P(StoreToLevelDb, HoldsTheSameWhenCopiedWhileOpen) {
  ASSERT_TRUE(store_->WaitForQuiet().ok());
  ExpectTheyHold(dir_, contents_);
}

TEST_P(StoreToLevelDb, HoldsTheSameAfterFlushAndCompaction) {
  ASSERT_TRUE(store_->Flush().ok());
  ASSERT_TRUE(store_->WaitForQuiet().ok());
  ExpectTheyHold(dir_, contents_);
  WriteMore(2);
  ASSERT_TRUE(store_->Compact().ok());
  ExpectTheyHold(dir_, contents_);
  WriteMore(3);
  store_.reset();
  ExpectTheyHold(dir_, contents_);
}

INSTANTIATE_TEST_SUITE_P(Histories, StoreToLevelDb,
                         ::testing::ValuesIn(Histories()),
                         [](const auto& instance) {
                           return instance.param.name;
                         });

// LevelDB's own filter, which tells how often it was asked.
class CountingPolicy final : public leveldb::FilterPolicy {
 public:
  const char* Name() const override { return real_->Name(); }
  void CreateFilter(const leveldb::Slice* keys, int n,
                    std::string* dst) const override {
    real_->CreateFilter(keys, n, dst);
  }
  bool KeyMayMatch(const leveldb::Slice& key,
                   const leveldb::Slice& filter) const override {
    ++asked;
    const bool maybe = real_->KeyMayMatch(key, filter);
    if (!maybe) ++absent;
    return maybe;
  }

  mutable std::atomic<int> asked{0};
  mutable std::atomic<int> absent{0};

 private:
  std::unique_ptr<const leveldb::FilterPolicy> real_ = TheirPolicy(10);
};

TEST(StoreToLevelDb, GivesItFiltersThatSpareItReads) {
  const ScratchDir scratch;
  Contents contents;
  {
    const auto store = OpenOurs(scratch.path(), Creating());
    ASSERT_NE(store, nullptr);
    std::mt19937_64 random(4);
    WriteRandomly({}, 2000, &random, store.get(), &contents);
    ASSERT_TRUE(store->Flush().ok());
  }
  const CountingPolicy policy;
  const auto db = OpenTheirs(scratch.path(), Paranoid(&policy));
  ASSERT_NE(db, nullptr);
  std::string value;
  for (const auto& [key, expected] : contents) {
    ASSERT_TRUE(db->Get({}, key, &value).ok()) << key;
  }
  EXPECT_GE(policy.asked, static_cast<int>(contents.size()));
  EXPECT_EQ(policy.absent, 0);
  policy.asked = 0;
  for (const auto& [key, expected] : contents) {
    ASSERT_TRUE(db->Get({}, key + "x", &value).IsNotFound()) << key;
  }
  EXPECT_GT(policy.asked, static_cast<int>(contents.size()) * 9 / 10);
  EXPECT_GT(policy.absent, policy.asked * 95 / 100);
}

TEST(StoreToLevelDb, HoldsTheSameWithEveryKindOfFilter) {
  for (const char* filter :
       {"bloom:10", "splitblock:10", "classic:10", "leveldb:10", "rocksdb:10",
        "rocksdb-legacy:10", "rocksdb-ribbon:10", "parquet:10",
        "cassandra:oa,fpr=0.1"}) {
    SCOPED_TRACE(filter);
    const ScratchDir scratch;
    Contents contents;
    std::mt19937_64 random(6);
    {
      StoreOptions options = Creating();
      options.filter = filter;
      const auto store = OpenOurs(scratch.path(), options);
      ASSERT_NE(store, nullptr);
      WriteRandomly({}, 200, &random, store.get(), &contents);
      ASSERT_TRUE(store->Flush().ok());
    }
    ExpectTheyHold(scratch.path(), contents);
  }
}

// LevelDB may go on in a log of ours that a process left when it was killed:
// its records then stand behind the zeros that were allocated ahead.  They are
// no hole, for LevelDB counts on from the numbers that we used, however many
// files there were.
TEST(StoreToLevelDb, MayGoOnInALogOfOurs) {
  const ScratchDir scratch;
  const fs::path killed = scratch.path() / "killed";
  {
    const auto store = OpenOurs(scratch.path() / "db", Creating());
    ASSERT_NE(store, nullptr);
    for (int i = 0; i < 20; ++i) {
      ASSERT_TRUE(store->Put({}, "ours" + std::to_string(i), "v").ok());
      ASSERT_TRUE(store->Flush().ok());
    }
    ASSERT_TRUE(store->WaitForQuiet().ok());
    ASSERT_TRUE(store->Put({}, "last", "v").ok());
    fs::copy(scratch.path() / "db", killed);  // as a kill would leave it
  }
  leveldb::Options reusing;
  reusing.reuse_logs = true;
  reusing.paranoid_checks = true;
  {
    const auto db = OpenTheirs(killed, reusing);
    ASSERT_NE(db, nullptr);
    for (int i = 0; i < 50; ++i) {
      leveldb::WriteOptions how;
      how.sync = i % 5 == 0;
      ASSERT_TRUE(db->Put(how, "theirs" + std::to_string(i), "v").ok());
    }
  }
  const auto store = OpenOurs(killed, Creating());
  ASSERT_NE(store, nullptr);
  std::string value;
  for (int i = 0; i < 50; ++i) {
    EXPECT_TRUE(store->Get({}, "theirs" + std::to_string(i), &value).ok()) << i;
  }
  EXPECT_TRUE(store->Get({}, "last", &value).ok());
  EXPECT_FALSE(fs::exists(killed / "lost"));
}

TEST(StoreToLevelDb, LeavesItUndisturbedByWhatARepairPutAside) {
  const ScratchDir scratch;
  Contents contents;
  {
    const auto store = OpenOurs(scratch.path(), Creating());
    ASSERT_NE(store, nullptr);
    std::mt19937_64 random(5);
    WriteRandomly({}, 500, &random, store.get(), &contents);
  }
  fs::remove(scratch.path() / "CURRENT");
  const Result<RepairReport> repaired = RepairStore(scratch.path().string());
  ASSERT_TRUE(repaired.ok()) << repaired.status().ToString();
  ASSERT_TRUE(fs::exists(scratch.path() / "lost"));
  ExpectTheyHold(scratch.path(), contents);
  {
    const auto db = OpenTheirs(scratch.path(), Paranoid());
    ASSERT_NE(db, nullptr);
    db->CompactRange(nullptr, nullptr);
  }
  EXPECT_TRUE(fs::exists(scratch.path() / "lost"));
  ExpectWeHold(scratch.path(), contents);
}

}  // namespace
}  // namespace tamis::testing
