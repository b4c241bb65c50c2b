// SPDX-License-Identifier: Apache-2.0
#include "table/held_block_filter.h"

#include <utility>

namespace tamis {

std::shared_ptr<const HeldBlockFilter> HeldBlockFilter::Damaged(Status why) {
  auto filter = std::make_shared<HeldBlockFilter>();
  filter->damage_ =
      why.WithMessage("the filter of its blocks: " + why.message());
  return filter;
}

std::shared_ptr<const HeldBlockFilter> HeldBlockFilter::NotHeld(
    std::uint64_t bytes) {
  auto filter = std::make_shared<HeldBlockFilter>();
  filter->stored_bytes_ = bytes;
  return filter;
}

std::shared_ptr<const HeldBlockFilter> HeldBlockFilter::Open(
    Slice bytes, std::uint64_t blocks, FilterRoom* room) {
  auto filter = std::make_shared<HeldBlockFilter>();
  filter->stored_bytes_ = bytes.size();
  if (room != nullptr) {
    if (!room->Take(bytes.size())) return filter;
    filter->lease_ = FilterLease(room, bytes.size());
  }
  Result<FilterMemory> memory = FilterMemory::Copy(bytes);
  if (!memory.ok()) return Damaged(memory.status());
  filter->memory_ = *std::move(memory);
  const Result<BlockFilterView> view =
      ViewBlockFilter(filter->memory_->bytes());
  if (!view.ok()) return Damaged(view.status());
  if (view->blocks != blocks) {
    return Damaged(
        Status::Corruption("it is for " + std::to_string(view->blocks) +
                           " blocks, the table has " + std::to_string(blocks)));
  }
  filter->view_ = *view;
  filter->expected_rate_ = view->expected_rate();
  return filter;
}

}  // namespace tamis
