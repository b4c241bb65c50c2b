// SPDX-License-Identifier: Apache-2.0
// table/held_block_filter.h -- the filter of the data blocks of one table, as
// it was loaded: the second layer of its filters, queried once the index has
// named the block, and before that is read.

#pragma once

#include <cstdint>
#include <memory>
#include <optional>

#include "formats/tamis/block_filter.h"
#include "table/filter_room.h"
#include "tamis/filter_memory.h"

namespace tamis {

// Immutable; safe to share among threads.
class HeldBlockFilter {
 public:
  // Keeps a copy of the bytes.  Damage, and a table with another number of
  // blocks, give one that rules nothing out, with damage().  So does a lack of
  // room, without.  REQUIRES: the room outlives the filter, or is null
  static std::shared_ptr<const HeldBlockFilter> Open(Slice bytes,
                                                     std::uint64_t blocks,
                                                     FilterRoom* room);
  static std::shared_ptr<const HeldBlockFilter> Damaged(Status why);
  // There is no room for the one that is stored.
  static std::shared_ptr<const HeldBlockFilter> NotHeld(std::uint64_t bytes);

  // False only if that block certainly does not contain the key with that
  // LineHash() by seed().
  bool MayContain(std::uint64_t block, std::uint64_t key_hash) const noexcept {
    return view_.MayContain(block, key_hash);
  }
  std::uint64_t seed() const noexcept { return view_.seed; }

  bool is_held() const noexcept { return view_.count != 0; }
  std::uint64_t bytes() const noexcept {  // in memory
    return memory_.has_value() ? memory_->bytes().size() : 0;
  }
  std::uint64_t stored_bytes() const noexcept { return stored_bytes_; }
  double expected_rate() const noexcept { return expected_rate_; }
  // Not ok: the reason why it rules nothing out.
  const Status& damage() const noexcept { return damage_; }

 private:
  FilterLease lease_;  // first, so that it is returned when memory_ is free
  std::optional<FilterMemory> memory_;
  BlockFilterView view_;  // without blocks: not held
  std::uint64_t stored_bytes_ = 0;
  double expected_rate_ = 1.0;
  Status damage_;
};

}  // namespace tamis
