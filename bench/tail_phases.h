// SPDX-License-Identifier: Apache-2.0
// bench/tail_phases.h -- how long the slowest operations of a store take while
// it is written to, and how steadily it is filled.

#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "bench/latencies.h"
#include "bench/store_engine.h"
#include "bench/store_phases.h"
#include "tamis/result.h"

namespace tamis::bench {

enum class TailMode {
  kBusy,  // one thread puts into a store that has all keys, another one gets
  kFill,  // one thread fills an empty store
};

struct TailPlan {
  TailMode mode = TailMode::kBusy;
  std::uint64_t keys = 4'000'000;  // also the number of puts
  std::vector<std::string> only;   // names of stores; empty: all
  EngineSettings settings;
};

// What is timed, one by one.
struct TailOperation {
  std::string_view name;
  std::string_view title;  // for people
};
inline constexpr TailOperation kTailOperations[] = {
    {"put", "Put"},
    {"present", "Get, present key"},
    {"missing", "Get, missing key"},
};

// The shares of the operations whose slowest is reported.  A figure is called
// by the name of the operation and this.
struct TailShare {
  std::string_view name;
  std::string_view title;
  double share;
};
inline constexpr TailShare kTailShares[] = {
    {"_p50", "p50", 0.5},
    {"_p75", "p75", 0.75},
    {"_p90", "p90", 0.9},
    {"_p95", "p95", 0.95},
    {"_p99", "p99", 0.99},
    {"_p99.5", "p99.5", 0.995},
    {"_p99.9", "p99.9", 0.999},
    {"_p99.95", "p99.95", 0.9995},
    {"_p99.99", "p99.99", 0.9999},
    {"_p99.999", "p99.999", 0.99999},
    {"_max", "max", 1},
};
inline constexpr std::string_view kTailCount = "_count";

// The puts of each interval are a figure: "rate_00000000", "rate_00000001",
// ..., so that figures are in the order of time; the last interval is shorter
// and is left out.
inline constexpr std::string_view kTailRate = "rate_";
std::string TailRateName(std::size_t interval);
inline constexpr double kTailIntervalSeconds = 0.1;

// Runs on one store, in a process of its own.
class TailWorker {
 public:
  // Everything goes below `dir`, which need not be there.
  TailWorker(const TailPlan& plan, std::unique_ptr<StoreEngine> engine,
             std::string dir);

  // The phases are "tail", with all figures, and then "finish", which removes
  // the store.
  // InvalidArgument: no such phase.  Corruption: the store answered wrongly.
  Result<Figures> Run(std::string_view phase);

 private:
  Result<Figures> Measure();
  Status FillAndSettle();
  Result<Figures> MeasurePuts();
  Result<Figures> MeasureBusy();
  Result<Figures> Finish();

  TailPlan plan_;
  std::unique_ptr<StoreEngine> engine_;
  std::string dir_;
};

}  // namespace tamis::bench
