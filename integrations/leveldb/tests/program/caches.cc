// SPDX-License-Identifier: Apache-2.0
// NewLRUCache() by itself, and one that two databases share.

#include <memory>

#include <leveldb/cache.h>
#include <leveldb/db.h>

#include "scene.h"

namespace {

void PrintGone(const leveldb::Slice& key, void* value) {
  std::printf("gone %s %d\n", key.ToString().c_str(),
              *static_cast<int*>(value));
  delete static_cast<int*>(value);
}

void Insert(leveldb::Cache* cache, const std::string& key, int value,
            std::size_t charge) {
  cache->Release(cache->Insert(key, new int(value), charge, PrintGone));
}

void Find(leveldb::Cache* cache, const std::string& key) {
  leveldb::Cache::Handle* const handle = cache->Lookup(key);
  std::printf(
      "%s: %d\n", key.c_str(),
      handle == nullptr ? -1 : *static_cast<int*>(cache->Value(handle)));
  if (handle != nullptr) cache->Release(handle);
}

void Alone() {
  const std::unique_ptr<leveldb::Cache> cache(leveldb::NewLRUCache(160));
  for (int i = 0; i < 60; ++i) {
    Insert(cache.get(), "key" + std::to_string(i), i, 1 + i % 5);
    if (i % 3 == 0) Find(cache.get(), "key" + std::to_string(i / 2));
  }
  std::printf("total %zu\n", cache->TotalCharge());
  leveldb::Cache::Handle* const held = cache->Lookup("key59");
  Insert(cache.get(), "key59", 1000, 2);
  cache->Erase("key58");
  cache->Erase("none");
  Find(cache.get(), "key59");
  std::printf("held %d\n", *static_cast<int*>(cache->Value(held)));
  cache->Prune();
  cache->Release(held);
  std::printf("total %zu\n", cache->TotalCharge());
  const std::uint64_t id = cache->NewId();
  std::printf("next %d\n", static_cast<int>(cache->NewId() - id));
  const std::unique_ptr<leveldb::Cache> none(leveldb::NewLRUCache(0));
  Insert(none.get(), "x", 1, 1);
  Find(none.get(), "x");
}

}  // namespace

void Caches(const Scene& scene) {
  Alone();
  const std::unique_ptr<leveldb::Cache> cache(leveldb::NewLRUCache(8 << 20));
  leveldb::Options options;
  options.create_if_missing = true;
  options.block_cache = cache.get();
  std::unique_ptr<leveldb::DB> dbs[2];
  for (int i = 0; i < 2; ++i) {
    leveldb::DB* db = nullptr;
    Say(scene, "open",
        leveldb::DB::Open(options, scene.dir + "/" + std::to_string(i), &db));
    dbs[i].reset(db);
    for (int k = 0; k < 3000; ++k) {
      db->Put({}, std::to_string(k), std::string(100, static_cast<char>(i)));
    }
    db->CompactRange(nullptr, nullptr);
  }
  cache->Prune();
  std::size_t charges[5] = {cache->TotalCharge()};
  for (int i = 0; i < 4; ++i) {
    leveldb::ReadOptions reading;
    reading.fill_cache = i != 0;
    const std::unique_ptr<leveldb::Iterator> entries(
        dbs[i % 2]->NewIterator(reading));
    std::uint64_t hash = 0;
    for (entries->SeekToFirst(); entries->Valid(); entries->Next()) {
      hash = hash * 31 + HashOf(entries->value());
    }
    charges[i + 1] = cache->TotalCharge();
    // Not filled, then by the one and by the other, which has not read yet.
    std::printf("%016llx %s\n", static_cast<unsigned long long>(hash),
                charges[i + 1] > charges[i] ? "more" : "as it was");
  }
}
