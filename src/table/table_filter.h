// SPDX-License-Identifier: Apache-2.0
// table/table_filter.h -- the filter of one table, as it was loaded.

#pragma once

#include <memory>
#include <optional>
#include <string>

#include "formats/leveldb/filter_block.h"
#include "formats/tamis/line_view.h"
#include "policy/filter_opener.h"
#include "tamis/filter.h"
#include "tamis/filter_memory.h"

namespace tamis {

// Immutable once loaded; safe to share among threads.  It owns a copy of its
// bytes, separate from all data blocks.
class TableFilter {
 public:
  enum class Kind {
    kNone,          // the table has none, or it is damaged: always "maybe"
    kLines,         // lines(), queried by a LineHash()
    kWhole,         // of another kind, for the whole table: reader()
    kLevelDbBlock,  // LevelDB's, one per 2 KiB: leveldb_block()
  };

  TableFilter() = default;  // none
  // Returns no filter, with the reason why the existing one cannot be used.
  static std::shared_ptr<const TableFilter> Damaged(Status why);
  // Opens a filter of our own.  Returns Damaged() if `bytes` does not open.
  // REQUIRES: a policy by which `opener` opens outlives the filter; the
  // opener's name is the one stored
  static std::shared_ptr<const TableFilter> OpenWhole(
      Slice bytes, const FilterOpener& opener);
  // Opens a filter block of LevelDB.  If it has one filter for the whole table,
  // it becomes kWhole.
  static std::shared_ptr<const TableFilter> OpenLevelDbBlock(
      Slice bytes, std::uint64_t table_bytes);

  Kind kind() const noexcept { return kind_; }
  const LineView& lines() const noexcept { return lines_; }
  const FilterReader& reader() const noexcept { return *reader_; }
  const LevelDbFilterBlockReader& leveldb_block() const noexcept {
    return *leveldb_block_;
  }

  // For kLines and kWhole: false only if the table certainly does not contain
  // the key.  For the others: true.
  bool MayContain(Slice user_key) const noexcept;

  double expected_rate() const noexcept { return expected_rate_; }
  // "bloom", "ribbon", "leveldb", ...; empty: none.
  const std::string& kind_name() const noexcept { return kind_name_; }
  std::size_t bytes() const noexcept;  // in memory
  // Not ok: the reason why the table's filter is not used.
  const Status& damage() const noexcept { return damage_; }

 private:
  Kind kind_ = Kind::kNone;
  std::optional<FilterMemory> memory_;
  LineView lines_;
  std::unique_ptr<const FilterReader> reader_;
  std::optional<LevelDbFilterBlockReader> leveldb_block_;
  std::string kind_name_;
  double expected_rate_ = 1.0;
  Status damage_;
};

}  // namespace tamis
