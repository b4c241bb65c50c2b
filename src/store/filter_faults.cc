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
