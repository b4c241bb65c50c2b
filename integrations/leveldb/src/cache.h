// SPDX-License-Identifier: Apache-2.0
// cache.h -- a program's cache as one of ours.

#pragma once

#include <memory>

#include <leveldb/cache.h>

#include "tamis/block_cache.h"

namespace tamis::dropin {

// REQUIRES: `theirs` outlives the result
std::shared_ptr<BlockCache> AdaptCache(leveldb::Cache* theirs);

}  // namespace tamis::dropin
