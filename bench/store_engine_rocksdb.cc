// SPDX-License-Identifier: Apache-2.0
#include <array>
#include <chrono>
#include <cstdlib>
#include <thread>
#include <vector>

#include "bench/store_engine.h"

#if defined(TAMIS_BENCH_ROCKSDB)  // set by the build

#include <rocksdb/cache.h>
#include <rocksdb/db.h>
#include <rocksdb/filter_policy.h>
#include <rocksdb/options.h>
#include <rocksdb/table.h>

#include "bench/clocks.h"

namespace tamis::bench {
namespace {

constexpr int kNeverReached = 1'000'000;
// Nothing pending and nothing running for so long: it is quiet.
constexpr double kQuietNanoseconds = 50e6;
constexpr auto kBetweenLooks = std::chrono::milliseconds(1);

rocksdb::Slice Theirs(Slice ours) { return {ours.data(), ours.size()}; }

Status Ours(const rocksdb::Status& theirs) {
  if (theirs.ok()) return Status::Ok();
  return Status::IoError("RocksDB: " + theirs.ToString());
}

// Without the block cache it reads data faster, by about a tenth; but then it
// has none for blocks that it must decompress.
bool MapsTables(const EngineSettings& settings) {
  return settings.rocksdb_reads == RocksDbReads::kMapped && !settings.snappy;
}

rocksdb::BlockBasedTableOptions TableOptions(const EngineSettings& settings) {
  rocksdb::BlockBasedTableOptions table;
  table.filter_policy.reset(rocksdb::NewBloomFilterPolicy(kStoreBitsPerKey));
  table.whole_key_filtering = true;
  // Filters and indexes are held by the table itself: the fastest place.
  table.cache_index_and_filter_blocks = false;
  if (MapsTables(settings)) {
    table.no_block_cache = true;
  } else {
    table.block_cache = rocksdb::NewLRUCache(settings.cache_bytes);
  }
  return table;
}

class RocksDbEngine final : public StoreEngine {
 public:
  explicit RocksDbEngine(const EngineSettings& settings) : settings_(settings) {
    options_.create_if_missing = true;
    options_.write_buffer_size = kStoreWriteBuffer;
    options_.max_background_jobs = 2;
    options_.compression =
        settings.snappy ? rocksdb::kSnappyCompression : rocksdb::kNoCompression;
    options_.allow_mmap_reads = MapsTables(settings);
    options_.use_direct_reads = settings.rocksdb_reads == RocksDbReads::kDirect;
    // A mapped block would be verified each time it is read.
    reads_.verify_checksums = !options_.allow_mmap_reads;
  }

  Status Open(const std::string& dir, StoreShape shape) override {
    rocksdb::Options options = options_;
    // With a cache of its own, which goes when the store is closed.
    options.table_factory.reset(
        rocksdb::NewBlockBasedTableFactory(TableOptions(settings_)));
    if (shape == StoreShape::kOverlapping) {
      options.disable_auto_compactions = true;
      options.level0_file_num_compaction_trigger = kNeverReached;
      options.level0_slowdown_writes_trigger = kNeverReached;
      options.level0_stop_writes_trigger = kNeverReached;
    }
    rocksdb::DB* db = nullptr;
    Status opened = Ours(rocksdb::DB::Open(options, dir, &db));
    db_.reset(db);
    return opened;
  }

  void Close() override { db_.reset(); }

  Status Put(const KeySpan& keys) override {
    const rocksdb::WriteOptions options;
    for (std::size_t i = keys.begin; i < keys.end; ++i) {
      const Slice key = (*keys.keys)[i];
      const auto put = db_->Put(options, Theirs(key), Theirs(ValueOf(key)));
      if (!put.ok()) return Ours(put);
    }
    return Status::Ok();
  }

  Status Flush() override { return Ours(db_->Flush(rocksdb::FlushOptions())); }

