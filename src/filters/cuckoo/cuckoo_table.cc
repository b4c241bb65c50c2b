// SPDX-License-Identifier: Apache-2.0
#include "filters/cuckoo/cuckoo_table.h"

#include <array>

namespace tamis {

// A breadth-first search for the nearest bucket with an empty slot: from the
// two buckets of a key to those that their fingerprints could move to, and so
// on.  Nothing moves until one is found; then fingerprints move along the
// shortest path.
class CuckooTable::Search {
 public:
  Search(const CuckooTable& table, unsigned char* slots) noexcept
      : table_(table), slots_(slots) {}

  // REQUIRES: both buckets of `place` are full
  bool MakeRoomFor(const CuckooPlace& place) noexcept {
    Visit(place.lower, kNoStep, 0);
    Visit(place.upper, kNoStep, 0);
    for (unsigned from = 0; from < count_; ++from) {
      for (unsigned slot = 0; slot < kCuckooSlots; ++slot) {
        const std::uint64_t bucket = steps_[from].bucket;
        const std::uint64_t other =
            table_.OtherBucket(bucket, table_.SlotOf(slots_, bucket, slot));
        const unsigned empty = table_.FindIn(slots_, other, 0);
        if (empty < kCuckooSlots) {
          MoveAlong(from, slot, {other, empty}, place.fingerprint);
          return true;
        }
        Visit(other, from, slot);
      }
    }
    return false;
  }

 private:
  // The table counts as full after so many buckets.  If one bucket in a hundred
  // has an empty slot, a search misses it with probability 1/29,000; and a
  // table of fewer buckets is searched completely.
  static constexpr unsigned kMaxSteps = 1024;
  static constexpr unsigned kNoStep = kMaxSteps;
  static constexpr unsigned kSeenBits = 11;  // 2 kMaxSteps

  struct Step {
    std::uint64_t bucket;
    std::uint16_t from;  // the step before, one of whose slots can move here
    std::uint16_t slot;
  };
  struct Spot {
    std::uint64_t bucket;
    unsigned slot;
  };

  // Adds a bucket unless it was visited before.
  void Visit(std::uint64_t bucket, unsigned from, unsigned slot) noexcept {
    if (count_ == kMaxSteps) return;
    auto at = static_cast<std::size_t>(bucket * 0x9e3779b97f4a7c15 >>
                                       (64 - kSeenBits));
    for (; seen_[at] != 0; at = (at + 1) % seen_.size()) {
      if (steps_[seen_[at] - 1u].bucket == bucket) return;
    }
    steps_[count_] = {bucket, static_cast<std::uint16_t>(from),
                      static_cast<std::uint16_t>(slot)};
    seen_[at] = static_cast<std::uint16_t>(++count_);
  }

  // Moves the slot of that step to `empty`, then the slot of the step before it
  // into the one that was freed, and so on; the last free slot gets
  // `fingerprint`.
  void MoveAlong(unsigned step, unsigned slot, Spot empty,
                 std::uint32_t fingerprint) noexcept {
    for (;;) {
      const Step& from = steps_[step];
      const Spot moved{from.bucket, slot};
      table_.SetSlot(slots_, empty.bucket, empty.slot,
                     table_.SlotOf(slots_, moved.bucket, moved.slot));
      empty = moved;
      if (from.from == kNoStep) break;
      step = from.from;
      slot = from.slot;
    }
    table_.SetSlot(slots_, empty.bucket, empty.slot, fingerprint);
  }

  const CuckooTable& table_;
  unsigned char* slots_;
  unsigned count_ = 0;
  std::array<Step, kMaxSteps> steps_;  // the first count_
  // A hash table of the buckets in steps_: 1 + an index, or 0.
  std::array<std::uint16_t, 1u << kSeenBits> seen_{};
};

bool CuckooTable::Insert(unsigned char* slots,
                         const CuckooPlace& place) const noexcept {
  const unsigned lower = EmptyIn(slots, place.lower);
  const unsigned upper = EmptyIn(slots, place.upper);
  if (lower == 0 && upper == 0) {
    return Search(*this, slots).MakeRoomFor(place);
  }
  // Inserts into the emptier bucket, which delays full buckets and moves.
  const std::uint64_t bucket = lower >= upper ? place.lower : place.upper;
  SetSlot(slots, bucket, FindIn(slots, bucket, 0), place.fingerprint);
  return true;
}

bool CuckooTable::Erase(unsigned char* slots,
                        const CuckooPlace& place) const noexcept {
  for (const std::uint64_t bucket : {place.lower, place.upper}) {
    const unsigned slot = FindIn(slots, bucket, place.fingerprint);
    if (slot == kCuckooSlots) continue;
    SetSlot(slots, bucket, slot, 0);
    return true;
  }
  return false;
}

unsigned CuckooTable::Count(const unsigned char* slots,
                            const CuckooPlace& place) const noexcept {
  unsigned count = 0;
  for (const std::uint64_t bucket : {place.lower, place.upper}) {
    for (unsigned slot = 0; slot < kCuckooSlots; ++slot) {
      if (SlotOf(slots, bucket, slot) == place.fingerprint) ++count;
    }
  }
  return count;
}

std::uint64_t CuckooTable::CountOccupied(
    const unsigned char* slots) const noexcept {
  std::uint64_t empty = 0;
  for (std::uint64_t bucket = 0; bucket < buckets(); ++bucket) {
    empty += EmptyIn(slots, bucket);
  }
  return buckets() * kCuckooSlots - empty;
}

unsigned CuckooTable::FindIn(const unsigned char* slots, std::uint64_t bucket,
                             std::uint32_t fingerprint) const noexcept {
  unsigned slot = 0;
  while (slot < kCuckooSlots && SlotOf(slots, bucket, slot) != fingerprint) {
    ++slot;
  }
  return slot;
}

unsigned CuckooTable::EmptyIn(const unsigned char* slots,
                              std::uint64_t bucket) const noexcept {
  unsigned empty = 0;
  for (unsigned slot = 0; slot < kCuckooSlots; ++slot) {
    empty += SlotOf(slots, bucket, slot) == 0 ? 1u : 0u;
  }
  return empty;
}

}  // namespace tamis
