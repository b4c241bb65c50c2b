// SPDX-License-Identifier: Apache-2.0
// Filters that are stored in parts: held wholly, as any other filter with
// lines, or in parts, as lookups ask for them.

#include <utility>

#include "math/blocked_bloom.h"
#include "table/table_filter.h"

namespace tamis {
namespace {

TableFilter::Stored StoredOf(const FilterPartsTop& top) {
  TableFilter::Stored stored;
  stored.bytes = top.bytes();
  stored.bytes_in_parts = PartedFilter::BytesOf(top);
  stored.keys = top.keys;
  if (top.keys != 0) {
    stored.rate =
        BlockedRate({BlockKind::kLine, top.lines, top.probes}, top.keys);
  }
  return stored;
}

}  // namespace

// ResourceExhausted: there is no memory, or no room.
Status TableFilter::HoldAllParts(const FilterPartsTop& top,
                                 const FilterPartsSource& from) {
  const std::uint64_t bytes = top.bytes();
  if (from.room != nullptr) {
    if (!from.room->Take(bytes)) {
      return Status::ResourceExhausted("no room for the filter");
    }
    lease_ = FilterLease(from.room, bytes);
  }
  const auto size = static_cast<std::size_t>(bytes);
  all_parts_ = NewPooledMemory(size);
  if (all_parts_ == nullptr) {
    return Status::ResourceExhausted("no memory for a filter of " +
                                     std::to_string(bytes) + " bytes");
  }
  const Result<std::uint64_t> damaged =
      ReadAllParts(top, *from.file, all_parts_.get());
  if (!damaged.ok()) return damaged.status();
  damaged_parts_ = *damaged;
  LineView lines;
  lines.lines = all_parts_.get();
  lines.count = top.lines;
  lines.probes = TamisLineProbes(top.probes);
  lines.seed = top.seed;
  lines.keys = top.keys;
  TakeLines(lines);
  divisor_ = kWholly;
  return Status::Ok();
}

Status TableFilter::HoldTop(const FilterPartsTop& top,
                            const FilterPartsSource& from) {
  if (from.room != nullptr) {
    if (!from.room->Take(stored_.bytes_in_parts)) {
      return Status::ResourceExhausted("no room for the filter");
    }
    lease_ = FilterLease(from.room, stored_.bytes_in_parts);
  }
  Result<std::unique_ptr<const PartedFilter>> parts =
      PartedFilter::Open(top, from.file, *from.cache);
  if (!parts.ok()) return parts.status();
  parts_ = *std::move(parts);
  kind_ = Kind::kParts;
  kind_name_ = "bloom";
  expected_rate_ = stored_.rate;
  hash_seed_ = top.seed;
  divisor_ = kInParts;
  return Status::Ok();
}

std::shared_ptr<const TableFilter> TableFilter::OpenParts(
    Slice top_block, const FilterPartsSource& from, unsigned divisor) {
  const Result<FilterPartsTop> top =
      ParsePartsTop(top_block, from.file->size());
  if (!top.ok()) return Damaged(top.status());
  const Stored stored = StoredOf(*top);
  if (divisor != kWholly && divisor != kInParts && divisor != kAtFirst) {
    return NotHeld(stored);
  }
  const bool is_limited = from.room != nullptr && from.room->is_limited();
  const bool may_be_in_parts = from.cache != nullptr;
  Status held;
  if (divisor == kWholly ||
      (divisor == kAtFirst && !(is_limited && may_be_in_parts))) {
    auto filter = std::make_shared<TableFilter>();
    filter->stored_ = stored;
    held = filter->HoldAllParts(*top, from);
    if (held.ok()) return filter;
  }
  if (may_be_in_parts) {
    auto filter = std::make_shared<TableFilter>();
    filter->stored_ = stored;
    held = filter->HoldTop(*top, from);
    if (held.ok()) return filter;
  }
  return is_limited ? NotHeld(stored) : Damaged(std::move(held));
}

}  // namespace tamis
