// SPDX-License-Identifier: Apache-2.0
// hash/xxph3.h -- RocksDB's persistent 64-bit hash.

#pragma once

#include <cstdint>

#include "tamis/filter.h"

namespace tamis {

// Returns the same as rocksdb::Hash64(data) with seed 0: XXH3 as it was in
// xxHash 0.7.2, a preview.  It differs from the final XXH3 (see Xxh3()) for
// every length of input.  All Bloom filters of RocksDB from format_version 5
// on, and all its Ribbon filters, use it.
std::uint64_t Xxph3(Slice data) noexcept;

}  // namespace tamis
