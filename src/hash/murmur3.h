// SPDX-License-Identifier: Apache-2.0
// hash/murmur3.h -- MurmurHash3 for 64-bit machines, 128 bits wide.

#pragma once

#include <cstdint>

#include "hash/hash128.h"
#include "tamis/filter.h"

namespace tamis {

// MurmurHash3_x64_128: both lanes start with `seed`, zero-extended.
Hash128 Murmur3(Slice data, std::uint32_t seed = 0) noexcept;

// As Cassandra (since 1.2) and ScyllaDB compute it: seed 0, and each of the
// last n mod 16 bytes is sign-extended, so that a byte of 0x80 or more also
// flips the bits above it.  Equal to Murmur3(data) if there is no such byte.
Hash128 Murmur3Cassandra(Slice data) noexcept;

}  // namespace tamis
