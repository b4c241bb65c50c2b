// SPDX-License-Identifier: Apache-2.0
// bench/cold_phases.h -- reads from a store that is on disk and not in memory.
// Each phase has a process of its own: pages that a process maps survive when
// the page cache is dropped.

#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

#include "bench/cold_disk.h"
#include "bench/store_engine.h"
#include "bench/store_phases.h"
#include "tamis/result.h"

namespace tamis::bench {

enum class ColdRead {
  kOpening,  // opening the store, and the lookups before the other phases
  kGet,
  kMultiGet,
  kEmptyRange,
  kShortScan,
  kFullScan,
};

struct ColdPhase {
  std::string_view name;
  std::string_view title;  // for people: one operation
  ColdRead read;
  KeyKind kind = KeyKind::kPresent;
  unsigned per_operation = 1;  // keys, or entries of a full scan
};
inline constexpr unsigned kColdKeysPerMultiGet = 100;
inline constexpr unsigned kColdScanned = 1000;
inline constexpr ColdPhase kColdPhases[] = {
    {"open", "opening and first lookups", ColdRead::kOpening},
    {"missing", "missing key", ColdRead::kGet, KeyKind::kMissing},
    {"present", "present key", ColdRead::kGet},
    {"multi_present", "MultiGet of 100 present keys", ColdRead::kMultiGet,
     KeyKind::kPresent, kColdKeysPerMultiGet},
    {"single_present", "100 gets of present keys", ColdRead::kGet,
     KeyKind::kPresent, kColdKeysPerMultiGet},
    {"empty_range", "empty short range", ColdRead::kEmptyRange,
     KeyKind::kMissing},
    {"short_scan", "seek and 10 entries", ColdRead::kShortScan},
    {"scan", "full scan, 1,000 entries", ColdRead::kFullScan, KeyKind::kPresent,
     kColdScanned},
};

// The figures of a phase are called by its name and one of these.  The first
// four are of one operation.
inline constexpr std::string_view kColdTime = "_time";    // nanoseconds
inline constexpr std::string_view kColdBytes = "_bytes";  // by this process
inline constexpr std::string_view kColdRequests = "_requests";     // by all
inline constexpr std::string_view kColdDiskBytes = "_disk_bytes";  // by all
// The share of the store's files that was in memory before the first operation.
inline constexpr std::string_view kColdCached = "_cached";

struct ColdPlan {
  std::uint64_t keys = 10'000'000;
  std::uint64_t operations = 20'000;  // of each phase, per round
  std::uint64_t warm_up = 2'000;      // lookups before them
  Drop drop = Drop::kMachine;
};

// Runs one phase on a store that is there and closed.
class ColdWorker {
 public:
  ColdWorker(const ColdPlan& plan, std::unique_ptr<StoreEngine> engine,
             std::string dir);

  // Drops the page cache, opens the store, loads its indexes and filters by
  // lookups of other keys, and measures the phase.  Afterwards the store is
  // closed.
  // InvalidArgument: no such phase.  NotSupported: the store cannot be made
  // cold here.  Corruption: the store answered wrongly.
  // REQUIRES: this process has not run a phase before
  Result<Figures> Run(std::string_view phase, unsigned round);

 private:
  Result<Figures> Open();
  Result<Figures> Measure(const ColdPhase& phase, unsigned round);
  Status Lookups();
  Status Rehearse(const ColdPhase& phase);
  StoreKeys Draw(KeyKind kind, std::uint64_t first, std::uint64_t count) const;
  Result<Seen> Do(const ColdPhase& phase, const StoreKeys& keys);
  Result<Seen> EmptyRanges(const StoreKeys& keys);
  Result<Seen> ShortScans(const StoreKeys& keys);
  bool IsRight(const ColdPhase& phase, const StoreKeys& keys,
               const Seen& seen) const;

  ColdPlan plan_;
  std::unique_ptr<StoreEngine> engine_;
  std::string dir_;
};

}  // namespace tamis::bench
