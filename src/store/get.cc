// What a lookup does: the memtable, the frozen memtables, then the tables that
// may hold the key, newest first, each behind its filter.  The first answer
// ends it, and a deletion is an answer.  docs/read-path.md tells it in prose.

#include <algorithm>
#include <array>

#include "store/store_impl.h"
#include "store/table_reading.h"
#include "store/table_search.h"

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

bool StoreImpl::FindInMemtables(const ReadView& view, const Lookup& lookup,
                                std::string* value, ReadCounters* counters,
                                Status* status) const {
  if (AskMemtable(*view.memtable.table, lookup, value, counters, status)) {
    return true;
  }
  return std::any_of(view.frozen.begin(), view.frozen.end(),
                     [&](const LoggedMemtable& frozen) {
                       return AskMemtable(*frozen.table, lookup, value,
                                          counters, status);
                     });
}

}  // namespace tamis
