// SPDX-License-Identifier: Apache-2.0
// sstable/parquet/engine.h -- the filters of Parquet files; not their values.

#pragma once

#include "sstable/engine.h"

namespace tamis {

SstableEngineRow ParquetEngine();

}  // namespace tamis
