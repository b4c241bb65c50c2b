// SPDX-License-Identifier: Apache-2.0
#include "what_if_tables.h"

#include <algorithm>
#include <cstdint>
#include <string>
#include <utility>

#include <fmt/core.h>

#include "base/worker_threads.h"
#include "text.h"

namespace tamis::tools {
namespace {

constexpr double kBitsPerByte = 8;
constexpr double kMinBits = 1;
constexpr double kMaxBits = 24;
constexpr double kStepOfBits = 0.5;
constexpr double kMaxMemoryBits = 20;

// Dividing memory takes milliseconds for a hundred tables: the more there are,
// the fewer steps the slider has.
double StepOfMemory(std::size_t sstables) {
  constexpr std::size_t kMany = 250;
  constexpr std::size_t kVeryMany = 1000;
  if (sstables > kVeryMany) return 2;
  return sstables > kMany ? 1 : kStepOfBits;
}

// The sstables, and the questions that the two sliders may ask.
struct Questions {
  std::span<const SstableInfo> sstables;
  std::vector<SstableGroup> groups;
  std::vector<double> bits;
  std::vector<std::uint64_t> memory;
  std::vector<WhatIfAnswer> answers;  // those of `bits`, then of `memory`

  const WhatIfPlan& BitsPlan(std::size_t kind, std::size_t step) const {
    return answers[step].plans[kind];
  }
  const WhatIfPlan& MemoryPlan(std::size_t kind, std::size_t step) const {
    return answers[bits.size() + step].plans[kind];
  }
};

Status AskAll(unsigned threads, Questions* questions) {
  const std::size_t bits = questions->bits.size();
  questions->answers.resize(bits + questions->memory.size());
  return RunTasks(
      threads, questions->answers.size(), [&](std::size_t i, unsigned) {
        WhatIfQuestion question;
        if (i < bits) {
          question.bits_per_key = questions->bits[i];
        } else {
          question.memory = questions->memory[i - bits];
        }
        auto answer = AskWhatIf(questions->sstables, questions->groups,
                                questions->sstables.front().engine, question);
        if (!answer.ok()) return answer.status();
        // The page has sums alone.
        for (WhatIfPlan& plan : answer->plans) plan.filters = {};
        questions->answers[i] = *std::move(answer);
        return Status::Ok();
      });
}

// One number for each step; null where there are no such filters.
template <typename Plan, typename Number>
Json PerStep(std::size_t steps, const Plan& plan, const Number& number) {
  Json list = Json::Array();
  for (std::size_t i = 0; i < steps; ++i) {
    list.Add(plan(i).why_not.empty() ? Json(number(plan(i))) : Json());
  }
  return list;
}

// The same for each group that lookups come to; empty for the others.
template <typename Plan, typename Number>
Json PerGroup(const Questions& questions, std::size_t steps, const Plan& plan,
              const Number& number) {
  Json list = Json::Array();
  for (std::size_t group = 0; group < questions.groups.size(); ++group) {
    list.Add(questions.groups[group].counts_reads
                 ? PerStep(steps, plan,
                           [&](const WhatIfPlan& each) {
                             return number(each, group);
                           })
                 : Json::Array());
  }
  return list;
}

double KeysOf(std::span<const SstableInfo> sstables,
              const SstableGroup& group) {
  double keys = 0;
  for (const std::size_t member : group.members) {
    keys += KeysForFilter(sstables[member]);
  }
  return keys;
}

// Each sstable of level 0, and of Cassandra, is one; further levels are one.
std::size_t RunsOf(std::span<const SstableInfo> sstables,
                   const std::vector<SstableGroup>& groups) {
  std::size_t runs = 0;
  for (const SstableGroup& group : groups) {
    if (!group.counts_reads) continue;
    const bool is_one = sstables[group.members.front()].level > 0;
    runs += is_one ? 1 : group.members.size();
  }
  return runs;
}

std::string LabelOf(const SstableFilterKind& kind) {
  return fmt::format("{}, of {}", kind.name, kind.reader);
}

Json CurveOf(const Questions& questions, std::size_t kind) {
  const auto plan = [&](std::size_t step) -> const WhatIfPlan& {
    return questions.BitsPlan(kind, step);
  };
  const std::size_t steps = questions.bits.size();
  Json curve;
  curve["kind"] = plan(0).kind.name;
  curve["label"] = LabelOf(plan(0).kind);
  curve["bits_per_key"] = Json::Array();
  for (const double bits : questions.bits) curve["bits_per_key"].Add(bits);
  curve["bytes"] = PerStep(
      steps, plan, [](const WhatIfPlan& each) { return each.total.bytes; });
  curve["needless_reads"] = PerStep(steps, plan, [](const WhatIfPlan& each) {
    return each.total.needless_reads;
  });
  curve["level_reads"] = PerGroup(questions, steps, plan,
                                  [](const WhatIfPlan& each, std::size_t i) {
                                    return each.groups[i].needless_reads;
                                  });
  return curve;
}

Json DivisionOf(const Questions& questions, std::size_t kind) {
  const auto plan = [&](std::size_t step) -> const WhatIfPlan& {
    return questions.MemoryPlan(kind, step);
  };
  const std::size_t steps = questions.memory.size();
  Json division;
  division["kind"] = plan(0).kind.name;
  division["label"] = LabelOf(plan(0).kind);
  division["memory"] = Json::Array();
  for (const std::uint64_t bytes : questions.memory) {
    division["memory"].Add(bytes);
  }
  division["bytes"] = PerStep(
      steps, plan, [](const WhatIfPlan& each) { return each.total.bytes; });
  division["needless_reads"] = PerStep(steps, plan, [](const WhatIfPlan& each) {
    return each.total.needless_reads;
  });
  division["equal_reads"] = PerStep(steps, plan, [](const WhatIfPlan& each) {
    return each.equal.value_or(FilterCost()).needless_reads;
  });
  division["level_reads"] = PerGroup(questions, steps, plan,
                                     [](const WhatIfPlan& each, std::size_t i) {
                                       return each.groups[i].needless_reads;
                                     });
  division["level_bits"] = PerGroup(
      questions, steps, plan, [&](const WhatIfPlan& each, std::size_t i) {
        const double keys = KeysOf(questions.sstables, questions.groups[i]);
        return keys > 0 ? kBitsPerByte *
                              static_cast<double>(each.groups[i].bytes) / keys
                        : 0;
      });
  return division;
}

// What a person should know about sstables that keep their filters.
std::string RemarkOf(const WhatIfAnswer& answer) {
  if (answer.unmeasured.empty()) return "";
  const std::uint64_t count = answer.unmeasured.size();
  return fmt::format(
      "{} {} what {} and {} left out of both sliders' choices: {}",
      Grouped(count), Plural(count, "file keeps", "files keep"),
      Plural(count, "it has", "they have"), Plural(count, "is", "are"),
      answer.unmeasured.front().why);
}

}  // namespace

std::vector<double> BitsOfSteps() {
  std::vector<double> bits;
  for (double i = kMinBits; i <= kMaxBits; i += kStepOfBits) bits.push_back(i);
  return bits;
}

std::vector<std::uint64_t> MemoryOfSteps(double keys, std::size_t sstables,
                                         std::size_t runs) {
  // Where memory does not suffice for all, each run without a filter is tried
  // with one, which takes the square of their number.
  constexpr std::size_t kManyRuns = 60;
  constexpr double kEnoughBits = 5;
  std::vector<std::uint64_t> memory;
  const double step = StepOfMemory(sstables);
  for (double i = runs > kManyRuns ? kEnoughBits : 0; i <= kMaxMemoryBits;
       i += step) {
    memory.push_back(static_cast<std::uint64_t>(
        std::clamp(keys * i / kBitsPerByte, 0.0, 9e18)));
  }
  return memory;
}

Result<Json> WhatIfTables(std::span<const SstableInfo> sstables,
                          unsigned threads) {
  Questions questions;
  questions.sstables = sstables;
  questions.groups = GroupSstables(sstables);
  double keys = 0;
  bool counts_reads = false;
  for (const SstableGroup& group : questions.groups) {
    keys += KeysOf(sstables, group);
    counts_reads |= group.counts_reads;
  }
  if (!counts_reads) {
    return Status::NotSupported(
        "Needless reads are not measured here, because it is not known which "
        "of these files a lookup comes to.");
  }
  if (keys == 0) {
    return Status::NotSupported(
        "Other filters are not measured here, because nothing but their data "
        "tells how many keys these files have.");
  }
  questions.bits = BitsOfSteps();
  questions.memory =
      MemoryOfSteps(keys, sstables.size(), RunsOf(sstables, questions.groups));
  if (Status status = AskAll(threads, &questions); !status.ok()) return status;
  const WhatIfAnswer& first = questions.answers.front();
  Json tables;
  tables["keys"] = keys;
  tables["filter_bytes"] = first.now_total.bytes;
  tables["needless_reads"] = first.now_total.needless_reads;
  for (std::size_t kind = 0; kind < first.plans.size(); ++kind) {
    tables["curves"].Add(CurveOf(questions, kind));
    tables["divisions"].Add(DivisionOf(questions, kind));
  }
  const std::string remark = RemarkOf(first);
  if (!remark.empty()) tables["remark"] = remark;
  return tables;
}

}  // namespace tamis::tools
