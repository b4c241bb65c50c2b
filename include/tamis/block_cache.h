// SPDX-License-Identifier: Apache-2.0
// tamis/block_cache.h -- the decompressed blocks of tables that are kept in
// memory.  A store has one of its own unless StoreOptions::block_cache names
// one, which several stores may share.

#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>

#include "tamis/export.h"

namespace tamis {

// Bounded by bytes.  Safe to share among threads.  Programs may derive from it:
// a block that is not found is read again.
class TAMIS_EXPORT BlockCache {
 public:
  virtual ~BlockCache() = default;

  // The bytes that its blocks take, and how often Find() did and did not find
  // one.
  virtual std::uint64_t bytes() const noexcept = 0;
  virtual std::uint64_t hits() const noexcept = 0;
  virtual std::uint64_t misses() const noexcept = 0;

  // Returns a number that no other table of this cache has.
  virtual std::uint64_t NewTableId() noexcept = 0;
  // Returns the block of that table and offset.  Null: not in the cache.
  virtual std::shared_ptr<const std::string> Find(
      std::uint64_t table, std::uint64_t offset) noexcept = 0;
  // Keeps the block, or does not.  May throw std::bad_alloc.
  virtual void Insert(std::uint64_t table, std::uint64_t offset,
                      std::shared_ptr<const std::string> block) = 0;
  // Removes the blocks of a table.
  virtual void Forget(std::uint64_t table) noexcept = 0;
};

// Returns a cache that evicts what was used least recently.
TAMIS_EXPORT std::unique_ptr<BlockCache> NewBlockCache(
    std::size_t capacity_bytes);

}  // namespace tamis
