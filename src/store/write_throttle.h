// SPDX-License-Identifier: Apache-2.0
// store/write_throttle.h -- slows writers down before they have to stop, as
// background work falls behind.

#pragma once

#include <chrono>
#include <cstddef>

#include "store/compact_pick.h"
#include "store/version.h"
#include "tamis/store_options.h"

namespace tamis {

// Returns the minimum time per byte.  0 while background work keeps up; rises
// steeply as level 0 nears the number of tables at which writers must wait, as
// compaction debt grows, or as `flush_backlog` nears 1: how full the memtable
// is if no other may become immutable before one is flushed, otherwise 0.
double SlowdownNanosecondsPerByte(const Version& version,
                                  const CompactionLimits& limits,
                                  const StoreOptions& options,
                                  double flush_backlog = 0) noexcept;

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
