// SPDX-License-Identifier: Apache-2.0
// tamis/leveldb_adapter.h -- the methods of a LevelDB filter policy,
// implemented by a policy of this library.  It needs no header of LevelDB.  The
// headers that turn it into a policy for LevelDB are
// tamis/leveldb_filter_policy.h (C++) and tamis/leveldb_filter_policy_c.h
// (LevelDB's C interface).  docs/leveldb-adapter.md says which kinds suit
// LevelDB.

#pragma once

#include <memory>
#include <span>
#include <string>

#include "tamis/export.h"
#include "tamis/filter.h"
#include "tamis/slice.h"

namespace tamis {

// Safe to share among threads.  No method throws, and none makes LevelDB miss a
// key: a filter that cannot be built is replaced by one that rules nothing out,
// and a filter that cannot be read rules nothing out.
class TAMIS_EXPORT LevelDbAdapter {
 public:
  // Takes a policy from MakePolicy(), or a custom one.
  // REQUIRES: it is not null
  explicit LevelDbAdapter(std::unique_ptr<const FilterPolicy> policy);
  ~LevelDbAdapter();

  LevelDbAdapter(const LevelDbAdapter&) = delete;
  LevelDbAdapter& operator=(const LevelDbAdapter&) = delete;

  // The policy's name, which LevelDB stores in each table: it ignores filters
  // of another name.  "leveldb.BuiltinBloomFilter2" for "leveldb:10", whose
  // bytes are those of LevelDB's own policy.
  const char* name() const noexcept { return name_.c_str(); }

  // Appends the filter of `keys` to *dst.  It is never empty: to LevelDB an
  // empty filter has no keys.
  void CreateFilter(std::span<const Slice> keys,
                    std::string* dst) const noexcept;

  // False only if `key` was certainly not among the keys of `filter`.  Opens
  // the filter each time, since LevelDB keeps its bytes and nothing else; a
  // filter with a checksum is verified each time, too.
  bool KeyMayMatch(Slice key, Slice filter) const noexcept;

 private:
  std::unique_ptr<const FilterPolicy> policy_;
  std::string name_;
};

}  // namespace tamis
