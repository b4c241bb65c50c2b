// SPDX-License-Identifier: Apache-2.0
// table/checksum_pairs.h -- all places in some bytes where a table's block may
// lie, told by nothing but its checksum.

#pragma once

#include <cstddef>
#include <vector>

#include "tamis/slice.h"

namespace tamis {

// The bytes from `begin` to before `checksum_at`, a block and its compression,
// have the checksum that is stored there.
struct ChecksumPair {
  std::size_t begin = 0;
  std::size_t checksum_at = 0;
};

// In order of their beginnings.  Takes time in proportion to the bytes; of
// very many pairs, which chance does not make, some are left out.
std::vector<ChecksumPair> FindChecksumPairs(Slice bytes);

}  // namespace tamis
