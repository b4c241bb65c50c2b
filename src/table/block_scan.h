// table/block_scan.h -- finds the blocks of a table whose footer or index is
// lost.
//
// Blocks lie one behind the other from the start of the file, each with the
// checksum of its bytes behind it: a running checksum tells where a block ends.
// Where a block has no end, for bytes of it are lost, the next one is found by
// all pairs of places between which the checksum is right, in time that is
// linear in the bytes.

#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "base/partial_read.h"
#include "table/footer.h"
#include "tamis/env.h"
#include "tamis/slice.h"
#include "tamis/status.h"

namespace tamis {

// A block behind damage is found if it has no more bytes than this, stored.
// One that follows another is found whatever its size.
inline constexpr std::uint64_t kMaxBlockBehindDamage = std::uint64_t{2} << 20;

// One whose checksum is right.
struct ScannedBlock {
  BlockHandle handle;
  Status unpacked;  // whether it could be decompressed
  Slice contents;   // until the next call; empty where it could not
};

// Not thread-safe.
class BlockScan {
 public:
  // `is_block(contents)` is asked of blocks that are found behind damage, for
  // there a right checksum alone may be chance.
  // REQUIRES: the file outlives this
  BlockScan(const ReadableFile& file, std::function<bool(Slice)> is_block);

  // The next block: data, filters, metaindex or index.  False: no more.
  bool Next(ScannedBlock* block);

  // Where no block was found: from where to where.
  const std::vector<std::pair<std::uint64_t, std::uint64_t>>& gaps() const {
    return gaps_;
  }
  const UnreadableRanges& unreadable() const noexcept { return unreadable_; }

 private:
  // Where the block's checksum lies.  Nothing: it has no end.
  std::optional<std::uint64_t> FindEnd(std::uint64_t begin);
  bool FindBehindDamage(ScannedBlock* block);
  bool FindInWindow(std::uint64_t bytes, ScannedBlock* block);
  Slice BytesFrom(std::uint64_t offset);
  void Take(std::uint64_t begin, std::uint64_t checksum_at,
            ScannedBlock* block);
  bool TryPair(Slice window, std::size_t begin, std::size_t checksum_at,
               ScannedBlock* block);
  void AddGap(std::uint64_t begin, std::uint64_t end);

  const ReadableFile& file_;
  std::function<bool(Slice)> is_block_;
  std::uint64_t at_ = 0;
  // Bytes that may still be gone through in vain, so that a file with much
  // damage does not take its length times its damage.
  std::uint64_t end_budget_;
  std::uint64_t window_budget_;
  std::vector<std::pair<std::uint64_t, std::uint64_t>> gaps_;
  UnreadableRanges unreadable_;
  std::string buffer_;  // of the file, from buffer_at_
  std::uint64_t buffer_at_ = 0;
  std::string window_;
  std::string stored_;
  std::string raw_;
};

}  // namespace tamis
