// SPDX-License-Identifier: Apache-2.0
#include "tamis/advice.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdio>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/no_throw.h"
#include "formats/tamis/kinds.h"
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
  choice.estimate = policy->Predict(PlannedKeys(candidate, need));
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

// ---- Why one kind and not another, for people ----

std::string Number(double number) {
  constexpr double kWhole = 100;  // from here on fractions are noise
  std::array<char, 32> text;
  std::snprintf(text.data(), text.size(), number < kWhole ? "%.3g" : "%.0f",
                number);
  return text.data();
}

std::string SizeText(std::uint64_t bytes) {
  constexpr std::array kUnits = {"B", "KiB", "MiB", "GiB", "TiB", "PiB"};
  auto size = static_cast<double>(bytes);
  std::size_t unit = 0;
  for (; size >= 1000 && unit + 1 < kUnits.size(); ++unit) size /= 1024;
  return Number(size) + " " + kUnits[unit];
}

std::string TimeText(double seconds) {
  constexpr double kMinute = 60;
  constexpr double kHour = 3600;
  constexpr double kDay = 24 * kHour;
  if (seconds < 2 * kMinute) return Number(seconds) + " s";
  if (seconds < 2 * kHour) return Number(seconds / kMinute) + " min";
  if (seconds < 3 * kDay) return Number(seconds / kHour) + " h";
  return Number(seconds / kDay) + " days";
}

std::string Listed(const std::vector<std::string>& parts) {
  std::string text;
  for (std::size_t i = 0; i < parts.size(); ++i) {
    if (i > 0) text += i + 1 == parts.size() ? " and " : ", ";
    text += parts[i];
  }
  return text;
}

// Different sizes of one kind are not compared.
bool AreOfOneKind(const FilterChoice& a, const FilterChoice& b) {
  return FindKind(a.kind)->code == FindKind(b.kind)->code;
}

// Adds "50 ns less per key to build" to the list of gains or of losses.
void AddTime(double mine, double others, std::string_view what,
             std::vector<std::string>* gains,
             std::vector<std::string>* losses) {
  if (mine == others) return;
  const bool less = mine < others;
  (less ? gains : losses)
      ->push_back(Number(less ? others - mine : mine - others) + " ns " +
                  (less ? "less " : "more ") + std::string(what));
}

// "ribbon: 843 MiB instead of 1.15 GiB for bloom; held for 7 days, that
// outweighs 50 ns more per key to build and 14 ns more per query."
std::string Weighed(const FilterNeed& need, const FilterChoice& best,
                    const FilterChoice& other) {
  std::vector<std::string> gains;
  std::vector<std::string> losses;
  const std::uint64_t mine = best.estimate.bytes;
  const std::uint64_t others = other.estimate.bytes;
  if (mine != others) {
    (mine < others ? gains : losses)
        .push_back(SizeText(mine) + " instead of " + SizeText(others));
  }
  AddTime(best.build_ns_per_key, other.build_ns_per_key, "per key to build",
          &gains, &losses);
  AddTime(best.query_ns, other.query_ns, "per query", &gains, &losses);
  const std::string held = "held for " + TimeText(need.lifetime_seconds) +
                           " with " + Number(need.queries_per_key) +
                           (need.queries_per_key == 1 ? " query" : " queries") +
                           " per key, ";
  if (gains.empty()) return best.kind + ": as good as " + other.kind + ".";
  std::string text =
      best.kind + ": " + Listed(gains) + ", against " + other.kind;
  if (losses.empty()) return text + ", and nothing speaks against it.";
  return text + "; " + held + "that outweighs " + Listed(losses) + ".";
}

// Returns the choice to compare the best with: the default, or if that is the
// best, the smallest; of another kind, and fit.  Null: there is none.
const FilterChoice* RivalOf(std::span<const FilterChoice> choices) {
  const FilterChoice* rival = nullptr;
  const FilterChoice& best = choices.front();
  const std::string_view usual = KnownKinds().front().name;
  for (const FilterChoice& choice : choices) {
    if (!choice.unfit.empty() || AreOfOneKind(choice, best)) continue;
    if (choice.kind == usual) return &choice;
    const bool is_better =
        rival == nullptr ||
        (best.kind == usual && choice.estimate.bytes < rival->estimate.bytes);
    if (is_better) rival = &choice;
  }
  return rival;
}

std::string AboutAbility(const FilterNeed& need, const FilterChoice& best) {
  if (need.growth) {
    return best.kind +
           ": the one kind that keeps its rate when more keys come than were "
           "planned.";
  }
  return best.kind +
         ": the one kind that drops keys by their age, a generation at a "
         "time.";
}

std::string AboutFewKeys(const FilterChoice& best, const FilterChoice& rival) {
  return best.kind + ": so few keys are in the cache whatever their filter; " +
         "this one is the fastest to build and to query, and what " +
         rival.kind + " would save (" + SizeText(rival.estimate.bytes) +
         " instead of " + SizeText(best.estimate.bytes) + ") does not count.";
}

// REQUIRES: `choices` are ranked, and the first is fit
std::string ReasonFor(const FilterNeed& need,
                      std::span<const FilterChoice> choices) {
  const FilterChoice& best = choices.front();
  if (need.growth || need.expiry) return AboutAbility(need, best);
  const FilterChoice* rival = RivalOf(choices);
  if (rival == nullptr) return best.kind + ": no other kind has so low a rate.";
  if (need.deletes) {
    const std::string erasing =
        NamesOfKinds([](const KindEntry& kind) { return kind.erases; });
    return "Keys can be erased from " + erasing + " alone. " +
           Weighed(need, best, *rival);
  }
  if (best.estimate.bytes <= kMinChargedBytes &&
      best.estimate.bytes > rival->estimate.bytes) {
    return AboutFewKeys(best, *rival);
  }
  return Weighed(need, best, *rival);
}

// ---- The advice ----

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
