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

#include "base/named_lines.h"
#include "base/owner_process.h"
#include "store/background_state.h"
#include "store/compactor.h"
#include "store/flusher.h"
#include "store/log_replay.h"
#include "store/store_context.h"
#include "store/store_writer.h"
#include "store/version.h"
#include "store/version_set.h"
#include "store/view_publisher.h"
#include "table/table_builder.h"
#include "tamis/store.h"

namespace tamis {

class Lookup;
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
  // After Open() for reading, whatever it said: somebody who has the store
  // open for writing has changed its files meanwhile.  A log that was flushed
  // and removed would be missing, so what was opened must not be used.
  bool ChangedWhileOpening(const Status& opened);

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
  // ---- open.cc, recover.cc
  Status CheckOptions();
  Result<StoreDirectory> Look();
  Status CheckBeforeLocking();
  Status CheckFilter();
  Status TakeDirectory();
  Status RecoverOrCreate(const StoreDirectory& found);
  Status CreateNew();
  Status OpenTables();
  Status Recover();
  Status RecoverLogs(const ManifestState& state);
  Result<std::vector<ReplayLog>> LogsToReplay(const ManifestState& state);
  Status Replay(const ReplayLog& log, std::vector<FileFacts>* flushed);
  Status ReplayBatch(Slice batch);
  Status CheckNamedFiles(const ManifestState& state);
  bool CanBeContinued(const ReplayLog& log, const ManifestState& state) const;
  Status ContinueLog(const ReplayLog& log);
  Status SaveWhatIsDropped(const std::vector<ReplayLog>& logs);
  Status FlushReplayed(std::vector<FileFacts>* flushed);
  Status StartAnewAfterReplay(std::vector<FileFacts> flushed);

  // ---- remember.cc
  void LoadSettings();
  Status ChooseSeeds();
  bool SettingsAreOurs() const noexcept;
  bool SettingsAreDamaged() const noexcept;
  Status CannotRemember() const;
  Status SaveSettings(bool is_new);

  // ---- background.cc
  Status StartThreads();
  void StopThreads();

  // ---- stats.cc
  static std::string TablesAsText(const Version& version);

  // ---- get.cc
  Sequence SequenceFor(const ReadOptions& options) const noexcept;
  // True: the memtables answered, and *status is the answer.
  bool FindInMemtables(const ReadView& view, const Lookup& lookup,
                       std::string* value, ReadCounters* counters,
                       Status* status) const;

  const OwnerProcess owner_;
  StoreContext context_;
  std::vector<NamedLine> settings_;  // as remembered, or about to be
  bool settings_changed_ = false;
  Status settings_unread_;  // why the file that is there is not used
  std::unique_ptr<BlockCache> cache_;
  std::unique_ptr<FileLock> lock_;
  bool is_new_directory_ = false;  // before we took it there was none

  ViewPublisher views_{context_.mutex};
  BackgroundState background_{context_.mutex, context_.info_log};
  VersionSet versions_{context_, views_, background_};

  StoreWriter writer_{context_, views_, background_, versions_};
  Flusher flusher_{context_, views_, background_, versions_, writer_};
  Compactor compactor_{context_, views_, background_, versions_};

  // Of the manifest that was read at opening; 0: none was.
  std::uint64_t read_manifest_number_ = 0;
  std::uint64_t read_manifest_end_ = 0;
};

}  // namespace tamis
