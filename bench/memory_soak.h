// SPDX-License-Identifier: Apache-2.0
// bench/memory_soak.h -- mixed work on a store that is larger than the memory
// it may use, and what became of its rate and of its own memory.

#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "tamis/status.h"
#include "tamis/store_options.h"

namespace tamis::bench {

struct SoakPlan {
  std::string dir;
  std::uint64_t store_bytes = 0;  // of keys and values
  std::uint64_t hot_keys = 5'000;
  unsigned threads = 2;
  unsigned intervals = 60;
  double interval_seconds = 60;
  Compression compression = Compression::kNone;
  std::uint64_t seed = 1;
};

// One interval of the work.
struct SoakInterval {
  double rate = 0;               // operations per second
  double hot_share = 0;          // lookups of hot keys that read from the disk
  double cold_share = 0;         // the same of other keys that are there
  std::uint64_t own_bytes = 0;   // memory of the process that is no file's
  std::uint64_t file_bytes = 0;  // mapped pages of files that are in memory
  std::uint64_t disk_bytes = 0;  // read from the disk
  std::uint64_t compacted_bytes = 0;  // read and written by compactions
  std::uint64_t stall_microseconds = 0;
};

// Returns what is wrong with a run, in sentences: its own memory grew, or its
// rate collapsed.  The first interval does not count: it loads what is hot.
std::vector<std::string> FaultsOf(const std::vector<SoakInterval>& intervals);

// Fills a store and works on it: lookups of keys that are there, most of them
// of a few hot ones, and of keys that are not; MultiGet, short scans, batches
// of puts. Every answer is checked.  `report` is called after each interval.
// Corruption: the store answered wrongly.
Status Soak(const SoakPlan& plan,
            const std::function<void(const SoakInterval&)>& report);

}  // namespace tamis::bench