  Result<Settled> Settle() override {
    double last_work = WallNanoseconds();
    while (WallNanoseconds() - last_work < kQuietNanoseconds) {
      if (IsWorking()) last_work = WallNanoseconds();
      std::this_thread::sleep_for(kBetweenLooks);
    }
    unsigned runs = TablesAt(0);
    for (int level = 1; level < db_->NumberLevels(); ++level) {
      if (TablesAt(level) != 0) ++runs;
    }
    return Settled{.idle_nanoseconds = WallNanoseconds() - last_work,
                   .sorted_runs = runs};
  }

  Result<Seen> Get(const KeySpan& keys) override {
    Seen seen;
    rocksdb::PinnableSlice value;
    rocksdb::ColumnFamilyHandle* const family = db_->DefaultColumnFamily();
    for (std::size_t i = keys.begin; i < keys.end; ++i) {
      const auto got =
          db_->Get(reads_, family, Theirs((*keys.keys)[i]), &value);
      if (got.ok()) {
        seen.Add(value.data());
        value.Reset();
      } else if (!got.IsNotFound()) {
        return Ours(got);
      }
    }
    return seen;
  }

  Result<Seen> MultiGet(const KeySpan& keys, std::size_t per_call) override {
    Seen seen;
    std::vector<rocksdb::Slice> asked(per_call);
    std::vector<rocksdb::PinnableSlice> values(per_call);
    std::vector<rocksdb::Status> statuses(per_call);
    rocksdb::ColumnFamilyHandle* const family = db_->DefaultColumnFamily();
    for (std::size_t i = keys.begin; i < keys.end; i += per_call) {
      const std::size_t count = std::min(per_call, keys.end - i);
      for (std::size_t j = 0; j < count; ++j) {
        asked[j] = Theirs((*keys.keys)[i + j]);
      }
      db_->MultiGet(reads_, family, count, asked.data(), values.data(),
                    statuses.data(), /*sorted_input=*/false);
      for (std::size_t j = 0; j < count; ++j) {
        if (statuses[j].ok()) {
          seen.Add(values[j].data());
          values[j].Reset();
        } else if (!statuses[j].IsNotFound()) {
          return Ours(statuses[j]);
        }
      }
    }
    return seen;
  }

  Result<Seen> Scan(const ScanRange& range) override {
    Seen seen;
    rocksdb::ReadOptions reads = reads_;
    const rocksdb::Slice limit = Theirs(range.limit);
    if (!range.limit.empty()) reads.iterate_upper_bound = &limit;
    const std::unique_ptr<rocksdb::Iterator> at(db_->NewIterator(reads));
    for (at->Seek(Theirs(range.start)); at->Valid() && seen.values < range.most;
         at->Next()) {
      seen.Add(at->value().data());
    }
    if (!at->status().ok()) return Ours(at->status());
    return seen;
  }

 private:
  unsigned TablesAt(int level) {
    std::string number;
    db_->GetProperty(
        rocksdb::DB::Properties::kNumFilesAtLevelPrefix + std::to_string(level),
        &number);
    return static_cast<unsigned>(std::atoi(number.c_str()));
  }

  bool IsWorking() {
    const std::array<const std::string*, 4> signs = {
        &rocksdb::DB::Properties::kMemTableFlushPending,
        &rocksdb::DB::Properties::kNumRunningFlushes,
        &rocksdb::DB::Properties::kCompactionPending,
        &rocksdb::DB::Properties::kNumRunningCompactions};
    for (const std::string* sign : signs) {
      std::uint64_t value = 0;
      if (db_->GetIntProperty(*sign, &value) && value != 0) return true;
    }
    return false;
  }

  EngineSettings settings_;
  rocksdb::Options options_;
  rocksdb::ReadOptions reads_;
  std::unique_ptr<rocksdb::DB> db_;
};

}  // namespace

std::unique_ptr<StoreEngine> NewRocksDbEngine(const EngineSettings& settings) {
  return std::make_unique<RocksDbEngine>(settings);
}

}  // namespace tamis::bench

#else

namespace tamis::bench {

std::unique_ptr<StoreEngine> NewRocksDbEngine(const EngineSettings&) {
  return nullptr;
}

}  // namespace tamis::bench

#endif
