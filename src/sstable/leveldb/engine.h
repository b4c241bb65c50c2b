// SPDX-License-Identifier: Apache-2.0
// sstable/leveldb/engine.h -- tables of LevelDB, and of Tamis stores, which are
// tables of LevelDB with further filters.

#pragma once

#include "sstable/engine.h"

namespace tamis {

SstableEngineRow LevelDbEngine();

}  // namespace tamis
