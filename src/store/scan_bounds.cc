// SPDX-License-Identifier: Apache-2.0
#include "store/scan_bounds.h"

#include <utility>

namespace tamis {
namespace {

// Returns the first key after all that start with `prefix`; nothing if there is
// none.
std::optional<std::string> EndOfPrefix(Slice prefix) {
  while (prefix.ends_with('\xff')) prefix.remove_suffix(1);
  if (prefix.empty()) return std::nullopt;
  std::string end(prefix);
  ++end.back();
  return end;
}

}  // namespace

Result<std::unique_ptr<const ScanBounds>> ScanBounds::Of(
    const ReadOptions& options, const KeyOrder& order) {
  if (!options.lower_bound && !options.upper_bound && !options.prefix) {
    return std::unique_ptr<const ScanBounds>();
  }
  auto bounds = std::make_unique<ScanBounds>();
  bounds->lower = options.lower_bound;
  bounds->upper = options.upper_bound;
  if (options.prefix) {
    if (!order.is_bytewise()) {
      return Status::InvalidArgument(
          "ReadOptions::prefix needs keys that are ordered by their bytes; use "
          "lower_bound and upper_bound with this comparator");
    }
    if (!bounds->lower || *bounds->lower < *options.prefix) {
      bounds->lower = *options.prefix;
    }
    std::optional<std::string> end = EndOfPrefix(*options.prefix);
    if (end && (!bounds->upper || *end < *bounds->upper)) {
      bounds->upper = std::move(end);
    }
  }
  // The first sequence of all comes before all versions of a key.
  if (bounds->lower) {
    bounds->span.from = LookupKey(*bounds->lower, kMaxSequence).internal();
  }
  if (bounds->upper) {
    bounds->span.end = LookupKey(*bounds->upper, kMaxSequence).internal();
  }
  return std::unique_ptr<const ScanBounds>(std::move(bounds));
}

bool ScanBounds::Span(const TableFile& file,
                      const KeyOrder& order) const noexcept {
  if (lower && order.CompareUser(UserKeyOf(file.largest()), *lower) < 0) {
    return false;
  }
  return !upper || order.CompareUser(UserKeyOf(file.smallest()), *upper) < 0;
}

}  // namespace tamis
