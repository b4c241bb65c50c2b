// store/table_reading.h -- the hops of a lookup below Store::Get().

#pragma once

#include <string>

#include "store/memtable.h"
#include "store/reader_slots.h"
#include "store/table_search.h"
#include "tamis/store_options.h"

namespace tamis {

struct TableReading {
  FilterUse filter_use = FilterUse::kOn;
  bool verify_checksums = false;
};

// "No such key"; short enough not to allocate.
inline Status NoSuchKey() { return Status::NotFound("no such key"); }

[[gnu::always_inline]] inline void PrefetchFilter(
    const Memtable& memtable, const Lookup& lookup) noexcept {
  if (memtable.has_filter()) memtable.Prefetch(lookup.digest);
}

// True: the memtable answered, and *status is the answer.
bool AskMemtable(const Memtable& memtable, const Lookup& lookup,
                 std::string* value, ReadCounters* counters, Status* status);

// The answer of the tables.  REQUIRES: search->Gather() was called once
Status FindInTables(const TableReading& reading, TableSearch* search,
                    const Lookup& lookup, std::string* value,
                    ReadCounters* counters);

}  // namespace tamis
