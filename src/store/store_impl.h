// SPDX-License-Identifier: Apache-2.0
// store/store_impl.h -- the LSM tree: puts the parts of a store together, opens
// and closes them, and reads.  Start at get.cc.
//
// The header of each part says what it owns and which lock guards it.
//   reads         a ReaderSlots::Guard and the view that ViewPublisher shows;
//                 no lock, except to request a table that is not loaded
//   kStoreMutex   the queue of writers, the view that comes next, the errors of
//                 background work; held for moments
//   kWriteTurn    the log and the memtable: the writer at the front of the
//                 queue alone appends to them, without a mutex
//   VersionSet    has a mutex of its own, held while the manifest is written;
//                 taken before the store's mutex, never after it
//
// "---- file.cc" precedes what that file defines.

#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/owner_process.h"
#include "store/background_state.h"
#include "store/compactor.h"
#include "store/filter_budget.h"
#include "store/filter_file_maker.h"
#include "store/flusher.h"
#include "store/preparer.h"
#include "store/range_scan.h"
#include "store/recovery.h"
#include "store/remembered_settings.h"
#include "store/router_keeper.h"
#include "store/skipping_iterator.h"
#include "store/store_context.h"
#include "store/store_writer.h"
#include "store/table_loader.h"
#include "store/version.h"
#include "store/version_set.h"
#include "store/view_publisher.h"
#include "tamis/store.h"

namespace tamis {

struct StoreDirectory;
struct TableReading;
class LoadRequests;
struct ScanPlace;
class ScanLimits;

class StoreImpl {
 public:
  StoreImpl(std::string dir, const StoreOptions& options);
  ~StoreImpl();
  StoreImpl(const StoreImpl&) = delete;
  StoreImpl& operator=(const StoreImpl&) = delete;

  // ---- open.cc
  // Everything of Store::Open().  Called once, first.
  Status Open();
  // See Recovery.
  bool ChangedWhileOpening(const Status& opened) const {
    return recovery_.HasChangedSince(opened);
  }
  // False in a child that was forked since: it has a copy of the store, but the
  // files, the lock and the threads belong to its parent.  A copy must not even
  // be destroyed.
  bool IsOwned() const noexcept { return owner_.IsHere(); }

  // ---- get.cc
  Status Get(const ReadOptions& options, Slice key, std::string* value);
  // ---- multi_get.cc
  void MultiGet(const ReadOptions& options, std::span<const Slice> keys,
                std::span<std::string> values, std::span<Status> statuses);
  // ---- explain.cc
  Explanation Explain(const ReadOptions& options, Slice key);
  // ---- store_iterator.cc
  std::unique_ptr<Iterator> NewIterator(const ReadOptions& options);
  std::unique_ptr<const Snapshot> GetSnapshot();

  // ---- by StoreWriter
  // Consumes the batch's bytes.
  Status Write(const WriteOptions& options, WriteBatch* batch) {
    return writer_.Write(options, batch);
  }
  Status Flush() { return writer_.Flush(); }

  // ---- background.cc
  Result<CompactReport> Compact(const CompactOptions& options);
  Status WaitForQuiet();
  Status SetFilterMemory(std::optional<std::uint64_t> bytes);

  // ---- stats.cc
  StoreStats Stats() const;
  std::vector<std::uint64_t> ApproximateSizes(
      std::span<const KeyRange> ranges) const;
  Result<std::string> Property(std::string_view name) const;

 private:
  // ---- open.cc
  Status CheckOptions();
  Result<StoreDirectory> Look();
  Status CheckBeforeLocking();
  Status ChooseSeeds();
  Status TakeDirectory();
  Status RecoverOrCreate(const StoreDirectory& found);
  Status CreateNew();
  Status OpenTables();
  void RemoveUselessFilters();
  bool makes_filter_files() const noexcept {
    return context_.options.filter_files && !context_.options.read_only &&
           context_.options.filter_use == FilterUse::kOn;
  }

  // ---- background.cc
  Status StartThreads();
  void StopThreads();

  // ---- get.cc
  Sequence SequenceFor(const ReadOptions& options) const noexcept;
  TableReading ReadingFor(const ReadOptions& options, const Version& version,
                          LoadRequests* requests) const noexcept;

  // ---- store_iterator.cc
  std::optional<RangeScan> RangesFor(const ScanLimits& limits);
  std::vector<SkippedTables> TablesFor(const ReadOptions& options,
                                       const ReadView& view,
                                       const ScanLimits& limits,
                                       const RangeScan* ranges,
                                       ReadCounters* counters);
  struct PrefixRange {
    const ScanLimits& limits;
    Slice prefix;  // of every key within them
  };
  std::optional<Slice> PrefixOf(const ScanLimits& limits) const;
  std::vector<ScanPlace> PlacesOf(const ReadOptions& options,
                                  const ReadView& view,
                                  const PrefixRange& range,
                                  ReadCounters* counters);

  // ---- stats.cc
  static std::string TablesAsText(const Version& version);

  const OwnerProcess owner_;
  StoreContext context_;
  RememberedSettings settings_{context_};
  std::shared_ptr<BlockCache> cache_;  // of the tables, which it outlives
  std::unique_ptr<FileLock> lock_;     // held until all files are closed
  bool is_new_directory_ = false;      // we created it
  bool uses_custom_filters_ = false;   // leveldb_filter_policy, for reading
  ViewPublisher views_{context_.mutex};
  BackgroundState background_{context_.mutex, context_.info_log};
  VersionSet versions_{context_, views_, background_};
  Preparer preparer_{context_, background_};
  StoreWriter writer_{context_, views_, background_, versions_, preparer_};
  FilterBudget budget_{context_, views_, versions_};
  Flusher flusher_{context_, views_, background_, versions_, writer_, budget_};
  Compactor compactor_{context_, views_, background_, versions_, budget_};
  TableLoader loader_{context_, background_, budget_};
  RouterKeeper router_{context_, views_, background_, versions_, budget_};
  FilterFileMaker filter_files_{context_, views_, background_, budget_};
  Recovery recovery_{context_, views_, versions_, writer_};
};

}  // namespace tamis
