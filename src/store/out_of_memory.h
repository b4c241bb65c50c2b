// SPDX-License-Identifier: Apache-2.0
// store/out_of_memory.h -- what a store returns if there is no memory for an
// iterator or a snapshot: static objects that need none.

#pragma once

#include <memory>

#include "tamis/store.h"

namespace tamis {

// Returns an iterator at no entry, whose status reports the lack of memory.
std::unique_ptr<Iterator> OutOfMemoryIterator() noexcept;

// Reads of it fail: the store must check IsOutOfMemory() before it uses a
// snapshot.
std::unique_ptr<const Snapshot> OutOfMemorySnapshot() noexcept;
bool IsOutOfMemory(const Snapshot* snapshot) noexcept;

}  // namespace tamis
