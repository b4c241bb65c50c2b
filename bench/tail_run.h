// SPDX-License-Identifier: Apache-2.0
// bench/tail_run.h -- all stores, one after the other, with their slowest
// operations.

#pragma once

#include <array>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "bench/machine.h"
#include "bench/store_run.h"
#include "bench/tail_phases.h"
#include "tamis/result.h"

namespace tamis::bench {

struct TailRun {
  TailPlan plan;
  Machine machine;
  unsigned cpus = 0;  // that this process may use
  double seconds = 0;
  // As kStoreEngines; without figures: not measured.
  std::array<Figures, kStoreEngineCount> engines;
};

// Starts a process per store, one after the other: what is measured includes
// the background work of a store, and only its own.
// `arguments(name)` are those with which this program serves one store.
Result<TailRun> MeasureTail(
    const TailPlan& plan,
    const std::function<std::vector<std::string>(std::string_view)>& arguments,
    const StoreProgress& progress);

}  // namespace tamis::bench
