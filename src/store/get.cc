// SPDX-License-Identifier: Apache-2.0
// A lookup searches the memtable, the immutable memtables, then the tables that
// may contain the key, newest first, each only if its filter says "maybe".  The
// first result ends it, and a deletion is a result.  docs/read-path.md explains
// it.

#include "store/lookup.h"
#include "store/store_impl.h"

namespace tamis {

Sequence StoreImpl::SequenceFor(const ReadOptions& options) const noexcept {
  if (options.snapshot != nullptr) {
    return static_cast<const StoreSnapshot*>(options.snapshot)->sequence();
  }
  return context_.visible.load(std::memory_order_acquire);
}

TableReading StoreImpl::ReadingFor(const ReadOptions& options,
                                   const Version& version,
                                   LoadRequests* requests) const noexcept {
  const std::vector<int>& filled = version.filled_levels();
  return {.filter_use = context_.options.filter_use,
          .verify_checksums = options.verify_checksums,
          .fill_cache = options.fill_cache,
          .requests = loader_.has_started() ? requests : nullptr,
          .mutex = &context_.mutex,
          .skipped_level =
              options.expect_hit && !filled.empty() ? filled.back() : -1};
}

Status StoreImpl::Get(const ReadOptions& options, Slice key,
                      std::string* value) {
  const ReaderSlots::Guard guard(views_.slots());
  // The view first, then the sequence: compaction drops what newer writes hide,
  // so a view that is newer than the sequence may lack entries; an older one is
  // fine.
  const ReadView& view = views_.visible();
  const Lookup lookup(key, SequenceFor(options), context_.tables.seeds);
  ReadCounters& counters = guard.counters();
  counters.lookups.Add(1);

  PrefetchFilter(*view.memtable.table, lookup);
  const bool believe = context_.options.filter_use == FilterUse::kOn;
  TableSearch search(*view.version, lookup, options.expect_hit, believe);
  search.Gather();
  if (IsSampled(counters)) {
    search.NoteAsked();
    router_.NoteLookups(*view.version);
  }
  Status status;
  if (FindInMemtables(view, lookup, value, &counters, &status)) {
    if (status.ok()) counters.found.Add(1);
    return status;
  }
  if (!believe) CountUnbelievedRoutes(*view.version, lookup, &counters);
  LoadRequests requests(loader_);
  return FindInTables(ReadingFor(options, *view.version, &requests), &search,
                      lookup, value, &counters);
}

}  // namespace tamis
