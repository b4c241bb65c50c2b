// SPDX-License-Identifier: Apache-2.0
// hash/murmur2.h -- MurmurHash2 as Cassandra 0.7 to 1.1 used it.

#pragma once

#include "hash/hash128.h"
#include "tamis/filter.h"

namespace tamis {

// The two hashes of a key in filters of the sstable versions "f" to "hf":
// h1 with seed 0, h2 with the low 32 bits of h1 as its seed.
Hash128 Murmur2CassandraPair(Slice data) noexcept;

}  // namespace tamis
