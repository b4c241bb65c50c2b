// SPDX-License-Identifier: Apache-2.0
// tamis/leveldb_filter_policy.h -- a policy of this library as a LevelDB filter
// policy.  For programs that use LevelDB: Tamis itself does not.
//
//   auto policy = MakePolicy("rocksdb-ribbon:10");
//   if (!policy.ok()) ...
//   const LevelDbFilterPolicy filter(*std::move(policy));
//   leveldb::Options options;
//   options.filter_policy = &filter;  // must outlive the database
//
// Where LevelDB was built without run-time types, as its own build file does,
// the file that includes this must be compiled with -fno-rtti, too.

#pragma once

#include <cstddef>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include <leveldb/filter_policy.h>
#include <leveldb/slice.h>

#include "tamis/filter.h"
#include "tamis/leveldb_adapter.h"

namespace tamis {

// Safe to share among threads and databases.  It must outlive those databases.
// Filters that another policy wrote under another name are left unread.
class LevelDbFilterPolicy final : public leveldb::FilterPolicy {
 public:
  // REQUIRES: `policy` is not null
  explicit LevelDbFilterPolicy(
      std::unique_ptr<const tamis::FilterPolicy> policy)
      : adapter_(std::move(policy)) {}

  // As LevelDB documents them; see LevelDbAdapter.
  const char* Name() const override { return adapter_.name(); }
  void CreateFilter(const leveldb::Slice* keys, int n,
                    std::string* dst) const override {
    std::vector<Slice> ours;
    ours.reserve(static_cast<std::size_t>(n));
    for (int i = 0; i < n; ++i)
      ours.emplace_back(keys[i].data(), keys[i].size());
    adapter_.CreateFilter(ours, dst);
  }
  bool KeyMayMatch(const leveldb::Slice& key,
                   const leveldb::Slice& filter) const override {
    return adapter_.KeyMayMatch({key.data(), key.size()},
                                {filter.data(), filter.size()});
  }

 private:
  LevelDbAdapter adapter_;
};

}  // namespace tamis
