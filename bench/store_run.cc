// SPDX-License-Identifier: Apache-2.0
#include "bench/store_run.h"

#include <memory>
#include <span>
#include <utility>

#include <fmt/format.h>

#include "bench/clocks.h"
#include "bench/store_child.h"

namespace tamis::bench {
namespace {

constexpr std::string_view kFills[] = {"fill_seq", "fill_random", "warm_up"};
constexpr std::string_view kReads[] = {
    "missing",       "missing_floor", "present", "missing_two", "present_two",
    "multi_missing", "multi_present", "scan",    "short_scan"};
constexpr std::string_view kOpen[] = {"open"};
constexpr std::string_view kMemory[] = {"memory", "warm_up"};
constexpr std::string_view kFillMemtable[] = {"fill_memtable"};
constexpr std::string_view kMemtable[] = {"missing_memtable",
                                          "present_memtable"};
constexpr std::string_view kOverlap[] = {"fill_overlap"};
constexpr std::string_view kOverlapping[] = {
    "missing_overlap", "present_overlap", "multi_missing_overlap"};
constexpr std::string_view kFinish[] = {"finish"};

struct Stage {
  std::span<const std::string_view> phases;
  bool in_rounds = false;
  bool of_lsm_trees = false;  // the other engines have nothing like it
};
// Opening comes after the reads, because it makes caches cold.
constexpr Stage kStages[] = {{kFills},
                             {kReads, true},
                             {kOpen, true},
                             {kMemory},
                             {kFillMemtable, false, true},
                             {kMemtable, true, true},
                             {kOverlap, false, true},
                             {kOverlapping, true, true},
                             {kFinish}};

class Conductor {
 public:
  Conductor(StoreRun* run, const StoreProgress& progress)
      : run_(run), progress_(progress) {}

  using Children = std::array<std::unique_ptr<StoreChild>, kStoreEngineCount>;
  Children* children() { return &children_; }

  Status RunStage(const Stage& stage) {
    const unsigned rounds = stage.in_rounds ? run_->rounds : 1;
    for (unsigned round = 0; round < rounds; ++round) {
      for (const std::string_view phase : stage.phases) {
        Status ran = RunPhase(phase, round, stage.of_lsm_trees);
        if (!ran.ok()) return ran;
      }
    }
    return Status::Ok();
  }

 private:
  Status RunPhase(std::string_view phase, unsigned round, bool of_lsm_trees) {
    for (std::size_t i = 0; i < kStoreEngineCount; ++i) {
      const std::size_t which = (i + round) % kStoreEngineCount;
      if (children_[which] == nullptr) continue;
      if (of_lsm_trees && !kStoreEngines[which].is_lsm_tree) continue;
      progress_(fmt::format("{}, round {}: {}", phase, round + 1,
                            kStoreEngines[which].name));
      Status ran = RunOne(which, phase, round);
      if (!ran.ok()) return ran;
    }
    return Status::Ok();
  }

  // What a store cannot do is not an error: the figure is missing.
  Status RunOne(std::size_t which, std::string_view phase, unsigned round) {
    const Result<Figures> figures = children_[which]->Run(phase, round);
    if (!figures.ok()) {
      if (figures.status().code() == StatusCode::kNotSupported) {
        return Status::Ok();
      }
      return Status(figures.status().code(),
                    fmt::format("{}, {}: {}", kStoreEngines[which].name, phase,
                                figures.status().message()));
    }
    for (const auto& [name, sample] : *figures) {
      run_->engines[which][name].push_back(sample);
    }
    return Status::Ok();
  }

  StoreRun* run_;
  const StoreProgress& progress_;
  Children children_;
};

}  // namespace

Result<StoreRun> MeasureStores(
    const StorePlan& plan, unsigned rounds,
    const std::function<std::vector<std::string>(std::string_view)>& arguments,
    const StoreProgress& progress) {
  const double start = WallNanoseconds();
  StoreRun run{
      .plan = plan, .rounds = rounds, .machine = ThisMachine(), .engines = {}};
  Conductor conductor(&run, progress);
  for (std::size_t i = 0; i < kStoreEngineCount; ++i) {
    if (kStoreEngines[i].make(plan.settings) == nullptr) continue;
    auto child = StoreChild::Start(arguments(kStoreEngines[i].name));
    if (!child.ok()) return child.status();
    (*conductor.children())[i] = *std::move(child);
  }
  for (const Stage& stage : kStages) {
    if (Status ran = conductor.RunStage(stage); !ran.ok()) return ran;
  }
  run.seconds = (WallNanoseconds() - start) / 1e9;
  return run;
}

}  // namespace tamis::bench
