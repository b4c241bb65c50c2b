// SPDX-License-Identifier: Apache-2.0
// store/out_of_memory.h -- what a store gives where there is no memory for an
// iterator or a snapshot: one of each for all, which takes none.

#pragma once

#include <memory>

#include "tamis/store.h"

namespace tamis {

// Stands at no entry, for the reason that there was no memory.
std::unique_ptr<Iterator> OutOfMemoryIterator() noexcept;

// Reads of it fail: the store must ask IsOutOfMemory() before it looks at a
// snapshot.
std::unique_ptr<const Snapshot> OutOfMemorySnapshot() noexcept;
bool IsOutOfMemory(const Snapshot* snapshot) noexcept;

}  // namespace tamis
