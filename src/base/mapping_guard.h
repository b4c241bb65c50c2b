// SPDX-License-Identifier: Apache-2.0
// base/mapping_guard.h -- the registry of mappings that the handler of
// GuardMappings() (tamis/env.h) searches.  It is lock-free, so a handler may
// search it at any moment, and a forked child may use it.

#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>

namespace tamis {

// One mapping, or a free slot.
struct MappingSlot {
  std::atomic<bool> is_taken{false};
  std::atomic<bool> is_writable{false};
  std::atomic<bool> faulted{false};
  std::atomic<std::size_t> bytes{0};
  std::atomic<std::uintptr_t> start{0};  // 0: no mapping; written last
};

// Makes the mapping known to the handler.  Null: it is not known, because
// GuardMappings() was not called yet, or there is no memory.
MappingSlot* RegisterMapping(const void* start, std::size_t bytes,
                             bool is_writable) noexcept;
// `slot` may be null.  REQUIRES: the mapping still exists
void UnregisterMapping(MappingSlot* slot) noexcept;

// Unblocks SIGBUS in the calling thread, which may have inherited a signal mask
// that blocks it: if the signal is blocked, a fault ends the process in spite
// of the handler.
void UnblockFaults() noexcept;

}  // namespace tamis
