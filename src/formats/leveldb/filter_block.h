// SPDX-License-Identifier: Apache-2.0
// formats/leveldb/filter_block.h -- the filter block of a LevelDB table: one
// filter per 2 KiB of data offset; see docs/formats/leveldb.md.

#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "tamis/filter.h"

namespace tamis {

// The binary logarithm of LevelDB's bytes per filter: one for every 2 KiB in
// which a data block begins.
inline constexpr unsigned kLevelDbFilterBaseLog = 11;

// Writes a filter block while a table is written.
// Calls must match: (StartBlock AddKey*)* StartBlock? Finish, where the offsets
// passed to StartBlock never decrease.  Not thread-safe.
class LevelDbFilterBlockBuilder {
 public:
  // REQUIRES: `policy` outlives the builder; for a block that LevelDB reads,
  // its name is that of LevelDB's policy
  explicit LevelDbFilterBlockBuilder(const FilterPolicy& policy);

  // The next data block starts at that offset of the file; also called with the
  // end of the last one, as in LevelDB.  InvalidArgument: beyond 2 TiB.
  Status StartBlock(std::uint64_t block_offset);

  // Adds a key of the current data block.
  void AddKey(Slice key);

  // Appends the block to *dst.  On error *dst is as it was.
  Status Finish(std::string* dst);

 private:
  Status EmitFilter();

  const FilterPolicy& policy_;
  std::unique_ptr<FilterBuilder> pending_;  // null: no key in this range
  std::string filters_;                     // one after the other
  std::vector<std::uint32_t> starts_;       // where each begins in filters_
};

// Answers from a filter block of LevelDB's own Bloom filter or of a custom
// policy, in bytes that the caller owns.  Safe to share among threads.
class LevelDbFilterBlockReader {
 public:
  // Never fails: damage is detected here, once, and makes MayContain() answer
  // "maybe".  Null: LevelDB's own filters; otherwise those of that policy, and
  // what it cannot open is "maybe".
  // REQUIRES: `block` and the policy outlive the reader
  explicit LevelDbFilterBlockReader(
      Slice block, const FilterPolicy* policy = nullptr) noexcept;

  // False only if the data block that starts at that offset of the file
  // certainly does not contain `key`.
  bool MayContain(std::uint64_t block_offset, Slice key) const noexcept;

  // out[i] = MayContain(block_offset, keys[i]); finds the filter once.
  // REQUIRES: keys.size() == out.size()
  void MayContainMany(std::uint64_t block_offset, std::span<const Slice> keys,
                      std::span<bool> out) const noexcept;

  // Empty, or what is wrong: nothing is then ruled out.
  std::string_view damage() const noexcept { return damage_; }

  std::size_t filter_count() const noexcept { return filter_count_; }
  // The bytes of one filter; empty: no data block starts in its range.
  // REQUIRES: damage().empty() and i < filter_count()
  Slice filter(std::size_t i) const noexcept;

 private:
  std::string_view FindDamage() const noexcept;
  bool PolicyMayContain(Slice filter, Slice key) const noexcept;

  Slice block_;
  const FilterPolicy* policy_;  // null: LevelDB's own
  std::size_t offsets_at_ = 0;
  std::size_t filter_count_ = 0;
  unsigned base_lg_ = 0;  // each filter covers 2^base_lg bytes of file
  std::string_view damage_;
};

}  // namespace tamis
