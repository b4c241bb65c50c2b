// SPDX-License-Identifier: Apache-2.0
// sstable/rocksdb/filter.h -- the filter of one table of RocksDB: for the whole
// table or in partitions, of whole keys, of prefixes, or of both.

#pragma once

#include <deque>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "formats/rocksdb/filter.h"
#include "sstable/filter_sum.h"
#include "sstable/rocksdb/table.h"
#include "tamis/filter.h"

namespace tamis {

// What a prefix extractor does, where its name tells.
struct RocksDbPrefix {
  std::size_t bytes = 0;
  bool is_capped = false;  // a shorter key is its own prefix

  // Returns nothing if the key has no prefix.
  std::optional<Slice> Of(Slice key) const noexcept;
  // Returns nothing if the name is not that of a built-in extractor.
  static std::optional<RocksDbPrefix> Named(std::string_view name) noexcept;
};

// In which order the table's keys are.
enum class RocksDbOrder { kBytewise, kReverse };

// Immutable; safe to share among threads.
class RocksDbTableFilter {
 public:
  // Reads the filter of the table; a damaged part answers "maybe" and is
  // counted in *sum.  Sets what is known of it in *info.
  static std::unique_ptr<const RocksDbTableFilter> Read(
      const RocksDbTable& table, const ReadableFile& file, RocksDbOrder order,
      FilterSum* sum, SstableInfo* info);

  // True: it exists, and RocksDB uses it.
  bool is_used() const noexcept { return !parts_.empty(); }

  // What a point lookup of that key gets.
  bool MayContain(Slice user_key) const noexcept;
  // out[i]: whether neither a point lookup of keys[i], nor a search by its
  // prefix, misses it.  REQUIRES: the keys are in the table's order
  void CheckStored(std::span<const Slice> keys, std::span<bool> out) const;

 private:
  struct Part {
    std::string last_key;  // a user key at or after all of its keys
    std::string bytes;
    std::unique_ptr<const FilterReader> reader;  // null: it answers "maybe"
  };

  void ReadPart(const RocksDbTable& table, const ReadableFile& file,
                const BlockHandle& handle, Slice last_key, FilterSum* sum);
  void ReadParts(const RocksDbTable& table, const ReadableFile& file,
                 const BlockHandle& top, FilterSum* sum);
  const Part& PartOf(Slice user_key) const noexcept;
  bool ComesBefore(Slice a, Slice b) const noexcept {
    return order_ == RocksDbOrder::kBytewise ? a < b : b < a;
  }

  RocksDbOrder order_ = RocksDbOrder::kBytewise;
  // One, or partitions in order.  They must not move: a reader's view of a
  // short string would be lost.
  std::deque<Part> parts_;
  bool has_whole_keys_ = true;
  std::optional<RocksDbPrefix> prefix_;  // what is also, or only, in it
};

}  // namespace tamis
