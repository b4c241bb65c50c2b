// SPDX-License-Identifier: Apache-2.0
// formats/tamis/line_parts_policy.h -- how filters of several cache-local parts
// are read, sized and built.

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
#include "formats/bloom_mutable.h"
#include "formats/bloom_parameters.h"
#include "formats/tamis/container.h"
#include "formats/tamis/line_parts.h"
#include "formats/tamis/line_view.h"
#include "tamis/filter.h"

namespace tamis {

// What the bytes of a filter contain, except the lines.
template <typename Parameters>
concept LinePartsParameters = std::copyable<Parameters> &&
    requires(const Parameters parameters, Parameters changing,
             const unsigned char* lines, unsigned char* new_lines,
             std::span<char> whole) {
  { Parameters::kKindName } -> std::convertible_to<std::string_view>;
  { parameters.seed } -> std::convertible_to<std::uint64_t>;
  { parameters.all_keys() }
  noexcept->std::same_as<std::uint64_t>;
  { parameters.LinesAt() }
  noexcept->std::same_as<std::size_t>;
  { parameters.LineBytes() }
  noexcept->std::same_as<std::uint64_t>;
  { parameters.TotalBytes() }
  noexcept->std::same_as<std::uint64_t>;
  // The part that a builder fills, and how many keys are in it.
  { parameters.FirstPart(lines) }
  noexcept->std::same_as<LineFilter>;
  { parameters.FirstPart(new_lines) }
  noexcept->std::same_as<MutableLineFilter>;
  { changing.FirstKeys() }
  noexcept->std::same_as<std::uint64_t&>;
  // Writes all but the lines.  REQUIRES: `whole` is the whole container, with
  // its lines in place and the rest zero
  { parameters.Seal(whole) }
  noexcept;
};

template <LinePartsParameters Parameters>
FilterInfo DescribeLineParts(const Parameters& parameters,
                             std::span<const LineFilter> parts) {
  FilterInfo info = DescribeParts(parts);
  info.kind = Parameters::kKindName;
  info.keys = parameters.all_keys();
  info.seed = parameters.seed;
  return info;
}

// Appends a filter whose lines fill(lines) writes, into zeros.  It may still
// change the parameters, but not the size that they state.  On error *dst is as
// it was.
template <LinePartsParameters Parameters, std::invocable<unsigned char*> Fill>
Status AppendLineParts(const Parameters& parameters, const Fill& fill,
                       std::string* dst) {
  const std::size_t start = dst->size();
  Status room = AppendZeros(dst, parameters.TotalBytes());
  if (!room.ok()) return room;
  char* whole = dst->data() + start;
  fill(BytesOf(whole + parameters.LinesAt()));
  parameters.Seal({whole, dst->size() - start});
  return Status::Ok();
}

template <LinePartsParameters Parameters>
class LinePartsReader final : public FilterReader {
 public:
  // Checks the parts in order: the likeliest should come first.
  LinePartsReader(Parameters parameters, std::vector<LineFilter> parts)
      : parameters_(std::move(parameters)), parts_(std::move(parts)) {}

  bool MayContain(Slice key) const noexcept override {
    return CheckParts(parts_, LineHash(key, parameters_.seed));
  }
  void MayContainMany(std::span<const Slice> keys,
                      std::span<bool> out) const noexcept override {
    CheckPartsMany(parts_, parameters_.seed, keys, out);
  }
  std::optional<std::uint64_t> hash_seed() const noexcept override {
    return parameters_.seed;
  }
  bool MayContainHash(KeyHash hash) const noexcept override {
    return hash.seed != parameters_.seed || CheckParts(parts_, hash.value);
  }
  void MayContainHashes(KeyHashes hashes,
                        std::span<bool> out) const noexcept override {
    if (hashes.seed == parameters_.seed) {
      CheckPartsMany(parts_, hashes.values, out);
    } else {
      std::fill(out.begin(), out.end(), true);
    }
  }
  FilterInfo Describe() const override {
    return DescribeLineParts(parameters_, parts_);
  }

 private:
  Parameters parameters_;
  std::vector<LineFilter> parts_;
};

// Sizes and builds filters according to Plan(); a kind adds the rest.
template <LinePartsParameters Parameters>
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

  // Returns the parameters of an empty filter for that many keys.
  virtual Parameters Plan(std::uint64_t keys) const = 0;
  // InvalidArgument: no filter can be so large.
  virtual Status CheckPlan(const Parameters& parameters) const = 0;

 private:
  Estimate PredictOrThrow(std::uint64_t keys) const {
    const Parameters parameters = Plan(keys);
    Estimate estimate = {.bytes = parameters.TotalBytes(),
                         .bits = parameters.LineBytes() * 8,
                         .probes = FirstProbes(parameters),
                         .false_positive_rate = RateAt(keys, keys),
                         .status = CheckPlan(parameters)};
    if (!estimate.status.ok()) {  // its size may be beyond 64 bits
      estimate.bits = kMaxBloomBits;
      estimate.bytes = kMaxBloomBits / 8;
    }
    return estimate;
  }

  static unsigned FirstProbes(const Parameters& parameters) noexcept {
    const unsigned char* nowhere = nullptr;
    return parameters.FirstPart(nowhere).probes.count;
  }

  Status Write(const LinePartsBuilder::Hashes& hashes, std::string* dst) const {
    Parameters parameters = Plan(hashes.distinct);
    if (Status fits = CheckPlan(parameters); !fits.ok()) return fits;
    const auto mark = [&](unsigned char* lines) {
      const MutableLineFilter part = parameters.FirstPart(lines);
      hashes.all.ForEach([&](std::span<const std::uint64_t> some) {
        parameters.FirstKeys() += MarkNew(part, some);
      });
    };
    return AppendLineParts(parameters, mark, dst);
  }

  std::uint64_t seed_;
};

}  // namespace tamis
