// SPDX-License-Identifier: Apache-2.0
// formats/tamis/block_filter.h -- which data block of a table may have a key:
// see docs/formats/block-filters.md.
//
// The filters of all blocks share one array of lines (filters/bloom/
// line_bloom.h): what is added is not a key, but a pair of a key and the number
// of its block.  So the filter of a block needs no offset and no rounding,
// whether the block has one key or a hundred, a query reads one line, and the
// rate is that of any other cache-local filter.

#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "filters/bloom/line_filter.h"
#include "hash/splitmix64.h"
#include "tamis/result.h"
#include "tamis/slice.h"

namespace tamis {

inline constexpr unsigned kMaxBlockFilterBits = 64;  // per key

// Returns the hash of a pair, from the LineHash() of the key.  It is mixed
// again: a key for which the filter of the whole table, which has the same
// hashes, gives a false positive is then as good as a random one here.
constexpr std::uint64_t BlockPairHash(std::uint64_t key_hash,
                                      std::uint64_t block) noexcept {
  constexpr std::uint64_t kOddStep = 0xd1b54a32d192ed03;
  return SplitMix64(key_hash + (block + 1) * kOddStep);
}

// Lines in bytes that the caller owns.  Safe to share among threads.
struct BlockFilterView : LineFilter {
  std::uint64_t seed = 0;    // of LineHash()
  std::uint64_t blocks = 0;  // of the table
  std::uint64_t pairs = 0;

  // False only if that block certainly does not contain the key of that hash.
  bool MayContain(std::uint64_t block, std::uint64_t key_hash) const noexcept {
    return block >= blocks || Check(BlockPairHash(key_hash, block));
  }
  double expected_rate() const noexcept;
};

// Corruption: damaged.  NotSupported: of a later version.
// REQUIRES: `bytes` outlives the view
Result<BlockFilterView> ViewBlockFilter(Slice bytes);

// Calls must match: (AddHash* EndBlock)* Finish.  Not thread-safe.  Throws
// std::bad_alloc.
class BlockFilterBuilder {
 public:
  // REQUIRES: 0 < bits_per_key <= kMaxBlockFilterBits
  BlockFilterBuilder(unsigned bits_per_key, std::uint64_t seed) noexcept
      : bits_per_key_(bits_per_key), seed_(seed) {}

  std::uint64_t seed() const noexcept { return seed_; }
  // Adds a key of the current block, by its LineHash() with seed().
  void AddHash(std::uint64_t key_hash) {
    pairs_.push_back(BlockPairHash(key_hash, blocks_));
  }
  void EndBlock() noexcept { ++blocks_; }

  // Appends the filter.  On error *dst is as it was.
  Status Finish(std::string* dst) const;

 private:
  const unsigned bits_per_key_;
  const std::uint64_t seed_;
  std::uint64_t blocks_ = 0;
  std::vector<std::uint64_t> pairs_;
};

}  // namespace tamis
