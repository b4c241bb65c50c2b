// SPDX-License-Identifier: Apache-2.0
// tamis whatif: what other filters would cost and save.

#include <algorithm>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "base/worker_threads.h"
#include "commands.h"
#include "numbers.h"
#include "whatif_report.h"

namespace tamis::tools {
namespace {

// Asked about if no size is given.
constexpr double kSweptRates[] = {0.05, 0.02, 0.01, 0.005, 0.001, 0.0001};

Result<std::vector<WhatIfQuestion>> QuestionsOf(const WhatIfArgs& args) {
  WhatIfQuestion question;
  if (!args.only.empty()) question.only = VerdictNamed(args.only);
  if (!args.fpr.empty()) {
    const auto rate = ParseRate(args.fpr);
    if (!rate.ok()) return rate.status();
    question.rate = *rate;
  } else if (!args.bits.empty()) {
    const auto bits = ParsePositive(args.bits);
    if (!bits.ok()) return bits.status();
    question.bits_per_key = *bits;
  } else if (!args.memory.empty()) {
    const auto memory = ParseCount(args.memory);
    if (!memory.ok()) return memory.status();
    question.memory = *memory;
  } else {
    std::vector<WhatIfQuestion> sweep;
    for (const double rate : kSweptRates) {
      sweep.push_back(question);
      sweep.back().rate = rate;
    }
    return sweep;
  }
  return std::vector<WhatIfQuestion>{question};
}

std::vector<std::string_view> EnginesOf(const ScanReport& report) {
  std::vector<std::string_view> engines;
  for (const SstableInfo& info : report.sstables) {
    if (info.engine.empty() || std::find(engines.begin(), engines.end(),
                                         info.engine) != engines.end()) {
      continue;
    }
    engines.push_back(info.engine);
  }
  return engines;
}

// Counts keys as the builder of a filter does: versions of a key are one.
class Counter final : public SstableVisitor {
 public:
  bool OnKeys(const StoredKeys& stored) override {
    for (const Slice key : stored.keys) {
      if (keys_ == 0 || key != last_) {
        ++keys_;
        last_.assign(key);
      }
    }
    return true;
  }
  void OnProblem(const std::string& problem) override {
    if (problem_.empty()) problem_ = problem;
  }
  std::uint64_t keys() const { return keys_; }
  const std::string& problem() const { return problem_; }

 private:
  std::uint64_t keys_ = 0;
  std::string last_;
  std::string problem_;
};

// Reads the data of sstables of which nothing else tells the keys.
Status CountKeys(const std::vector<FoundSstable>& found, unsigned threads,
                 ScanReport* report) {
  std::vector<std::string> problems(found.size());
  Status counted =
      RunTasks(threads, found.size(), [&](std::size_t i, unsigned) {
        SstableInfo& info = report->sstables[i];
        if (KeysForFilter(info) > 0 || !info.why_not_verifiable.empty()) {
          return Status::Ok();
        }
        const auto sstable = OpenSstable(found[i]);
        if (!sstable.ok()) return sstable.status();
        Counter counter;
        const auto walk = (*sstable)->Walk(counter);
        if (!walk.ok()) return walk.status();
        problems[i] = counter.problem();
        info.filter.keys = static_cast<double>(counter.keys());
        info.filter.keys_are_stored = counter.problem().empty();
        return Status::Ok();
      });
  for (std::string& problem : problems) {
    if (!problem.empty()) report->problems.push_back(std::move(problem));
  }
  return counted;
}

// InvalidArgument: none of the engines has that kind.
Status KeepKind(const std::string& kind, WhatIfReport* report) {
  if (kind.empty()) return Status::Ok();
  bool any = false;
  for (EngineAnswer& one : report->answers) {
    std::erase_if(one.answer.plans, [&](const WhatIfPlan& plan) {
      return plan.kind.name != kind;
    });
    any = any || !one.answer.plans.empty();
  }
  if (any || report->answers.empty()) return Status::Ok();
  std::string kinds;
  for (const SstableFilterKind& entry :
       FilterKindsOf(report->answers.front().engine)) {
    kinds += (kinds.empty() ? "" : ", ") + std::string(entry.name);
  }
  return Status::InvalidArgument("--kind: these tables can have " + kinds +
                                 ", and not " + kind);
}

Status AskAll(const WhatIfArgs& args,
              const std::vector<WhatIfQuestion>& questions,
              WhatIfReport* report) {
  const std::vector<std::string_view> engines = EnginesOf(report->scan);
  if (engines.size() > 1 && !args.memory.empty()) {
    return Status::InvalidArgument(
        "--memory is divided over the tables of one engine, and here are those "
        "of several: name a directory of one");
  }
  report->is_sweep = questions.size() > 1;
  report->groups = GroupSstables(report->scan.sstables);
  for (const std::string_view engine : engines) {
    for (const WhatIfQuestion& question : questions) {
      auto answer =
          AskWhatIf(report->scan.sstables, report->groups, engine, question);
      if (!answer.ok()) return answer.status();
      report->answers.push_back({.engine = engine,
                                 .question = question,
                                 .answer = *std::move(answer)});
    }
  }
  return KeepKind(args.kind, report);
}

}  // namespace

int RunWhatIf(const WhatIfArgs& args, const Console& console) {
  const Result<unsigned> threads = ParseThreads(args.threads);
  if (!threads.ok()) return Fail(console, "whatif", threads.status().message());
  const auto questions = QuestionsOf(args);
  if (!questions.ok()) {
    return Fail(console, "whatif", questions.status().message());
  }
  WhatIfReport report;
  std::vector<FoundSstable> found;
  Status status = FindAll(args.paths, &found, &report.scan);
  if (status.ok()) status = ScanAll(found, *threads, &report.scan);
  if (status.ok() && args.count) {
    status = CountKeys(found, *threads, &report.scan);
  }
  if (status.ok()) status = AskAll(args, *questions, &report);
  if (!status.ok()) {
    Fail(console, "whatif", status.message());
    return status.code() == StatusCode::kInvalidArgument ? kExitError
                                                         : kExitUnreadable;
  }
  console.out->Write(args.json  ? ToJsonLines(report)
                     : args.csv ? ToCsv(report)
                                : ToText(report));
  console.out->Flush();
  for (const std::string& problem : report.scan.problems) {
    Warn(console, "whatif", problem);
  }
  return Finish(console, "whatif", ExitCodeOf(report.scan));
}

}  // namespace tamis::tools
