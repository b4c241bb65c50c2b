// SPDX-License-Identifier: Apache-2.0
// table/block_scan.h -- finds the blocks of a table whose footer or index is
// lost.
//
// Blocks follow each other from the start of the file, some after zeros that
// fill a page, each with the checksum of its bytes after it: a running checksum
// finds where a block ends.  If a block has no end, because bytes of it are
// lost, the next one is found among all pairs of places between which the
// checksum is right, in linear time; but not within a value that began before
// the damage (see table/broken_block.h).

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

// A block after damage is found if its stored size is at most this.  One that
// follows another is found whatever its size.
inline constexpr std::uint64_t kMaxBlockBehindDamage = std::uint64_t{2} << 20;

// A block whose checksum is right.
struct ScannedBlock {
  BlockHandle handle;
  Status unpacked;                // whether it could be decompressed
  Slice contents;                 // until the next call; empty if it could not
  bool is_behind_damage = false;  // it may be there by chance
};

struct BlockScanOptions {
  UnpackLimits unpack;
  // The original size of the file; 0: unknown.
  std::uint64_t file_bytes = 0;
  // Called with the contents of blocks that are found after damage, where a
  // right checksum alone may be chance.
  std::function<bool(Slice)> is_block;
};

// Not thread-safe.
class BlockScan {
 public:
  // REQUIRES: the file outlives this
  BlockScan(const ReadableFile& file, BlockScanOptions options);

  // Finds the next block: data, filters, metaindex or index.  False: no more,
  // or status() is not ok.
  bool Next(ScannedBlock* block);
  // Not ok: the file could not be read for a reason other than damage (see
  // base/damage.h), and the scan has stopped.
  const Status& status() const noexcept { return status_; }

  // The ranges in which no block was found.
  const std::vector<std::pair<std::uint64_t, std::uint64_t>>& gaps() const {
    return gaps_;
  }
  const UnreadableRanges& unreadable() const noexcept { return unreadable_; }

 private:
  void SkipPadding();
  // Returns where the block's checksum is.  Nothing: the block has no end.
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
  // Bytes that may still be searched in vain, so that a badly damaged file does
  // not take quadratic time.
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
