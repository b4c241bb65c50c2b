// SPDX-License-Identifier: Apache-2.0
#include "tamis/advice.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <string>
#include <utility>
#include <vector>

#include "base/no_throw.h"
#include "formats/tamis/kinds.h"
#include "policy/advice_words.h"
#include "policy/kind_costs.h"
#include "policy/kinds.h"

namespace tamis {
namespace {

struct Candidate {
  const KindRow* row;
  const KindEntry* kind;
  unsigned arity;  // 0: it has none, and is sized by the rate
};

// In the order of preference where costs are equal.
std::vector<Candidate> AllCandidates() {
  std::vector<Candidate> candidates;
  for (const KindEntry& kind : KnownKinds()) {
    const KindRow& row = RowOfEntry(kind);
    for (const unsigned arity : row.arity_choices()) {
      candidates.push_back({&row, &kind, arity});
    }
  }
  return candidates;
}

std::string WhyUnable(const Candidate& candidate, const FilterNeed& need) {
  const KindEntry& kind = *candidate.kind;
  if (need.deletes && !kind.erases) return "no key can be erased";
  if (need.growth && !kind.unbounded) return "it is planned for its keys";
  if (need.expiry && !kind.expires) return "its keys do not expire";
  return {};
}

std::string RateText(double rate) {
  std::array<char, 32> text;
  std::snprintf(text.data(), text.size(), "%.6g", rate);
  return text.data();
}

std::string SpecOf(const Candidate& candidate, const FilterNeed& need) {
  const std::string name(candidate.kind->name);
  if (candidate.arity == 0) return name + ":fpr=" + RateText(need.rate);
  return name + ":arity=" + std::to_string(candidate.arity);
}

// While the newest generation of a rotating filter fills, the others are full.
std::uint64_t PlannedKeys(const Candidate& candidate, const FilterNeed& need) {
  if (!candidate.kind->expires) return need.keys;
  constexpr std::uint64_t kFull = TamisSettings().generations - 1;
  return need.keys / kFull + (need.keys % kFull != 0 ? 1 : 0);
}

FilterChoice Judge(const Candidate& candidate, const FilterNeed& need) {
  FilterChoice choice;
  choice.kind = candidate.kind->name;
  choice.spec = SpecOf(candidate, need);
  const KindSpeed& speed = candidate.row->speed;
  choice.build_ns_per_key = speed.build_ns;
  choice.unfit = WhyUnable(candidate, need);
  auto policy = MakePolicy(choice.spec);
  ThrowIfOutOfMemory(policy.status());
  if (!policy.ok()) {
    choice.unfit = policy.status().message();
    return choice;
  }
  choice.estimate = (*policy)->Predict(PlannedKeys(candidate, need));
  ThrowIfOutOfMemory(choice.estimate.status);
  choice.query_ns = QueryNs(speed, choice.estimate);
  choice.cost = CostNs(need, speed, choice.estimate) / 1e9;
  if (need.keys > 0) {
    choice.bits_per_key = 8 * static_cast<double>(choice.estimate.bytes) /
                          static_cast<double>(need.keys);
    choice.overhead = choice.bits_per_key / std::log2(1 / need.rate) - 1;
  }
  constexpr double kRounding = 1.01;  // to whole lines and columns
  if (!choice.estimate.status.ok()) {
    choice.unfit = choice.estimate.status.message();
  } else if (choice.estimate.false_positive_rate > need.rate * kRounding) {
    choice.unfit = "has a rate of " +
                   RateText(choice.estimate.false_positive_rate) + " or more";
  }
  return choice;
}

Status CheckNeed(const FilterNeed& need) {
  if (!(need.rate > 0) || !(need.rate < 1)) {
    return Status::InvalidArgument(
        "advice: a false-positive rate must be between 0 and 1");
  }
  if (!(need.lifetime_seconds >= 0) || !std::isfinite(need.lifetime_seconds)) {
    return Status::InvalidArgument("advice: the lifetime is not valid");
  }
  if (!(need.queries_per_key >= 0) || !std::isfinite(need.queries_per_key)) {
    return Status::InvalidArgument(
        "advice: the number of queries is not valid");
  }
  return Status::Ok();
}

// Returns why no kind serves the need.
Status NoneFits(const FilterNeed& need) {
  if (int{need.deletes} + int{need.growth} + int{need.expiry} > 1) {
    return Status::NotSupported(
        "advice: no kind does two of these: erase keys, grow without limit, "
        "let keys expire");
  }
  return Status::NotSupported(
      "advice: no kind has a filter of so low a rate for so many keys");
}

Result<FilterAdvice> Advise(const FilterNeed& need) {
  if (Status fits = CheckNeed(need); !fits.ok()) return fits;
  FilterAdvice advice;
  for (const Candidate& candidate : AllCandidates()) {
    advice.choices.push_back(Judge(candidate, need));
  }
  std::stable_sort(advice.choices.begin(), advice.choices.end(),
                   [](const FilterChoice& a, const FilterChoice& b) {
                     if (a.unfit.empty() != b.unfit.empty()) {
                       return a.unfit.empty();
                     }
                     return a.unfit.empty() && a.cost < b.cost;
                   });
  if (!advice.choices.front().unfit.empty()) return NoneFits(need);
  advice.best = advice.choices.front();
  advice.reason = ReasonFor(need, advice.choices);
  return advice;
}

}  // namespace

Result<FilterAdvice> AdviseFilter(const FilterNeed& need) {
  return NoThrow([&] { return Advise(need); });
}

}  // namespace tamis
