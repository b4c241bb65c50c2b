// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <filesystem>
#include <system_error>
#include <thread>

#include <leveldb/cache.h>
#include <leveldb/db.h>
#include <leveldb/filter_policy.h>
#include <leveldb/iterator.h>

#include "bench/clocks.h"
#include "bench/store_engine.h"

namespace tamis::bench {
namespace {

constexpr int kManyFiles = 100'000;
constexpr int kStartsCompaction = 4;  // so many tables in level 0
constexpr auto kBetweenLooks = std::chrono::milliseconds(10);

leveldb::Slice Theirs(Slice ours) { return {ours.data(), ours.size()}; }

Status Ours(const leveldb::Status& theirs) {
  if (theirs.ok()) return Status::Ok();
  return Status::IoError("LevelDB: " + theirs.ToString());
}

class LevelDbEngine final : public StoreEngine {
 public:
  explicit LevelDbEngine(const EngineSettings& settings)
      : settings_(settings),
        filter_(leveldb::NewBloomFilterPolicy(kStoreBitsPerKey)) {
    options_.create_if_missing = true;
    options_.filter_policy = filter_.get();
    options_.write_buffer_size = kStoreWriteBuffer;
    options_.max_open_files = kManyFiles;
    options_.compression =
        settings.snappy ? leveldb::kSnappyCompression : leveldb::kNoCompression;
  }

  Status Open(const std::string& dir, StoreShape shape) override {
    if (shape == StoreShape::kOverlapping) {
      return Status::NotSupported("LevelDB always compacts");
    }
    dir_ = dir;
    cache_.reset(leveldb::NewLRUCache(settings_.cache_bytes));
    options_.block_cache = cache_.get();
    leveldb::DB* db = nullptr;
    Status opened = Ours(leveldb::DB::Open(options_, dir, &db));
    db_.reset(db);
    return opened;
  }

  void Close() override {
    db_.reset();
    cache_.reset();
  }

  Status Put(const KeySpan& keys) override {
    const leveldb::WriteOptions options;
    for (std::size_t i = keys.begin; i < keys.end; ++i) {
      const Slice key = (*keys.keys)[i];
      const auto put = db_->Put(options, Theirs(key), Theirs(ValueOf(key)));
      if (!put.ok()) return Ours(put);
    }
    return Status::Ok();
  }

  Status Flush() override {
    return Status::NotSupported("no flush of its own");
  }

  // LevelDB offers nothing to wait for, so it counts as quiet if level 0 may
  // stay as it is, and no file has changed for a while.
  Result<Settled> Settle() override {
    double last_change = WallNanoseconds();
    std::uint64_t bytes = BytesOnDisk(dir_);
    while (WallNanoseconds() - last_change < settings_.quiet_seconds * 1e9) {
      std::this_thread::sleep_for(kBetweenLooks);
      const std::uint64_t now = BytesOnDisk(dir_);
      if (now == bytes && TablesAtLevel0() < kStartsCompaction) continue;
      bytes = now;
      last_change = WallNanoseconds();
    }
    return Settled{.idle_nanoseconds = WallNanoseconds() - last_change};
  }

  Result<Seen> Get(const KeySpan& keys) override {
    const leveldb::ReadOptions options;
    Seen seen;
    std::string value;
    for (std::size_t i = keys.begin; i < keys.end; ++i) {
      const auto got = db_->Get(options, Theirs((*keys.keys)[i]), &value);
      if (got.ok()) {
        seen.Add(value.data());
      } else if (!got.IsNotFound()) {
        return Ours(got);
      }
    }
    return seen;
  }

  Result<Seen> MultiGet(const KeySpan& keys, std::size_t) override {
    return Get(keys);
  }

  Result<Seen> Scan(Slice start, std::uint64_t most) override {
    Seen seen;
    const std::unique_ptr<leveldb::Iterator> at(db_->NewIterator({}));
    for (at->Seek(Theirs(start)); at->Valid() && seen.values < most;
         at->Next()) {
      seen.Add(at->value().data());
    }
    if (!at->status().ok()) return Ours(at->status());
    return seen;
  }

 private:
  int TablesAtLevel0() {
    std::string number;
    db_->GetProperty("leveldb.num-files-at-level0", &number);
    return std::atoi(number.c_str());
  }

  EngineSettings settings_;
  std::unique_ptr<const leveldb::FilterPolicy> filter_;
  std::unique_ptr<leveldb::Cache> cache_;
  leveldb::Options options_;
  std::string dir_;
  std::unique_ptr<leveldb::DB> db_;
};

}  // namespace

std::unique_ptr<StoreEngine> NewLevelDbEngine(const EngineSettings& settings) {
  return std::make_unique<LevelDbEngine>(settings);
}

// Files appear and disappear meanwhile; those that are gone do not count.
std::uint64_t BytesOnDisk(const std::string& dir) {
  std::uint64_t bytes = 0;
  std::error_code error;
  std::filesystem::recursive_directory_iterator at(dir, error);
  while (!error && at != std::filesystem::recursive_directory_iterator()) {
    std::error_code gone;
    const bool is_file = at->is_regular_file(gone);
    const std::uintmax_t size = is_file && !gone ? at->file_size(gone) : 0;
    if (!gone) bytes += size;
    at.increment(error);
  }
  return bytes;
}

}  // namespace tamis::bench
