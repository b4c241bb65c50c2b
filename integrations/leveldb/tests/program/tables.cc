// SPDX-License-Identifier: Apache-2.0
// Table and TableBuilder over plain keys, and BytewiseComparator() itself.

#include <algorithm>
#include <memory>
#include <vector>

#include <leveldb/cache.h>
#include <leveldb/comparator.h>
#include <leveldb/env.h>
#include <leveldb/filter_policy.h>
#include <leveldb/table.h>
#include <leveldb/table_builder.h>

#include "orders.h"
#include "policies.h"
#include "scene.h"

namespace {

class MemoryFile final : public leveldb::WritableFile,
                         public leveldb::RandomAccessFile {
 public:
  std::string bytes;
  unsigned flushes = 0;

  leveldb::Status Append(const leveldb::Slice& data) override {
    bytes.append(data.data(), data.size());
    return {};
  }
  leveldb::Status Close() override { return {}; }
  leveldb::Status Flush() override {
    ++flushes;
    return {};
  }
  leveldb::Status Sync() override { return {}; }
  leveldb::Status Read(uint64_t offset, size_t n, leveldb::Slice* result,
                       char* scratch) const override {
    n = offset < bytes.size() ? bytes.copy(scratch, n, offset) : 0;
    *result = leveldb::Slice(scratch, n);
    return {};
  }
};

void Walk(const Scene& scene, const leveldb::Table& table, Chance* chance) {
  leveldb::ReadOptions reading;
  reading.verify_checksums = chance->Once(2);
  const std::unique_ptr<leveldb::Iterator> entries(table.NewIterator(reading));
  for (int i = 0; i < 200; ++i) {
    const std::string key = chance->Bytes(5, 7);
    switch (chance->Below(8)) {
      case 0:
        entries->SeekToFirst();
        break;
      case 1:
        entries->SeekToLast();
        break;
      default:
        entries->Seek(key);
        break;
    }
    for (unsigned n = chance->Below(40); n > 0 && entries->Valid(); --n) {
      if (chance->Once(3)) {
        entries->Prev();
      } else {
        entries->Next();
      }
    }
    std::printf(
        "%s %s %llu\n", Printable(key).c_str(),
        entries->Valid() ? Printable(entries->key()).c_str() : "none",
        static_cast<unsigned long long>(table.ApproximateOffsetOf(key)));
  }
  Say(scene, "walked", entries->status());
}

void Build(const Scene& scene, const leveldb::Options& options,
           Chance* chance) {
  std::vector<std::string> keys;
  for (int i = 0; i < 600; ++i) keys.push_back(chance->Bytes(5, 7));
  const leveldb::Comparator* const order = options.comparator;
  std::sort(keys.begin(), keys.end(),
            [&](const std::string& a, const std::string& b) {
              return order->Compare(a, b) < 0;
            });
  keys.erase(std::unique(keys.begin(), keys.end(),
                         [&](const std::string& a, const std::string& b) {
                           return order->Compare(a, b) == 0;
                         }),
             keys.end());
  MemoryFile file;
  leveldb::TableBuilder builder(options, &file);
  leveldb::Options changed = options;
  for (std::size_t i = 0; i < keys.size(); ++i) {
    builder.Add(keys[i], chance->Once(9) ? std::string(400, 'v')
                                         : chance->Bytes(60, 40));
    if (chance->Once(60)) builder.Flush();
    if (i == keys.size() / 2) {
      changed.block_size = 300;
      changed.compression = leveldb::kSnappyCompression;
      Say(scene, "change", builder.ChangeOptions(changed));
    }
  }
  std::printf("%llu entries so far\n",
              static_cast<unsigned long long>(builder.NumEntries()));
  Say(scene, "status", builder.status());
  Say(scene, "finish", builder.Finish());
  std::printf("%llu bytes, %zu, %u flushes, %016llx\n",
              static_cast<unsigned long long>(builder.FileSize()),
              file.bytes.size(), file.flushes,
              static_cast<unsigned long long>(HashOf(file.bytes)));

  leveldb::Table* opened = nullptr;
  Say(scene, "open",
      leveldb::Table::Open(options, &file, file.bytes.size(), &opened));
  const std::unique_ptr<leveldb::Table> table(opened);
  Walk(scene, *table, chance);
}

void Wrong(const Scene& scene) {
  MemoryFile file;
  leveldb::Options options;
  auto* table = reinterpret_cast<leveldb::Table*>(1);
  Say(scene, "short", leveldb::Table::Open(options, &file, 10, &table));
  std::printf("%d\n", table == nullptr);
  file.bytes.assign(100, 'x');
  Say(scene, "no table", leveldb::Table::Open(options, &file, 100, &table));
  file.bytes.clear();
  {
    leveldb::TableBuilder builder(options, &file);
    builder.Add("a", "b");
    const ReverseOrder reverse;
    leveldb::Options other;
    other.comparator = &reverse;
    Say(scene, "other order", builder.ChangeOptions(other));
    builder.Abandon();
  }
  {
    leveldb::TableBuilder builder(options, &file);
    Say(scene, "empty", builder.Finish());
  }
  Say(scene, "empty",
      leveldb::Table::Open(options, &file, file.bytes.size(), &table));
  leveldb::Iterator* const entries = table->NewIterator({});
  entries->SeekToFirst();
  std::printf("%d\n", entries->Valid());
  delete entries;
  delete table;
}

void Comparators() {
  const leveldb::Comparator* const order = leveldb::BytewiseComparator();
  std::printf("%s %d\n", order->Name(), order == leveldb::BytewiseComparator());
  for (const auto& [start, limit] : {std::pair("abc1xyz", "abc9"),
                                     {"foo", "foobar"},
                                     {"a\xff", "b"},
                                     {"abc", "abd"},
                                     {"", "a"}}) {
    std::string between = start;
    order->FindShortestSeparator(&between, limit);
    std::string after = start;
    order->FindShortSuccessor(&after);
    std::printf("%s %s %d\n", Printable(between).c_str(),
                Printable(after).c_str(), order->Compare(start, limit) < 0);
  }
}

}  // namespace

void Tables(const Scene& scene) {
  Comparators();
  Wrong(scene);
  Chance chance(scene.seed);
  const ReverseOrder reverse;
  const FirstLetters letters;
  const std::unique_ptr<const leveldb::FilterPolicy> bloom(
      leveldb::NewBloomFilterPolicy(10));
  const std::unique_ptr<leveldb::Cache> cache(leveldb::NewLRUCache(1 << 20));
  for (int i = 0; i < 12; ++i) {
    leveldb::Options options;
    if (i % 2 == 1) options.comparator = &reverse;
    if (i % 3 == 1) options.filter_policy = bloom.get();
    if (i % 3 == 2) options.filter_policy = &letters;
    if (i % 4 == 2) options.block_cache = cache.get();
    if (i % 5 < 2) options.compression = leveldb::kNoCompression;
    options.block_size = 200 << chance.Below(5);
    options.block_restart_interval = static_cast<int>(1 + chance.Below(20));
    Build(scene, options, &chance);
  }
  std::printf("cached %d\n", cache->TotalCharge() > 0);
}
