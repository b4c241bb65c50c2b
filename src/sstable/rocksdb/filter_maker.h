// SPDX-License-Identifier: Apache-2.0
// sstable/rocksdb/filter_maker.h -- from the keys of a table of RocksDB to the
// blocks of its filter: one, or partitions.

#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "sstable/rocksdb/filter.h"
#include "tamis/filter.h"

namespace tamis {

// Which entries of the table are in its filter, and how it is divided.
struct RocksDbFilterShape {
  bool has_whole_keys = true;
  std::optional<RocksDbPrefix> prefix;  // what is in it, too, or only
  // A partition ends with the data block in which its filter reaches this size;
  // 0: there is one filter.
  std::uint64_t partition_bytes = 0;
};

// Takes the keys of one data block after the other.
class RocksDbFilterMaker {
 public:
  struct Part {
    std::string bytes;
    std::string separator;  // that of the last data block, as in the index
  };

  // REQUIRES: `policy` outlives this
  RocksDbFilterMaker(const FilterPolicy& policy,
                     const RocksDbFilterShape& shape);

  // `separator` is the block's in the index.  REQUIRES: there is a key
  Status AddBlock(std::span<const Slice> keys, Slice separator);
  // Sets *parts; none, if there is nothing that a filter could have.
  // REQUIRES: it is called once, at the end
  Status Finish(std::vector<Part>* parts);
  // How many keys and prefixes all parts have, as RocksDB counts them.
  std::uint64_t entries() const noexcept { return entries_; }

 private:
  void AddKey(Slice key);
  void AddPrefix(Slice key);
  Status FinishPart();
  bool IsFull() const;

  const FilterPolicy& policy_;
  const RocksDbFilterShape shape_;
  const BuildOptions options_;
  std::unique_ptr<FilterBuilder> builder_;
  std::vector<Part> parts_;
  std::uint64_t entries_ = 0;
  // Of the part that is being filled.
  std::uint64_t added_ = 0;
  std::string separator_;
  // What was seen last.
  bool has_last_key_ = false;
  std::string last_key_;
  std::optional<std::string> last_prefix_;
};

}  // namespace tamis
