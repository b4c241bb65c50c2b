// SPDX-License-Identifier: Apache-2.0
// table/table_reader.h -- one open table.
//
// Opening reads the footer and the index.  The metaindex and the filter are
// read when the filter is first needed: damage to them costs no key of the
// table.  A data block's checksum is verified the first time the block is read
// through this object, or each time if requested.  Right checksums do not make
// a table sorted: a block is checked before it is first searched, and an
// iterator compares each key with the one before, so no key is missed because
// others are out of order.

#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "table/compression.h"
#include "table/held_block_filter.h"
#include "table/held_range_filter.h"
#include "table/internal_iterator.h"
#include "table/internal_key.h"
#include "table/table_binding.h"
#include "table/table_filter.h"
#include "table/table_traits.h"
#include "tamis/block_cache.h"
#include "tamis/env.h"
#include "tamis/prefix.h"
#include "tamis/result.h"

namespace tamis {

struct TableParts;

// What all tables of a store share.
struct TableReadContext {
  KeyOrder order = KeyOrder();
  // Null: decompressed blocks are not kept.  REQUIRES: outlives the tables
  BlockCache* cache = nullptr;
  // Null, or the policy whose filters are preferred if a table has several.
  // REQUIRES: outlives the tables
  const FilterPolicy* filter = nullptr;
  // Null, or the extractor whose prefixes filters are asked for.
  // REQUIRES: outlives the tables
  const PrefixExtractor* prefixes = nullptr;
  UnpackLimits unpack = {};
  // Null: filters may take any memory.  REQUIRES: outlives them
  FilterRoom* room = nullptr;
  // Null: filters that are stored in parts are held wholly.
  // REQUIRES: outlives them
  PartCache* parts = nullptr;
  // Null, or the custom policy whose filter block, in LevelDB's format, is
  // queried before a data block is read.  REQUIRES: outlives the tables
  const FilterPolicy* leveldb_filter = nullptr;
};

// Internal keys that bound a table's keys; empty: unknown.
struct KeyBounds {
  Slice smallest;
  Slice largest;
};

// Internal keys, of which an iterator needs only what is at or after `from` and
// before `end`; empty: there is no such bound.
struct KeySpan {
  std::string from;
  std::string end;
};

inline constexpr std::size_t kUnknownBlock = ~std::size_t{0};

struct BlockReadOptions {
  // Verifies again each time, on a copy: what was verified is what is used,
  // whatever happens to the file.
  bool verify_checksums = false;
  bool fill_cache = true;
  // False: entries are returned as they are, for salvage.
  bool check_order = true;
  // Of an iterator: all blocks are read in order, and then not again.
  bool reads_once = false;
  // Of an iterator: it is as if there were no blocks and no tables without
  // entries of the span.  Null: all are needed.  REQUIRES: outlives it
  const KeySpan* span = nullptr;
  // Of a lookup: the block that Table::FindBlock() returned for its key.
  std::size_t block = kUnknownBlock;
  // Of a lookup: null, or Table::ReadBlockFilter()'s, and the LineHash() of the
  // key by its seed.  A block that it rules out is not read, unless it is only
  // to be counted.
  const HeldBlockFilter* block_filter = nullptr;
  std::uint64_t block_filter_hash = 0;
  bool only_counts_block_filter = false;
};

// What a lookup found in a table, a memtable, or anywhere.
struct LookupResult {
  enum class State { kAbsent, kValue, kDeletion };
  State state = State::kAbsent;
  unsigned blocks_read = 0;  // data blocks
  // The filter of the one possible data block that was queried, and its answer.
  enum class BlockLayer {
    kNone,
    kLevelDb,  // only for TableFilter::Kind::kLevelDbBlock
    kOwn,      // BlockReadOptions::block_filter
  };
  BlockLayer block_layer = BlockLayer::kNone;
  bool block_layer_absent = false;
};

// Safe to share among threads.
class Table {
 public:
  // `name` names the file in messages.  Corruption: not a table, or damaged.
  // A key outside the bounds is Corruption when its block is read.
  // REQUIRES: the keys of `bounds` outlive the table
  static Result<std::unique_ptr<Table>> Open(
      const TableReadContext& context, std::shared_ptr<const ReadableFile> file,
      const std::string& name, const KeyBounds& bounds = {});
  virtual ~Table() = default;

