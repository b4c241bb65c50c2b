// SPDX-License-Identifier: Apache-2.0
#include "bench/cold_run.h"

#include <utility>

#include <fmt/format.h>

#include "bench/clocks.h"
#include "bench/store_child.h"

namespace tamis::bench {
namespace {

constexpr std::string_view kFillPhases[] = {"fill_random", "warm_up", "shape"};

class ColdConductor {
 public:
  ColdConductor(ColdRun* run, const ColdArguments& arguments,
                const StoreProgress& progress)
      : run_(run), arguments_(arguments), progress_(progress) {}

  // An engine that this build has not got is left out.
  Status FillAll() {
    for (std::size_t i = 0; i < kStoreEngineCount; ++i) {
      const StoreEngineKind& kind = kStoreEngines[i];
      if (kind.make({}) == nullptr) continue;
      filled_[i] = true;
      if (Status filled = Fill(i); !filled.ok()) return filled;
      const auto cold =
          DropPageCache(arguments_.dir(kind.name), run_->plan.drop);
      if (!cold.ok()) return cold.status();
      run_->plan.drop = *cold;
    }
    return Status::Ok();
  }

  Status Round(unsigned round) {
    for (const ColdPhase& phase : kColdPhases) {
      for (std::size_t i = 0; i < kColdStoreCount; ++i) {
        const std::size_t which = (i + round) % kColdStoreCount;
        if (!filled_[kColdStores[which].engine]) continue;
        Status ran = Read(which, phase, round);
        if (!ran.ok()) return ran;
      }
    }
    return Status::Ok();
  }

 private:
  // The store is closed when its process has ended.
  Status Fill(std::size_t engine) {
    const std::string_view name = kStoreEngines[engine].name;
    auto child = StoreChild::Start(arguments_.fill(name));
    if (!child.ok()) return child.status();
    for (const std::string_view phase : kFillPhases) {
      progress_(fmt::format("{}: {}", phase, name));
      const auto figures = (*child)->Run(phase, 0);
      if (!figures.ok()) return Failed(name, phase, figures.status());
      const auto runs = figures->find("sorted_runs");
      if (runs == figures->end()) continue;
      for (std::size_t i = 0; i < kColdStoreCount; ++i) {
        if (kColdStores[i].engine != engine) continue;
        run_->stores[i]["sorted_runs"] = {runs->second};
      }
    }
    return Status::Ok();
  }

  Status Read(std::size_t which, const ColdPhase& phase, unsigned round) {
    const ColdStore& store = kColdStores[which];
    progress_(
        fmt::format("{}, round {}: {}", phase.name, round + 1, store.name));
    auto child = StoreChild::Start(arguments_.read(store));
    if (!child.ok()) return child.status();
    const auto figures = (*child)->Run(phase.name, round);
    if (!figures.ok()) {
      return Failed(store.name, phase.name, figures.status());
    }
    for (const auto& [name, sample] : *figures) {
      run_->stores[which][name].push_back(sample);
    }
    return Status::Ok();
  }

  static Status Failed(std::string_view name, std::string_view phase,
                       const Status& why) {
    return Status(why.code(),
                  fmt::format("{}, {}: {}", name, phase, why.message()));
  }

  ColdRun* run_;
  const ColdArguments& arguments_;
  const StoreProgress& progress_;
  std::array<bool, kStoreEngineCount> filled_ = {};
};

}  // namespace

Result<ColdRun> MeasureCold(const ColdPlan& plan, unsigned rounds,
                            const ColdArguments& arguments,
                            const StoreProgress& progress) {
  const double start = WallNanoseconds();
  ColdRun run;
  run.plan = plan;
  run.rounds = rounds;
  run.machine = ThisMachine();
  ColdConductor conductor(&run, arguments, progress);
  if (Status filled = conductor.FillAll(); !filled.ok()) return filled;
  const Disk disk = Disk::Of(arguments.dir(kStoreEngines[0].name));
  run.disk = disk.name();
  run.disk_read_ahead = disk.ReadAheadKibibytes();
  for (unsigned round = 0; round < rounds; ++round) {
    if (Status ran = conductor.Round(round); !ran.ok()) return ran;
  }
  run.seconds = (WallNanoseconds() - start) / 1e9;
  return run;
}

}  // namespace tamis::bench
