// SPDX-License-Identifier: Apache-2.0
// table/table_blocks.h -- the data blocks of an open table, verified and
// decompressed.
//
// If the table is mapped, its blocks are views of the mapping, but none is
// touched before the system has confirmed that it is readable; a block that is
// not is read from the file, which reports the error.  If a page fails later,
// it reads as zeros (see GuardMappings()), and the mapping is no longer used.
// If a file is truncated within a page, the rest of that page reads as zeros
// without any report: with verify_checksums a block is copied first, and the
// copy is verified and used.

#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

#include "base/eviction_watch.h"
#include "base/file_mapping.h"
#include "table/block.h"
#include "table/block_cursor.h"
#include "table/block_file.h"
#include "table/read_ahead.h"
#include "table/table_index.h"
#include "table/table_reader.h"
#include "tamis/env.h"

namespace tamis {

// The second half of an error message about a block.
// REQUIRES, for the function: cursor.damaged()
inline constexpr std::string_view kWrongPlace =
    "has a key that neither the index nor the manifest looks for there";
std::string_view DamageOf(const BlockCursor& cursor) noexcept;

// Safe to share among threads.
class TableBlocks {
 public:
  // REQUIRES: all of them outlive this; `cache` may be null; every block of the
  // index is within the file
  TableBlocks(const ReadableFile& file, const TableIndex& index,
              BlockCache* cache, const UnpackLimits& limits);
  ~TableBlocks();
  TableBlocks(const TableBlocks&) = delete;
  TableBlocks& operator=(const TableBlocks&) = delete;

  // Reads the i-th block: a view of the file's memory or of *buffer.  The
  // message of an error lacks the name of the file.  REQUIRES: i < index.size()
  // If buffer->is_mapped is then set, what was read from the block is valid
  // only if faulted() is false afterwards.
  Status Read(std::size_t i, const BlockReadOptions& options,
              BlockBuffer* buffer, Block* block) const;
  // As Read(), for a block that is a view of the mapping and was checked
  // before, and in order.  False: it is not known to be one, or may have been
  // evicted since.
  bool FindKnown(std::size_t i, Block* block) const noexcept {
    if (mapped_ == nullptr || KnownOf(i) != (kVerified | kInOrder) ||
        EvictionWatch::OfThisThread().ReadsAgain()) {
      return false;
    }
    const BlockHandle handle = index_.block(i);
    const StoredBlock stored{
        {mapped_ + handle.offset,
         static_cast<std::size_t>(handle.size) + kBlockTrailerBytes}};
    return stored.codec() == static_cast<unsigned>(Compression::kNone) &&
           Block::Parse(stored.contents(), block) && !faulted();
  }
  // Checks all entries, the first time: they are in order, are in the block
  // where the index would look for them, and start where the restarts say.
  // Only then can the block be searched.  REQUIRES: `block` is the result of
  // Read() for i
  Status CheckOrder(std::size_t i, const Block& block) const {
    return (KnownOf(i) & kInOrder) != 0 ? Status::Ok() : WalkOver(i, block);
  }

  // True: a page of the mapping could not be read, and blocks that are views of
  // it may read as zeros.  Read() no longer uses the mapping.
  bool faulted() const noexcept {
    return mapped_ != nullptr && FileMapping::HasFaulted(*fault_flag_);
  }

  // Prefetches what a lookup in the block touches first, in both of its pages.
  [[gnu::always_inline]] void Prefetch(std::size_t i) const noexcept {
    if (mapped_ == nullptr) return;
    const BlockHandle handle = index_.block(i);
    const char* const start = mapped_ + handle.offset;
    __builtin_prefetch(start + handle.size);
    __builtin_prefetch(start + handle.size - kFewRestarts);
    __builtin_prefetch(start);
    __builtin_prefetch(start + handle.size / 2);
  }

  // A walk is about to read the i-th block: requests what comes behind it.
  void VisitInOrder(std::size_t i, ReadAhead* ahead) const noexcept {
    if (mapped_ == nullptr) return;  // the system reads ahead by itself
    const BlockHandle handle = index_.block(i);
    ahead->Visit(file_, handle.offset,
                 handle.offset + handle.size + kBlockTrailerBytes);
  }

  // A lookup will soon read the i-th block: the system starts to load it,
  // unless it was read since the table was opened and this thread finds such
  // blocks in memory.
  void WillRead(std::size_t i) const noexcept {
    if (mapped_ == nullptr) return;
    if ((KnownOf(i) & kVerified) != 0 &&
        !EvictionWatch::OfThisThread().ReadsAgain()) {
      return Prefetch(i);
    }
    const BlockHandle handle = index_.block(i);
    file_.WillRead(handle.offset,
                   static_cast<std::size_t>(handle.size) + kBlockTrailerBytes);
  }

  std::size_t memory_bytes() const noexcept { return index_.size() / 4; }

 private:
  // What is known about a block, in two bits.
  static constexpr unsigned kVerified = 1;  // its checksum is right
  static constexpr unsigned kInOrder = 2;   // and so is the order of its keys
  static constexpr std::size_t kBlocksPerWord = 32;
  // The restarts of most blocks, and their number.
  static constexpr std::size_t kFewRestarts = 4 * sizeof(std::uint32_t);

  Status WalkOver(std::size_t i, const Block& block) const;
  // *is_compressed: *contents is in buffer->raw, otherwise where it was read.
  Status ReadFrom(bool* from_mapping, std::size_t i, bool always_verify,
                  BlockBuffer* buffer, Slice* contents,
                  bool* is_compressed) const;
  Status ReadVerified(bool* from_mapping, std::size_t i, bool always_verify,
                      BlockBuffer* buffer, StoredBlock* stored) const;
  bool MakeReadable(const BlockHandle& handle,
                    BlockBuffer* buffer) const noexcept;
  void KeepInCache(const BlockHandle& handle, BlockBuffer* buffer,
                   Slice* contents) const;
  bool FindCached(const BlockHandle& handle, BlockBuffer* buffer,
                  Slice* contents) const;

  unsigned KnownOf(std::size_t i) const noexcept {
    return static_cast<unsigned>(
               known_[i / kBlocksPerWord].load(std::memory_order_relaxed) >>
               i % kBlocksPerWord * 2) &
           3;
  }
  void SetKnown(std::size_t i, unsigned what) const noexcept {
    known_[i / kBlocksPerWord].fetch_or(
        std::uint64_t{what} << i % kBlocksPerWord * 2,
        std::memory_order_relaxed);
  }

  const ReadableFile& file_;
  const TableIndex& index_;
  const char* const mapped_;  // null: not mapped
  const std::atomic<bool>* const fault_flag_;
  BlockCache* const cache_;
  const std::uint64_t cache_id_;
  std::unique_ptr<std::atomic<std::uint64_t>[]> known_;
  const UnpackLimits limits_;
  // Whether some block is compressed: only then is anything in the cache.
  mutable std::atomic<bool> any_compressed_{false};
};

}  // namespace tamis
