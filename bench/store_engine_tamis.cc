// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <span>
#include <utility>
#include <vector>

#include "bench/store_engine.h"
#include "tamis/store.h"
#include "tamis/store_stats.h"

namespace tamis::bench {
namespace {

// More level-0 tables than the overlapping shape ever has.
constexpr unsigned kNeverReached = 1'000'000;

class TamisEngine final : public StoreEngine {
 public:
  explicit TamisEngine(const EngineSettings& settings) {
    options_.create_if_missing = true;
    options_.filter = "bloom:" + std::to_string(kStoreBitsPerKey);
    options_.write_buffer_bytes = kStoreWriteBuffer;
    options_.compression =
        settings.snappy ? Compression::kSnappy : Compression::kNone;
    if (settings.snappy) options_.block_cache_bytes = settings.cache_bytes;
  }

  Status Open(const std::string& dir, StoreShape shape) override {
    StoreOptions options = options_;
    if (shape == StoreShape::kOverlapping) {
      options.automatic_compaction = false;
      options.level0_slow_at = kNeverReached;
      options.level0_stop_at = kNeverReached;
    }
    auto store = Store::Open(dir, options);
    if (!store.ok()) return store.status();
    store_ = *std::move(store);
    return Status::Ok();
  }

  void Close() override { store_.reset(); }

  Status Put(const KeySpan& keys) override {
    for (std::size_t i = keys.begin; i < keys.end; ++i) {
      const Slice key = (*keys.keys)[i];
      if (Status put = store_->Put({}, key, ValueOf(key)); !put.ok()) {
        return put;
      }
    }
    return Status::Ok();
  }

  Status Flush() override { return store_->Flush(); }

  Result<Settled> Settle() override {
    if (Status quiet = store_->WaitForQuiet(); !quiet.ok()) return quiet;
    const StoreStats stats = store_->Stats();
    const LevelStats& newest = stats.levels[0];
    std::vector<std::uint64_t> filters(
        newest.tables,
        newest.filter_bytes / std::max<std::uint64_t>(1, newest.tables));
    for (const LevelStats& level : std::span(stats.levels).subspan(1)) {
      if (level.tables != 0) filters.push_back(level.filter_bytes);
    }
    return Settled{.sorted_runs = static_cast<unsigned>(filters.size()),
                   .filter_bytes = std::move(filters)};
  }

  Result<Seen> Get(const KeySpan& keys) override {
    Seen seen;
    std::string value;
    for (std::size_t i = keys.begin; i < keys.end; ++i) {
      Status got = store_->Get({}, (*keys.keys)[i], &value);
      if (got.ok()) {
        seen.Add(value.data());
      } else if (got.code() != StatusCode::kNotFound) {
        return got;
      }
    }
    return seen;
  }

  Result<Seen> MultiGet(const KeySpan& keys, std::size_t per_call) override {
    Seen seen;
    std::vector<Slice> asked(per_call);
    std::vector<std::string> values(per_call);
    std::vector<Status> statuses(per_call);
    for (std::size_t i = keys.begin; i < keys.end; i += per_call) {
      const std::size_t count = std::min(per_call, keys.end - i);
      for (std::size_t j = 0; j < count; ++j) asked[j] = (*keys.keys)[i + j];
      store_->MultiGet({}, {asked.data(), count}, {values.data(), count},
                       {statuses.data(), count});
      for (std::size_t j = 0; j < count; ++j) {
        if (statuses[j].ok()) {
          seen.Add(values[j].data());
        } else if (statuses[j].code() != StatusCode::kNotFound) {
          return statuses[j];
        }
      }
    }
    return seen;
  }

  Result<Seen> Scan(const ScanRange& range) override {
    Seen seen;
    const auto at = store_->NewIterator();
    for (at->Seek(range.start); at->Valid() && seen.values < range.most;
         at->Next()) {
      if (range.EndsBefore(at->key())) break;
      seen.Add(at->value().data());
    }
    if (Status status = at->status(); !status.ok()) return status;
    return seen;
  }

 private:
  StoreOptions options_;
  std::unique_ptr<Store> store_;
};

}  // namespace

std::unique_ptr<StoreEngine> NewTamisEngine(const EngineSettings& settings) {
  return std::make_unique<TamisEngine>(settings);
}

}  // namespace tamis::bench
