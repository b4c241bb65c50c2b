#include "hash/leveldb_hash.h"

#include "hash/leveldb_hash_body.h"

namespace tamis {

std::uint32_t LevelDbHash(Slice data, std::uint32_t seed) noexcept {
  return LevelDbHashBody<std::uint8_t>(data, seed);
}

}  // namespace tamis
