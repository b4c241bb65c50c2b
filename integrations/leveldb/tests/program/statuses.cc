// SPDX-License-Identifier: Apache-2.0
// Opening, destroying and repairing what is there and what is not; properties.

#include <sys/stat.h>
#include <memory>

#include <leveldb/db.h>
#include <leveldb/write_batch.h>

#include "orders.h"
#include "scene.h"

namespace {

leveldb::Status Open(const leveldb::Options& options, const std::string& dir,
                     std::unique_ptr<leveldb::DB>* db) {
  leveldb::DB* opened = reinterpret_cast<leveldb::DB*>(1);
  const leveldb::Status status = leveldb::DB::Open(options, dir, &opened);
  std::printf("%s ", opened == nullptr ? "null" : "made");
  db->reset(opened);
  return status;
}

void Properties(leveldb::DB* db) {
  for (const char* const name :
       {"leveldb.num-files-at-level0", "leveldb.num-files-at-level6",
        "leveldb.num-files-at-level7", "leveldb.num-files-at-level",
        "leveldb.num-files-at-levelx", "leveldb.stats", "leveldb.sstables",
        "leveldb.approximate-memory-usage", "leveldb.none", "leveldb.", "stats",
        ""}) {
    std::string text = "before";
    const bool is_there = db->GetProperty(name, &text);
    std::printf("property %s: %d %d\n", name, is_there, text.empty());
  }
}

}  // namespace

void Statuses(const Scene& scene) {
  std::unique_ptr<leveldb::DB> db;
  leveldb::Options options;
  Say(scene, "missing", Open(options, scene.dir + "/a", &db));
  Say(scene, "missing parent", Open(options, scene.dir + "/x/y", &db));
  options.create_if_missing = true;
  Say(scene, "create below missing", Open(options, scene.dir + "/x/y", &db));
  Say(scene, "create", Open(options, scene.dir + "/b", &db));
  std::unique_ptr<leveldb::DB> other;
  Say(scene, "twice", Open(options, scene.dir + "/b", &other));
  Say(scene, "destroy open", leveldb::DestroyDB(scene.dir + "/b", options));
  Say(scene, "put", db->Put({}, "k", "v"));
  Properties(db.get());
  db->CompactRange(nullptr, nullptr);
  std::string value = "unchanged";
  Say(scene, "get missing", db->Get({}, "none", &value));
  std::printf("%s\n", value.c_str());
  db.reset();
  options.error_if_exists = true;
  Say(scene, "exists", Open(options, scene.dir + "/b", &db));
  options.error_if_exists = false;
  const ReverseOrder reverse;
  leveldb::Options reversed = options;
  reversed.comparator = &reverse;
  Say(scene, "other order", Open(reversed, scene.dir + "/b", &db));
  Say(scene, "repair", leveldb::RepairDB(scene.dir + "/b", options));
  Say(scene, "open", Open(options, scene.dir + "/b", &db));
  Say(scene, "get", db->Get({}, "k", &value));
  std::printf("%s\n", value.c_str());
  db.reset();
  Say(scene, "destroy by another order",
      leveldb::DestroyDB(scene.dir + "/b", reversed));
  Say(scene, "destroy nothing",
      leveldb::DestroyDB(scene.dir + "/none", options));
  mkdir((scene.dir + "/empty").c_str(), 0755);
  Say(scene, "destroy empty",
      leveldb::DestroyDB(scene.dir + "/empty", options));
  struct stat info {};
  std::printf("gone: %d %d\n", stat((scene.dir + "/empty").c_str(), &info),
              stat((scene.dir + "/b/CURRENT").c_str(), &info));
  Say(scene, "repair nothing", leveldb::RepairDB(scene.dir + "/new", options));
  options.create_if_missing = false;
  Say(scene, "open repaired", Open(options, scene.dir + "/new", &db));
  // Statuses themselves.
  const leveldb::Status one = leveldb::Status::NotSupported("a", "b");
  leveldb::Status copy = one;
  leveldb::Status assigned = leveldb::Status::IOError("other");
  assigned = copy;
  copy = leveldb::Status::OK();
  Say(scene, "copied", assigned);
  Say(scene, "ok", copy);
  Say(scene, "empty", leveldb::Status::Corruption(""));
  Say(scene, "second empty", leveldb::Status::InvalidArgument("first", ""));
  std::printf("%d %d\n", one.IsNotSupportedError(), one.IsIOError());
}
