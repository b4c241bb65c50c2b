// SPDX-License-Identifier: Apache-2.0
// hash/rocksdb_hash32.h -- the hash of RocksDB's oldest Bloom filters.

#pragma once

#include <cstdint>

#include "hash/leveldb_hash.h"
#include "tamis/slice.h"

namespace tamis {

// The same result as rocksdb::Hash(): LevelDbHash(), but the last one to
// three bytes (after the last full group of four) are sign-extended.  It began
// as an accident of compilers whose char is signed, and is kept because files
// depend on it.
inline std::uint32_t RocksDbHash32(Slice data, std::uint32_t seed) noexcept {
  return LevelDbHashBody<std::int8_t>(data, seed);
}

}  // namespace tamis
