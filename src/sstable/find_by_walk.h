// SPDX-License-Identifier: Apache-2.0
// sstable/find_by_walk.h -- looks for a key where nothing leads to it.

#pragma once

#include "tamis/result.h"
#include "tamis/sstable.h"

namespace tamis {

// As Sstable::Find(), by reading keys until this one comes.
Result<StoredEntry> FindByWalk(const Sstable& sstable, Slice user_key);

}  // namespace tamis
