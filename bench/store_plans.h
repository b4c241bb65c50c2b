// SPDX-License-Identifier: Apache-2.0
// bench/store_plans.h -- what bench_store is asked to do, and what its
// processes are told about it.

#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "bench/cold_phases.h"
#include "bench/cold_run.h"
#include "bench/kept.h"
#include "bench/store_phases.h"
#include "bench/tail_phases.h"

namespace tamis::bench {

struct BenchOptions {
  std::uint64_t keys = 0;        // 0: by --quick and --smoke
  std::uint64_t operations = 0;  // likewise
  unsigned rounds = 0;           // 0: 3, or 1 of --cold --smoke
  bool snappy = false;
  bool rocksdb_caches = false;
  bool cold = false;
  bool tail = false;
  bool fill = false;
  bool drop_files = false;        // from the page cache, and nothing else
  std::vector<std::string> only;  // the stores of --tail or --fill; empty: all
  bool quick = false;
  bool smoke = false;
  std::string dir;  // empty: a fresh one
  std::string json;
  std::string plot;
  std::string svg;
  Keeping keeping;
  std::string from;   // figures to draw; empty: measure
  std::string serve;  // the store to serve; empty: conduct
};

inline constexpr std::uint64_t kEntryBytes = kStoreKeyBytes + kStoreValueBytes;

StorePlan PlanFor(const BenchOptions& options);
// So few operations that most of them find their block on disk.
ColdPlan ColdPlanFor(const BenchOptions& options);
// REQUIRES: --tail or --fill
TailPlan TailPlanFor(const BenchOptions& options);

// Returns the command line of the process that serves an engine.  Its store
// goes below the directory of that name.
std::vector<std::string> ChildArguments(const BenchOptions& options,
                                        std::string_view name);
// Returns that of a process for one cold phase.  The store is `dir` itself.
std::vector<std::string> ColdArgumentsFor(const BenchOptions& options,
                                          const ColdStore& store,
                                          const std::string& dir);
// Returns that of a process that serves an engine for --tail or --fill.
std::vector<std::string> TailArgumentsFor(const BenchOptions& options,
                                          std::string_view name);

}  // namespace tamis::bench
