// SPDX-License-Identifier: Apache-2.0
#include "formats/tamis/ribbon.h"

#include <algorithm>
#include <memory>
#include <new>
#include <optional>
#include <span>
#include <string>
#include <utility>

#include "base/append_zeros.h"
#include "base/coding.h"
#include "base/no_throw.h"
#include "filters/ribbon/build.h"
#include "formats/always_maybe.h"
#include "formats/tamis/container.h"
#include "formats/tamis/ribbon_reader.h"
#include "math/ribbon_sizing.h"
#include "sort/hash_set.h"

namespace tamis {
namespace {

constexpr std::uint64_t kMaxBuckets = std::uint64_t{1} << 48;
constexpr std::uint64_t kMaxTamisRibbonKeys = std::uint64_t{1}
                                              << 54;  // in its rows

// parameter b, from its lowest bit on.
constexpr unsigned kRowsBits = 16;
constexpr unsigned kAttemptBits = 8;

// The bucket counts of the layers after the first, which is in the header.
std::uint64_t TailBytes(std::size_t layers) noexcept {
  return layers < 2 ? 0 : 8 * (layers - 1);
}

std::uint32_t ParameterB(const BumpedFilter& filter) noexcept {
  return static_cast<std::uint32_t>(
      filter.last.rows | filter.last.attempt << kRowsBits |
      filter.layers.size() << (kRowsBits + kAttemptBits));
}
unsigned LayersIn(std::uint32_t parameter_b) noexcept {
  return parameter_b >> (kRowsBits + kAttemptBits);
}
unsigned AttemptIn(std::uint32_t parameter_b) noexcept {
  return parameter_b >> kRowsBits & ((1u << kAttemptBits) - 1);
}
std::uint32_t RowsIn(std::uint32_t parameter_b) noexcept {
  return parameter_b & ((1u << kRowsBits) - 1);
}

// Returns whether no writer of this version writes such a header.
bool IsReserved(const TamisHeader& header) noexcept {
  const std::uint32_t b = header.parameter_b;
  const bool listed = AttemptIn(b) == BumpedFallback::kListed;
  return !IsRibbonColumns(header.parameter_a) ||
         LayersIn(b) > kMaxBumpedLayers || (listed && RowsIn(b) != 0) ||
         (!listed && RowsIn(b) == 0 && AttemptIn(b) != 0);
}

// Corruption: the payload does not match the header.
// REQUIRES: !IsReserved(header)
Result<BumpedFilter> ParseFilter(const TamisHeader& header, Slice payload) {
  const Status wrong =
      Status::Corruption("tamis: its payload does not fit its ribbon's layers");
  BumpedFilter filter;
  filter.shape = BumpedLayout::Of(header.parameter_a);
  const std::size_t layers = LayersIn(header.parameter_b);
  const std::uint64_t tail = TailBytes(layers);
  if (payload.size() < tail || (layers == 0) != (header.size_parameter == 0)) {
    return wrong;
  }
  const char* next = payload.data() + payload.size() - tail;
  std::uint64_t left = payload.size() - tail;
  for (std::size_t i = 0; i < layers; ++i) {
    std::uint64_t buckets = header.size_parameter;
    if (i > 0) {
      buckets = LoadLittle64(next);
      next += 8;
    }
    if (buckets == 0 || buckets > kMaxBuckets) return wrong;
    const std::uint64_t bytes = BumpedLayer(filter.shape, buckets).bytes();
    if (bytes > left) return wrong;
    left -= bytes;
    filter.layers.push_back(buckets);
  }
  filter.last.columns = filter.shape.most_columns();
  filter.last.rows = RowsIn(header.parameter_b);
  filter.last.attempt = AttemptIn(header.parameter_b);
  if (filter.last.attempt == BumpedFallback::kListed) {
    filter.last.hashes = left / 8;
  }
  if (filter.last.bytes() != left) return wrong;
  return filter;
}

class TamisRibbonPolicy final : public FilterPolicy {
 public:
  TamisRibbonPolicy(std::uint32_t columns, std::uint64_t seed)
      : columns_(columns), seed_(seed) {}

  std::string_view name() const noexcept override { return kTamisFilterName; }

  std::unique_ptr<FilterBuilder> NewBuilder(
      const BuildOptions& options) const override {
    return std::make_unique<SolvedFilterBuilder>(
        seed_, options,
        [columns = columns_](const HashedKeys& keys,
                             const BuildOptions& building, std::string* dst) {
          return AppendTamisRibbon(keys, columns, building, dst);
        });
  }

