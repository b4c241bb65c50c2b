// SPDX-License-Identifier: Apache-2.0
// store/version.h -- an immutable list of a store's tables, level by level,
// stored so that a lookup finds its few candidates quickly.

#pragma once

#include <array>
#include <atomic>
#include <cstdint>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "store/routes.h"
#include "store/table_file.h"
#include "store/version_edit.h"
#include "table/internal_key.h"
#include "table/prefix_tree.h"

namespace tamis {

using TableFileRef = std::shared_ptr<const TableFile>;

// Where the lines of a table's filter are, in an array with those of its
// neighbours: querying a hundred tables then touches no other memory than their
// lines.
// Filled in when the filter is loaded; empty for filters of other kinds.
class FilterSlot {
 public:
  // Null: not loaded, or not of the kind that has lines.
  const unsigned char* lines() const noexcept {
    return lines_.load(std::memory_order_seq_cst);
  }
  // REQUIRES, for both: lines() was not null
  std::uint64_t count() const noexcept {
    return count_.load(std::memory_order_relaxed);
  }
  // The probes, kOtherSeed if its keys are hashed with that one, and
  // kHasPrefixes if it has the prefixes of its keys, too.
  unsigned shape() const noexcept {
    return shape_.load(std::memory_order_relaxed);
  }
  static constexpr unsigned kOtherSeed = 1u << 16;
  static constexpr unsigned kHasPrefixes = 1u << 17;
  static constexpr unsigned kProbes = kOtherSeed - 1;
  // The filter is dropped: the tables' filters are asked elsewhere.  Another
  // one may be published when no reader of this one is left.
  void Clear() noexcept { lines_.store(nullptr, std::memory_order_seq_cst); }
  // False: it stays empty, because the filter is of another kind, or has
  // neither of the two seeds.
  static bool Fits(const TableFilter& filter, const LineSeeds& seeds) noexcept {
    return filter.kind() == TableFilter::Kind::kLines &&
           (filter.lines().seed == seeds.own ||
            filter.lines().seed == seeds.other);
  }
  void Publish(const TableFilter& filter, const LineSeeds& seeds) noexcept {
    if (!Fits(filter, seeds)) return;
    const LineView& view = filter.lines();
    const bool is_own = view.seed == seeds.own;
    count_.store(view.count, std::memory_order_relaxed);
    shape_.store(view.probes.count | (is_own ? 0 : kOtherSeed) |
                     (filter.has_prefixes() ? kHasPrefixes : 0),
                 std::memory_order_relaxed);
    lines_.store(view.lines, std::memory_order_release);
  }

 private:
  std::atomic<const unsigned char*> lines_{nullptr};
  std::atomic<std::uint64_t> count_{0};
  std::atomic<unsigned> shape_{0};
};

// The tables of one level.  Level 0: newest first, and they may overlap.
// Others: in the order of their keys, and they do not.
class Level {
 public:
  Level() = default;
  Level(const KeyOrder& order, int number, std::vector<TableFileRef> files);

  const std::vector<TableFileRef>& files() const noexcept { return files_; }
  std::size_t size() const noexcept { return files_.size(); }
  bool empty() const noexcept { return files_.empty(); }
  std::uint64_t bytes() const noexcept { return bytes_; }
  FilterSlot& slot(std::size_t i) const noexcept { return slots_[i]; }

  // Of level 0, where tables overlap; null: all are asked.  They last as long
  // as a guard of the store's readers that was there before.
  const Routes* routes() const noexcept {
    return routes_ == nullptr ? nullptr : routes_->get();
  }
  // As RouteSlot::Exchange().  REQUIRES: level 0, not empty
  std::shared_ptr<const Routes> ExchangeRoutes(
      std::shared_ptr<const Routes> next) const noexcept {
    return routes_->Exchange(std::move(next));
  }
  // Takes over the routes of the tables that were in the level before; the
  // others are not routed.  REQUIRES: both are level 0, and this one is new
  void InheritRoutes(const Level& before) const;

  // A key as this level compares it: the eight bytes after the common prefix of
  // all keys of the level.
  struct Probe {
    std::uint64_t prefix = 0;
    bool outside = false;  // before or after all keys of the level
  };
  Probe ProbeOf(Slice user_key) const noexcept {
    if (!user_key.starts_with(common_)) return {.outside = true};
    return {.prefix = PrefixOf(user_key.substr(common_.size()))};
  }

  // With bytewise order: the range of table i certainly does not contain a key
  // unless first[i] <= prefix <= last[i].
  struct Spans {
    const std::uint64_t* first;
    const std::uint64_t* last;
  };
  Spans spans() const noexcept { return {first_.data(), last_.data()}; }

  // For levels from 1 on: returns the first table whose last key is at or after
  // `internal_key`; size() if there is none.
  std::size_t FindTable(Slice internal_key) const noexcept;
  // Returns the table that may contain the key; size() if there is none.
  std::size_t FindHolder(Slice internal_key) const noexcept;

 private:
  KeyOrder order_;
  std::vector<TableFileRef> files_;
  std::uint64_t bytes_ = 0;
  std::string common_;  // the common prefix of all user keys of the level
  std::vector<std::uint64_t> first_;  // prefixes of each table's first key ...
  std::vector<std::uint64_t> last_;   // ... and last
  // The same, for levels from 1 on: they ascend.  Its search has no branches
  // that depend on keys, so that those of several levels overlap.
  PrefixTree last_tree_;
  std::unique_ptr<FilterSlot[]> slots_;
  std::unique_ptr<RouteSlot> routes_;  // of level 0; null: it is empty
};

// Per level the largest key that was compacted last, so that compaction cycles
// through the level; empty: none was.
using CompactPointers = std::array<std::string, kStoreLevels>;

class Version {
 public:
  explicit Version(const KeyOrder& order) : order_(order) {}
  // REQUIRES: level 0 newest first, the others sorted and without overlap
  Version(const KeyOrder& order,
          std::array<std::vector<TableFileRef>, kStoreLevels> files,
          CompactPointers pointers);

  const KeyOrder& order() const noexcept { return order_; }
  const Level& level(int i) const noexcept {
    return levels_[static_cast<std::size_t>(i)];
  }
  const std::array<Level, kStoreLevels>& levels() const noexcept {
    return levels_;
  }
  // The levels from 1 on that have tables, for lookups.
  const std::vector<int>& filled_levels() const noexcept {
    return filled_levels_;
  }
  std::uint64_t table_count() const noexcept;
  const CompactPointers& compact_pointers() const noexcept {
    return compact_pointers_;
  }

  // Returns the tables of a level that overlap the user keys from `from` to
  // `to`, both included; null: unbounded.
  std::vector<TableFileRef> Overlapping(int level, const Slice* from,
                                        const Slice* to) const;
  // False only if certainly no table of a level below `level` contains the key.
  bool MayBeBelow(int level, Slice user_key) const;

  // Returns the next version.  Corruption: the edit does not match this one (a
  // table is missing, or overlaps another).
  Result<std::shared_ptr<const Version>> Apply(
      const VersionEdit& edit, const TableFileContext& context) const;

 private:
  KeyOrder order_;
  std::array<Level, kStoreLevels> levels_;
  std::vector<int> filled_levels_;
  CompactPointers compact_pointers_;
};

}  // namespace tamis
