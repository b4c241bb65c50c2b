// SPDX-License-Identifier: Apache-2.0
// table/table_index.h -- which data block a key would be in.
//
// A table's index has, for each data block, a key that is not before the last
// one in the block, and before the first one of the next.  With bytewise order,
// they are searched by eight bytes each, after their common prefix: a
// cache-friendly array of numbers.

#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "base/pooled_memory.h"
#include "table/footer.h"
#include "table/internal_key.h"
#include "table/prefix_tree.h"
#include "tamis/slice.h"
#include "tamis/status.h"

namespace tamis {

// Immutable once loaded; safe to share among threads.
class TableIndex {
 public:
  TableIndex() = default;  // of a table without blocks

  // Loads the contents of an index block.  Corruption: keys are out of order,
  // or blocks are not consecutive and before `limit`.
  // REQUIRES: `contents` outlives the index
  Status Load(const KeyOrder& order, Slice contents, std::uint64_t limit);

  // Loads one entry of an index as the only one.  Corruption: as for Load().
  // REQUIRES: `key` outlives the index
  Status LoadOne(const KeyOrder& order, Slice key, Slice value,
                 std::uint64_t limit);

  std::size_t size() const noexcept { return blocks_.size(); }  // of blocks
  // REQUIRES, for these: i < size()
  BlockHandle block(std::size_t i) const noexcept {
    return {blocks_[i].offset, blocks_[i].size};
  }
  [[gnu::always_inline]] void PrefetchBlock(std::size_t i) const noexcept {
    __builtin_prefetch(&blocks_[i]);
  }
  Slice key(std::size_t i) const noexcept {
    const KeyPlace place = keys_[i];
    const Slice where = place.at < contents_.size() ? contents_ : rebuilt_;
    const std::size_t at =
        place.at < contents_.size() ? place.at : place.at - contents_.size();
    return {where.data() + at, place.size};
  }

  // Sets the bounds of the keys of all blocks, if known; internal keys.
  // REQUIRES: they outlive the index
  void SetBounds(Slice smallest, Slice largest) noexcept {
    smallest_ = smallest;
    largest_ = largest;
  }
  // Return whether the i-th block may start with, or end with, that internal
  // key.
  bool MayBeginWith(std::size_t i, Slice internal_key) const noexcept;
  bool MayEndWith(std::size_t i, Slice internal_key) const noexcept;

  const KeyOrder& order() const noexcept { return order_; }

  // Returns the only block that may have the first entry at or after that
  // internal key; size(): there is none.
  std::size_t Find(Slice internal_key) const noexcept;

  // As Table::SampleKeys().
  std::vector<std::string> SampleKeys(std::uint64_t count) const;

  std::size_t memory_bytes() const noexcept;

 private:
  struct BlockPlace {
    std::uint64_t offset;
    std::uint32_t size;
  };
  // In contents_, or beyond its end in rebuilt_.
  struct KeyPlace {
    std::uint64_t at;
    std::uint32_t size;
  };

  Status AddEntry(Slice key, Slice value, std::uint64_t limit);
  void MakePrefixes();
  std::size_t FindAmong(std::size_t first, std::size_t last,
                        Slice internal_key) const noexcept;

  KeyOrder order_;
  Slice smallest_;  // empty: not known
  Slice largest_;
  Slice contents_;
  std::string rebuilt_;  // keys that are not contiguous in the block
  PooledVector<BlockPlace> blocks_;
  PooledVector<KeyPlace> keys_;
  // With bytewise order: the common prefix of all keys but the last, and the
  // eight bytes that follow.
  std::string common_;
  PrefixTree prefixes_;
};

}  // namespace tamis
