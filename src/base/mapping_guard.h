// SPDX-License-Identifier: Apache-2.0
// base/mapping_guard.h -- the register of mappings that the handler of
// GuardMappings() (tamis/env.h) looks into.  It takes no lock anywhere, so a
// handler may look at any moment, and a forked child may go on.

#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>

namespace tamis {

// One mapping, or room for one.
struct MappingSlot {
  std::atomic<bool> is_taken{false};
  std::atomic<bool> is_writable{false};
  std::atomic<bool> faulted{false};
  std::atomic<std::size_t> bytes{0};
  std::atomic<std::uintptr_t> start{0};  // 0: no mapping; written last
};

// From now on the handler knows the mapping.  Null: it does not, because
// GuardMappings() was not called yet, or there is no memory.
MappingSlot* RegisterMapping(const void* start, std::size_t bytes,
                             bool is_writable) noexcept;
// Null is fine.  REQUIRES: what is there is not unmapped yet
void UnregisterMapping(MappingSlot* slot) noexcept;

// Lets SIGBUS through in the calling thread, which may have it blocked because
// the thread that began it has: with the signal blocked a fault ends the
// process, handler or not.
void UnblockFaults() noexcept;

}  // namespace tamis
