// SPDX-License-Identifier: Apache-2.0
#include "store/filter_faults.h"

namespace tamis {

void FilterFaults::NoteDamaged(const std::string& what) {
  damaged_.fetch_add(1, std::memory_order_relaxed);
  {
    const MutexLock lock(mutex_);
    last_damaged_ = what;
  }
  log_.Write("filter cannot be used, the table is read without: " + what);
}

void FilterFaults::NoteDamagedParts(const std::string& what,
                                    std::uint64_t parts) {
  damaged_parts_.fetch_add(parts, std::memory_order_relaxed);
  if (what.empty()) return;
  {
    const MutexLock lock(mutex_);
    last_damaged_ = what;
  }
  log_.Write("a part of a filter cannot be used, its keys are read without: " +
             what);
}

void FilterFaults::NoteNotBuilt(const std::string& what) {
  not_built_.fetch_add(1, std::memory_order_relaxed);
  {
    const MutexLock lock(mutex_);
    last_not_built_ = what;
  }
  log_.Write("filter cannot be built, the table is written without: " + what);
}

std::string FilterFaults::last_damaged() const {
  const MutexLock lock(mutex_);
  return last_damaged_;
}

std::string FilterFaults::last_not_built() const {
  const MutexLock lock(mutex_);
  return last_not_built_;
}

}  // namespace tamis
