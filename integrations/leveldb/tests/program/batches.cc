// SPDX-License-Identifier: Apache-2.0
// WriteBatch and its Handler, and a class that derives from DB.

#include <leveldb/db.h>
#include <leveldb/write_batch.h>

#include "scene.h"

namespace {

class Printer final : public leveldb::WriteBatch::Handler {
 public:
  void Put(const leveldb::Slice& key, const leveldb::Slice& value) override {
    std::printf("put %s %s\n", Printable(key).c_str(),
                Printable(value).c_str());
  }
  void Delete(const leveldb::Slice& key) override {
    std::printf("delete %s\n", Printable(key).c_str());
  }
};

// Prints what is written; the defaults of Put() and Delete() call Write().
class PrintingDb final : public leveldb::DB {
 public:
  leveldb::Status Put(const leveldb::WriteOptions& options,
                      const leveldb::Slice& key,
                      const leveldb::Slice& value) override {
    return leveldb::DB::Put(options, key, value);
  }
  leveldb::Status Delete(const leveldb::WriteOptions& options,
                         const leveldb::Slice& key) override {
    return leveldb::DB::Delete(options, key);
  }
  leveldb::Status Write(const leveldb::WriteOptions& /*options*/,
                        leveldb::WriteBatch* updates) override {
    Printer printer;
    return updates->Iterate(&printer);
  }
  leveldb::Status Get(const leveldb::ReadOptions&, const leveldb::Slice&,
                      std::string*) override {
    return leveldb::Status::NotSupported("Get");
  }
  leveldb::Iterator* NewIterator(const leveldb::ReadOptions&) override {
    return leveldb::NewErrorIterator(leveldb::Status::NotSupported("scan"));
  }
  const leveldb::Snapshot* GetSnapshot() override { return nullptr; }
  void ReleaseSnapshot(const leveldb::Snapshot*) override {}
  bool GetProperty(const leveldb::Slice&, std::string*) override {
    return false;
  }
  void GetApproximateSizes(const leveldb::Range*, int, uint64_t*) override {}
  void CompactRange(const leveldb::Slice*, const leveldb::Slice*) override {}
};

}  // namespace

void Batches(const Scene& scene) {
  Printer printer;
  leveldb::WriteBatch batch;
  std::printf("empty %zu\n", batch.ApproximateSize());
  Say(scene, "iterate", batch.Iterate(&printer));
  batch.Put("a", "1");
  batch.Delete(leveldb::Slice("b\0c", 3));
  batch.Put("", std::string(300, 'x'));
  std::printf("%zu\n", batch.ApproximateSize());
  leveldb::WriteBatch copy = batch;
  batch.Append(copy);
  std::printf("appended %zu\n", batch.ApproximateSize());
  Say(scene, "iterate", batch.Iterate(&printer));
  batch.Clear();
  std::printf("cleared %zu\n", batch.ApproximateSize());
  copy = batch;
  copy.Delete("z");
  Say(scene, "iterate", copy.Iterate(&printer));

  PrintingDb db;
  Say(scene, "put", db.Put({}, "key", "value"));
  Say(scene, "delete", db.Delete({}, "key"));
}
