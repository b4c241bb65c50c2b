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
#include "store/table_loader.h"
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
        own_seed_(seeds.own),
        other_seed_(seeds.other) {}

  const LookupKey key;
  const std::uint64_t hash;  // with the store's own seed
  // Asks a filter of a whole table, by the hash if it takes that.
  bool MayBeIn(const TableFilter& filter) const noexcept;
  // Returns the hash with that seed.
  std::uint64_t HashWith(std::uint64_t seed) const noexcept {
    if (seed == own_seed_) return hash;
    return seed == other_seed_ ? other_hash() : LineHash(key.user(), seed);
  }
  // The hash with the other seed.
  std::uint64_t other_hash() const noexcept {
    if (!has_other_) HashByOther();
    return other_hash_;
  }

 private:
  void HashByOther() const noexcept;

  const std::uint64_t own_seed_;
  const std::uint64_t other_seed_;
  mutable std::uint64_t other_hash_ = 0;
  mutable bool has_other_ = false;
};

[[gnu::always_inline]] inline void PrefetchFilter(
    const Memtable& memtable, const Lookup& lookup) noexcept {
  if (memtable.has_filter() && !memtable.empty()) {
    memtable.Prefetch(lookup.hash);
  }
}

// One table of a version, as a candidate of a lookup.
struct TablePlace {
  const Level* level = nullptr;
  int number = 0;        // of the level
  std::uint32_t at = 0;  // in the level
  // The data block that Table::FindBlock() found, for BlockReadOptions.
  std::size_t block = kUnknownBlock;

  const TableFileRef& file_ref() const noexcept { return level->files()[at]; }
  const TableFile& file() const noexcept { return *file_ref(); }
  FilterSlot& slot() const noexcept { return level->slot(at); }
};

// What the filter of a candidate says.
struct FilterAnswer {
  const TableFilter* filter = nullptr;
  bool asked = false;
  bool absent = false;
};

// Searches the tables of a version.  Gather() finds the tables that may contain
// the key, newest first, and prefetches their filters' lines, a group at a
// time; Check() then reads the lines.  In between a caller does other work,
// while the lines arrive.
class TableSearch {
 public:
  // Takes the place of a filter that must be queried otherwise: says "maybe".
  static const std::array<unsigned char, kLineBytes> kNoLine;

  // `skip_last`: the filter of the last level is not asked.  `use_routes`: the
  // routes of level 0 are believed, if there are any.
  // REQUIRES: both outlive it
  TableSearch(const Version& version, const Lookup& lookup,
              bool skip_last = false, bool use_routes = true) noexcept
      : version_(version),
        lookup_(lookup),
        skip_last_(skip_last),
        routes_(use_routes ? version.level(0).routes() : nullptr) {}

  // Finds the next size() candidates, those of level 0 that are routed
  // excepted: they come with Check().
  void Gather() noexcept;
  // As Gather(); returns false if there are none: the search is over.
  bool GatherMore() noexcept {
    if (is_over()) return false;
    Gather();
    return size_ > 0;
  }
  // Sets may_hold() from the filters whose lines are known.
  void Check() noexcept;
  // Counts what the routes have said, once.  REQUIRES: Check() was called
  void CountRoutes(ReadCounters* counters) noexcept;
  // Counts all candidates as "certainly absent".
  // REQUIRES: Check() was called, and is_any_left() is false
  void CountAbsent(ReadCounters* counters) const noexcept;

  // Counts this lookup, one of many, with the tables that were gathered.
  void NoteAsked() noexcept {
    if (is_routing_) FollowRoutes();
    for (std::size_t i = 0; i < size_; ++i) file(i).NoteAsked();
  }

  std::size_t size() const noexcept { return size_; }
  // True: some candidate may contain the key.  REQUIRES: Check() was called
  bool is_any_left() const noexcept;
  // REQUIRES, for all of these: i < size()
  int level(std::size_t i) const noexcept { return candidates_[i].level; }
  TablePlace place(std::size_t i) const noexcept {
    return {.level = &version_.level(level(i)),
            .number = level(i),
            .at = candidates_[i].at};
  }
  const TableFile& file(std::size_t i) const noexcept {
    return place(i).file();
  }
  // False only if the table certainly does not contain the key.
  bool may_hold(std::size_t i) const noexcept { return may_hold_[i]; }
  // True: its filter was among those that Check() read.
  bool was_asked(std::size_t i) const noexcept {
    return queries_[i].block != kNoLine.data();
  }

 private:
  static constexpr std::size_t kGroup = 32;
  struct Candidate {
    std::uint32_t at;  // in its level
    std::int16_t level;
    std::uint16_t probes;  // of its filter; if that has no lines here: any
  };

  // What the routes of level 0 have said.
  enum class Routed { kNothing, kTables, kAllTables };

