// SPDX-License-Identifier: Apache-2.0
#include "tamis/filter_budget.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <limits>
#include <memory>
#include <utility>

#include "base/no_throw.h"
#include "tamis/filter.h"
#include "tamis/policy_settings.h"

namespace tamis {
namespace {

constexpr double kMinBits = 3;
constexpr double kMaxBits = 24;
constexpr double kBitsPerByte = 8;

// A size that filters of a kind may have, and what it gives.
struct Size {
  double argument = 0;  // as the kind's spec has it
  double bits = 0;      // per key, everything stored
  double rate = 1.0;
};

// The sizes of a kind, ascending from no filter.
using Sizes = std::vector<Size>;

// A choice of them, from one on: from each to the next the rate falls by less
// and less per bit, so that it never pays to skip one.
using Steps = std::vector<Size>;

struct Curve {
  // There are no sizes between two of them: they are whole bits.
  bool has_steps_only = false;
  Sizes sizes;
  Steps from_nothing;
  Steps from_smallest;
};

// Returns what a filter with that argument is, for so many keys that headers do
// not matter.
Size SizeOf(const std::string& kind, double argument) {
  constexpr std::uint64_t kMany = 1'000'000;
  PolicySettings settings;
  settings.name = kind;
  settings.bits_per_key = argument;
  const auto policy = MakePolicy(settings);
  ThrowIfOutOfMemory(policy.status());
  if (!policy.ok()) return {};
  const Estimate estimate = policy->Predict(kMany);
  return {argument,
          kBitsPerByte * static_cast<double>(estimate.bytes) /
              static_cast<double>(kMany),
          estimate.false_positive_rate};
}

double FallPerBit(const Size& from, const Size& to) noexcept {
  return (from.rate - to.rate) / (to.bits - from.bits);
}

Steps StepsFrom(std::size_t first, const Sizes& sizes) {
  Steps steps;
  for (std::size_t i = first; i < sizes.size(); ++i) {
    while (steps.size() > 1 &&
           FallPerBit(steps[steps.size() - 2], steps.back()) <=
               FallPerBit(steps.back(), sizes[i])) {
      steps.pop_back();
    }
    steps.push_back(sizes[i]);
  }
  return steps;
}

Curve CurveOf(const std::string& kind, bool has_steps_only) {
  constexpr double kStep = 0.25;
  Curve curve;
  curve.has_steps_only = has_steps_only;
  curve.sizes.resize(1);  // no filter
  for (double i = kMinBits; i <= kMaxBits; i += kStep) {
    const Size size = SizeOf(kind, i);
    const Size& last = curve.sizes.back();
    if (size.bits > last.bits && size.rate < last.rate) {
      curve.sizes.push_back(size);
    }
  }
  curve.from_nothing = StepsFrom(0, curve.sizes);
  curve.from_smallest = StepsFrom(1, curve.sizes);
  return curve;
}

// One for each kind, which is made when it is first needed, and kept.
template <std::size_t kNumber>
const Curve& CurveNumber(const std::string& kind, bool has_steps_only) {
  static const Curve curve = CurveOf(kind, has_steps_only);
  return curve;
}

// Null: memory is not divided over filters of that kind.
const Curve* FindCurve(const std::string& kind) {
  if (kind == "bloom") return &CurveNumber<0>(kind, false);
  if (kind == "ribbon") return &CurveNumber<1>(kind, false);
  if (kind == "leveldb") return &CurveNumber<2>(kind, true);
  if (kind == "rocksdb") return &CurveNumber<3>(kind, false);
  if (kind == "rocksdb-ribbon") return &CurveNumber<4>(kind, false);
  if (kind == "cassandra") return &CurveNumber<5>(kind, true);
  return nullptr;
}

struct CurvedRun {
  const FilterRun* run;
  const Curve* curve;
  // It has a filter, the smallest at least, whatever a bit gains elsewhere.
  bool must_have = false;
  Size size = {};  // what it has so far

