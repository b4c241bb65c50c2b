// SPDX-License-Identifier: Apache-2.0
// table/block_scan.h -- finds the blocks of a table whose footer or index is
// lost.
//
// Blocks lie one behind the other from the start of the file, or behind zeros
// that fill a page, each with the checksum of its bytes behind it: a running
// checksum tells where a block ends. Where a block has no end, for bytes of it
// are lost, the next one is found by all pairs of places between which the
// checksum is right, in time that is linear in the bytes; but not within a
// value that began before the damage (see table/broken_block.h).

#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "base/partial_read.h"
#include "table/compression.h"
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
  bool is_behind_damage = false;  // where chance, too, may have put it
};

struct BlockScanOptions {
  UnpackLimits unpack;
  // What the file had once; 0: nobody knows.
  std::uint64_t file_bytes = 0;
  // Asked of the contents of blocks that are found behind damage, for there a
  // right checksum alone may be chance.
  std::function<bool(Slice)> is_block;
};

// Not thread-safe.
class BlockScan {
 public:
  // REQUIRES: the file outlives this
  BlockScan(const ReadableFile& file, BlockScanOptions options);

  // The next block: data, filters, metaindex or index.  False: no more, or
  // status() is not ok.
  bool Next(ScannedBlock* block);
  // Not ok: the file could not be read for a reason that is no damage (see
  // base/damage.h), and the scan has stopped.
  const Status& status() const noexcept { return status_; }

  // Where no block was found: from where to where.
  const std::vector<std::pair<std::uint64_t, std::uint64_t>>& gaps() const {
    return gaps_;
  }
  const UnreadableRanges& unreadable() const noexcept { return unreadable_; }

 private:
  void SkipPadding();
  // Where the block's checksum lies.  Nothing: it has no end.
  std::optional<std::uint64_t> FindEnd(std::uint64_t begin);
  bool FindBehindDamage(ScannedBlock* block);
  bool FindInWindow(std::uint64_t bytes, ScannedBlock* block);
  void SkipEntries();
  std::uint64_t BytesOnce();
  Slice BytesFrom(std::uint64_t offset, std::size_t wanted);
  void Read(std::uint64_t offset, std::size_t count, std::string* bytes);
  void Take(std::uint64_t begin, std::uint64_t checksum_at,
            ScannedBlock* block);
  bool TryPair(Slice window, std::size_t begin, std::size_t checksum_at,
               ScannedBlock* block);
  void SetStatus(std::uint64_t begin, const Status& status);
  void AddGap(std::uint64_t begin, std::uint64_t end);

  const ReadableFile& file_;
  const BlockScanOptions options_;
  Status status_;
  std::uint64_t at_ = 0;
  bool is_at_begin_ = true;  // of a block
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
