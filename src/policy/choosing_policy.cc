#include "policy/choosing_policy.h"

#include <functional>
#include <string>
#include <utility>
#include <vector>

#include "formats/digest_builder.h"
#include "formats/tamis_filter.h"
#include "formats/tamis_from_digests.h"
#include "math/ribbon_sizing.h"
#include "policy/kind_costs.h"

namespace tamis {
namespace {

struct Candidate {
  const KindSpeed* speed;
  std::unique_ptr<const FilterPolicy> policy;  // for Predict()
  std::function<Status(const DigestedKeys&, const BuildOptions&, std::string*)>
      append;
};
using Candidates = std::vector<Candidate>;

const Candidate& CheapestFor(std::uint64_t keys, FilterNeed need,
                             const Candidates& candidates) noexcept {
  need.keys = keys;
  const Candidate* best = nullptr;
  double least = 0;
  for (const Candidate& candidate : candidates) {
    const Estimate estimate = candidate.policy->Predict(keys);
    const double cost = CostNs(need, *candidate.speed, estimate);
    if (best == nullptr || cost < least) {
      best = &candidate;
      least = cost;
    }
  }
  return *best;
}

class ChoosingBuilder final : public DigestBuilder {
 public:
  // All but the options must outlive it.
  ChoosingBuilder(const FilterNeed& need, const Candidates& candidates,
                  std::uint64_t seed, const BuildOptions& options)
      : DigestBuilder(seed, options), need_(need), candidates_(candidates) {}

 private:
  Status Build(DigestSet* digests, std::string* dst) override {
    const Candidate& chosen = CheapestFor(digests->size(), need_, candidates_);
    const Estimate estimate = chosen.policy->Predict(digests->size());
    if (!estimate.status.ok()) return estimate.status;
    return chosen.append({.digests = digests, .seed = seed()}, options(), dst);
  }

  const FilterNeed& need_;
  const Candidates& candidates_;
};

class ChoosingPolicy final : public FilterPolicy {
 public:
  // REQUIRES: there is a candidate; `growing` is cache-local, and reads every
  // kind
  ChoosingPolicy(const FilterNeed& need, std::uint64_t seed,
                 Candidates candidates,
                 std::unique_ptr<const FilterPolicy> growing)
      : need_(need),
        seed_(seed),
        candidates_(std::move(candidates)),
        growing_(std::move(growing)) {}

  std::string_view name() const noexcept override { return growing_->name(); }

  std::unique_ptr<FilterBuilder> NewBuilder(
      std::uint64_t expected_keys) const override {
    BuildOptions options;
    options.expected_keys = expected_keys;
    return NewBuilderWith(options);
  }
  std::unique_ptr<FilterBuilder> NewBuilderWith(
      const BuildOptions& options) const override {
    return std::make_unique<ChoosingBuilder>(need_, candidates_, seed_,
                                             options);
  }
  Result<std::unique_ptr<const FilterReader>> Open(Slice bytes) const override {
    return growing_->Open(bytes);
  }
  Estimate Predict(std::uint64_t keys) const noexcept override {
    return CheapestFor(keys, need_, candidates_).policy->Predict(keys);
  }
  // More or fewer keys than planned are for filters that grow.
  double RateAt(std::uint64_t planned_keys,
                std::uint64_t keys) const noexcept override {
    return planned_keys == keys ? Predict(keys).false_positive_rate
                                : growing_->RateAt(planned_keys, keys);
  }
  Result<std::unique_ptr<MutableFilter>> NewMutable(
      std::uint64_t planned_keys) const override {
    return growing_->NewMutable(planned_keys);
  }
  Result<std::unique_ptr<ConcurrentFilter>> NewConcurrent(
      std::uint64_t planned_keys) const override {
    return growing_->NewConcurrent(planned_keys);
  }
  Status Combine(std::span<const Slice> filters, SetOperation operation,
                 std::string* dst) const override {
    return growing_->Combine(filters, operation, dst);
  }

 private:
  FilterNeed need_;
  std::uint64_t seed_;
  Candidates candidates_;
  std::unique_ptr<const FilterPolicy> growing_;
};

using PolicyResult = Result<std::unique_ptr<const FilterPolicy>>;

void AddLines(PolicyResult policy, Candidates* candidates) {
  if (!policy.ok()) return;
  const FilterPolicy* plan = policy.value().get();
  candidates->push_back(
      {&SpeedOf("bloom"), *std::move(policy),
       [plan](const DigestedKeys& keys, const BuildOptions& /*options*/,
              std::string* dst) {
         const Estimate size = plan->Predict(keys.digests->size());
         return AppendTamisLines(keys, size.bits, size.probes, dst);
       }});
}

void AddRibbon(PolicyResult policy, std::uint32_t columns,
               Candidates* candidates) {
  if (!policy.ok()) return;
  candidates->push_back(
      {&SpeedOf("ribbon"), *std::move(policy),
       [columns](const DigestedKeys& keys, const BuildOptions& options,
                 std::string* dst) {
         return AppendTamisRibbon(keys, columns, options, dst);
       }});
}

void AddFuse(const FuseSettings& settings, Candidates* candidates) {
  PolicyResult policy = NewTamisFusePolicy(settings, 0);
  if (!policy.ok()) return;
  candidates->push_back(
      {&SpeedOf("fuse"), *std::move(policy),
       [settings](const DigestedKeys& keys, const BuildOptions& options,
                  std::string* dst) {
         return AppendTamisFuse(keys, settings, options, dst);
       }});
}

}  // namespace

PolicyResult NewChoosingPolicy(const FilterNeed& need, std::uint64_t seed) {
  const BloomSizing sizing = {.rate = need.rate};
  PolicyResult growing = NewTamisPolicy(TamisKind::kLineBloom, sizing, seed);
  // No other candidate has lower rates.
  if (!growing.ok()) return growing.status();
  Candidates candidates;
  AddLines(NewTamisPolicy(TamisKind::kLineBloom, sizing, seed), &candidates);
  AddRibbon(NewTamisPolicy(TamisKind::kRibbon, sizing, seed),
            RibbonColumnsAt(need.rate), &candidates);
  for (const unsigned arity : {3u, 4u}) {
    AddFuse({.cell_bits = FuseCellBits(need.rate), .arity = arity},
            &candidates);
  }
  return std::unique_ptr<const FilterPolicy>(std::make_unique<ChoosingPolicy>(
      need, seed, std::move(candidates), *std::move(growing)));
}

}  // namespace tamis
