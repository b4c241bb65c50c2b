// SPDX-License-Identifier: Apache-2.0
#include "bench/range_trials.h"

#include <algorithm>
#include <memory>
#include <random>
#include <utility>

#include "bench/clocks.h"
#include "bench/measure.h"
#include "tamis/filter.h"

namespace tamis::bench {
namespace {

using Readers = std::vector<std::unique_ptr<const FilterReader>>;

constexpr std::uint64_t kDraws = 8;  // further keys per key
constexpr std::size_t kLine = 64;

// Nanoseconds of a fetch from memory of a line whose place is in another one.
double LineLatency(std::uint64_t bytes) {
  const std::size_t lines = bytes / kLine;
  std::vector<std::uint64_t> memory(bytes / sizeof(std::uint64_t));
  std::vector<std::uint32_t> order(lines);
  for (std::size_t i = 0; i < lines; ++i) {
    order[i] = static_cast<std::uint32_t>(i);
  }
  std::shuffle(order.begin(), order.end(), std::mt19937_64(1));
  constexpr std::size_t kNumbers = kLine / sizeof(std::uint64_t);
  for (std::size_t i = 0; i < lines; ++i) {
    memory[order[i] * kNumbers] = order[(i + 1) % lines] * kNumbers;
  }
  constexpr std::size_t kSteps = 200'000;
  std::uint64_t at = 0;
  const double spent = Timed([&] {
    for (std::size_t i = 0; i < kSteps; ++i) at = memory[at];
  });
  // `at` is used, so that the loop stays.
  return spent / (kSteps + static_cast<double>(at % 2) * 1e-9);
}

}  // namespace

RangeTrials::RangeTrials(const testing::KeyFamily& family,
                         const RangePlan& plan)
    : family_(family.name), plan_(plan) {
  testing::Random random(2024);
  keys_ = testing::SortedKeys(family, plan.keys, &random);
  // Draws of a part of the space would not be as dense, so all are made and
  // some of the gaps are taken.
  AddRanges(testing::SortedKeys(family, kDraws * plan.keys, &random));
  std::shuffle(empty_.begin(), empty_.end(), random);
  if (empty_.size() > plan.queries) empty_.resize(plan.queries);
}

void RangeTrials::AddRanges(std::vector<std::string> further) {
  for (std::size_t i = 0; i < further.size(); ++i) {
    // Neighbours among the draws are an eighth of a gap apart.
    const std::size_t last = i + (i % 4 == 0 ? 0 : i % 4 < 3 ? 1 : 2);
    if (last >= further.size()) continue;
    if (testing::AnyBetween(keys_, further[i], further[last])) continue;
    empty_.push_back({further[i], further[last]});
  }
}

Result<RangeTrial> RangeTrials::Run(double bits_per_key) const {
  RangeTrial trial{
      .family = family_, .asked_bits = bits_per_key, .refused = {}};
  const auto policy = MakePolicy("range:" + std::to_string(bits_per_key));
  if (!policy.ok()) return policy.status();
  std::vector<Slice> keys(keys_.begin(), keys_.end());
  std::string bytes;
  std::vector<double> builds;
  for (unsigned pass = 0; pass < (plan_.times ? plan_.passes : 1); ++pass) {
    bytes.clear();
    Status built;
    builds.push_back(Timed([&] {
      const auto builder = policy->NewBuilder();
      builder->AddMany(keys);
      built = builder->Finish(&bytes);
    }));
    if (built.code() == StatusCode::kNotSupported) {
      trial.refused = built.message();
      return trial;
    }
    if (!built.ok()) return built;
  }
  const auto count = static_cast<double>(keys_.size());
  trial.build_ns = Median(builds) / count;
  trial.bits = 8 * static_cast<double>(bytes.size()) / count;
  const auto reader = policy->Open(bytes);
  if (!reader.ok()) return reader.status();
  trial.own_estimate = reader->Describe().rate;
  for (const std::string& key : keys_) {
    if (reader->MayContainRange(key, key)) continue;
    return Status::Corruption(family_ + ": a key is ruled out");
  }
  std::uint64_t maybes = 0;
  for (const Range& range : empty_) {
    maybes += reader->MayContainRange(range.lo, range.hi) ? 1u : 0u;
  }
  if (!empty_.empty()) {
    trial.rate =
        static_cast<double>(maybes) / static_cast<double>(empty_.size());
  }
  if (!plan_.times) return trial;
  if (Status timed = Time(bytes, &trial); !timed.ok()) return timed;
  return trial;
}

// Each query waits for the answer to the one before.
Status RangeTrials::Time(Slice filter, RangeTrial* trial) const {
  const auto policy = MakePolicy("range:8");
  const std::size_t copies =
      std::max<std::size_t>(plan_.far_bytes / filter.size(), 1);
  std::vector<std::string> bytes(copies, std::string(filter));
  Readers readers;
  for (const std::string& copy : bytes) {
    auto reader = policy->Open(copy);
    if (!reader.ok()) return reader.status();
    readers.push_back(*std::move(reader));
  }
  // Few enough that their keys are in the cache.
  const std::size_t queries = std::min<std::size_t>(empty_.size(), 4000);
  if (queries == 0) return Status::Ok();
  // Their keys are side by side: it is not their memory that is measured.
  std::string ends;
  for (std::size_t i = 0; i < queries; ++i) ends += empty_[i].lo + empty_[i].hi;
  std::vector<std::pair<Slice, Slice>> ranges;
  for (std::size_t i = 0, at = 0; i < queries; ++i) {
    const Slice lo = Slice(ends).substr(at, empty_[i].lo.size());
    const Slice hi = Slice(ends).substr(at + lo.size(), empty_[i].hi.size());
    ranges.emplace_back(lo, hi);
    at += lo.size() + hi.size();
  }
  const auto run = [&](std::uint64_t stride) {
    std::vector<double> passes;
    std::uint64_t at = 0;
    for (unsigned pass = 0; pass < plan_.passes; ++pass) {
      const double spent = Timed([&] {
        for (std::size_t i = 0; i < queries; ++i) {
          const auto& [lo, hi] = ranges[i];
          at += readers[at % copies]->MayContainRange(lo, hi) ? 2 * stride
                                                              : stride;
        }
      });
      passes.push_back(spent / static_cast<double>(queries));
    }
    return Median(passes);
  };
  trial->near_ns = run(0);
  trial->far_ns = run(0x9e3779b1);
  trial->far_lines =
      (trial->far_ns - trial->near_ns) / LineLatency(plan_.far_bytes);
  return Status::Ok();
}

}  // namespace tamis::bench
