// SPDX-License-Identifier: Apache-2.0
// store/version_set.h -- which files a store has: the manifest, the version
// that it makes, the numbers of files, and what is obsolete.

#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "base/mutex.h"
#include "store/background_state.h"
#include "store/manifest.h"
#include "store/store_context.h"
#include "store/version.h"
#include "store/version_edit.h"
#include "store/view_publisher.h"

namespace tamis {

// Thread-safe.  A thread that makes the next version holds edit_mutex_, also
// while the manifest is written; it is taken before the store's mutex, never
// after.
class VersionSet {
 public:
  // Changes the view that is about to be published.  It runs under the store's
  // mutex, and must not fail: the manifest has the edit already.
  using ViewChange = std::function<void(ReadView* next)>;

  // REQUIRES: all outlive this
  VersionSet(StoreContext& context, ViewPublisher& views,
             BackgroundState& background);
  VersionSet(const VersionSet&) = delete;
  VersionSet& operator=(const VersionSet&) = delete;

  // ---- opening, before anything else

  // Continues from the manifest that was read.
  void Inherit(const ManifestState& state)
      TAMIS_EXCLUDES(edit_mutex_, kStoreMutex);
  // Writes the first manifest of a store without tables.
  Status Start(std::uint64_t log_number)
      TAMIS_EXCLUDES(edit_mutex_, kStoreMutex);
  // Removes files that a crash has left behind.  Those that cannot be removed
  // stay.
  // REQUIRES: all files that the manifest names are there, and no other thread
  // uses the store yet
  void RemoveObsoleteFiles() TAMIS_EXCLUDES(edit_mutex_, kStoreMutex);

  // ---- numbers of files

  std::uint64_t NewFileNumber() noexcept {
    return next_file_number_.fetch_add(1, std::memory_order_relaxed);
  }
  // Marks that number as used.  REQUIRES: no other thread uses the store yet
  void SkipFileNumber(std::uint64_t number) noexcept;

  // ---- versions

  // Writes the edit to the manifest, then publishes the version that it makes.
  // On error readers see the same as before.
  Status LogAndApply(VersionEdit edit, const ViewChange& change = {})
      TAMIS_EXCLUDES(edit_mutex_, kStoreMutex);
  // Calls work(version) with the current one, which stays that meanwhile.  May
  // throw what that throws.
  void WhileUnchanged(const std::function<void(const Version&)>& work)
      TAMIS_EXCLUDES(edit_mutex_, kStoreMutex);
  // Returns tables that versions no longer have, though iterators may, each
  // once.  REQUIRES: called by the work of WhileUnchanged()
  std::vector<std::weak_ptr<const TableFile>> TakeRemoved();
  // Removes the logs whose writes are all in tables.
  void RemoveOldLogs() TAMIS_EXCLUDES(edit_mutex_, kStoreMutex);

 private:
  ManifestState StateOf(const Version& version) const
      TAMIS_REQUIRES(edit_mutex_);
  Status WriteEdit(VersionEdit* edit, const Version& next)
      TAMIS_REQUIRES(edit_mutex_);
  Status NoteObsoleteTables(const Version& next, VersionEdit* full)
      TAMIS_REQUIRES(edit_mutex_);
  void OpenAdded(const VersionEdit& edit, const Version& next) const noexcept;
  std::vector<std::string> ObsoleteFiles() const
      TAMIS_EXCLUDES(edit_mutex_, kStoreMutex);
  bool NeedsNewManifest() const TAMIS_EXCLUDES(edit_mutex_, kStoreMutex);

  StoreContext& context_;
  ViewPublisher& views_;
  BackgroundState& background_;
  std::atomic<std::uint64_t> next_file_number_{1};

  mutable Mutex edit_mutex_;
  Manifest manifest_ TAMIS_GUARDED_BY(edit_mutex_);
  std::vector<std::weak_ptr<const TableFile>> removed_
      TAMIS_GUARDED_BY(edit_mutex_);
  // The writes of logs below this number are in tables.
  std::uint64_t log_number_ TAMIS_GUARDED_BY(edit_mutex_) = 0;
};

}  // namespace tamis
