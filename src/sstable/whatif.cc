// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cmath>
#include <memory>
#include <utility>

#include "base/no_throw.h"
#include "policy/settings.h"
#include "tamis/filter.h"
#include "tamis/filter_budget.h"
#include "tamis/policy_settings.h"
#include "tamis/sstable_whatif.h"

namespace tamis {
namespace {

constexpr SstableFilterKind kLevelDbKinds[] = {
    {.name = "classic", .policy = "leveldb", .reader = "LevelDB"},
    {.name = "bloom", .policy = "bloom", .reader = "Tamis"},
    {.name = "ribbon", .policy = "ribbon", .reader = "Tamis"},
};
constexpr SstableFilterKind kRocksDbKinds[] = {
    {.name = "bloom", .policy = "rocksdb", .reader = "RocksDB"},
    {.name = "ribbon", .policy = "rocksdb-ribbon", .reader = "RocksDB"},
};
constexpr SstableFilterKind kCassandraKinds[] = {
    {.name = "classic", .policy = "cassandra", .reader = "Cassandra"},
};
constexpr SstableFilterKind kParquetKinds[] = {
    {.name = "splitblock", .policy = "parquet", .reader = "Parquet readers"},
};

std::uint64_t Rounded(double number) noexcept {
  return static_cast<std::uint64_t>(std::clamp(std::round(number), 0.0, 9e18));
}

// How many filters of that kind the sstable has, or would have.
std::uint64_t PartsOf(const SstableInfo& sstable,
                      std::string_view policy) noexcept {
  if (policy == "leveldb") {
    return std::max<std::uint64_t>(sstable.filter_stretches, 1);
  }
  const bool is_divided =
      policy == "parquet" ||
      (sstable.engine == "rocksdb" && sstable.filter.is_partitioned);
  return is_divided ? std::max<std::uint64_t>(sstable.filter.parts, 1) : 1;
}

// The bytes of a filter, and its rate.
struct Size {
  std::uint64_t bytes = 0;
  double rate = 1;
};

// Keys are spread over the parts as evenly as possible.
Size SizeOfParts(const FilterPolicy& policy, std::uint64_t keys,
                 std::uint64_t parts) {
  const std::uint64_t larger = keys % parts;
  const Estimate small = policy.Predict(keys / parts);
  if (larger == 0) {
    return {.bytes = small.bytes * parts, .rate = small.false_positive_rate};
  }
  const Estimate large = policy.Predict(keys / parts + 1);
  const double part = static_cast<double>(larger) / static_cast<double>(parts);
  return {.bytes = small.bytes * (parts - larger) + large.bytes * larger,
          .rate = small.false_positive_rate * (1 - part) +
                  large.false_positive_rate * part};
}

// Why it is not known what another filter would cost; empty: it is known.
std::string WhyUnmeasured(const SstableInfo& sstable) {
  if (sstable.verdict == FilterVerdict::kUnreadable) {
    return "it cannot be read";
  }
  if (KeysForFilter(sstable) > 0) return "";
  return "nothing but its data tells how many keys it has";
}

// True: it has no filter because it has no keys for one.
bool NeedsNone(const SstableInfo& sstable) noexcept {
  return sstable.verdict == FilterVerdict::kOk && sstable.filter.kind.empty();
}

// As MakePolicy() takes it.
std::string SpecText(const PolicySettings& settings) {
  std::string text = settings.name + ":";
  if (settings.version.has_value()) text += *settings.version + ",";
  return settings.rate.has_value()
             ? text + "fpr=" + NumberText(*settings.rate)
             : text + NumberText(settings.bits_per_key.value_or(0));
}

// Answers one question; what it learns does not depend on the kind.
class Asker {
 public:
  Asker(std::span<const SstableInfo> sstables,
        std::span<const SstableGroup> groups, std::string_view engine,
        const WhatIfQuestion& question)
      : sstables_(sstables),
        groups_(groups),
        engine_(engine),
        question_(question),
        changes_(sstables.size(), false) {}

  Result<WhatIfAnswer> Answer();

 private:
  struct Run {
    std::vector<std::size_t> members;
    double keys = 0;
    double asked = 0;
  };

  bool counts(const SstableGroup& group) const noexcept {
    return group.engine == engine_;
  }
  void ChooseSstables(WhatIfAnswer* answer);
  std::vector<Run> Runs() const;
  void CountNow(WhatIfAnswer* answer) const;
  WhatIfPlan PlanOf(const SstableFilterKind& kind) const;
  Status FillBySize(WhatIfPlan* plan) const;
  Status FillByMemory(WhatIfPlan* plan) const;
  Status FillDivided(const std::vector<Run>& runs, std::uint64_t bytes,
                     bool equally, WhatIfPlan* plan) const;
  Status FillWithin(const std::vector<Run>& runs, bool equally,
                    WhatIfPlan* plan) const;
  Status Fill(std::size_t number, PolicySettings settings,
              WhatIfPlan* plan) const;
  void KeepAll(WhatIfPlan* plan) const;
  void AddUp(WhatIfPlan* plan) const;
  std::uint64_t NewBytes(const WhatIfPlan& plan) const;

