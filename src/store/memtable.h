// SPDX-License-Identifier: Apache-2.0
// store/memtable.h -- the newest entries of a store, in memory and in order.
//
// One thread adds at a time; any number of threads read meanwhile, without
// locks.  A filter tells a reader that a key is absent, so that a miss does not
// search the list.

#pragma once

#include <cstdint>
#include <memory>
#include <string>

#include "store/memtable_filter.h"
#include "store/skip_list.h"
#include "table/internal_iterator.h"
#include "table/internal_key.h"
#include "table/table_reader.h"

namespace tamis {

class Memtable {
 public:
  // The filter is sized by `expected_bytes`, approximately the final bytes();
  // it is left out if there is no memory for it.  `stock`: see Arena.
  Memtable(const KeyOrder& order, std::size_t expected_bytes, bool with_filter,
           std::shared_ptr<ChunkStock> stock = nullptr);

  // Guarantees that the next `entries` entries, with `bytes` bytes of user keys
  // and values in total, can be added.  Throws std::bad_alloc: no memory.
  // REQUIRES: called by the thread that adds
  void Reserve(std::uint64_t entries, std::size_t bytes) {
    list_.Reserve(entries, bytes);
  }

  // A hint that it will grow by this or more: takes memory from the system
  // ahead.  Any one thread may call it, while another adds.
  static constexpr std::size_t kPreparedBytes = Arena::kLargestChunkBytes;
  void PrepareMore() noexcept { list_.PrepareChunk(); }

  // Both are copied.  `hash` is LineHash() of the key with the store's own
  // seed; unused without a filter.  REQUIRES: one thread at a time; (key,
  // sequence) is new
  void Add(Sequence sequence, ValueType type, Slice user_key, Slice value,
           std::uint64_t hash);

  bool has_filter() const noexcept { return filter_ != nullptr; }
  // Prefetches what MayContain() will read.  REQUIRES, for both: has_filter()
  [[gnu::always_inline]] void Prefetch(std::uint64_t hash) const noexcept {
    filter_->Prefetch(hash);
  }
  // False only if no entry whose Add() has returned has that key.
  bool MayContain(std::uint64_t hash) const noexcept {
    return filter_->MayContain(hash);
  }

  // As Table::Get(), without its filter.
  void Get(const LookupKey& key, std::string* value,
           LookupResult* result) const;

  // Entries added later may or may not be visible.  REQUIRES: the memtable
  // outlives it
  std::unique_ptr<InternalIterator> NewIterator() const;

  bool empty() const noexcept { return entries() == 0; }
  std::uint64_t entries() const noexcept { return list_.entries(); }
  // The memory that it takes.
  std::size_t bytes() const noexcept;
  // The expected rate, from the number of entries; 1 without a filter.
  double filter_rate() const noexcept;

 private:
  KeyOrder order_;
  SkipList list_;
  std::unique_ptr<MemtableFilter> filter_;
};

}  // namespace tamis
