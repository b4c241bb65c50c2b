// SPDX-License-Identifier: Apache-2.0
// store/table_file.h -- one table of a store, from the moment the manifest
// names it until it is no longer needed.  Opened when first read.

#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>

#include "base/mutex.h"
#include "base/owner_process.h"
#include "store/range_filter_slot.h"
#include "store/version_edit.h"
#include "table/quick_table.h"
#include "table/table_reader.h"
#include "tamis/env.h"

namespace tamis {

// The seeds with which a store hashes keys for line filters; a lookup hashes
// once for each that it needs.  Filters with other seeds are queried one by
// one.
struct LineSeeds {
  std::uint64_t own = 0;    // of new tables, and of memtables
  std::uint64_t other = 0;  // of older tables; the same: there is no other
};

// What the tables of one store share.  REQUIRES: outlives them
struct TableFileContext {
  Env* env = nullptr;
  std::string dir;
  TableReadContext read;
  bool map = true;
  bool use_filters = true;
  LineSeeds seeds = {};
  // Called for every filter that cannot be used, if it is not empty.  Any
  // thread may call it.
  std::function<void(const std::string& what)> filter_damaged = {};
  // Called for every filter that is loaded, if it is not empty; likewise.
  std::function<void(const TableFilter& filter)> filter_loaded = {};
  // The same for parts of filters that are stored in parts: how many, and what
  // they are of, but only for the first of a table.
  std::function<void(const std::string& what, std::uint64_t parts)>
      parts_damaged = {};
  OwnerProcess owner = {};  // of the files
  // Filters beside tables that are useless are removed.
  bool removes_useless_filters = false;
  // A table with a range filter was found.
  mutable std::atomic<bool> has_range_filters{false};
};

// Safe to share among threads.
class TableFile {
 public:
  TableFile(const TableFileContext& context, FileMetadata metadata);
  // Removes the file if MarkObsolete() was called, though not in a child that
  // was forked: the parent may still read it.
  ~TableFile();
  TableFile(const TableFile&) = delete;
  TableFile& operator=(const TableFile&) = delete;

  const FileMetadata& metadata() const noexcept { return metadata_; }
  std::uint64_t number() const noexcept { return metadata_.number; }
  std::uint64_t bytes() const noexcept { return metadata_.bytes; }
  Slice smallest() const noexcept { return metadata_.smallest; }
  Slice largest() const noexcept { return metadata_.largest; }
  const LineSeeds& seeds() const noexcept { return context_.seeds; }

  // Null: not open yet.
  const Table* opened() const noexcept {
    return table_.load(std::memory_order_acquire);
  }
  // Opens the table if necessary.  An error is not kept: the next call retries.
  Result<const Table*> Open() const TAMIS_EXCLUDES(mutex_) {
    const Table* table = table_.load(std::memory_order_acquire);
    if (table != nullptr) return table;
    return OpenNow();
  }

  // Null: not loaded yet.  It may be replaced: it lasts as long as a guard of
  // the store's readers that was there before, or as the store's mutex is held.
  const TableFilter* loaded_filter() const noexcept {
    return filter_.load(std::memory_order_seq_cst);
  }
  // Loads the filter if necessary; of kind kNone if there is none that can be
  // used.  It lasts as loaded_filter() does.  An error: the table itself does
  // not open.
  Result<const TableFilter*> Filter() const TAMIS_EXCLUDES(mutex_);

  // The filter of the table's blocks, which is loaded after its filter.  Null:
  // there is none in memory.  It lasts as loaded_filter() does.
  const HeldBlockFilter* block_filter() const noexcept {
    return block_filter_.load(std::memory_order_seq_cst);
  }

  // The range filter of the table.  Null: there is none that can be used; or
  // it could not be looked for, and the next call tries again.  It lasts as
  // loaded_filter() does.
  const HeldRangeFilter* RangeFilter() const {
    return ranges_.is_loaded() ? ranges_.held() : LoadRangeFilter();
  }
  // The same, but only if it is in memory.
  const HeldRangeFilter* range_filter() const noexcept {
    return ranges_.held();
  }

  // ---- a limit of the memory for filters

  // Returns the filter, which lookups no longer see: they do without, until
  // ReloadFilter().  The caller frees it when no reader can use it any more.
  std::shared_ptr<const TableFilter> DropFilter() const TAMIS_EXCLUDES(mutex_);
  // The same for good, loaded or not: nothing is held of it any more, even if
  // it is asked for.
  std::shared_ptr<const TableFilter> RetireFilter() const
      TAMIS_EXCLUDES(mutex_);
  // Loads so much of the filter (TableFilter::divisor()) as there is room for.
  // REQUIRES: DropFilter() was called, and no reader uses what it returned
  void ReloadFilter(unsigned divisor) const TAMIS_EXCLUDES(mutex_);
  // Reports parts of its filter that were found to be damaged.
  void NoteDamagedParts(std::uint64_t parts) const;
  // The same of the filter of its blocks.
  std::shared_ptr<const HeldBlockFilter> DropBlockFilter() const
      TAMIS_EXCLUDES(mutex_);
  // Returns true if it is in memory.  REQUIRES: it was not
  bool ReloadBlockFilter() const TAMIS_EXCLUDES(mutex_);
  // Returns the memory that it would take; 0: it is there, or there is none.
  std::uint64_t missing_block_filter_bytes() const TAMIS_EXCLUDES(mutex_);
  // The same of the range filter.
  std::shared_ptr<const HeldRangeFilter> DropRangeFilter() const {
    return ranges_.Drop();
  }
  std::shared_ptr<const HeldRangeFilter> RetireRangeFilter() const {
    return ranges_.Retire();
  }
  bool ReloadRangeFilter() const;
  std::uint64_t missing_range_filter_bytes() const {
    return ranges_.missing_bytes();
  }
  // Counts a lookup, one of many, that asked this table.
  void NoteAsked() const noexcept {
    asked_.fetch_add(1, std::memory_order_relaxed);
  }
  std::uint64_t asked() const noexcept {
    return asked_.load(std::memory_order_relaxed);
  }
  // So that what was asked long ago counts less.
  void HalveAsked() const noexcept {
    asked_.store(asked() / 2, std::memory_order_relaxed);
  }

