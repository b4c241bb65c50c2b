// SPDX-License-Identifier: Apache-2.0
// store/filter_faults.h -- records filters that cannot be used or built.

#pragma once

#include <atomic>
#include <cstdint>
#include <string>

#include "base/mutex.h"
#include "store/info_log.h"

namespace tamis {

// Counts them and remembers the last; each is written to the info log.
// Thread-safe.
class FilterFaults {
 public:
  // REQUIRES: the log outlives this
  explicit FilterFaults(InfoLog& log) : log_(log) {}

  // A table's filter cannot be used.  `what` names the table and says why.
  void NoteDamaged(const std::string& what) TAMIS_EXCLUDES(mutex_);
  // Parts of a filter that is stored in parts cannot be used.  `what` is empty
  // unless these are the first of that table.
  void NoteDamagedParts(const std::string& what, std::uint64_t parts)
      TAMIS_EXCLUDES(mutex_);
  // A table was written without a filter that it should have.
  void NoteNotBuilt(const std::string& what) TAMIS_EXCLUDES(mutex_);

  std::uint64_t damaged() const noexcept {
    return damaged_.load(std::memory_order_relaxed);
  }
  std::uint64_t damaged_parts() const noexcept {
    return damaged_parts_.load(std::memory_order_relaxed);
  }
  std::uint64_t not_built() const noexcept {
    return not_built_.load(std::memory_order_relaxed);
  }
  // Empty: there was none.
  std::string last_damaged() const TAMIS_EXCLUDES(mutex_);
  std::string last_not_built() const TAMIS_EXCLUDES(mutex_);

 private:
  InfoLog& log_;
  std::atomic<std::uint64_t> damaged_{0};
  std::atomic<std::uint64_t> damaged_parts_{0};
  std::atomic<std::uint64_t> not_built_{0};
  mutable Mutex mutex_;
  std::string last_damaged_ TAMIS_GUARDED_BY(mutex_);
  std::string last_not_built_ TAMIS_GUARDED_BY(mutex_);
};

}  // namespace tamis
