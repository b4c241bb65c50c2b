// SPDX-License-Identifier: Apache-2.0
// store/recovery.h -- opens an existing store: the manifest says which tables
// it has, and the logs have the writes that were not in tables yet.

#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "store/log_replay.h"
#include "store/manifest.h"
#include "store/store_context.h"
#include "store/store_writer.h"
#include "store/version_set.h"
#include "store/view_publisher.h"

namespace tamis {

// Used by one thread, before others exist.
class Recovery {
 public:
  // REQUIRES: all outlive this
  Recovery(StoreContext& context, ViewPublisher& views, VersionSet& versions,
           StoreWriter& writer);
  Recovery(const Recovery&) = delete;
  Recovery& operator=(const Recovery&) = delete;

  // Publishes the contents of the store, and gives the writer its log.  Called
  // once.  Corruption: a file is damaged or missing; nothing was written.
  Status Run();

  // After Run() of a read-only store, whatever its result: true if a writer has
  // changed the store's files meanwhile.  A log that was flushed and removed
  // would be missing, so what was opened must not be used.
  bool HasChangedSince(const Status& opened) const;

 private:
  Status CheckNamedFiles(const ManifestState& state);
  Result<std::vector<ReplayLog>> LogsToReplay(const ManifestState& state);
  Status RecoverLogs(const ManifestState& state);
  Status Replay(const ReplayLog& log);
  Status ReplayBatch(Slice batch);
  Status FlushReplayed();
  bool CanBeContinued(const ReplayLog& log, const ManifestState& state) const;
  Status ContinueLog(const ReplayLog& log);
  Status SaveWhatIsDropped(const std::vector<ReplayLog>& logs);
  Status StartAnew();
  // Publishes memtable_ as that of the log.
  void PublishMemtable(std::uint64_t log_number) TAMIS_EXCLUDES(kStoreMutex);

  StoreContext& context_;
  ViewPublisher& views_;
  VersionSet& versions_;
  StoreWriter& writer_;
  // Of the manifest that was read; 0: none was.
  std::uint64_t manifest_number_ = 0;
  std::uint64_t manifest_end_ = 0;
  std::shared_ptr<Memtable> memtable_;  // receives what is replayed
  Sequence last_sequence_ = 0;          // of what was found so far
  std::vector<FileMetadata> flushed_;   // tables of what was replayed
};

}  // namespace tamis
