// SPDX-License-Identifier: Apache-2.0
#include "policy/choosing_policy.h"

#include <string>
#include <utility>
#include <vector>

#include "formats/forwarding_policy.h"
#include "formats/tamis/any_kind.h"
#include "formats/tamis/solved_builder.h"
#include "policy/kind_costs.h"
#include "policy/kinds.h"

namespace tamis {
namespace {

struct KindCandidate {
  const KindSpeed* speed;
  std::unique_ptr<const FilterPolicy> policy;  // for Predict()
  const TamisKindRow* kind;
  TamisSettings settings;
};
using KindCandidates = std::vector<KindCandidate>;

const KindCandidate& CheapestFor(std::uint64_t keys, FilterNeed need,
                                 const KindCandidates& candidates) noexcept {
  need.keys = keys;
  const KindCandidate* best = nullptr;
  double least = 0;
  for (const KindCandidate& candidate : candidates) {
    const Estimate estimate = candidate.policy->Predict(keys);
    const double cost = CostNs(need, *candidate.speed, estimate);
    if (best == nullptr || cost < least) {
      best = &candidate;
      least = cost;
    }
  }
  return *best;
}

class ChoosingPolicy final : public ForwardingPolicy {
 public:
  // REQUIRES: there is a candidate; `growing` is the default kind, and reads
  // every kind
  ChoosingPolicy(const FilterNeed& need, std::uint64_t seed,
                 KindCandidates candidates,
                 std::unique_ptr<const FilterPolicy> growing)
      : ForwardingPolicy(std::move(growing)),
        need_(need),
        seed_(seed),
        candidates_(std::move(candidates)) {}

  std::unique_ptr<FilterBuilder> NewBuilder(
      const BuildOptions& options) const override {
    return std::make_unique<SolvedFilterBuilder>(
        seed_, options,
        [this](const HashedKeys& keys, const BuildOptions& building,
               std::string* dst) { return Append(keys, building, dst); });
  }
  Estimate Predict(std::uint64_t keys) const noexcept override {
    return CheapestFor(keys, need_, candidates_).policy->Predict(keys);
  }
  // Only mutable filters get more or fewer keys than planned.
  double RateAt(std::uint64_t planned_keys,
                std::uint64_t keys) const noexcept override {
    return planned_keys == keys ? Predict(keys).false_positive_rate
                                : ForwardingPolicy::RateAt(planned_keys, keys);
  }

 private:
  Status Append(const HashedKeys& keys, const BuildOptions& options,
                std::string* dst) const {
    const std::uint64_t count = keys.hashes->size();
    const KindCandidate& chosen = CheapestFor(count, need_, candidates_);
    const Estimate estimate = chosen.policy->Predict(count);
    if (!estimate.status.ok()) return estimate.status;
    return chosen.kind->append(chosen.settings, keys, options, dst);
  }

  FilterNeed need_;
  std::uint64_t seed_;
  KindCandidates candidates_;
};

// Returns every kind that can be built from hashes, at that rate.
KindCandidates CandidatesFor(double rate) {
  KindCandidates candidates;
  for (const KindRow& row : KindRows()) {
    const TamisKindRow& kind = RowOf(row.kind);
    if (kind.append == nullptr) continue;
    for (const unsigned arity : row.arity_choices()) {
      TamisSettings settings = {.sizing = {.rate = rate}};
      if (arity != 0) settings.arity = arity;
      auto policy = kind.make(settings);
      if (!policy.ok()) continue;
      candidates.push_back({&row.speed, *std::move(policy), &kind, settings});
    }
  }
  return candidates;
}

}  // namespace

Result<std::unique_ptr<const FilterPolicy>> NewChoosingPolicy(
    const FilterNeed& need, std::uint64_t seed) {
  auto growing = NewTamisPolicy(KindRows().front().kind,
                                {.sizing = {.rate = need.rate}, .seed = seed});
  // No other candidate has lower rates.
  if (!growing.ok()) return growing.status();
  return std::unique_ptr<const FilterPolicy>(std::make_unique<ChoosingPolicy>(
      need, seed, CandidatesFor(need.rate), *std::move(growing)));
}

}  // namespace tamis
