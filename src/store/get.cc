// SPDX-License-Identifier: Apache-2.0
// What a lookup does: the memtable, the immutable memtables, then the tables
// that may hold the key, newest first, each behind its filter.  The first
// answer ends it, and a deletion is an answer.  docs/read-path.md tells it in
// prose.

#include "store/lookup.h"
#include "store/store_impl.h"

namespace tamis {

Sequence StoreImpl::SequenceFor(const ReadOptions& options) const noexcept {
  if (options.snapshot != nullptr) {
    return static_cast<const StoreSnapshot*>(options.snapshot)->sequence();
  }
  return context_.visible.load(std::memory_order_acquire);
}

Status StoreImpl::Get(const ReadOptions& options, Slice key,
                      std::string* value) {
  const ReaderSlots::Guard guard(views_.slots());
  // The view first, then the sequence: a view may be too new for a sequence,
  // for compaction drops what newer writes hide, but never too old.
  const ReadView& view = views_.visible();
  const Lookup lookup(key, SequenceFor(options), context_.tables.seeds);
  ReadCounters& counters = guard.counters();
  counters.lookups.Add(1);

  PrefetchFilter(*view.memtable.table, lookup);
  TableSearch search(*view.version, lookup);
  search.Gather();
  Status status;
  if (!FindInMemtables(view, lookup, value, &counters, &status)) {
    const TableReading reading{context_.options.filter_use,
                               options.verify_checksums};
    status = FindInTables(reading, &search, lookup, value, &counters);
  }
  if (status.ok()) counters.found.Add(1);
  return status;
}

}  // namespace tamis
