// SPDX-License-Identifier: Apache-2.0
// store/lookup.h -- the lookup of Store::Get(): the memtables, then the tables
// that may contain the key, each only if its filter says "maybe".
// docs/read-path.md explains it; lookup.cc has the steps in the same order.

#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>

#include "filters/kernels/kernels.h"
#include "formats/tamis/line_view.h"
#include "store/memtable.h"
#include "store/read_view.h"
#include "store/reader_slots.h"
#include "store/version.h"
#include "table/internal_key.h"
#include "tamis/store_options.h"

namespace tamis {

// A key to look up, hashed once for all filters with the store's own seed, and
// once more if there are any with the other.  Not thread-safe.
class Lookup {
 public:
  Lookup(Slice user_key, Sequence sequence, const LineSeeds& seeds = {})
      : key(user_key, sequence),
        hash(LineHash(user_key, seeds.own)),
        other_seed_(seeds.other) {}

  const LookupKey key;
  const std::uint64_t hash;  // with the store's own seed
  // The hash with the other seed.
  std::uint64_t other_hash() const noexcept {
    if (!has_other_) HashByOther();
    return other_hash_;
  }

 private:
  void HashByOther() const noexcept;

  const std::uint64_t other_seed_;
  mutable std::uint64_t other_hash_ = 0;
  mutable bool has_other_ = false;
};

[[gnu::always_inline]] inline void PrefetchFilter(
    const Memtable& memtable, const Lookup& lookup) noexcept {
  if (memtable.has_filter()) memtable.Prefetch(lookup.hash);
}

// Searches the tables of a version.  Gather() finds the tables that may contain
// the key, newest first, and prefetches their filters' lines, a group at a
// time; Check() then reads the lines.  In between a caller does other work,
// while the lines arrive.
class TableSearch {
 public:
  // REQUIRES: both outlive it
  TableSearch(const Version& version, const Lookup& lookup) noexcept
      : version_(version), lookup_(lookup) {}

  // Finds the next size() candidates; none: the search is over.
  void Gather() noexcept;
  // Sets may_hold() from the filters whose lines are known.  Does nothing if it
  // was called since Gather().
  void Check() noexcept;
  // Starts to load the data block that the search reads first, if the filters
  // say "maybe" and that table is open.  REQUIRES: Check() was called
  void Request() noexcept;

  std::size_t size() const noexcept { return size_; }
  // REQUIRES, for all of these: i < size()
  int level(std::size_t i) const noexcept { return candidates_[i].level; }
  const TableFile& file(std::size_t i) const noexcept {
    return *version_.level(level(i)).files()[candidates_[i].at];
  }
  FilterSlot& slot(std::size_t i) const noexcept {
    return version_.level(level(i)).slot(candidates_[i].at);
  }
  // False only if the table certainly does not contain the key.
  bool may_hold(std::size_t i) const noexcept { return may_hold_[i]; }
  // True: its filter was among those that Check() read.
  bool was_asked(std::size_t i) const noexcept {
    return queries_[i].block != kNoLine.data();
  }
  // The data block that Request() found, for BlockReadOptions.
  std::size_t block(std::size_t i) const noexcept {
    return i == requested_ ? block_ : kUnknownBlock;
  }

 private:
  static constexpr std::size_t kGroup = 32;
  // Takes the place of a filter that must be queried otherwise: says "maybe".
  static const std::array<unsigned char, kLineBytes> kNoLine;

  struct Candidate {
    std::uint32_t at;  // in its level
    std::int32_t level;
  };

  void GatherLevel0() noexcept;
  void GatherLevel0Bytewise(const Level& level) noexcept;
  void Push(const FilterSlot& slot, std::size_t i, int number) noexcept;
  void AskByOtherSeed() noexcept;

  const Version& version_;
  const Lookup& lookup_;
  std::size_t next_level0_ = 0;
  std::size_t next_filled_ = 0;
  std::size_t size_ = 0;
  bool is_checked_ = false;
  std::size_t requested_ = kGroup;  // the candidate of block_
  std::size_t block_ = kUnknownBlock;
  unsigned probes_ = 0;  // of the filters of this group; 0: none so far
  // The union of the shapes of filters with other probes or another seed.
  unsigned other_shapes_ = 0;
  std::array<Candidate, kGroup> candidates_;
  std::array<BlockQuery, kGroup> queries_;
  std::array<bool, kGroup> may_hold_;
};

// "No such key"; short enough not to allocate.
inline Status NoSuchKey() { return Status::NotFound("no such key"); }

// Returns true if the memtables of the view have the key, and sets *status.
bool FindInMemtables(const ReadView& view, const Lookup& lookup,
                     std::string* value, ReadCounters* counters,
                     Status* status);

struct TableReading {
  FilterUse filter_use = FilterUse::kOn;
  bool verify_checksums = false;
};

// Searches the tables.  REQUIRES: search->Gather() was called once
Status FindInTables(const TableReading& reading, TableSearch* search,
                    const Lookup& lookup, std::string* value,
                    ReadCounters* counters);

}  // namespace tamis
