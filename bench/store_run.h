// SPDX-License-Identifier: Apache-2.0
// bench/store_run.h -- all stores through all phases, in turns.

#pragma once

#include <array>
#include <functional>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "bench/machine.h"
#include "bench/store_engine.h"
#include "bench/store_phases.h"
#include "tamis/result.h"

namespace tamis::bench {

// One store's figures: several of one name, if they are of several rounds.
using Samples = std::map<std::string, std::vector<Sample>, std::less<>>;

struct StoreRun {
  StorePlan plan;
  unsigned rounds = 0;
  Machine machine;
  double seconds = 0;
  std::array<Samples, kStoreEngineCount> engines;  // as kStoreEngines
};

using StoreProgress = std::function<void(std::string_view what)>;

// Starts a process per store and runs every phase in all of them, one after
// the other, before the next phase begins; each round begins with another
// store.  So what disturbs the machine disturbs all alike.
// `arguments(name)` are those with which this program serves one store.
Result<StoreRun> MeasureStores(
    const StorePlan& plan, unsigned rounds,
    const std::function<std::vector<std::string>(std::string_view)>& arguments,
    const StoreProgress& progress);

}  // namespace tamis::bench
