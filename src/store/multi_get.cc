// SPDX-License-Identifier: Apache-2.0
// Many lookups of one moment: the memory accesses of their filters overlap.

#include <algorithm>
#include <array>
#include <optional>

#include "store/lookup.h"
#include "store/store_impl.h"

namespace tamis {
namespace {

// Enough to keep the memory busy, few enough to stay in the first-level cache.
constexpr std::size_t kKeysAtOnce = 16;

struct Pending {
  Pending(const Version& version, Slice key, Sequence sequence,
          const LineSeeds& seeds)
      : lookup(key, sequence, seeds), search(version, lookup) {}
  Lookup lookup;
  TableSearch search;
};

}  // namespace

void StoreImpl::MultiGet(const ReadOptions& options,
                         std::span<const Slice> keys,
                         std::span<std::string> values,
                         std::span<Status> statuses) {
  const ReaderSlots::Guard guard(views_.slots());
  const ReadView& view = views_.visible();
  const Sequence sequence = SequenceFor(options);
  ReadCounters& counters = guard.counters();
  counters.lookups.Add(keys.size());
  const TableReading reading{context_.options.filter_use,
                             options.verify_checksums};

  std::array<std::optional<Pending>, kKeysAtOnce> pending;
  for (std::size_t done = 0; done < keys.size(); done += kKeysAtOnce) {
    const std::size_t count = std::min(kKeysAtOnce, keys.size() - done);
    for (std::size_t i = 0; i < count; ++i) {
      pending[i].emplace(*view.version, keys[done + i], sequence,
                         context_.tables.seeds);
      PrefetchFilter(*view.memtable.table, pending[i]->lookup);
      pending[i]->search.Gather();
    }
    for (std::size_t i = 0; i < count; ++i) {
      const Lookup& lookup = pending[i]->lookup;
      Status& status = statuses[done + i];
      std::string* value = &values[done + i];
      if (!FindInMemtables(view, lookup, value, &counters, &status)) {
        status = FindInTables(reading, &pending[i]->search, lookup, value,
                              &counters);
      }
      if (status.ok()) counters.found.Add(1);
    }
  }
}

}  // namespace tamis
