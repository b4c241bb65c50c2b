// SPDX-License-Identifier: Apache-2.0
// table/checksum_pairs.h -- finds all places in some bytes where a table's
// block may be, by its checksum alone.

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

// Returns the pairs in order of `begin`.  Takes linear time; of more pairs than
// chance makes, some are left out.
std::vector<ChecksumPair> FindChecksumPairs(Slice bytes);

}  // namespace tamis
