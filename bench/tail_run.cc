// SPDX-License-Identifier: Apache-2.0
#include "bench/tail_run.h"

#include <algorithm>
#include <thread>

#include <fmt/format.h>

#include "bench/clocks.h"
#include "bench/store_child.h"

namespace tamis::bench {
namespace {

Status MeasureOne(const std::vector<std::string>& arguments, Figures* figures) {
  auto child = StoreChild::Start(arguments);
  if (!child.ok()) return child.status();
  Result<Figures> measured = (*child)->Run("tail", 0);
  if (!measured.ok()) return measured.status();
  *figures = *std::move(measured);
  return (*child)->Run("finish", 0).status();
}

}  // namespace

Result<TailRun> MeasureTail(
    const TailPlan& plan,
    const std::function<std::vector<std::string>(std::string_view)>& arguments,
    const StoreProgress& progress) {
  const double start = WallNanoseconds();
  TailRun run;
  run.plan = plan;
  run.machine = ThisMachine();
  run.cpus = std::thread::hardware_concurrency();
  for (std::size_t i = 0; i < kStoreEngineCount; ++i) {
    const std::string_view name = kStoreEngines[i].name;
    const bool is_wanted =
        plan.only.empty() ||
        std::find(plan.only.begin(), plan.only.end(), name) != plan.only.end();
    if (!is_wanted || kStoreEngines[i].make(plan.settings) == nullptr) continue;
    progress(fmt::format("{}: {}",
                         plan.mode == TailMode::kFill ? "fill" : "tail", name));
    Status measured = MeasureOne(arguments(name), &run.engines[i]);
    if (!measured.ok()) {
      return Status(measured.code(),
                    fmt::format("{}: {}", name, measured.message()));
    }
  }
  run.seconds = (WallNanoseconds() - start) / 1e9;
  return run;
}

}  // namespace tamis::bench
