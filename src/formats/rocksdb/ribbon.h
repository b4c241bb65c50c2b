// SPDX-License-Identifier: Apache-2.0
// formats/rocksdb/ribbon.h -- RocksDB's Standard128 Ribbon, byte for byte; see
// docs/formats/rocksdb-ribbon.md.

#pragma once

#include <memory>

#include "tamis/filter.h"

namespace tamis {

// The setting of NewRibbonFilterPolicy(): the bits per key of the Bloom filter
// with the same rate; a Ribbon needs about 30 % fewer.  Below 0.5 RocksDB has
// no filter, and the builder refuses to write one.
std::unique_ptr<const FilterPolicy> NewRocksDbRibbonPolicy(double bits_per_key);

// Opens bytes whose trailer, of 5 bytes, begins with 0xFE.
// Corruption: any other bytes.  OpenRocksDbFilter() accepts everything that
// RocksDB writes.
Result<std::unique_ptr<const FilterReader>> OpenRocksDbRibbon(Slice bytes);

}  // namespace tamis
