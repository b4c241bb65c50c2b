// SPDX-License-Identifier: Apache-2.0
// table/held_range_filter.h -- the range filter of one table, as it was loaded:
// which keys between two bounds the table certainly does not have.

#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>

#include "table/filter_room.h"
#include "tamis/filter.h"
#include "tamis/filter_memory.h"

namespace tamis {

// Immutable; safe to share among threads.
class HeldRangeFilter {
 public:
  // Keeps a copy of the bytes.  Damage, and bytes of a later version, give one
  // that rules nothing out, with damage().  So does a lack of room, without.
  // REQUIRES: the room outlives the filter, or is null
  static std::shared_ptr<const HeldRangeFilter> Open(Slice bytes,
                                                     FilterRoom* room);
  static std::shared_ptr<const HeldRangeFilter> Damaged(Status why);
  // There is no room for the one that is stored.
  static std::shared_ptr<const HeldRangeFilter> NotHeld(std::uint64_t bytes);

  // Over the user keys of all entries, deletions included.  REQUIRES: is_held()
  const FilterReader& reader() const noexcept { return *reader_; }

  bool is_held() const noexcept { return reader_ != nullptr; }
  std::uint64_t bytes() const noexcept {  // in memory
    return memory_.has_value() ? memory_->bytes().size() + prepared_bytes_ : 0;
  }
  // What it takes, or would take, in memory, as far as that is known before it
  // is opened.
  std::uint64_t stored_bytes() const noexcept { return stored_bytes_; }
  double expected_rate() const noexcept { return expected_rate_; }
  // Not ok: the reason why it rules nothing out.
  const Status& damage() const noexcept { return damage_; }

 private:
  // First, so that they are returned when the memory is free.
  FilterLease lease_;
  FilterLease prepared_lease_;
  std::optional<FilterMemory> memory_;
  std::unique_ptr<const FilterReader> reader_;  // null: not held
  std::uint64_t stored_bytes_ = 0;
  std::uint64_t prepared_bytes_ = 0;  // what the reader takes beside the bytes
  double expected_rate_ = 1.0;
  Status damage_;
};

}  // namespace tamis