  Result<std::unique_ptr<const FilterReader>> Open(Slice bytes) const override {
    return OpenTamisRibbon(bytes);
  }

  Estimate Predict(std::uint64_t keys) const noexcept override {
    try {
      return PredictOrThrow(keys);
    } catch (const std::bad_alloc&) {
      return {.status = OutOfMemory()};
    }
  }
  double RateAt(std::uint64_t /*planned_keys*/,
                std::uint64_t keys) const noexcept override {
    return RibbonRate(columns_, keys);
  }

 private:
  Estimate PredictOrThrow(std::uint64_t keys) const {
    const BumpedFilter filter =
        PredictBumped(columns_, std::min(keys, kMaxTamisRibbonKeys));
    const std::uint64_t bytes = filter.bytes();
    return {
        .bytes = kTamisHeaderBytes + bytes + TailBytes(filter.layers.size()),
        .bits = 8 * bytes,
        .probes = filter.shape.most_columns(),
        .false_positive_rate = RibbonRate(columns_, keys),
        .status = keys <= kMaxTamisRibbonKeys
                      ? Status::Ok()
                      : Status::InvalidArgument("ribbon: more than 2^54 keys")};
  }

  std::uint32_t columns_;
  std::uint64_t seed_;
};

}  // namespace

std::uint32_t RibbonColumnsFor(const BloomSizing& sizing) noexcept {
  return sizing.rate > 0 ? RibbonColumnsAt(sizing.rate)
                         : RibbonColumns(sizing.bits_per_key);
}

Result<std::unique_ptr<const FilterReader>> OpenTamisRibbon(Slice bytes) {
  Result<TamisContents> contents = ParseTamis(bytes);
  if (!contents.ok()) return contents.status();
  const TamisHeader& header = contents->header;
  std::string reason = WhyUnreadable(header, TamisKind::kRibbon);
  if (reason.empty() && IsReserved(header)) {
    reason = "its parameters are reserved";
  }
  if (!reason.empty()) return NewAlwaysMaybe("tamis", reason);
  Result<BumpedFilter> filter = ParseFilter(header, contents->payload);
  if (!filter.ok()) return filter.status();
  if (filter->bytes() == 0) return NewNoKeys("tamis");
  return std::unique_ptr<const FilterReader>(std::make_unique<BumpedReader>(
      *std::move(filter), header.seed,
      header.keys == kTamisKeysUnknown
          ? std::nullopt
          : std::optional<std::uint64_t>(header.keys),
      contents->payload));
}

Status AppendTamisRibbon(const HashedKeys& keys, std::uint32_t columns,
                         const BuildOptions& options, std::string* dst) {
  const std::size_t start = dst->size();
  Status room = AppendZeros(dst, kTamisHeaderBytes);
  if (!room.ok()) return room;
  Result<BumpedFilter> filter = BuildBumped(columns, keys.hashes, options, dst);
  if (!filter.ok()) return filter.status();
  for (std::size_t i = 1; i < filter->layers.size(); ++i) {
    AppendFixed64(dst, filter->layers[i]);
  }
  TamisHeader header =
      NewTamisHeader(TamisKind::kRibbon, keys.seed, keys.hashes->size());
  header.size_parameter = filter->layers.empty() ? 0 : filter->layers[0];
  header.parameter_a = columns;
  header.parameter_b = ParameterB(*filter);
  SealTamis({dst->data() + start, dst->size() - start}, header);
  return Status::Ok();
}

Result<std::unique_ptr<const FilterPolicy>> NewTamisRibbonPolicy(
    const BloomSizing& sizing, std::uint64_t seed) {
  if (sizing.bits != 0 || sizing.probes != 0) {
    return Status::InvalidArgument(
        "ribbon: its size follows from the keys; leave m and k out");
  }
  const std::uint32_t columns = RibbonColumnsFor(sizing);
  if (!IsRibbonColumns(columns)) {
    return Status::InvalidArgument(
        "ribbon: takes 1 to 32 bits per key, or a rate from 0.5 to 2^-32");
  }
  return std::unique_ptr<const FilterPolicy>(
      std::make_unique<TamisRibbonPolicy>(columns, seed));
}

}  // namespace tamis
