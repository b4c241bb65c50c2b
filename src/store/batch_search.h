// SPDX-License-Identifier: Apache-2.0
// store/batch_search.h -- queries the filters of all tables for many keys at
// once.
//
// One sorted run comes after the other, newest first: the lines of all keys in
// the filters of one run are prefetched, while those of the run before are
// checked.  Where level 0 has routes, its runs are the newest table of each key
// to which they lead, then the second newest, and so on.

#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>

#include "filters/kernels/kernels.h"
#include "store/lookup.h"
#include "store/reader_slots.h"
#include "store/version.h"

namespace tamis {

// A set of keys: bit i stands for the i-th.
using KeySet = std::uint32_t;
inline constexpr std::size_t kKeysAtOnce = 32;

class BatchSearch {
 public:
  // A table that must be read for a key, unless a newer one answers it.
  struct Hit {
    std::uint32_t key;  // which
    TablePlace place;
    FilterAnswer answer;
  };

  // REQUIRES: the version outlives it; use is that of the whole search
  // `skipped_level`: its filters are not asked; -1: none is skipped.
  BatchSearch(const Version& version, FilterUse use,
              int skipped_level = -1) noexcept
      : version_(version),
        use_(use),
        skipped_level_(skipped_level),
        routes_(use == FilterUse::kOff ? nullptr : version.level(0).routes()),
        newest_runs_(version.level(0).size()) {}

  // Adds the next key.  REQUIRES: fewer than kKeysAtOnce were added, and
  // Search() was not called; the lookup outlives it
  void Add(const Lookup& lookup) noexcept {
    lookups_[size_++] = &lookup;
    if (routes_ != nullptr) routes_->Prefetch(lookup.hash);
  }

  // Finds the hits of the next runs for these keys, and counts the answers
  // "certainly absent".  Returns false if there are no more runs.
  bool Search(KeySet keys, ReadCounters* counters) noexcept;
  // What the last Search() found, newest first for each key.
  std::span<Hit> hits() noexcept { return {hits_.data(), hit_count_}; }

 private:
  static constexpr std::size_t kMaxRunsAtOnce = 32;
  static constexpr std::size_t kMaxHits = 4 * kKeysAtOnce;

  // The tables of a run that may hold keys, with the lines to check.
  struct Aim {
    int level = 0;
    std::size_t size = 0;
    std::array<std::uint32_t, kKeysAtOnce> keys;
    std::array<std::uint32_t, kKeysAtOnce> tables;  // in the level
    std::array<BlockQuery, kKeysAtOnce> queries;
    // Of the filters; 0, or those of the one before: any, it has no lines here.
    std::array<std::uint8_t, kKeysAtOnce> probes;
    unsigned last_probes = 0;
    bool is_mixed = false;  // the filters differ in their probes
  };
  // What is known of a table's filter: read once for all keys.
  struct Lines {
    const unsigned char* lines = nullptr;  // null: not known
    std::uint64_t count = 0;
    unsigned probes = 0;
    bool by_other_seed = false;
  };

  std::size_t run_count() const noexcept {
    return newest_runs_ + version_.filled_levels().size();
  }
  void Open(KeySet keys) noexcept;
  void FollowRoutes(KeySet keys, ReadCounters* counters) noexcept;
  void AimByRoutes(std::size_t turn, Aim* aim) noexcept;
  void AimAt(std::size_t run, Aim* aim) noexcept;
  void AimAtLevel0(std::size_t table, Aim* aim) noexcept;
  void AimAtLevel(int number, Aim* aim) noexcept;
  void Push(const Lines& lines, std::size_t i, std::size_t table,
            Aim* aim) const noexcept;
  bool IsInTable(const TableFile& file, std::size_t i) const noexcept;
  static Lines LinesOf(const FilterSlot& slot) noexcept;
  static void Check(const Aim& aim, bool* may_hold) noexcept;
  void Take(const Aim& aim, ReadCounters* counters) noexcept;

  const Version& version_;
  const FilterUse use_;
  const int skipped_level_;
  const Routes* routes_;     // of level 0; null: all of its tables are asked
  std::size_t newest_runs_;  // those of level 0
  std::array<Routes::Tables, kKeysAtOnce> routed_;  // by key
  std::size_t size_ = 0;
  std::size_t next_run_ = 0;
  std::size_t hit_count_ = 0;
  std::array<const Lookup*, kKeysAtOnce> lookups_;

  // The keys of this Search(), one after the other.
  std::size_t open_count_ = 0;
  std::array<std::uint32_t, kKeysAtOnce> open_;
  std::array<std::uint64_t, kKeysAtOnce> hashes_;
  // With bytewise order: as level 0 compares them, and the extremes of them.
  std::array<Level::Probe, kKeysAtOnce> probed_;
  std::uint64_t first_prefix_ = 0;
  std::uint64_t last_prefix_ = 0;
  bool any_outside_ = false;

  std::array<Aim, 2> aims_;
  std::array<Hit, kMaxHits> hits_;
};

}  // namespace tamis
