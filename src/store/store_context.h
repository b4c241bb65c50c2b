// SPDX-License-Identifier: Apache-2.0
// store/store_context.h -- what all parts of one store share.

#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <string>

#include "base/give_way.h"
#include "store/compact_pick.h"
#include "store/filter_faults.h"
#include "store/info_log.h"
#include "store/level_filters.h"
#include "store/memtable.h"
#include "store/snapshots.h"
#include "store/store_mutex.h"
#include "store/table_file.h"
#include "tamis/store_options.h"

namespace tamis {

// Counts what was done since the store was opened.
struct WorkCounters {
  std::atomic<std::uint64_t> writes{0};
  std::atomic<std::uint64_t> bytes_put{0};
  std::atomic<std::uint64_t> log_bytes{0};
  std::atomic<std::uint64_t> flushes{0};
  std::atomic<std::uint64_t> flush_bytes{0};
  std::atomic<std::uint64_t> compactions{0};
  std::atomic<std::uint64_t> moves{0};
  std::atomic<std::uint64_t> compaction_bytes_read{0};
  std::atomic<std::uint64_t> compaction_bytes_written{0};
  std::atomic<std::uint64_t> stall_microseconds{0};
  std::atomic<std::uint64_t> filter_files{0};
};

// Store::Open() sets the first group, which does not change afterwards.  The
// members of the second group can be used by any thread at any time.
struct StoreContext {
  // REQUIRES: options.comparator is not null
  StoreContext(std::string directory, const StoreOptions& given);
  StoreContext(const StoreContext&) = delete;
  StoreContext& operator=(const StoreContext&) = delete;

  // Sets `prefixes` by the options, whose text it writes in its shortest form.
  // InvalidArgument: as PrefixExtractorOf().
  Status ChoosePrefixes();

  std::shared_ptr<Memtable> NewMemtable() const;
  // Returns the error for calls that wait while the store is closed.
  Status BeingClosed() const;
  // How background work gives way to other threads until it is urgent.
  GiveWay GiveWayUntil(const std::atomic<bool>& is_urgent) const noexcept {
    return {.niceness = options.background_niceness,
            .is_urgent = &is_urgent,
            .unblock_faults = options.guard_mappings};
  }
  // Returns the limits by which compactions are picked.
  CompactionLimits Limits() const noexcept;

  const std::string dir;
  StoreOptions options;
  Env& env;
  const KeyOrder order;
  std::shared_ptr<const PrefixExtractor> prefixes;  // of filters; null: none
  const bool filters_fit;  // keys that compare equal have equal bytes
  LevelFilters filters;    // of new tables
  TableFileContext tables;
  FilterRoom room;  // of the tables' filters, and of the router
  // What of the room the router has, or is about to take.
  std::atomic<std::uint64_t> router_room{0};
  PartCache filter_parts{room};
  // Memory of memtables that were flushed, for those that come: at most the
  // bytes of two, while there are writes.
  const std::shared_ptr<ChunkStock> chunks;

  InfoLog info_log;
  FilterFaults filter_faults{info_log};
  WorkCounters done;
  SnapshotList snapshots;
  // The newest write that reads see.  It and the mutex are on separate cache
  // lines: readers load the one while writers contend for the other.
  alignas(64) std::atomic<Sequence> visible{0};
  alignas(64) mutable StoreMutex mutex;
  // The last sequence number that was assigned.
  Sequence last_sequence TAMIS_GUARDED_BY(kStoreMutex) = 0;
};

}  // namespace tamis
