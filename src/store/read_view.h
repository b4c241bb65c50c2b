// SPDX-License-Identifier: Apache-2.0
// store/read_view.h -- everything that a read uses, as of one moment.

#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "store/memtable.h"
#include "store/version.h"

namespace tamis {

// A memtable and the log that has the same writes.
struct LoggedMemtable {
  std::shared_ptr<Memtable> table;
  std::uint64_t log_number = 0;
};

// Immutable, though its memtable grows.
struct ReadView : std::enable_shared_from_this<ReadView> {
  LoggedMemtable memtable;
  std::vector<LoggedMemtable> immutable;  // newest first
  std::shared_ptr<const Version> version;

  // Once it is replaced: the view that must be released before it.  Used only
  // by the store.
  mutable std::shared_ptr<const ReadView> older;
};

}  // namespace tamis
