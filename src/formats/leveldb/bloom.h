// SPDX-License-Identifier: Apache-2.0
// formats/leveldb/bloom.h -- LevelDB's "leveldb.BuiltinBloomFilter2", byte for
// byte; see docs/formats/leveldb.md.

#pragma once

#include <memory>
#include <span>

#include "formats/bloom_parameters.h"
#include "tamis/filter.h"

namespace tamis {

inline constexpr std::string_view kLevelDbBloomName =
    "leveldb.BuiltinBloomFilter2";

// LevelDB sizes filters by whole bits per key: fractions are rounded up, and a
// rate becomes the smallest number of bits per key that meets it.
std::unique_ptr<const FilterPolicy> NewLevelDbBloomPolicy(
    const BloomSizing& sizing);

// As FilterPolicy::Open().  Reading needs no settings.
Result<std::unique_ptr<const FilterReader>> OpenLevelDbBloom(Slice bytes);

// LevelDB's own query: checks the bytes of one filter without opening it.  True
// for reserved encodings.  REQUIRES: filter.size() >= 2
bool LevelDbBloomMayContain(Slice filter, Slice key) noexcept;
// The same for many keys: out[i] is the answer for keys[i].
// REQUIRES: keys.size() == out.size()
void LevelDbBloomMayContainMany(Slice filter, std::span<const Slice> keys,
                                std::span<bool> out) noexcept;

}  // namespace tamis
