// SPDX-License-Identifier: Apache-2.0
// tamis/key_hash.h -- a key's hash as Tamis's own filters use it, for engines
// that query many filters for one key: hash it once.
//
//   const KeyHash hash = HashKey(key);
//   for (const auto& filter : filters) {
//     if (filter->MayContainHash(hash)) ...
//   }
//
// The hash is XXH3 of 64 bits, as xxHash defines it since version 0.8.0, and
// part of the .tamis format: it is the same on every machine, in every later
// version, and may be stored.  Formats of other engines use other hashes;
// FilterReader::hash_seed() of their filters is nothing.

#pragma once

#include <cstdint>
#include <span>

#include "tamis/export.h"
#include "tamis/slice.h"

namespace tamis {

// The hash of a key, and the seed that it was made with.  A filter has a seed,
// too (0 unless its policy sets another), and accepts only hashes with that
// seed; so the two travel together.
struct KeyHash {
  std::uint64_t value = 0;  // XXH3 of the key under that seed
  std::uint64_t seed = 0;   // as given to HashKey()
};

// The same for many keys of one seed.
struct KeyHashes {
  std::span<const std::uint64_t> values;  // a view: the caller owns them
  std::uint64_t seed = 0;                 // of all of them
};

// Returns XXH3 of the key.  It never fails and never allocates.
TAMIS_EXPORT KeyHash HashKey(Slice key, std::uint64_t seed = 0) noexcept;

// Writes values[i] = HashKey(keys[i], seed).value and returns a view of them.
// REQUIRES: values.size() == keys.size()
TAMIS_EXPORT KeyHashes HashKeys(std::span<const Slice> keys,
                                std::span<std::uint64_t> values,
                                std::uint64_t seed = 0) noexcept;

}  // namespace tamis
