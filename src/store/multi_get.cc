// SPDX-License-Identifier: Apache-2.0
// Many lookups of one moment: the loads of their filters overlap, and so do
// those of their data blocks, from memory or from disk.

#include <array>
#include <cstddef>
#include <optional>

#include "filters/batch_loop.h"
#include "store/lookup.h"
#include "store/store_impl.h"

namespace tamis {
namespace {

// Enough to keep the memory busy, few enough to stay in the first-level cache.
constexpr std::size_t kKeysAtOnce = 16;

// A lookup whose filters' lines are on their way.
struct Pending {
  Pending(const Version& version, Slice key, Sequence sequence,
          const LineSeeds& seeds)
      : lookup(key, sequence, seeds), search(version, lookup) {}
  Lookup lookup;
  TableSearch search;
  bool is_answered = false;
};
using PendingGroup = std::array<std::optional<Pending>, kKeysAtOnce>;

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
  const LineSeeds& seeds = context_.tables.seeds;
  const TableReading reading{context_.options.filter_use,
                             options.verify_checksums};

  // In turn, not pipelined: a pending search takes about a kilobyte, so that
  // two groups of them would fill the first cache.
  ForEachGroup<PendingGroup, kKeysAtOnce, BatchOrder::kInTurn>(
      keys,
      [&](std::span<const Slice> some, PendingGroup* group) {
        for (std::size_t i = 0; i < some.size(); ++i) {
          Pending& pending =
              (*group)[i].emplace(*view.version, some[i], sequence, seeds);
          PrefetchFilter(*view.memtable.table, pending.lookup);
          pending.search.Gather();
        }
      },
      [&](std::size_t first, std::size_t count, PendingGroup& group) {
        for (std::size_t i = 0; i < count; ++i) {
          group[i]->is_answered =
              FindInMemtables(view, group[i]->lookup, &values[first + i],
                              &counters, &statuses[first + i]);
          if (!group[i]->is_answered) group[i]->search.Check();
        }
        // The blocks of all keys are on their way before the first is read.
        for (std::size_t i = 0; i < count; ++i) {
          if (!group[i]->is_answered) group[i]->search.Request();
        }
        for (std::size_t i = 0; i < count; ++i) {
          Status& status = statuses[first + i];
          if (!group[i]->is_answered) {
            status = FindInTables(reading, &group[i]->search, group[i]->lookup,
                                  &values[first + i], &counters);
          }
          if (status.ok()) counters.found.Add(1);
        }
      });
}

}  // namespace tamis
