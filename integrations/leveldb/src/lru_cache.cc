// SPDX-License-Identifier: Apache-2.0
// leveldb::NewLRUCache(): 16 shards by the hash of the key, each of which
// evicts what was released least recently.

#include <array>
#include <atomic>
#include <list>
#include <mutex>
#include <string>
#include <string_view>
#include <unordered_map>

#include <leveldb/cache.h>

#include "convert.h"
#include "hash/leveldb_hash.h"

namespace leveldb {
namespace {

using Deleter = void (*)(const Slice& key, void* value);

struct Entry {
  std::string key;
  void* value = nullptr;
  std::size_t charge = 0;
  Deleter deleter = nullptr;
  unsigned handles = 0;               // that the program has
  bool is_cached = false;             // it can be found
  std::list<Entry*>::iterator place;  // of one that is cached and has no handle
};

// Entries that are neither cached nor have a handle are deleted.
class Shard {
 public:
  ~Shard() {
    for (const auto& [key, entry] : found_by_) Delete(entry);
  }

  // REQUIRES: nobody else uses it yet
  void set_capacity(std::size_t charge) { capacity_ = charge; }

  Entry* Insert(const Slice& key, void* value, std::size_t charge,
                Deleter deleter) {
    const std::lock_guard lock(mutex_);
    auto* const entry = new Entry{.key = key.ToString(),
                                  .value = value,
                                  .charge = charge,
                                  .deleter = deleter,
                                  .handles = 1,
                                  .is_cached = false,
                                  .place = {}};
    if (capacity_ == 0) return entry;
    Remove(entry->key);
    found_by_.emplace(entry->key, entry);
    entry->is_cached = true;
    total_ += charge;
    while (total_ > capacity_ && !unused_.empty()) Remove(unused_.front()->key);
    return entry;
  }

  Entry* Lookup(const Slice& key) {
    const std::lock_guard lock(mutex_);
    const auto found = found_by_.find(tamis::dropin::Ours(key));
    if (found == found_by_.end()) return nullptr;
    Entry* const entry = found->second;
    if (entry->handles++ == 0) unused_.erase(entry->place);
    return entry;
  }

  void Release(Entry* entry) {
    const std::lock_guard lock(mutex_);
    if (--entry->handles != 0) return;
    if (entry->is_cached) {
      entry->place = unused_.insert(unused_.end(), entry);
    } else {
      Delete(entry);
    }
  }

  void Erase(const Slice& key) {
    const std::lock_guard lock(mutex_);
    Remove(tamis::dropin::Ours(key));
  }

  void Prune() {
    const std::lock_guard lock(mutex_);
    while (!unused_.empty()) Remove(unused_.front()->key);
  }

  std::size_t total() const {
    const std::lock_guard lock(mutex_);
    return total_;
  }

 private:
  static void Delete(Entry* entry) {
    entry->deleter(entry->key, entry->value);
    delete entry;
  }

  // `key` may be a view of the entry's own.
  void Remove(std::string_view key) {
    const auto found = found_by_.find(key);
    if (found == found_by_.end()) return;
    Entry* const entry = found->second;
    found_by_.erase(found);
    entry->is_cached = false;
    total_ -= entry->charge;
    if (entry->handles != 0) return;
    unused_.erase(entry->place);
    Delete(entry);
  }

  mutable std::mutex mutex_;
  std::size_t capacity_ = 0;
  std::size_t total_ = 0;
  std::unordered_map<std::string_view, Entry*> found_by_;
  std::list<Entry*> unused_;  // least recently released first
};

class ShardedCache final : public Cache {
 public:
  explicit ShardedCache(std::size_t capacity) {
    for (Shard& shard : shards_) {
      shard.set_capacity(capacity / kShards + (capacity % kShards != 0));
    }
  }

  Handle* Insert(const Slice& key, void* value, size_t charge,
                 Deleter deleter) override {
    return HandleOf(ShardOf(key).Insert(key, value, charge, deleter));
  }
  Handle* Lookup(const Slice& key) override {
    return HandleOf(ShardOf(key).Lookup(key));
  }
  void Release(Handle* handle) override {
    Entry* const entry = EntryOf(handle);
    ShardOf(entry->key).Release(entry);
  }
  void* Value(Handle* handle) override { return EntryOf(handle)->value; }
  void Erase(const Slice& key) override { ShardOf(key).Erase(key); }
  uint64_t NewId() override { return ++last_id_; }
  void Prune() override {
    for (Shard& shard : shards_) shard.Prune();
  }
  size_t TotalCharge() const override {
    std::size_t total = 0;
    for (const Shard& shard : shards_) total += shard.total();
    return total;
  }

 private:
  static constexpr std::size_t kShards = 16;
  static constexpr unsigned kShardShift = 28;  // the upper 4 of 32 bits

  static Handle* HandleOf(Entry* entry) {
    return reinterpret_cast<Handle*>(entry);
  }
  static Entry* EntryOf(Handle* handle) {
    return reinterpret_cast<Entry*>(handle);
  }
  Shard& ShardOf(const Slice& key) {
    return shards_[tamis::LevelDbHash(tamis::dropin::Ours(key), 0) >>
                   kShardShift];
  }

  std::array<Shard, kShards> shards_;
  std::atomic<std::uint64_t> last_id_{0};
};

}  // namespace

Cache* NewLRUCache(size_t capacity) { return new ShardedCache(capacity); }

}  // namespace leveldb
