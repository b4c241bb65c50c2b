// hash/leveldb_hash.h -- the hash of LevelDB's Bloom filters and caches.

#pragma once

#include <cstdint>

#include "tamis/filter.h"

namespace tamis {

// The same result as leveldb::Hash(), in which every byte is unsigned.
// RocksDB's function of the same origin differs where one of the last bytes
// is 0x80 or more: see RocksDbHash32().
std::uint32_t LevelDbHash(Slice data, std::uint32_t seed) noexcept;

}  // namespace tamis
