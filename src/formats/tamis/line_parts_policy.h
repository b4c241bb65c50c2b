// SPDX-License-Identifier: Apache-2.0
// formats/tamis/line_parts_policy.h -- what the kinds share whose filters
// consist of several cache-local parts: how they are read, sized and built.

#pragma once

#include <algorithm>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <new>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/append_zeros.h"
#include "base/no_throw.h"
#include "filters/bloom/line_filter.h"
#include "formats/bloom_facts.h"
#include "formats/bloom_mutable.h"
#include "formats/tamis/container.h"
#include "formats/tamis/line_parts.h"
#include "formats/tamis/line_view.h"
#include "tamis/filter.h"

namespace tamis {

// What the bytes of a filter state, the lines aside.
template <typename Facts>
concept LinePartsFacts = std::copyable<Facts> &&
    requires(const Facts facts, Facts changing, const unsigned char* lines,
             unsigned char* new_lines, std::span<char> whole) {
  { Facts::kKindName } -> std::convertible_to<std::string_view>;
  { facts.seed } -> std::convertible_to<std::uint64_t>;
  { facts.all_keys() }
  noexcept->std::same_as<std::uint64_t>;
  { facts.LinesAt() }
  noexcept->std::same_as<std::size_t>;
  { facts.LineBytes() }
  noexcept->std::same_as<std::uint64_t>;
  { facts.TotalBytes() }
  noexcept->std::same_as<std::uint64_t>;
  // The part that a builder fills, and how many keys are in it.
  { facts.FirstPart(lines) }
  noexcept->std::same_as<LineFilter>;
  { facts.FirstPart(new_lines) }
  noexcept->std::same_as<MutableLineFilter>;
  { changing.FirstKeys() }
  noexcept->std::same_as<std::uint64_t&>;
  // Writes all but the lines.  REQUIRES: `whole` is the container from end
  // to end, its lines in place and the rest zero
  { facts.Seal(whole) }
  noexcept;
};

template <LinePartsFacts Facts>
FilterInfo DescribeLineParts(const Facts& facts,
                             std::span<const LineFilter> parts) {
  FilterInfo info = DescribeParts(parts);
  info.kind = Facts::kKindName;
  info.keys = facts.all_keys();
  info.seed = facts.seed;
  return info;
}

template <LinePartsFacts Facts>
class LinePartsReader final : public FilterReader {
 public:
  // Asks the parts in their order: the likeliest should come first.
  LinePartsReader(Facts facts, std::vector<LineFilter> parts)
      : facts_(std::move(facts)), parts_(std::move(parts)) {}

  bool MayContain(Slice key) const noexcept override {
    return CheckParts(parts_, LineHash(key, facts_.seed));
  }
  void MayContainMany(std::span<const Slice> keys,
                      std::span<bool> out) const noexcept override {
    CheckPartsMany(parts_, facts_.seed, keys, out);
  }
  std::optional<std::uint64_t> hash_seed() const noexcept override {
    return facts_.seed;
  }
  bool MayContainHash(KeyHash hash) const noexcept override {
    return hash.seed != facts_.seed || CheckParts(parts_, hash.value);
  }
  void MayContainHashes(KeyHashes hashes,
                        std::span<bool> out) const noexcept override {
    if (hashes.seed == facts_.seed) {
      CheckPartsMany(parts_, hashes.values, out);
    } else {
      std::fill(out.begin(), out.end(), true);
    }
  }
  FilterInfo Describe() const override {
    return DescribeLineParts(facts_, parts_);
  }

 private:
  Facts facts_;
  std::vector<LineFilter> parts_;
};

// Sizes and builds filters as Plan() has it; a kind adds the rest.
template <LinePartsFacts Facts>
class LinePartsPolicy : public FilterPolicy {
 public:
  std::string_view name() const noexcept override { return kTamisFilterName; }

  std::unique_ptr<FilterBuilder> NewBuilder(
      const BuildOptions& options) const override {
    return std::make_unique<LinePartsBuilder>(
        seed_, options.repeats,
        [this](const LinePartsBuilder::Hashes& hashes, std::string* dst) {
          return Write(hashes, dst);
        });
  }

  Estimate Predict(std::uint64_t keys) const noexcept override {
    try {
      return PredictOrThrow(keys);
    } catch (const std::bad_alloc&) {
      return {.status = OutOfMemory()};
    }
  }

 protected:
  explicit LinePartsPolicy(std::uint64_t seed) : seed_(seed) {}

  std::uint64_t seed() const noexcept { return seed_; }

  // An empty filter for that many keys.
  virtual Facts Plan(std::uint64_t keys) const = 0;
  // InvalidArgument: none can be so large.
  virtual Status CheckPlan(const Facts& facts) const = 0;

 private:
  Estimate PredictOrThrow(std::uint64_t keys) const {
    const Facts facts = Plan(keys);
    Estimate estimate = {.bytes = facts.TotalBytes(),
                         .bits = facts.LineBytes() * 8,
                         .probes = FirstProbes(facts),
                         .false_positive_rate = RateAt(keys, keys),
                         .status = CheckPlan(facts)};
    if (!estimate.status.ok()) {  // its size may be beyond 64 bits
      estimate.bits = kMaxBloomBits;
      estimate.bytes = kMaxBloomBits / 8;
    }
    return estimate;
  }

  static unsigned FirstProbes(const Facts& facts) noexcept {
    const unsigned char* nowhere = nullptr;
    return facts.FirstPart(nowhere).probes.count;
  }

  Status Write(const LinePartsBuilder::Hashes& hashes, std::string* dst) const {
    Facts facts = Plan(hashes.distinct);
    if (Status fits = CheckPlan(facts); !fits.ok()) return fits;
    const std::size_t start = dst->size();
    Status room = AppendZeros(dst, facts.TotalBytes());
    if (!room.ok()) return room;
    char* whole = dst->data() + start;
    const MutableLineFilter part =
        facts.FirstPart(BytesOf(whole + facts.LinesAt()));
    hashes.all.ForEach([&](std::span<const std::uint64_t> some) {
      facts.FirstKeys() += MarkNew(part, some);
    });
    facts.Seal({whole, dst->size() - start});
    return Status::Ok();
  }

  std::uint64_t seed_;
};

}  // namespace tamis
