// SPDX-License-Identifier: Apache-2.0
// table/table_filter.h -- the filter of one table, as it was loaded.

#pragma once

#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "formats/leveldb/filter_block.h"
#include "formats/tamis/line_view.h"
#include "policy/filter_opener.h"
#include "table/filter_room.h"
#include "table/parted_filter.h"
#include "tamis/filter.h"
#include "tamis/filter_memory.h"
#include "tamis/prefix.h"

namespace tamis {

// Where a filter that is stored in parts is read from, and held.
struct FilterPartsSource {
  std::shared_ptr<const ReadableFile> file;
  // Null: it may take any memory.  REQUIRES: outlives the filter
  FilterRoom* room = nullptr;
  // Null: it is held wholly, or not at all.  REQUIRES: outlives the filter
  PartCache* cache = nullptr;
};

// Immutable once loaded; safe to share among threads.  It owns a copy of its
// bytes, separate from all data blocks.
class TableFilter {
 public:
  enum class Kind {
    kNone,          // the table has none, or it is damaged: always "maybe"
    kLines,         // lines(), queried by a LineHash()
    kParts,         // the same, but its lines are read as needed: parts()
    kWhole,         // of another kind, for the whole table: reader()
    kLevelDbBlock,  // LevelDB's, one per 2 KiB: leveldb_block()
  };

  // How much of a filter is to be in memory.
  static constexpr unsigned kDrop = 0;    // nothing
  static constexpr unsigned kWholly = 1;  // other numbers: folded by so many
  // Its parts are read as they are asked for.
  static constexpr unsigned kInParts = ~0u;
  // What is loaded before there is a plan: all of it; but under a limit, one
  // that is stored in parts is held in parts.
  static constexpr unsigned kAtFirst = ~0u - 1;

  // What is stored of a table's filter, whether it is in memory or not.
  struct Stored {
    std::uint64_t bytes = 0;  // of the whole filter; 0: there is none
    double rate = 1.0;        // expected of it
    std::uint64_t keys = 0;   // in it, or without one in the table; 0: unknown
    // Of one that can be folded: its lines, and its probes; 0: it cannot.
    std::uint64_t lines = 0;
    unsigned probes = 0;
    bool is_per_block = false;  // one of LevelDB's per 2 KiB
    // The memory that it takes when held in parts, without any part; 0: it is
    // not stored so.
    std::uint64_t bytes_in_parts = 0;

    // Divides the lines.  REQUIRES: 2, 4 or 8
    bool FoldsBy(unsigned divisor) const noexcept {
      return lines != 0 && lines % divisor == 0 && lines > divisor;
    }
    // Returns the rate of the filter when folded.
    double RateFoldedBy(unsigned divisor) const noexcept;
    // Returns about the bytes of that.
    std::uint64_t BytesFoldedBy(unsigned divisor) const noexcept {
      return bytes / divisor + kHeaderBytes;
    }
    // The same for any divisor().
    std::uint64_t BytesAt(unsigned divisor) const noexcept {
      if (divisor == kDrop) return 0;
      if (divisor == kInParts) return bytes_in_parts;
      return divisor == kWholly ? bytes : BytesFoldedBy(divisor);
    }

   private:
    static constexpr std::uint64_t kHeaderBytes = 128;
  };

  TableFilter() = default;  // none
  // The same, for a table of so many keys; 0: unknown.
  static std::shared_ptr<const TableFilter> None(std::uint64_t keys);
  // Returns no filter, with the reason why the existing one cannot be used.
  static std::shared_ptr<const TableFilter> Damaged(Status why);
  // Returns no filter, because there is no room for the one that is stored.
  static std::shared_ptr<const TableFilter> NotHeld(const Stored& stored);
  // Opens a filter of our own, folded by `divisor` if that is not kWholly.
  // Returns Damaged() if `bytes` does not open, and NotHeld() if it cannot be
  // folded so or there is no room for it.
  // REQUIRES: a policy by which `opener` opens outlives the filter; the
  // opener's name is the one stored; a room outlives it, too, or is null
  static std::shared_ptr<const TableFilter> OpenWhole(
      Slice bytes, const FilterOpener& opener, FilterRoom* room = nullptr,
      unsigned divisor = kWholly);
  // Opens a filter block of LevelDB.  If it has one filter for the whole table,
  // it becomes kWhole.
  static std::shared_ptr<const TableFilter> OpenLevelDbBlock(
      Slice bytes, std::uint64_t table_bytes, FilterRoom* room = nullptr,
      unsigned divisor = kWholly);

