// SPDX-License-Identifier: Apache-2.0
// options.h -- leveldb::Options as ours, with what they need for as long as a
// store is open.

#pragma once

#include <memory>
#include <optional>
#include <string>

#include <leveldb/db.h>
#include <leveldb/options.h>

#include "comparator.h"
#include "tamis/env.h"
#include "tamis/store.h"
#include "tamis/store_options.h"

namespace tamis::dropin {

class AdaptedOptions {
 public:
  // REQUIRES: what the options point to outlives this
  explicit AdaptedOptions(const leveldb::Options& theirs);
  AdaptedOptions(const AdaptedOptions&) = delete;
  AdaptedOptions& operator=(const AdaptedOptions&) = delete;

  // REQUIRES: this outlives the store that is opened with them
  const StoreOptions& store() const noexcept { return ours_; }
  const Comparator& comparator() const noexcept { return *ours_.comparator; }
  Env& env() const noexcept {
    return ours_.env != nullptr ? *ours_.env : DefaultEnv();
  }

 private:
  void TakeSizes(const leveldb::Options& theirs);
  void TakeComparator(const leveldb::Options& theirs);
  void TakeFilter(const leveldb::Options& theirs);

  std::optional<ComparatorAdapter> comparator_;
  std::unique_ptr<Env> env_;
  StoreOptions ours_;
};

inline WriteOptions Ours(const leveldb::WriteOptions& theirs) noexcept {
  return {.sync = theirs.sync};
}

}  // namespace tamis::dropin
