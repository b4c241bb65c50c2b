// SPDX-License-Identifier: Apache-2.0
// tamis/leveldb_filter_policy_c.h -- a policy of this library for LevelDB's C
// interface, from C++.  For programs that use LevelDB: Tamis itself does not.
// It derives from no class of LevelDB, so RTTI does not matter.
//
//   auto policy = MakePolicy("rocksdb-ribbon:10");
//   if (!policy.ok()) ...
//   leveldb_filterpolicy_t* filter =
//   NewLevelDbFilterPolicyC(*std::move(policy));
//   leveldb_options_set_filter_policy(options, filter);

#pragma once

#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <exception>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include <leveldb/c.h>

#include "tamis/filter.h"
#include "tamis/leveldb_adapter.h"

namespace tamis {

// The callbacks for LevelDB; `adapter` is a LevelDbAdapter.
struct LevelDbCallbacks {
  // Deletes the adapter.
  static void Destroy(void* adapter) {
    delete static_cast<LevelDbAdapter*>(adapter);
  }
  // Returns the name that LevelDB stores in its tables.
  static const char* Name(void* adapter) {
    return static_cast<LevelDbAdapter*>(adapter)->name();
  }
  // Returns memory from malloc(), which LevelDB frees.  Aborts the program if
  // there is none: an empty filter would hide its keys.
  static char* CreateFilter(void* adapter, const char* const* keys,
                            const std::size_t* lengths, int count,
                            std::size_t* filter_length) {
    std::vector<Slice> ours;
    ours.reserve(static_cast<std::size_t>(count));
    for (int i = 0; i < count; ++i) ours.emplace_back(keys[i], lengths[i]);
    std::string filter;
    static_cast<LevelDbAdapter*>(adapter)->CreateFilter(ours, &filter);
    void* const bytes = std::malloc(filter.size());
    if (bytes == nullptr) std::terminate();
    std::memcpy(bytes, filter.data(), filter.size());
    *filter_length = filter.size();
    return static_cast<char*>(bytes);
  }
  // Returns 0 only if the key was certainly not among the filter's.
  static std::uint8_t KeyMayMatch(void* adapter, const char* key,
                                  std::size_t length, const char* filter,
                                  std::size_t filter_length) {
    const bool may = static_cast<LevelDbAdapter*>(adapter)->KeyMayMatch(
        {key, length}, {filter, filter_length});
    return may ? 1 : 0;
  }
};

// Returns a policy for leveldb_options_set_filter_policy().  The caller
// destroys it with leveldb_filterpolicy_destroy(), after closing the databases
// that use it.
// REQUIRES: `policy` is not null
inline leveldb_filterpolicy_t* NewLevelDbFilterPolicyC(
    std::unique_ptr<const FilterPolicy> policy) {
  return leveldb_filterpolicy_create(
      new LevelDbAdapter(std::move(policy)), &LevelDbCallbacks::Destroy,
      &LevelDbCallbacks::CreateFilter, &LevelDbCallbacks::KeyMayMatch,
      &LevelDbCallbacks::Name);
}

}  // namespace tamis
