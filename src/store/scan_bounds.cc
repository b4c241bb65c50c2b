// SPDX-License-Identifier: Apache-2.0
#include "store/scan_bounds.h"

#include <utility>

#include "base/key_prefix.h"

namespace tamis {

Status ScanLimits::Set(const ReadOptions& options, const KeyOrder& order) {
  lower_ = options.lower_bound;
  upper_ = options.upper_bound;
  if (!options.prefix) return Status::Ok();
  if (!order.is_bytewise()) {
    return Status::InvalidArgument(
        "ReadOptions::prefix needs keys that are ordered by their bytes; use "
        "lower_bound and upper_bound with this comparator");
  }
  if (!lower_ || *lower_ < *options.prefix) lower_ = options.prefix;
  end_of_prefix_ = EndOfPrefix(*options.prefix);
  if (end_of_prefix_ && (!upper_ || *end_of_prefix_ < *upper_)) {
    upper_ = *end_of_prefix_;
  }
  return Status::Ok();
}

std::optional<Slice> ScanLimits::PrefixBy(
    const PrefixExtractor* extractor) const {
  if (extractor == nullptr || !lower_) return std::nullopt;
  return PrefixOfRange(*extractor, *lower_, upper_ ? &*upper_ : nullptr);
}

std::unique_ptr<const ScanBounds> ScanBounds::Of(const ScanLimits& limits) {
  if (!limits.any()) return nullptr;
  auto bounds = std::make_unique<ScanBounds>();
  // The first sequence of all comes before all versions of a key.
  if (limits.lower()) {
    bounds->lower = *limits.lower();
    bounds->span.from = LookupKey(*bounds->lower, kMaxSequence).internal();
  }
  if (limits.upper()) {
    bounds->upper = *limits.upper();
    bounds->span.end = LookupKey(*bounds->upper, kMaxSequence).internal();
  }
  return bounds;
}

bool ScanLimits::Span(const TableFile& file,
                      const KeyOrder& order) const noexcept {
  if (lower_ && order.CompareUser(UserKeyOf(file.largest()), *lower_) < 0) {
    return false;
  }
  return !upper_ || order.CompareUser(UserKeyOf(file.smallest()), *upper_) < 0;
}

}  // namespace tamis
