// SPDX-License-Identifier: Apache-2.0
#include "base/eviction_watch.h"

#include <sys/resource.h>

namespace tamis {

// A system that does not count per thread gives no counts, and then nothing is
// ever taken for evicted.
void EvictionWatch::Look() noexcept {
  until_look_ = kReadsPerLook;
  struct ::rusage usage = {};
  if (::getrusage(RUSAGE_THREAD, &usage) != 0) return;
  Take({.faults = static_cast<std::uint64_t>(usage.ru_majflt),
        .sectors = static_cast<std::uint64_t>(usage.ru_inblock)});
}

}  // namespace tamis