  void GatherLevel0() noexcept;
  void GatherLevel0Bytewise(const Level& level) noexcept;
  void GatherBelow() noexcept;
  void FollowRoutes() noexcept;
  void PushFirst(const Routes::Tables& tables) noexcept;
  void Push(const FilterSlot& slot, std::size_t i, int number) noexcept;
  void NoteProbes(unsigned probes) noexcept {
    is_mixed_ |= probes_ != 0 && probes != probes_;
    probes_ = probes;
  }
  void AskByOtherSeed() noexcept;
  void CheckSome(std::size_t from, std::size_t count, unsigned probes) noexcept;
  bool is_over() const noexcept {
    return next_level0_ >= version_.level(0).size() &&
           next_filled_ == version_.filled_levels().size();
  }

  const Version& version_;
  const Lookup& lookup_;
  const bool skip_last_;
  const Routes* routes_;     // null: all tables of level 0 are asked
  bool is_routing_ = false;  // they will be followed
  Routed routed_ = Routed::kNothing;
  std::size_t next_level0_ = 0;
  std::size_t next_filled_ = 0;
  std::size_t size_ = 0;
  std::size_t level0_size_ = 0;  // the candidates of level 0 come first
  unsigned probes_ = 0;    // of the last filter with lines; 0: none so far
  bool is_mixed_ = false;  // the filters differ in their probes
  bool has_other_seed_ = false;  // some hash with the other seed
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

// Tables that a lookup has read without what is not loaded of them.  They are
// requested when the lookup is over, so that the thread that loads them does
// not get in its way.
class LoadRequests {
 public:
  explicit LoadRequests(TableLoader& loader) noexcept : loader_(loader) {}
  ~LoadRequests() {
    Send();
    if (wants_rebalance_) loader_.RequestRebalance();
  }
  LoadRequests(const LoadRequests&) = delete;
  LoadRequests& operator=(const LoadRequests&) = delete;

  TableLoader& loader() const noexcept { return loader_; }
  // REQUIRES: the reference outlives this
  void Add(const TableFileRef& file) noexcept {
    if (size_ == files_.size()) Send();
    files_[size_++] = &file;
  }
  // Other filters should be held.
  void WantRebalance() noexcept { wants_rebalance_ = true; }

 private:
  void Send() noexcept {
    for (std::size_t i = 0; i < size_; ++i) loader_.Request(*files_[i]);
    size_ = 0;
  }

  TableLoader& loader_;
  bool wants_rebalance_ = false;
  std::size_t size_ = 0;
  std::array<const TableFileRef*, 8> files_;
};

struct TableReading {
  FilterUse filter_use = FilterUse::kOn;
  bool verify_checksums = false;
  bool fill_cache = true;
  // Null: lookups load tables and filters themselves.
  LoadRequests* requests = nullptr;
  StoreMutex* mutex = nullptr;  // the store's
  int skipped_level = -1;       // whose filters are not asked; -1: none
};

// Returns what a lookup asks before it reads a block of the table; null:
// nothing.
const HeldBlockFilter* BlockFilterFor(const TableReading& reading,
                                      const TablePlace& place) noexcept;

struct ReadOutput {
  std::string* value;
  ReadCounters* counters;
};

// True: this read does without what is not loaded of the table, and another
// thread loads it: request that.
bool DoesWithout(const TableReading& reading, const TableFile& file) noexcept;

// Makes the lines of a filter known to the lookups that follow, unless the
// store's mutex is taken: then a later one does it.
void PublishLines(const TableReading& reading, const TablePlace& place,
                  const TableFilter& filter) noexcept;

// Returns the filter of a candidate if it is held in parts, and to be asked;
// null: otherwise.
const PartedFilter* PartsToAsk(const TableReading& reading,
                               const TablePlace& place) noexcept;
// Asks it, and counts a part that is read for that.
void AskParts(const PartedFilter& parts, const Lookup& lookup,
              const TablePlace& place, ReadCounters::Level* level,
              FilterAnswer* answer);

// Reads a table that was found by its place, unless its filter rules it out:
// if it was not asked yet, it is now.  Returns true if that ends the lookup: it
// has the key, or failed; *status says which.
bool ReadCandidate(const TableReading& reading, const Lookup& lookup,
                   const TablePlace& place, FilterAnswer answer,
                   const ReadOutput& output, Status* status);

// One lookup of so many is counted with the tables that it asks.
inline constexpr std::uint64_t kSampledLookups = 64;
inline bool IsSampled(const ReadCounters& counters) noexcept {
  return counters.lookups.value() % kSampledLookups == 0;
}

// Counts what the routes would have said, for FilterUse::kAlwaysMaybe.
void CountUnbelievedRoutes(const Version& version, const Lookup& lookup,
                           ReadCounters* counters) noexcept;

// Searches the tables.  REQUIRES: search->Gather() was called once
Status FindInTables(const TableReading& reading, TableSearch* search,
                    const Lookup& lookup, std::string* value,
                    ReadCounters* counters);

}  // namespace tamis