  double keys() const noexcept { return static_cast<double>(run->keys); }
  const Steps& steps() const noexcept {
    return must_have ? curve->from_smallest : curve->from_nothing;
  }
  bool counts() const noexcept { return run->keys > 0 && run->asked > 0; }
  double needless() const noexcept { return run->asked * size.rate; }
};

Result<std::vector<CurvedRun>> CurvedRuns(std::span<const FilterRun> runs) {
  std::vector<CurvedRun> curved;
  for (const FilterRun& run : runs) {
    if (!(run.asked >= 0) || std::isinf(run.asked)) {
      return Status::InvalidArgument(
          "how often a run is asked must be a number that is not negative");
    }
    const Curve* const curve = FindCurve(run.kind);
    if (curve == nullptr) {
      return Status::InvalidArgument(
          "memory is divided over filters of the kinds bloom, ribbon, leveldb, "
          "rocksdb, rocksdb-ribbon and cassandra, not \"" +
          run.kind + "\"");
    }
    curved.push_back({.run = &run, .curve = curve});
  }
  return curved;
}

// From one size of a run to the next.
struct Step {
  CurvedRun* run;
  std::size_t to;       // in its steps
  double cost;          // bits
  double gain_per_bit;  // needless reads
};

std::vector<Step> StepsOf(std::vector<CurvedRun>& runs) {
  std::vector<Step> all;
  for (CurvedRun& run : runs) {
    if (!run.counts()) continue;
    const Steps& steps = run.steps();
    for (std::size_t i = 1; i < steps.size(); ++i) {
      all.push_back(
          {&run, i, run.keys() * (steps[i].bits - steps[i - 1].bits),
           run.run->asked / run.keys() * FallPerBit(steps[i - 1], steps[i])});
    }
  }
  // Those of one run stay in order: their gains fall.
  std::stable_sort(all.begin(), all.end(), [](const Step& a, const Step& b) {
    return a.gain_per_bit > b.gain_per_bit;
  });
  return all;
}

// Returns the largest size of the kind with at most so many bits per key;
// between two, one between them where there are such.
Size SizeAt(const Curve& curve, double bits) noexcept {
  const Sizes& sizes = curve.sizes;
  const auto above = std::upper_bound(
      sizes.begin() + 1, sizes.end(), bits,
      [](double wanted, const Size& size) { return wanted < size.bits; });
  if (above == sizes.end()) return sizes.back();
  const Size& low = *(above - 1);
  // No filter is smaller than the first.
  if (low.bits == 0 || curve.has_steps_only) return low;
  const double part = (bits - low.bits) / (above->bits - low.bits);
  // Between two sizes the rate falls nearly as a power of the bits.
  return {low.argument + part * (above->argument - low.argument), bits,
          low.rate * std::pow(above->rate / low.rate, part)};
}

// Takes the steps that gain most as long as there is memory for them.  Returns
// the needless reads that remain; infinite: there is no memory for what runs
// must have.
double TakeSteps(std::vector<CurvedRun>& runs, double bits) {
  for (CurvedRun& run : runs) {
    run.size = run.must_have ? run.steps().front() : Size();
    bits -= run.keys() * run.size.bits;
  }
  if (bits < 0) return std::numeric_limits<double>::infinity();
  for (const Step& step : StepsOf(runs)) {
    CurvedRun& run = *step.run;
    const Steps& steps = run.steps();
    // A step before it did not fit, so neither does this one.
    if (run.size.bits != steps[step.to - 1].bits) continue;
    if (step.cost <= bits) {
      bits -= step.cost;
      run.size = steps[step.to];
      continue;
    }
    const Size part = SizeAt(*run.curve, run.size.bits + bits / run.keys());
    if (part.bits <= run.size.bits) continue;
    bits = std::max(0.0, bits - run.keys() * (part.bits - run.size.bits));
    run.size = part;
  }
  double needless = 0;
  for (const CurvedRun& run : runs) needless += run.needless();
  return needless;
}

// A run for which nothing was left may be worth more than the last bits of
// others: tries that for each.
void Divide(std::vector<CurvedRun>& runs, double bits) {
  double best = TakeSteps(runs, bits);
  for (std::size_t i = 0; i < runs.size(); ++i) {
    if (!runs[i].counts() || runs[i].size.bits > 0) continue;
    std::vector<CurvedRun> other = runs;
    other[i].must_have = true;
    const double needless = TakeSteps(other, bits);
    if (needless >= best) continue;
    best = needless;
    runs = std::move(other);
  }
}

std::string SpecOf(const CurvedRun& run) {
  // Rounded down, so that the filters are not larger than their share.
  constexpr double kSteps = 100;
  const auto hundredths =
      static_cast<unsigned>(std::floor(run.size.argument * kSteps + 1e-6));
  std::string text = run.run->kind + ":" + std::to_string(hundredths / 100);
  if (hundredths % 100 == 0) return text;
  std::string rest = std::to_string(hundredths % 100);
  if (rest.size() == 1) rest.insert(0, "0");
  while (rest.ends_with('0')) rest.pop_back();
  return text + "." + rest;
}

FilterDivision DivisionOf(const std::vector<CurvedRun>& runs) {
  FilterDivision division;
  for (const CurvedRun& run : runs) {
    FilterShare share;
    share.bits_per_key = run.size.bits;
    share.rate = run.size.rate;
    share.bytes = static_cast<std::uint64_t>(
        std::floor(run.keys() * run.size.bits / kBitsPerByte));
    if (run.size.bits > 0) share.spec = SpecOf(run);
    division.bytes += share.bytes;
    if (run.run->keys > 0) {
      division.needless_reads += run.run->asked * share.rate;
    }
    division.shares.push_back(std::move(share));
  }
  return division;
}

}  // namespace

Result<FilterDivision> DivideFilterMemory(std::span<const FilterRun> runs,
                                          std::uint64_t bytes) {
  return NoThrow([&]() -> Result<FilterDivision> {
    Result<std::vector<CurvedRun>> curved = CurvedRuns(runs);
    if (!curved.ok()) return curved.status();
    Divide(*curved, kBitsPerByte * static_cast<double>(bytes));
    return DivisionOf(*curved);
  });
}

Result<FilterDivision> DivideFilterMemoryEqually(
    std::span<const FilterRun> runs, std::uint64_t bytes) {
  return NoThrow([&]() -> Result<FilterDivision> {
    Result<std::vector<CurvedRun>> curved = CurvedRuns(runs);
    if (!curved.ok()) return curved.status();
    double keys = 0;
    for (const CurvedRun& run : *curved) keys += run.keys();
    if (keys > 0) {
      const double bits = kBitsPerByte * static_cast<double>(bytes) / keys;
      for (CurvedRun& run : *curved) run.size = SizeAt(*run.curve, bits);
    }
    return DivisionOf(*curved);
  });
}

}  // namespace tamis
