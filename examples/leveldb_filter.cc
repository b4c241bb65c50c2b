// SPDX-License-Identifier: Apache-2.0
// LevelDB with filters of this library, written by one kind and read by
// another.  Built where LevelDB is found.
//
//   c++ -std=c++20 leveldb_filter.cc $(pkg-config --cflags --libs tamis)
//       -lleveldb

#include <cstdio>
#include <filesystem>
#include <memory>
#include <string>
#include <utility>

#include <leveldb/db.h>

#include "tamis/leveldb_filter_policy.h"

namespace {

constexpr int kKeys = 10'000;

std::string Key(int i) { return "user:" + std::to_string(i); }

// Writes the keys, or reads them and as many absent ones.
bool Use(const std::string& dir, const char* spec, bool writes) {
  auto policy = tamis::MakePolicy(spec);
  if (!policy.ok()) return false;
  // Must outlive the database.
  const tamis::LevelDbFilterPolicy filter(*std::move(policy));
  leveldb::Options options;
  options.create_if_missing = writes;
  options.filter_policy = &filter;
  leveldb::DB* opened = nullptr;
  if (!leveldb::DB::Open(options, dir, &opened).ok()) return false;
  const std::unique_ptr<leveldb::DB> db(opened);
  int found = 0;
  std::string value;
  for (int i = 0; i < (writes ? kKeys : 2 * kKeys); ++i) {
    found += writes ? db->Put({}, Key(i), "value").ok()
                    : db->Get({}, Key(i), &value).ok();
  }
  if (writes) db->CompactRange(nullptr, nullptr);
  std::printf("%s: %d keys %s\n", spec, found, writes ? "written" : "found");
  return found == kKeys;
}

}  // namespace

int main() {
  const std::string dir =
      (std::filesystem::temp_directory_path() / "tamis-example-leveldb")
          .string();
  bool right = true;
  for (const char* spec : {"rocksdb-ribbon:10", "leveldb:10", "ribbon:8"}) {
    std::filesystem::remove_all(dir);
    right = right && Use(dir, spec, true) && Use(dir, spec, false);
  }
  // LevelDB ignores a filter whose name is not its policy's.
  right = right && Use(dir, "leveldb:10", false);
  std::filesystem::remove_all(dir);
  return right ? 0 : 1;
}
