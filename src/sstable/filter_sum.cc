// SPDX-License-Identifier: Apache-2.0
#include "sstable/filter_sum.h"

#include <algorithm>
#include <cmath>

#include "tamis/bloom_math.h"
#include "tamis/filter_health.h"
#include "tamis/formats.h"

namespace tamis {
namespace {

// The algorithms that their engines have replaced.
bool IsLegacy(const FilterInfo& info) noexcept {
  return info.format == "rocksdb-legacy" || info.hash.starts_with("murmur2") ||
         (info.format == "parquet" && info.hash.starts_with("murmur3"));
}

// True: how many of its bits are set says how full it is.
bool HasFill(const KindEntry* kind) noexcept {
  return kind == nullptr || kind->storage == KindStorage::kBits;
}

BloomHealth HealthOf(const SstableFilterInfo& filter) noexcept {
  const KindEntry* const kind = FindKind(filter.kind);
  if (!HasFill(kind) || filter.bits == 0) return BloomHealth::kOk;
  return kind != nullptr && kind->fixed_probes != 0
             ? SplitBlockHealthOf(filter.bits, filter.set_bits)
             : BloomHealthOf(filter.bits, filter.set_bits);
}

// Returns the bytes beyond those in which the same keys fill half the bits.
std::uint64_t BytesBeyondHalfFull(const SstableFilterInfo& filter) noexcept {
  const auto bits = static_cast<double>(filter.bits);
  const double fill = static_cast<double>(filter.set_bits) / bits;
  const double needed = -std::log1p(-fill) / kLn2;  // of the bits
  return static_cast<std::uint64_t>(std::max(0.0, bits / 8 * (1 - needed)));
}

// A rate this much above the configured one is no longer chance.
constexpr double kTolerance = 2;

bool MissesTarget(const SstableFilterInfo& filter) noexcept {
  return filter.target_rate.has_value() && *filter.target_rate > 0 &&
         filter.rate > *filter.target_rate * kTolerance;
}

FilterVerdict VerdictOfBits(const SstableFilterInfo& filter) noexcept {
  const BloomHealth health = HealthOf(filter);
  if (health == BloomHealth::kSaturated || MissesTarget(filter)) {
    return FilterVerdict::kSaturated;
  }
  return health == BloomHealth::kOversized ? FilterVerdict::kOversized
                                           : FilterVerdict::kOk;
}

std::string PartsText(std::uint64_t some, std::uint64_t all,
                      const std::string& why) {
  if (all == 1) return "the filter " + why;
  return std::to_string(some) + " of " + std::to_string(all) +
         " filters: the first " + why;
}

FilterVerdict JudgeFilter(const FilterSum& sum, const VerdictInput& input,
                          SstableInfo* info) {
  const SstableFilterInfo& filter = info->filter;
  if (filter.kind.empty()) {
    return input.expects_filter ? FilterVerdict::kMissing : FilterVerdict::kOk;
  }
  if (sum.damaged() > 0) {
    info->remarks.push_back(PartsText(sum.damaged(), filter.parts, sum.why()));
    return FilterVerdict::kDamaged;
  }
  if (sum.reserved() > 0) {
    info->remarks.push_back(PartsText(sum.reserved(), filter.parts, sum.why()));
    return FilterVerdict::kNotUsed;
  }
  if (input.is_ignored) return FilterVerdict::kNotUsed;
  const FilterVerdict by_bits = VerdictOfBits(filter);
  return by_bits != FilterVerdict::kSaturated && sum.is_legacy()
             ? FilterVerdict::kLegacyHash
             : by_bits;
}

}  // namespace

void FilterSum::Add(const FilterInfo& info, std::uint64_t bytes,
                    double weight) {
  if (!info.always_maybe.empty()) {
    AddUnusable(bytes, weight, false,
                "answers \"maybe\" to every key: " + info.always_maybe);
    return;
  }
  ++sum_.parts;
  sum_.bytes += bytes;
  if (info.bits == 0) {  // no key was added: it denies everything
    ++empty_;
    if (sum_.kind.empty()) sum_.kind = info.kind;
    return;
  }
  if (sum_.kind.empty() || sum_.kind == "empty") sum_.kind = info.kind;
  if (sum_.kind != info.kind && info.kind != "empty") sum_.kind = "mixed";
  sum_.bits += info.bits;
  sum_.set_bits += info.set_bits;
  sum_.probes = std::max(sum_.probes, info.probes);
  const double keys = info.keys.has_value() ? static_cast<double>(*info.keys)
                                            : info.keys_by_fill;
  lacks_keys_ = lacks_keys_ || keys <= 0;
  sum_.keys += keys;
  rates_ += info.rate * weight;
  weights_ += weight;
  is_legacy_ = is_legacy_ || IsLegacy(info);
}

void FilterSum::AddUnusable(std::uint64_t bytes, double weight, bool is_damage,
                            const std::string& why) {
  ++sum_.parts;
  sum_.bytes += bytes;
  if (sum_.kind.empty()) sum_.kind = "unknown";
  ++(is_damage ? damaged_ : reserved_);
  if (why_.empty()) why_ = why;
  rates_ += weight;
  weights_ += weight;
}

void FilterSum::Finish(SstableFilterInfo* filter) const {
  const SstableFilterInfo before = *filter;
  *filter = sum_;
  filter->name = before.name;
  filter->is_partitioned = before.is_partitioned;
  filter->target_rate = before.target_rate;
  filter->has_whole_keys = before.has_whole_keys;
  filter->prefix_extractor = before.prefix_extractor;
  filter->keys_are_stored = before.keys_are_stored;
  if (before.keys_are_stored) filter->keys = before.keys;
  if (!before.keys_are_stored && lacks_keys_) filter->keys = 0;
  const bool denies_all = sum_.parts > 0 && empty_ == sum_.parts;
  filter->rate = weights_ > 0 ? rates_ / weights_ : denies_all ? 0 : 1;
}

void Judge(const FilterSum& sum, const VerdictInput& input, SstableInfo* info) {
  info->verdict = JudgeFilter(sum, input, info);
  switch (info->verdict) {
    case FilterVerdict::kOversized:
      info->wasted_bytes = BytesBeyondHalfFull(info->filter);
      break;
    case FilterVerdict::kNotUsed:
      info->wasted_bytes = info->filter.bytes;
      break;
    case FilterVerdict::kDamaged:
      // Parts that are well still rule keys out.
      info->wasted_bytes =
          info->filter.bytes * sum.damaged() / info->filter.parts;
      break;
    default:
      info->wasted_bytes = 0;
  }
  // What the engine does not query rules nothing out.
  if (input.is_ignored) info->filter.rate = 1;
}

void MarkUnreadable(const std::string& why, SstableInfo* info) {
  info->verdict = FilterVerdict::kUnreadable;
  info->remarks.push_back(why);
  if (info->why_not_verifiable.empty()) info->why_not_verifiable = why;
}

}  // namespace tamis
