// store/store_impl.h -- the LSM tree.  One verb per file: get.cc, write.cc,
// flush.cc, compact_run.cc, recover.cc ...; start reading at get.cc.
//
// Who may touch what:
//   reads        a ReaderSlots::Guard and view_; no lock
//   mutex_       the writers' queue, the memtables, the numbers, the errors;
//                held briefly, never while a file is written
//   edit_mutex_  the manifest, and so who makes the next version; taken before
//                mutex_, never within it
// The writer at the front of the queue alone appends to the log and adds to
// the memtable, without any of the mutexes.

#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <thread>
#include <vector>

#include "base/owner_process.h"
#include "store/background_state.h"
#include "store/compactor.h"
#include "store/flusher.h"
#include "store/recovery.h"
#include "store/remembered_settings.h"
#include "store/store_context.h"
#include "store/store_writer.h"
#include "store/version.h"
#include "store/version_set.h"
#include "store/view_publisher.h"
#include "table/table_builder.h"
#include "tamis/store.h"

namespace tamis {

struct StoreDirectory;

class StoreImpl {
 public:
  StoreImpl(std::string dir, const StoreOptions& options);
  ~StoreImpl();
  StoreImpl(const StoreImpl&) = delete;
  StoreImpl& operator=(const StoreImpl&) = delete;

  // Everything of Store::Open().  Called once, first.
  Status Open();
  // False in a child that was forked since: it has a copy of the store, but
  // the files, the lock and the threads are its parent's.  A copy must not
  // even be destroyed.
  bool IsOwned() const noexcept { return owner_.IsHere(); }
  // See Recovery.
  bool ChangedWhileOpening(const Status& opened) const {
    return recovery_.HasChangedSince(opened);
  }

  // ---- get.cc, multi_get.cc, explain.cc
  Status Get(const ReadOptions& options, Slice key, std::string* value);
  void MultiGet(const ReadOptions& options, std::span<const Slice> keys,
                std::span<std::string> values, std::span<Status> statuses);
  Explanation Explain(const ReadOptions& options, Slice key);

  // ---- store_iterator.cc
  std::unique_ptr<Iterator> NewIterator(const ReadOptions& options);
  std::unique_ptr<const Snapshot> GetSnapshot();

  // ---- store_writer.h
  Status Write(const WriteOptions& options, WriteBatch* batch) {
    return writer_.Write(options, batch);
  }
  Status Flush() { return writer_.Flush(); }

  Result<CompactReport> Compact(const CompactOptions& options);
  Status WaitForQuiet();

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
  Status CheckFilter();
  Status ChooseSeeds();
  Status TakeDirectory();
  Status RecoverOrCreate(const StoreDirectory& found);
  Status CreateNew();
  Status OpenTables();

  // ---- background.cc
  Status StartThreads();
  void StopThreads();

  // ---- stats.cc
  static std::string TablesAsText(const Version& version);

  // ---- get.cc
  Sequence SequenceFor(const ReadOptions& options) const noexcept;

  const OwnerProcess owner_;
  StoreContext context_;
  RememberedSettings settings_{context_};
  std::unique_ptr<BlockCache> cache_;
  std::unique_ptr<FileLock> lock_;
  bool is_new_directory_ = false;  // before we took it there was none

  ViewPublisher views_{context_.mutex};
  BackgroundState background_{context_.mutex, context_.info_log};
  VersionSet versions_{context_, views_, background_};

  StoreWriter writer_{context_, views_, background_, versions_};
  Flusher flusher_{context_, views_, background_, versions_, writer_};
  Compactor compactor_{context_, views_, background_, versions_};

  Recovery recovery_{context_, views_, versions_, writer_};
};

}  // namespace tamis
