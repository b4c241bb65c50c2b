// SPDX-License-Identifier: Apache-2.0
// Blocks are spread over shards by file and offset; each shard has a mutex and
// evicts the least recently used.

#include <array>
#include <atomic>
#include <list>
#include <unordered_map>
#include <utility>

#include "base/mutex.h"
#include "hash/splitmix64.h"
#include "table/table_reader.h"

namespace tamis {
namespace {

struct Place {
  std::uint64_t table;
  std::uint64_t offset;
  bool operator==(const Place&) const = default;
};

std::uint64_t HashOf(const Place& place) noexcept {
  return SplitMix64(SplitMix64(place.table) ^ place.offset);
}
struct PlaceHash {
  std::size_t operator()(const Place& place) const noexcept {
    return static_cast<std::size_t>(HashOf(place));
  }
};

using CachedBlock = std::shared_ptr<const std::string>;

class Shard {
 public:
  // REQUIRES: nobody else uses it yet
  void set_capacity(std::size_t bytes) noexcept { capacity_ = bytes; }

  CachedBlock Find(const Place& place) noexcept {
    const MutexLock lock(mutex_);
    const auto found = where_.find(place);
    if (found == where_.end()) {
      ++misses_;
      return nullptr;
    }
    ++hits_;
    entries_.splice(entries_.begin(), entries_, found->second);
    return found->second->block;
  }

  void Insert(const Place& place, CachedBlock block) {
    const std::size_t size = CostOf(*block);
    if (size > capacity_) return;
    const MutexLock lock(mutex_);
    if (where_.contains(place)) return;  // another thread was as quick
    // Without memory for the second node, nothing has happened.
    Entries added;
    added.push_front({place, std::move(block)});
    where_.emplace(place, added.begin());
    entries_.splice(entries_.begin(), added);
    bytes_ += size;
    while (bytes_ > capacity_) Remove(std::prev(entries_.end()));
  }

  void Forget(std::uint64_t table) noexcept {
    const MutexLock lock(mutex_);
    for (auto it = entries_.begin(); it != entries_.end();) {
      const auto next = std::next(it);
      if (it->place.table == table) Remove(it);
      it = next;
    }
  }

  std::uint64_t bytes() const noexcept {
    const MutexLock lock(mutex_);
    return bytes_;
  }
  std::uint64_t hits() const noexcept {
    const MutexLock lock(mutex_);
    return hits_;
  }
  std::uint64_t misses() const noexcept {
    const MutexLock lock(mutex_);
    return misses_;
  }

 private:
  struct Entry {
    Place place;
    CachedBlock block;
  };
  using Entries = std::list<Entry>;  // most recently used first

  // Includes the overhead: two nodes, a reference count, their allocations.
  static std::size_t CostOf(const std::string& block) noexcept {
    constexpr std::size_t kOverhead = 192;
    return block.size() + kOverhead;
  }

  void Remove(Entries::iterator entry) noexcept TAMIS_REQUIRES(mutex_) {
    bytes_ -= CostOf(*entry->block);
    where_.erase(entry->place);
    entries_.erase(entry);
  }

  std::size_t capacity_ = 0;
  mutable Mutex mutex_;
  Entries entries_ TAMIS_GUARDED_BY(mutex_);
  std::unordered_map<Place, Entries::iterator, PlaceHash> where_
      TAMIS_GUARDED_BY(mutex_);
  std::uint64_t bytes_ TAMIS_GUARDED_BY(mutex_) = 0;
  std::uint64_t hits_ TAMIS_GUARDED_BY(mutex_) = 0;
  std::uint64_t misses_ TAMIS_GUARDED_BY(mutex_) = 0;
};

class ShardedBlockCache final : public BlockCache {
 public:
  explicit ShardedBlockCache(std::size_t capacity_bytes) {
    for (Shard& shard : shards_) shard.set_capacity(capacity_bytes / kShards);
  }

  std::uint64_t bytes() const noexcept override { return Sum(&Shard::bytes); }
  std::uint64_t hits() const noexcept override { return Sum(&Shard::hits); }
  std::uint64_t misses() const noexcept override { return Sum(&Shard::misses); }

  std::uint64_t NewTableId() noexcept override {
    return next_id_.fetch_add(1, std::memory_order_relaxed);
  }
  CachedBlock Find(std::uint64_t table,
                   std::uint64_t offset) noexcept override {
    return ShardOf({table, offset}).Find({table, offset});
  }
  void Insert(std::uint64_t table, std::uint64_t offset,
              CachedBlock block) override {
    ShardOf({table, offset}).Insert({table, offset}, std::move(block));
  }
  void Forget(std::uint64_t table) noexcept override {
    for (Shard& shard : shards_) shard.Forget(table);
  }

 private:
  static constexpr std::size_t kShards = 16;

  // Selects by the upper bits; the lower ones select a bucket within the shard.
  Shard& ShardOf(const Place& place) noexcept {
    return shards_[static_cast<std::size_t>(HashOf(place) >> 60) % kShards];
  }
  std::uint64_t Sum(std::uint64_t (Shard::*count)()
                        const noexcept) const noexcept {
    std::uint64_t sum = 0;
    for (const Shard& shard : shards_) sum += (shard.*count)();
    return sum;
  }

  std::array<Shard, kShards> shards_;
  std::atomic<std::uint64_t> next_id_{1};
};

}  // namespace

std::unique_ptr<BlockCache> NewBlockCache(std::size_t capacity_bytes) {
  return std::make_unique<ShardedBlockCache>(capacity_bytes);
}

}  // namespace tamis
