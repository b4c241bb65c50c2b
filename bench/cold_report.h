// SPDX-License-Identifier: Apache-2.0
// bench/cold_report.h -- what the figures of cold stores come to, for people
// and for programs.

#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "bench/cold_run.h"
#include "bench/store_report.h"

namespace tamis::bench {

// One figure of one phase: `what` is kColdBytes or the like.
struct ColdName {
  std::string_view phase;
  std::string_view what;
};

// Returns a figure of one store: of the whole machine's the least of all
// rounds, since others use the disk too; of all else the median.  Nothing: not
// measured.
std::optional<double> ColdFigure(const Samples& samples, const ColdName& name);

// Returns whether the store was on disk when the phase began.  Where the kernel
// reads far ahead of every page, the lookups that load filters and indexes can
// bring the whole store into memory; what is read afterwards is then no measure
// of anything.
bool WasCold(const Samples& samples, std::string_view phase);

// Returns the place in kColdStores of the LSM tree other than ours that has the
// lowest figure, among those that were cold.  Nothing: there is none.
std::optional<std::size_t> BetterColdPeer(const ColdRun& run,
                                          const ColdName& name);

// Returns our figure over that of another store.  Nothing: one of them was not
// measured, or was not cold, or the other read nothing.
std::optional<double> ColdRatio(const ColdRun& run, const ColdName& name,
                                std::optional<std::size_t> other);

// Returns in how many sorted runs a lookup looks for a missing key.  Nothing:
// not known, or the store is no LSM tree.
std::optional<double> SortedRuns(const Samples& samples);

// Goals are for ours alone.  Those whose figures were not cold are not
// measured.
std::vector<StoreGoal> CheckColdGoals(const ColdRun& run);

std::string ColdText(const ColdRun& run);
std::string ColdJson(const ColdRun& run);  // in json.cc

}  // namespace tamis::bench
