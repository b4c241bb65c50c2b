// SPDX-License-Identifier: Apache-2.0
#include "hash/rocksdb_hash32.h"

#include "hash/leveldb_hash.h"

namespace tamis {

std::uint32_t RocksDbHash32(Slice data, std::uint32_t seed) noexcept {
  return LevelDbHashBody<std::int8_t>(data, seed);
}

}  // namespace tamis
