// SPDX-License-Identifier: Apache-2.0
#include "table/held_range_filter.h"

#include <utility>

#include "formats/tamis/range.h"

namespace tamis {

std::shared_ptr<const HeldRangeFilter> HeldRangeFilter::Damaged(Status why) {
  auto filter = std::make_shared<HeldRangeFilter>();
  filter->damage_ = why.WithMessage("its range filter: " + why.message());
  return filter;
}

std::shared_ptr<const HeldRangeFilter> HeldRangeFilter::NotHeld(
    std::uint64_t bytes) {
  auto filter = std::make_shared<HeldRangeFilter>();
  filter->stored_bytes_ = bytes;
  return filter;
}

std::shared_ptr<const HeldRangeFilter> HeldRangeFilter::Open(Slice bytes,
                                                             FilterRoom* room) {
  auto filter = std::make_shared<HeldRangeFilter>();
  filter->stored_bytes_ = bytes.size();
  if (room != nullptr) {
    if (!room->Take(bytes.size())) return filter;
    filter->lease_ = FilterLease(room, bytes.size());
  }
  Result<FilterMemory> memory = FilterMemory::Copy(bytes);
  if (!memory.ok()) return Damaged(memory.status());
  filter->memory_ = *std::move(memory);
  Result<std::unique_ptr<const FilterReader>> reader =
      OpenTamisRange(filter->memory_->bytes(), &filter->prepared_bytes_);
  if (!reader.ok()) return Damaged(reader.status());
  const FilterInfo info = (*reader)->Describe();
  if (!info.always_maybe.empty()) {
    return Damaged(Status::NotSupported(info.always_maybe));
  }
  filter->stored_bytes_ += filter->prepared_bytes_;
  if (room != nullptr) {
    // Only the open filter tells how much this is: little, beside its bytes.
    if (!room->Take(filter->prepared_bytes_)) {
      return NotHeld(filter->stored_bytes_);
    }
    filter->prepared_lease_ = FilterLease(room, filter->prepared_bytes_);
  }
  filter->reader_ = *std::move(reader);
  filter->expected_rate_ = info.rate;
  return filter;
}

}  // namespace tamis
