// SPDX-License-Identifier: Apache-2.0
// table/table_reader.h -- one open table.
//
// Opening reads the footer and the index.  The metaindex and the filter are
// read when the filter is asked for: damage to them costs a table no key.  A
// data block's checksum is verified the first time the block is read through
// this object, or each time if asked to.  Right checksums do not make a table
// sorted: a block is looked through before it is first searched, and a walk
// looks at each two keys it passes, so no key is missed because others are out
// of order.

#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "table/compression.h"
#include "table/internal_iterator.h"
#include "table/internal_key.h"
#include "table/table_filter.h"
#include "table/table_traits.h"
#include "tamis/env.h"
#include "tamis/result.h"

namespace tamis {

class BlockCache;

// What all tables of a store share.
struct TableReadContext {
  KeyOrder order = KeyOrder();
  // Null: what is decompressed is not kept.  REQUIRES: outlives the tables
  BlockCache* cache = nullptr;
  // Null, or the policy whose filters are preferred where a table has several.
  // REQUIRES: outlives the tables
  const FilterPolicy* filter = nullptr;
  UnpackLimits unpack = {};
};

// Internal keys that a table's keys lie within; empty: not known.
struct KeyBounds {
  Slice smallest;
  Slice largest;
};

struct BlockReadOptions {
  // Again, each time, and of a copy: what was verified is what is used,
  // whatever becomes of the file.
  bool verify_checksums = false;
  bool fill_cache = true;
  // False: entries come as they are, for those who save what they can.
  bool check_order = true;
  // Of an iterator: all blocks are read in order, and then not again.
  bool reads_once = false;
};

// What a lookup found in a table, a memtable, or anywhere.
struct LookupResult {
  enum class State { kAbsent, kValue, kDeletion };
  State state = State::kAbsent;
  unsigned blocks_read = 0;  // data blocks
  // LevelDB's filter for the one data block that was in question: asked, and
  // what it said.  Only tables with TableFilter::Kind::kLevelDbBlock.
  bool block_filter_asked = false;
  bool block_filter_absent = false;
};

// Safe to share among threads.
class Table {
 public:
  // `name` names the file in messages.  Corruption: not a table, or damaged.
  // A key outside the bounds is Corruption when its block is read.
  // REQUIRES: the keys of `bounds` outlive the table
  static Result<std::unique_ptr<Table>> Open(const TableReadContext& context,
                                             std::unique_ptr<ReadableFile> file,
                                             const std::string& name,
                                             const KeyBounds& bounds = {});
  virtual ~Table() = default;

  // The newest entry of the key that is not newer than its sequence; its value
  // is assigned to *value, which may be null.  Asks no filter of kinds kLines
  // and kWhole: that is the caller's, before.  `filter` is the one that
  // ReadFilter() gave, or null: then LevelDB's is not asked either.
  virtual Status Get(const LookupKey& key, const BlockReadOptions& options,
                     const TableFilter* filter, std::string* value,
                     LookupResult* result) const = 0;

  // Of the table's entries in order.  REQUIRES: the table outlives it
  virtual std::unique_ptr<InternalIterator> NewIterator(
      const BlockReadOptions& options) const = 0;

  // Reads and verifies the filter: every call reads it anew, for the caller
  // keeps it.  Never null; what cannot be used comes as kNone with damage().
  // Prefers our own filter to LevelDB's.
  virtual std::shared_ptr<const TableFilter> ReadFilter() const = 0;

  // Reads what it says, or shows, of how it was written.
  virtual Result<TableTraits> ReadTraits() const = 0;

  // About where in the file the data of that key begins; the file's length for
  // a key after all others.
  virtual std::uint64_t ApproximateOffsetOf(Slice internal_key) const = 0;

  // At most `count` user keys, rising, that cut the table into pieces of about
  // the same number of bytes; from the index alone.
  virtual std::vector<std::string> SampleKeys(std::uint64_t count) const = 0;

  // In memory, mapped bytes not counted.
  virtual std::size_t memory_bytes() const noexcept = 0;
};

// Bounded by bytes; entries are the decompressed blocks of tables. Thread-safe.
class BlockCache {
 public:
  virtual ~BlockCache() = default;
  virtual std::uint64_t bytes() const noexcept = 0;
  virtual std::uint64_t hits() const noexcept = 0;
  virtual std::uint64_t misses() const noexcept = 0;

  // A number that no other table of this cache has.
  virtual std::uint64_t NewTableId() noexcept = 0;
  // Null: not there.
  virtual std::shared_ptr<const std::string> Find(
      std::uint64_t table, std::uint64_t offset) noexcept = 0;
  virtual void Insert(std::uint64_t table, std::uint64_t offset,
                      std::shared_ptr<const std::string> block) = 0;
  // Blocks of a table that is gone.
  virtual void Forget(std::uint64_t table) noexcept = 0;
};

std::unique_ptr<BlockCache> NewBlockCache(std::size_t capacity_bytes);

// For CheckStore() and repair: every block of the table is read, every
// checksum and the order of keys verified, and every key asked of every filter
// (both ours and LevelDB's).  Problems are appended as sentences, without the
// name of the file.
struct TableCheck {
  std::uint64_t entries = 0;
  std::uint64_t blocks = 0;
  std::uint64_t filters = 0;  // verified, and holding all keys
  Sequence largest_sequence = 0;
  std::string smallest;  // internal keys
  std::string largest;
  std::vector<std::string> problems;
  bool has_footer = false;  // as tables have it
  // Not ok: it could not be read for a reason that is no damage (see
  // base/damage.h).  Then the last problem says the same, and what comes after
  // it was not read.
  Status unread;
};
TableCheck CheckTable(const TableReadContext& context,
                      const ReadableFile& file);

}  // namespace tamis
