// SPDX-License-Identifier: Apache-2.0
// What tamis/sstable_whatif.h and tamis/sstable_probe.h say of databases that
// the real engines wrote is what these engines then build, and do.

#include <memory>
#include <set>
#include <string>
#include <vector>

#include <gtest/gtest.h>
#include <leveldb/db.h>
#include <leveldb/filter_policy.h>
#include <rocksdb/db.h>
#include <rocksdb/filter_policy.h>
#include <rocksdb/perf_context.h>
#include <rocksdb/perf_level.h>
#include <rocksdb/table.h>

#include "tamis/sstable_probe.h"
#include "tamis/sstable_whatif.h"
#include "tests/base/temp_dir.h"

namespace tamis::testing {
namespace {

std::string ImaginedKey(int i) { return "key" + std::to_string(100'000 + i); }

std::vector<SstableInfo> InfosOf(const std::string& dir) {
  const auto listing = FindSstables(dir);
  EXPECT_TRUE(listing.ok());
  std::vector<SstableInfo> infos;
  for (const FoundSstable& found : listing->sstables) {
    infos.push_back((*OpenSstable(found))->info());
  }
  return infos;
}

WhatIfAnswer AnswerOf(const std::vector<SstableInfo>& infos, double bits) {
  const auto answer = AskWhatIf(infos, GroupSstables(infos),
                                infos.front().engine, {.bits_per_key = bits});
  EXPECT_TRUE(answer.ok());
  return *answer;
}

struct RocksDbFilter {
  bool is_ribbon = false;
  bool is_partitioned = false;
  double bits = 10;
};

rocksdb::Options OptionsWith(const RocksDbFilter& filter) {
  rocksdb::BlockBasedTableOptions table;
  table.filter_policy.reset(
      filter.is_ribbon ? rocksdb::NewRibbonFilterPolicy(filter.bits, -1)
                       : rocksdb::NewBloomFilterPolicy(filter.bits));
  table.partition_filters = filter.is_partitioned;
  table.metadata_block_size = 2048;
  if (filter.is_partitioned) {
    table.index_type =
        rocksdb::BlockBasedTableOptions::IndexType::kTwoLevelIndexSearch;
  }
  rocksdb::Options options;
  options.create_if_missing = true;
  options.disable_auto_compactions = true;
  options.table_factory.reset(rocksdb::NewBlockBasedTableFactory(table));
  return options;
}

// A table on the lowest level and two on level 0, one of them with a deletion.
std::unique_ptr<rocksdb::DB> WriteRocksDb(const std::string& dir,
                                          const RocksDbFilter& filter) {
  rocksdb::DB* raw = nullptr;
  EXPECT_TRUE(rocksdb::DB::Open(OptionsWith(filter), dir, &raw).ok());
  std::unique_ptr<rocksdb::DB> db(raw);
  const auto put = [&](int from, int to, int step) {
    for (int i = from; i < to; i += step) {
      EXPECT_TRUE(db->Put({}, ImaginedKey(i), "value").ok());
    }
  };
  put(0, 20'000, 2);
  EXPECT_TRUE(db->Flush({}).ok());
  rocksdb::CompactRangeOptions whole;
  whole.bottommost_level_compaction =
      rocksdb::BottommostLevelCompaction::kForce;
  EXPECT_TRUE(db->CompactRange(whole, nullptr, nullptr).ok());
  put(1000, 3000, 4);
  EXPECT_TRUE(db->Delete({}, ImaginedKey(2)).ok());
  EXPECT_TRUE(db->Flush({}).ok());
  put(1000, 9000, 10);
  EXPECT_TRUE(db->Flush({}).ok());
  return db;
}

TEST(DoctorWhatIf, TheRealRocksDbBuildsWhatWasPredicted) {
  for (const bool is_partitioned : {false, true}) {
    for (const bool is_ribbon : {false, true}) {
      SCOPED_TRACE(::testing::Message() << is_partitioned << is_ribbon);
      const TempDir now{TempDir::InMemory()};
      const TempDir then{TempDir::InMemory()};
      WriteRocksDb(now.path(), {.is_partitioned = is_partitioned});
      WriteRocksDb(then.path(), {.is_ribbon = is_ribbon,
                                 .is_partitioned = is_partitioned,
                                 .bits = 15});
      const WhatIfAnswer imagined = AnswerOf(InfosOf(now.path()), 15);
      const WhatIfAnswer built = AnswerOf(InfosOf(then.path()), 15);
      const WhatIfPlan& plan = imagined.plans[is_ribbon ? 1 : 0];
      ASSERT_EQ(plan.groups.size(), 2u);
      for (std::size_t i = 0; i < plan.groups.size(); ++i) {
        const auto bytes = static_cast<double>(built.now[i].bytes);
        // Partitions differ in their numbers of keys.
        EXPECT_NEAR(static_cast<double>(plan.groups[i].bytes) / bytes, 1,
                    is_partitioned ? 0.06 : 0.001);
        EXPECT_NEAR(plan.groups[i].needless_reads / built.now[i].needless_reads,
                    1, 0.25);
      }
    }
  }
}

TEST(DoctorWhatIf, TheRealLevelDbBuildsWhatWasPredicted) {
  const auto write = [](const TempDir& dir, int bits) {
    const std::unique_ptr<const leveldb::FilterPolicy> policy(
        bits == 0 ? nullptr : leveldb::NewBloomFilterPolicy(bits));
    leveldb::Options options;
    options.create_if_missing = true;
    options.filter_policy = policy.get();
    leveldb::DB* raw = nullptr;
    ASSERT_TRUE(leveldb::DB::Open(options, dir.path(), &raw).ok());
    const std::unique_ptr<leveldb::DB> db(raw);
    for (int i = 0; i < 20'000; ++i) {
      ASSERT_TRUE(db->Put({}, ImaginedKey(i), "value").ok());
    }
    db->CompactRange(nullptr, nullptr);
  };
  const TempDir now{TempDir::InMemory()};
  const TempDir then{TempDir::InMemory()};
  const TempDir none{TempDir::InMemory()};
  write(now, 8);
  write(then, 14);
  write(none, 0);
  const WhatIfPlan plan = AnswerOf(InfosOf(now.path()), 14).plans[0];
  const WhatIfAnswer built = AnswerOf(InfosOf(then.path()), 14);
  EXPECT_EQ(plan.kind.policy, "leveldb");
  EXPECT_NEAR(static_cast<double>(plan.total.bytes) /
                  static_cast<double>(built.now_total.bytes),
              1, 0.02);
  EXPECT_NEAR(plan.total.needless_reads / built.now_total.needless_reads, 1,
              0.25);
  // Nothing but its data tells how many keys are in a table without a filter.
  std::vector<SstableInfo> infos = InfosOf(none.path());
  EXPECT_EQ(AnswerOf(infos, 14).unmeasured.size(), infos.size());
  ASSERT_EQ(infos.size(), 1u);
  infos[0].filter.keys = 20'000;
  const WhatIfAnswer counted = AnswerOf(infos, 14);
  EXPECT_TRUE(counted.unmeasured.empty());
  EXPECT_NEAR(static_cast<double>(counted.plans[0].total.bytes) /
                  static_cast<double>(built.now_total.bytes),
              1, 0.02);
}

std::vector<FoundSstable> SortedIn(const std::string& dir) {
  auto listing = FindSstables(dir);
  EXPECT_TRUE(listing.ok());
  SortForLookups(&listing->sstables);
  return listing->sstables;
}

struct Lookup {
  bool is_found = false;
  std::uint64_t ruled_out = 0;    // tables, by their filters
  std::uint64_t let_through = 0;  // tables, by their filters
};

Lookup LookedUp(rocksdb::DB* db, const std::string& key) {
  rocksdb::SetPerfLevel(rocksdb::kEnableCount);
  rocksdb::get_perf_context()->Reset();
  std::string value;
  Lookup lookup;
  lookup.is_found = db->Get({}, key, &value).ok();
  lookup.ruled_out = rocksdb::get_perf_context()->bloom_sst_miss_count;
  lookup.let_through = rocksdb::get_perf_context()->bloom_sst_hit_count;
  return lookup;
}

TEST(DoctorProbe, SaysWhichTablesTheRealRocksDbReads) {
  for (const bool is_partitioned : {false, true}) {
    SCOPED_TRACE(is_partitioned);
    const TempDir dir{TempDir::InMemory()};
    // So few bits that filters err often.
    const auto db =
        WriteRocksDb(dir.path(), {.is_partitioned = is_partitioned, .bits = 3});
    const std::vector<FoundSstable> sstables = SortedIn(dir.path());
    ASSERT_EQ(sstables.size(), 3u);
    std::uint64_t needless = 0;
    for (int i = -1; i < 1500; ++i) {
      const std::string key = i < 0 ? "zzz" : ImaginedKey(i);
      SCOPED_TRACE(key);
      const auto probe = ProbeSstables(sstables, key);
      ASSERT_TRUE(probe.ok());
      const Lookup real = LookedUp(db.get(), key);
      Lookup probed;
      for (const ProbeStep& step : probe->steps) {
        EXPECT_EQ(step.problem, "");
        EXPECT_FALSE(step.is_hidden());
        if (step.is_needless()) ++needless;
        if (step.is_after_end) continue;
        ++(step.is_read() ? probed.let_through : probed.ruled_out);
        probed.is_found = step.entry.kind == StoredKind::kValue;
        if (step.has_key()) break;
      }
      ASSERT_EQ(probed.is_found, real.is_found);
      ASSERT_EQ(probed.ruled_out, real.ruled_out);
      ASSERT_EQ(probed.let_through, real.let_through);
      ASSERT_EQ(probe->steps.size() + probe->out_of_range, 3u);
    }
    EXPECT_GT(needless, 50u);
    // The deletion is newer than the value below it.
    const auto probe = ProbeSstables(sstables, ImaginedKey(2));
    ASSERT_EQ(probe->steps.size(), 2u);
    EXPECT_EQ(probe->steps[0].entry.kind, StoredKind::kDeletion);
    EXPECT_EQ(probe->steps[1].entry.kind, StoredKind::kValue);
    EXPECT_TRUE(probe->steps[1].is_after_end);
  }
}

TEST(DoctorProbe, FindsWhatTheRealLevelDbHas) {
  const TempDir dir{TempDir::InMemory()};
  const std::unique_ptr<const leveldb::FilterPolicy> policy(
      leveldb::NewBloomFilterPolicy(4));
  leveldb::Options options;
  options.create_if_missing = true;
  options.filter_policy = policy.get();
  leveldb::DB* raw = nullptr;
  ASSERT_TRUE(leveldb::DB::Open(options, dir.path(), &raw).ok());
  std::unique_ptr<leveldb::DB> db(raw);
  for (int i = 0; i < 3000; i += 2) {
    ASSERT_TRUE(db->Put({}, ImaginedKey(i), "value").ok());
  }
  db->CompactRange(nullptr, nullptr);
  for (int i = 500; i < 900; i += 3) {
    ASSERT_TRUE(db->Delete({}, ImaginedKey(i)).ok());
  }
  db.reset();  // opened again, what is in the log becomes a table
  ASSERT_TRUE(leveldb::DB::Open(options, dir.path(), &raw).ok());
  db.reset(raw);
  db.reset();  // many lookups make LevelDB compact
  const std::vector<FoundSstable> sstables = SortedIn(dir.path());
  ASSERT_EQ(sstables.size(), 2u);
  std::vector<StoredKind> newest;
  for (int i = 0; i < 3001; ++i) {
    SCOPED_TRACE(i);
    const auto probe = ProbeSstables(sstables, ImaginedKey(i));
    ASSERT_TRUE(probe.ok());
    newest.push_back(StoredKind::kNothing);
    for (const ProbeStep& step : probe->steps) {
      EXPECT_EQ(step.problem, "");
      EXPECT_FALSE(step.is_hidden());
      if (newest.back() == StoredKind::kNothing) {
        newest.back() = step.entry.kind;
      }
    }
    ASSERT_EQ(newest.back() == StoredKind::kDeletion,
              i >= 500 && i < 900 && (i - 500) % 3 == 0);
  }
  ASSERT_TRUE(leveldb::DB::Open(options, dir.path(), &raw).ok());
  db.reset(raw);
  for (int i = 0; i < 3001; ++i) {
    std::string value;
    ASSERT_EQ(newest[static_cast<std::size_t>(i)] == StoredKind::kValue,
              db->Get({}, ImaginedKey(i), &value).ok())
        << i;
  }
}

}  // namespace
}  // namespace tamis::testing
