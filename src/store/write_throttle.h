// SPDX-License-Identifier: Apache-2.0
// store/write_throttle.h -- slows writers down before they have to stop, as
// background work falls behind.

#pragma once

#include <chrono>
#include <cstddef>

#include "store/compact_pick.h"
#include "store/read_view.h"
#include "store/version.h"
#include "tamis/store_options.h"

namespace tamis {

// The maximum number of immutable memtables that wait to be flushed; one more
// takes writes.
inline constexpr std::size_t kMaxImmutableMemtables = 2;

// A backlog says how near background work is to keeping writers waiting: from 0
// on they are slowed down, at 1 they must wait.

// Returns how full the memtable is, if no other may become immutable before one
// is flushed.
double FlushBacklog(const ReadView& view, const StoreOptions& options) noexcept;

// Grows with the tables of level 0, and with the compaction debt.
double CompactionBacklog(const Version& version, const CompactionLimits& limits,
                         const StoreOptions& options) noexcept;

// Returns the minimum time per byte: 0 while background work keeps up; it rises
// steeply as the backlog nears 1.
double SlowdownNanosecondsPerByte(double backlog) noexcept;

// Accumulates delays until they are worth sleeping for: many short sleeps, none
// of which a single write notices much.  Not thread-safe.
class WriteThrottle {
 public:
  // Returns how long to sleep before a write of so many bytes.
  std::chrono::nanoseconds Charge(double nanoseconds_per_byte,
                                  std::size_t bytes) noexcept;
  // The sleep took so much longer, which counts as paid.
  void NoteOverslept(std::chrono::nanoseconds more) noexcept;

 private:
  double owed_nanoseconds_ = 0;
};

}  // namespace tamis
