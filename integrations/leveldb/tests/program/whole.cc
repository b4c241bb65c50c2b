// SPDX-License-Identifier: Apache-2.0
// A database of another process, or of the other library: adds to it, and
// prints all that is in it.  DumpFile() of its files goes to standard error,
// since the libraries write other files.

#include <algorithm>
#include <memory>
#include <vector>

#include <leveldb/db.h>
#include <leveldb/dumpfile.h>
#include <leveldb/env.h>
#include <leveldb/filter_policy.h>

#include "scene.h"

namespace {

class ErrorOutput final : public leveldb::WritableFile {
 public:
  leveldb::Status Append(const leveldb::Slice& data) override {
    std::fwrite(data.data(), 1, data.size(), stderr);
    return {};
  }
  leveldb::Status Close() override { return {}; }
  leveldb::Status Flush() override { return {}; }
  leveldb::Status Sync() override { return {}; }
};

void DumpAll(const Scene& scene) {
  std::vector<std::string> names;
  leveldb::Env::Default()->GetChildren(scene.dir, &names);
  std::sort(names.begin(), names.end());
  ErrorOutput output;
  for (const std::string& name : names) {
    std::string text = "== " + name + " " +
                       leveldb::DumpFile(leveldb::Env::Default(),
                                         scene.dir + "/" + name, &output)
                           .ToString() +
                       "\n";
    output.Append(text);
  }
}

}  // namespace

// With seed 0 it only dumps.
void Whole(const Scene& scene) {
  if (scene.seed == 0) return DumpAll(scene);
  const std::unique_ptr<const leveldb::FilterPolicy> bloom(
      leveldb::NewBloomFilterPolicy(10));
  leveldb::Options options;
  options.create_if_missing = true;
  options.write_buffer_size = 64 << 10;
  options.reuse_logs = scene.seed % 2 == 0;
  options.filter_policy = bloom.get();
  leveldb::DB* opened = nullptr;
  Say(scene, "open", leveldb::DB::Open(options, scene.dir, &opened));
  if (opened == nullptr) return;
  const std::unique_ptr<leveldb::DB> db(opened);
  Chance chance(scene.seed);
  for (int i = 0; i < 1500; ++i) {
    const std::string key = std::to_string(chance.Below(3000));
    if (chance.Once(4)) {
      db->Delete({}, key);
    } else {
      db->Put({}, key, chance.Bytes(100, 30));
    }
  }
  if (chance.Once(2)) db->CompactRange(nullptr, nullptr);
  const std::unique_ptr<leveldb::Iterator> entries(db->NewIterator({}));
  for (entries->SeekToFirst(); entries->Valid(); entries->Next()) {
    std::string value;
    const bool is_same = db->Get({}, entries->key(), &value).ok() &&
                         entries->value() == leveldb::Slice(value);
    std::printf("%s %016llx %d\n", entries->key().ToString().c_str(),
                static_cast<unsigned long long>(HashOf(value)), is_same);
  }
  Say(scene, "scanned", entries->status());
}