  // Opens a filter that is stored in parts, by its top block: for kWholly or
  // kAtFirst all of it, or else in parts.  Returns Damaged() if the top block
  // is not valid, and NotHeld() if there is no room.  A part that is damaged
  // costs the keys of that part their filter, and no others.
  static std::shared_ptr<const TableFilter> OpenParts(
      Slice top_block, const FilterPartsSource& from, unsigned divisor);

  // Notes that the filter has the prefixes of all keys, too, by the extractor
  // of that name; empty: it has none.  `wanted` is TableReadContext::prefixes.
  // REQUIRES: it was just opened, and nobody else has it
  static std::shared_ptr<const TableFilter> WithPrefixes(
      std::shared_ptr<const TableFilter> filter, std::string_view name,
      const PrefixExtractor* wanted);

  Kind kind() const noexcept { return kind_; }
  // True: it also has the prefixes of all keys, by the extractor that is
  // wanted, each as if it were a key.
  bool has_prefixes() const noexcept { return has_prefixes_; }
  // The name of the extractor whose prefixes it has, wanted or not; empty:
  // none.
  const std::string& prefixes() const noexcept { return prefixes_; }
  const LineView& lines() const noexcept { return lines_; }
  const FilterReader& reader() const noexcept { return *reader_; }
  const PartedFilter& parts() const noexcept { return *parts_; }
  const LevelDbFilterBlockReader& leveldb_block() const noexcept {
    return *leveldb_block_;
  }

  // For kLines, kParts and kWhole: false only if the table certainly does not
  // contain the key.  For the others: true.
  bool MayContain(Slice user_key) const noexcept;

  // The same by HashKey(user_key, *hash_seed()).
  // REQUIRES: hash_seed() has a value; the kind is kLines or kWhole
  bool MayContainHash(std::uint64_t hash) const noexcept {
    return kind_ == Kind::kLines ? lines_.Check(hash)
                                 : reader_->MayContainHash({hash, *hash_seed_});
  }

  double expected_rate() const noexcept { return expected_rate_; }
  // "bloom", "ribbon", "leveldb", ...; empty: none.
  const std::string& kind_name() const noexcept { return kind_name_; }
  std::size_t bytes() const noexcept;  // in memory
  // Not ok: the reason why the table's filter is not used.
  const Status& damage() const noexcept { return damage_; }
  // Parts that were found to be damaged while all of them were read.
  std::uint64_t damaged_parts() const noexcept { return damaged_parts_; }
  const Stored& stored() const noexcept { return stored_; }
  // How much of it is in memory.
  unsigned divisor() const noexcept { return divisor_; }
  // Nothing: it takes no hashes in place of keys.
  std::optional<std::uint64_t> hash_seed() const noexcept { return hash_seed_; }

 private:
  Status Hold(Slice bytes, FilterRoom* room);
  Status HoldAllParts(const FilterPartsTop& top, const FilterPartsSource& from);
  Status HoldTop(const FilterPartsTop& top, const FilterPartsSource& from);
  void TakeLines(const LineView& lines);

  FilterLease lease_;  // first, so that it is returned when memory_ is free
  Kind kind_ = Kind::kNone;
  bool has_prefixes_ = false;
  std::string prefixes_;
  unsigned divisor_ = kDrop;
  Stored stored_;
  std::optional<std::uint64_t> hash_seed_;
  std::optional<FilterMemory> memory_;
  PooledBlock<unsigned char> all_parts_;
  std::unique_ptr<const PartedFilter> parts_;
  std::uint64_t damaged_parts_ = 0;
  LineView lines_;
  std::unique_ptr<const FilterReader> reader_;
  std::optional<LevelDbFilterBlockReader> leveldb_block_;
  std::string kind_name_;
  double expected_rate_ = 1.0;
  Status damage_;
};

}  // namespace tamis