  std::span<const SstableInfo> sstables_;
  std::span<const SstableGroup> groups_;
  std::string_view engine_;
  const WhatIfQuestion& question_;
  std::vector<bool> changes_;  // which sstables get another filter
};

void Asker::ChooseSstables(WhatIfAnswer* answer) {
  for (const SstableGroup& group : groups_) {
    if (!counts(group)) continue;
    // What lookups do not come to gets none of the memory.
    if (question_.memory.has_value() && !group.counts_reads) continue;
    for (const std::size_t member : group.members) {
      const SstableInfo& sstable = sstables_[member];
      if (question_.only.has_value() && sstable.verdict != *question_.only) {
        continue;
      }
      if (NeedsNone(sstable)) continue;
      std::string why = WhyUnmeasured(sstable);
      changes_[member] = why.empty();
      if (!why.empty()) answer->unmeasured.push_back({member, std::move(why)});
    }
  }
}

// On level 0, and in Cassandra, each sstable is one; further levels are one.
std::vector<Asker::Run> Asker::Runs() const {
  std::vector<Run> runs;
  for (const SstableGroup& group : groups_) {
    if (!counts(group) || !group.counts_reads) continue;
    const bool is_one = sstables_[group.members.front()].level > 0;
    bool is_new = true;
    for (std::size_t i = 0; i < group.members.size(); ++i) {
      const std::size_t member = group.members[i];
      if (!changes_[member]) continue;
      if (is_new || !is_one) runs.emplace_back();
      is_new = false;
      runs.back().members.push_back(member);
      runs.back().keys += KeysForFilter(sstables_[member]);
      runs.back().asked += group.weights[i];
    }
  }
  return runs;
}

void Asker::CountNow(WhatIfAnswer* answer) const {
  for (const SstableGroup& group : groups_) {
    FilterCost cost;
    for (std::size_t i = 0; counts(group) && i < group.members.size(); ++i) {
      const SstableInfo& sstable = sstables_[group.members[i]];
      cost.bytes += sstable.filter.bytes;
      cost.needless_reads += group.weights[i] * NeedlessReadsOf(sstable);
    }
    answer->now.push_back(cost);
    answer->now_total.bytes += cost.bytes;
    answer->now_total.needless_reads += cost.needless_reads;
  }
}

void Asker::KeepAll(WhatIfPlan* plan) const {
  plan->filters.clear();
  for (const SstableInfo& sstable : sstables_) {
    plan->filters.push_back({.is_new = false,
                             .spec = "",
                             .bytes = sstable.filter.bytes,
                             .rate = NeedlessReadsOf(sstable)});
  }
}

Status Asker::Fill(std::size_t number, PolicySettings settings,
                   WhatIfPlan* plan) const {
  const SstableInfo& sstable = sstables_[number];
  if (engine_ == "cassandra") settings.version = sstable.version;
  const auto policy = MakePolicy(settings);
  if (!policy.ok()) return policy.status();
  const Size size =
      SizeOfParts(*policy.value(), Rounded(KeysForFilter(sstable)),
                  PartsOf(sstable, plan->kind.policy));
  plan->filters[number] = {.is_new = true,
                           .spec = SpecText(settings),
                           .bytes = size.bytes,
                           .rate = size.rate};
  return Status::Ok();
}

Status Asker::FillBySize(WhatIfPlan* plan) const {
  KeepAll(plan);
  PolicySettings settings;
  settings.name = std::string(plan->kind.policy);
  settings.rate = question_.rate;
  settings.bits_per_key = question_.bits_per_key;
  for (std::size_t i = 0; i < sstables_.size(); ++i) {
    if (!changes_[i]) continue;
    if (Status filled = Fill(i, settings, plan); !filled.ok()) return filled;
  }
  return Status::Ok();
}

Status Asker::FillDivided(const std::vector<Run>& runs, std::uint64_t bytes,
                          bool equally, WhatIfPlan* plan) const {
  KeepAll(plan);
  std::vector<FilterRun> divided;
  for (const Run& run : runs) {
    divided.push_back({.keys = Rounded(run.keys),
                       .asked = run.asked,
                       .kind = std::string(plan->kind.policy)});
  }
  const auto division = equally ? DivideFilterMemoryEqually(divided, bytes)
                                : DivideFilterMemory(divided, bytes);
  if (!division.ok()) return division.status();
  for (std::size_t i = 0; i < runs.size(); ++i) {
    const std::string& spec = division->shares[i].spec;
    const auto settings = spec.empty()
                              ? Result<PolicySettings>(PolicySettings())
                              : ParsePolicy(spec);
    if (!settings.ok()) return settings.status();
    for (const std::size_t member : runs[i].members) {
      if (spec.empty()) {
        plan->filters[member] = WhatIfFilter();
        plan->filters[member].is_new = true;
        continue;
      }
      Status filled = Fill(member, *settings, plan);
      if (!filled.ok()) return filled;
    }
  }
  return Status::Ok();
}

std::uint64_t Asker::NewBytes(const WhatIfPlan& plan) const {
  std::uint64_t bytes = 0;
  for (const WhatIfFilter& filter : plan.filters) {
    if (filter.is_new) bytes += filter.bytes;
  }
  return bytes;
}

// Filters have headers and are rounded, which the division does not know; so it
// is given as much as makes filters that fit.
Status Asker::FillWithin(const std::vector<Run>& runs, bool equally,
                         WhatIfPlan* plan) const {
  constexpr int kAttempts = 16;
  const std::uint64_t memory = *question_.memory;
  Status filled = FillDivided(runs, memory, equally, plan);
  if (!filled.ok() || NewBytes(*plan) <= memory) return filled;
  std::uint64_t fits = 0;
  std::uint64_t exceeds = memory;
  for (int i = 0; i < kAttempts && exceeds - fits > 1; ++i) {
    const std::uint64_t middle = fits + (exceeds - fits) / 2;
    filled = FillDivided(runs, middle, equally, plan);
    if (!filled.ok()) return filled;
    (NewBytes(*plan) <= memory ? fits : exceeds) = middle;
  }
  return FillDivided(runs, fits, equally, plan);
}

Status Asker::FillByMemory(WhatIfPlan* plan) const {
  const std::vector<Run> runs = Runs();
  Status filled = FillWithin(runs, true, plan);
  if (!filled.ok()) return filled;
  AddUp(plan);
  plan->equal = plan->total;
  return FillWithin(runs, false, plan);
}

void Asker::AddUp(WhatIfPlan* plan) const {
  plan->groups.clear();
  plan->total = {};
  for (const SstableGroup& group : groups_) {
    FilterCost cost;
    for (std::size_t i = 0; counts(group) && i < group.members.size(); ++i) {
      const WhatIfFilter& filter = plan->filters[group.members[i]];
      cost.bytes += filter.bytes;
      cost.needless_reads += group.weights[i] * filter.rate;
    }
    plan->groups.push_back(cost);
    plan->total.bytes += cost.bytes;
    plan->total.needless_reads += cost.needless_reads;
  }
}

WhatIfPlan Asker::PlanOf(const SstableFilterKind& kind) const {
  WhatIfPlan plan;
  plan.kind = kind;
  const Status filled =
      question_.memory.has_value() ? FillByMemory(&plan) : FillBySize(&plan);
  ThrowIfOutOfMemory(filled);
  if (!filled.ok()) {
    WhatIfPlan none;
    none.kind = kind;
    none.why_not = filled.message();
    return none;
  }
  AddUp(&plan);
  return plan;
}

Result<WhatIfAnswer> Asker::Answer() {
  const int given = (question_.rate.has_value() ? 1 : 0) +
                    (question_.bits_per_key.has_value() ? 1 : 0) +
                    (question_.memory.has_value() ? 1 : 0);
  if (given != 1) {
    return Status::InvalidArgument(
        "one of a rate, bits per key and memory must be given");
  }
  const auto is_divided = [&](const SstableGroup& group) {
    return counts(group) && group.counts_reads;
  };
  if (question_.memory.has_value() &&
      std::none_of(groups_.begin(), groups_.end(), is_divided)) {
    return Status::InvalidArgument(
        "memory cannot be divided: it is not known which of these files a "
        "lookup comes to");
  }
  WhatIfAnswer answer;
  ChooseSstables(&answer);
  CountNow(&answer);
  for (const SstableFilterKind& kind : FilterKindsOf(engine_)) {
    answer.plans.push_back(PlanOf(kind));
  }
  return answer;
}

}  // namespace

std::span<const SstableFilterKind> FilterKindsOf(
    std::string_view engine) noexcept {
  if (engine == "leveldb") return kLevelDbKinds;
  if (engine == "rocksdb") return kRocksDbKinds;
  if (engine == "cassandra") return kCassandraKinds;
  if (engine == "parquet") return kParquetKinds;
  return {};
}

double KeysForFilter(const SstableInfo& sstable) noexcept {
  return sstable.filter.keys > 0 ? sstable.filter.keys
                                 : static_cast<double>(sstable.entries);
}

Result<WhatIfAnswer> AskWhatIf(std::span<const SstableInfo> sstables,
                               std::span<const SstableGroup> groups,
                               std::string_view engine,
                               const WhatIfQuestion& question) {
  return NoThrow(
      [&] { return Asker(sstables, groups, engine, question).Answer(); });
}

}  // namespace tamis