  // ---- loading by another thread, while lookups do without

  // Looks the key up in a table that is not open yet, without a filter; as
  // QuickTable::Get().
  bool GetQuickly(const LookupKey& key, std::string* value,
                  LookupResult* result) const;
  // Opens the table and loads its filter.  Lookups that come meanwhile do not
  // wait for it.
  Status Load() const TAMIS_EXCLUDES(mutex_);
  // True for one caller: it is in charge of Load(), and then EndLoading().
  bool ClaimLoading() const noexcept {
    Loading expected = Loading::kNotClaimed;
    return loading_.load(std::memory_order_relaxed) == expected &&
           loading_.compare_exchange_strong(expected, Loading::kClaimed);
  }
  bool has_ended_loading() const noexcept {
    return loading_.load(std::memory_order_acquire) == Loading::kEnded;
  }
  void EndLoading() const noexcept {
    loading_.store(Loading::kEnded, std::memory_order_release);
  }

  // Removes the filter beside the table if it was found to be useless while
  // TableFileContext::removes_useless_filters was not set yet.
  void RemoveUselessFilter() const;

  // The manifest no longer names it: the destructor removes the file, and the
  // filter beside it.
  void MarkObsolete() const noexcept {
    is_obsolete_.store(true, std::memory_order_relaxed);
  }

 private:
  enum class Loading { kNotClaimed, kClaimed, kEnded };

  Result<const Table*> OpenNow() const TAMIS_EXCLUDES(mutex_);
  Result<std::shared_ptr<const ReadableFile>> OpenFile(std::string* path) const;
  Result<std::unique_ptr<Table>> NewTable() const TAMIS_EXCLUDES(quick_mutex_);
  // Reads the filter beside the table, or else that in the table.
  std::shared_ptr<const TableFilter> NewFilter(
      const Table& table, unsigned divisor = TableFilter::kAtFirst) const;
  std::shared_ptr<const TableFilter> FilterBeside(const Table& table,
                                                  unsigned divisor) const;
  // Keep the first that comes.
  const Table* Keep(std::unique_ptr<Table> table) const TAMIS_REQUIRES(mutex_);
  std::shared_ptr<const HeldBlockFilter> NewBlockFilter(
      const Table& table) const;
  // Returns true if this is the first.
  bool Keep(std::shared_ptr<const TableFilter> filter,
            std::shared_ptr<const HeldBlockFilter> block_filter) const noexcept
      TAMIS_REQUIRES(mutex_);
  std::shared_ptr<const TableFilter> Replace(
      const TableFilter::Stored& stored) const TAMIS_REQUIRES(mutex_);
  void KeepBlockFilter(std::shared_ptr<const HeldBlockFilter> filter)
      const noexcept TAMIS_REQUIRES(mutex_);
  std::shared_ptr<const HeldRangeFilter> ReadRangeFilter(
      const Table& table) const;
  const HeldRangeFilter* LoadRangeFilter() const;
  void LoadRangeFilterOf(const Table& table) const;
  void ReportDamage(const Status& damage) const;
  // What was loaded.  `block_filter`: null, it was not.
  void Report(const TableFilter& filter,
              const HeldBlockFilter* block_filter) const;
  std::shared_ptr<const QuickTable> Quick() const TAMIS_EXCLUDES(quick_mutex_);
  bool is_loaded() const noexcept {
    return opened() != nullptr && loaded_filter() != nullptr;
  }
  KeyBounds Bounds() const noexcept {
    return {.smallest = metadata_.smallest, .largest = metadata_.largest};
  }

  const TableFileContext& context_;
  const FileMetadata metadata_;
  mutable Mutex mutex_;  // held while opening
  mutable std::unique_ptr<Table> owned_table_ TAMIS_GUARDED_BY(mutex_);
  mutable std::atomic<const Table*> table_{nullptr};
  mutable std::shared_ptr<const TableFilter> owned_filter_
      TAMIS_GUARDED_BY(mutex_);
  mutable std::atomic<const TableFilter*> filter_{nullptr};
  // The placeholder that was there before the last ReloadFilter().
  mutable std::shared_ptr<const TableFilter> dropped_ TAMIS_GUARDED_BY(mutex_);
  // Null: the table has none, or it is not loaded yet.
  mutable std::shared_ptr<const HeldBlockFilter> owned_block_filter_
      TAMIS_GUARDED_BY(mutex_);
  mutable std::atomic<const HeldBlockFilter*> block_filter_{nullptr};
  mutable RangeFilterSlot ranges_;
  // Held for moments only.
  mutable Mutex quick_mutex_;
  // Null: not read so yet, or loaded since.
  mutable std::shared_ptr<const QuickTable> quick_
      TAMIS_GUARDED_BY(quick_mutex_);
  mutable std::atomic<Loading> loading_{Loading::kNotClaimed};
  mutable std::atomic<bool> is_obsolete_{false};
  mutable std::atomic<bool> has_useless_filter_{false};
  mutable std::atomic<std::uint64_t> asked_{0};
  mutable std::atomic<bool> has_damaged_parts_{false};  // and said so
};

}  // namespace tamis
