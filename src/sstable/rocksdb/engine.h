// SPDX-License-Identifier: Apache-2.0
// sstable/rocksdb/engine.h -- block-based tables of RocksDB.

#pragma once

#include "sstable/engine.h"

namespace tamis {

SstableEngineRow RocksDbEngine();

}  // namespace tamis
