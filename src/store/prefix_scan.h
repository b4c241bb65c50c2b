// SPDX-License-Identifier: Apache-2.0
// store/prefix_scan.h -- which tables a scan reads: of those that may have keys
// within its bounds, the ones whose filter does not rule out the prefix that
// all these keys have.

#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "filters/kernels/kernels.h"
#include "store/lookup.h"
#include "store/scan_bounds.h"
#include "store/version.h"

namespace tamis {

// What a scan reads: a table of level 0, or a level from 1 on, from that table
// on.
struct ScanPlace {
  int level = 0;
  std::size_t at = 0;
};

// A scan within a prefix.  It allocates nothing where nothing must be read.
class PrefixScan {
 public:
  // `prefix` is that of every key within the limits.
  // REQUIRES: bytewise order; all outlive it
  PrefixScan(const Version& version, const ScanLimits& limits, Slice prefix,
             const TableReading& reading, ReadCounters* counters);

  // Returns what must be read.  Call it once.
  std::vector<ScanPlace> Run();

 private:
  // The filters of so many tables are asked at once, so that their memory
  // accesses overlap.
  static constexpr std::size_t kGroup = 32;
  // How a table is known to have the prefix, or not.
  enum class Asking {
    kNot,     // it has keys within the limits, or its filter has no prefixes
    kLine,    // the line of its filter is known
    kSlowly,  // its filter is not loaded, in parts, or of another kind or seed
  };
  struct Candidate {
    std::uint32_t at;  // in its level
    std::int16_t level;
    std::uint16_t probes;  // of its filter; without a line any
    Asking asking;
  };

  const TableFileRef& FileOf(const Candidate& candidate) const noexcept {
    return version_.level(candidate.level).files()[candidate.at];
  }
  bool Gather() noexcept;
  void GatherLevel0() noexcept;
  void GatherBelow() noexcept;
  void Push(int level, std::size_t at) noexcept;
  // `lines`: what slot.lines() was.
  Asking AskingOf(const FilterSlot& slot,
                  const unsigned char* lines) const noexcept;
  void CheckLines() noexcept;
  bool IsRuledOut(std::size_t i);
  bool IsRuledOutSlowly(const Candidate& candidate, bool* was_asked);
  bool IsAbsentFrom(const TableFilter& filter, const Candidate& candidate,
                    bool* was_asked);
  std::uint64_t HashWith(std::uint64_t seed) const noexcept {
    return seed == hash_seed_ ? hash_ : LineHash(prefix_, seed);
  }
  ReadCounters::Level& CountersOf(const Candidate& candidate) const noexcept {
    return counters_.levels[static_cast<std::size_t>(candidate.level)];
  }

  const Version& version_;
  const ScanLimits& limits_;
  const Slice prefix_;
  const LookupKey from_;  // before all versions of the lower limit
  const TableReading& reading_;
  ReadCounters& counters_;
  std::uint64_t hash_seed_ = 0;
  std::uint64_t hash_ = 0;  // of the prefix, with that seed

  std::size_t next_level0_ = 0;
  std::size_t next_filled_ = 0;
  std::size_t size_ = 0;  // of the candidates
  std::array<Candidate, kGroup> candidates_;
  std::array<BlockQuery, kGroup> queries_;
  std::array<bool, kGroup> may_hold_;
};

}  // namespace tamis
