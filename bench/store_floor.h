// SPDX-License-Identifier: Apache-2.0
// bench/store_floor.h -- the least that a lookup of a missing key takes with a
// filter per sorted run: the key is hashed once, one line of each filter is
// looked at, and one of the memtable's.

#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "base/huge_pages.h"
#include "bench/store_engine.h"
#include "filters/bloom/line_filter.h"
#include "tamis/status.h"

namespace tamis::bench {

class MissFloor {
 public:
  // Takes memory as large as the filters of all runs, and of a memtable.
  Status Prepare(std::span<const std::uint64_t> filter_bytes);

  // Goes through the keys, one by one: each waits for the answer to the one
  // before, as a program does that acts on it.  Returns how many are found,
  // which is 0.
  std::uint64_t Ask(const KeySpan& keys) const;

 private:
  std::vector<MemoryBlock<unsigned char>> memory_;
  std::vector<LineFilter> filters_;
};

}  // namespace tamis::bench