  // Finds the newest entry of the key that is not newer than its sequence; its
  // value is assigned to *value, which may be null.  Does not query filters of
  // kinds kLines and kWhole: the caller does that first.  `filter` is the
  // result of ReadFilter(), or null: then LevelDB's is not queried either.
  virtual Status Get(const LookupKey& key, const BlockReadOptions& options,
                     const TableFilter* filter, std::string* value,
                     LookupResult* result) const = 0;

  // The steps of Get(), for callers with many keys.  Each is one access to
  // memory or more, and the next step waits for it: so a caller takes every
  // step for all of its keys before the next one, and the accesses of the keys
  // overlap.  All but the first are hints.
  // Returns the number of the data block that Get() of that key reads, for
  // BlockReadOptions and for the other steps.
  virtual std::size_t FindBlock(const LookupKey& key) const noexcept = 0;
  // Starts to load the block: from disk if it was not read before, otherwise
  // into the CPU's caches.
  virtual void WillRead(std::size_t block) const noexcept = 0;
  // If it is in memory: the keys at its restarts.
  virtual void WillFindRestarts(std::size_t block) const noexcept = 0;

  // Returns an iterator over the table's entries.  REQUIRES: the table outlives
  // it
  virtual std::unique_ptr<InternalIterator> NewIterator(
      const BlockReadOptions& options) const = 0;

  // What a TableIterator reads, for callers that have the memory for one.
  virtual TableParts parts() const noexcept = 0;

  // Reads and verifies the filter: every call reads it again, because the
  // caller keeps it.  Never null; a filter that cannot be used is returned as
  // kNone with damage().  Prefers our own filter to LevelDB's.
  // `divisor`: how much of it, as TableFilter::divisor(), or kAtFirst.
  virtual std::shared_ptr<const TableFilter> ReadFilter(
      unsigned divisor = TableFilter::kAtFirst) const = 0;

  // Reads and verifies the filter of the blocks, as ReadFilter() does.  Null:
  // the table has none.
  virtual std::shared_ptr<const HeldBlockFilter> ReadBlockFilter() const = 0;

  // The same of the range filter.
  virtual std::shared_ptr<const HeldRangeFilter> ReadRangeFilter() const = 0;

  // Reads how the table was written, from its properties or its blocks.
  virtual Result<TableTraits> ReadTraits() const = 0;

  // Returns a checksum that a filter beside the table is bound to.
  virtual Result<std::uint32_t> ReadBinding(BoundBlocks blocks) const = 0;
  // ReadableFile::modified() of its file.
  virtual std::uint64_t modified() const noexcept = 0;

  // Returns approximately where in the file the data of that key starts; the
  // file's length for a key after all others.
  virtual std::uint64_t ApproximateOffsetOf(Slice internal_key) const = 0;

  // Returns at most `count` user keys, ascending, that divide the table into
  // pieces of about the same number of bytes; reads the index alone.
  virtual std::vector<std::string> SampleKeys(std::uint64_t count) const = 0;

  // The memory that it takes, without mapped bytes.
  virtual std::size_t memory_bytes() const noexcept = 0;
};

// For CheckStore() and repair: reads every block of the table, verifies every
// checksum and the order of keys, and queries every filter (both ours and
// LevelDB's) for every key.  Problems are appended as sentences, without the
// name of the file.
struct TableCheck {
  std::uint64_t entries = 0;
  std::uint64_t blocks = 0;
  std::uint64_t filters = 0;  // verified, and containing all keys
  Sequence largest_sequence = 0;
  std::string smallest;  // internal keys
  std::string largest;
  std::vector<std::string> problems;
  bool has_footer = false;  // at its end
  // The keys of the table that the filter beside it denies.
  std::uint64_t hidden_beside = 0;
  // Not ok: it could not be read for a reason other than damage (see
  // base/damage.h).  The last problem then says the same, and the rest was not
  // read.
  Status unread;
};
// Returns the filter that is stored beside the table of that binding, of all
// blocks; null:
// there is none that can be used.
using FindFilterBeside =
    std::function<std::shared_ptr<const TableFilter>(std::uint32_t binding)>;
// `beside`, if not empty, is called at most once.
TableCheck CheckTable(const TableReadContext& context, const ReadableFile& file,
                      const FindFilterBeside& beside = {});

}  // namespace tamis
