// SPDX-License-Identifier: Apache-2.0
// table/quick_table.h -- lookups in a table that is not loaded yet.
//
// Loading a table parses its whole index and copies its filter, which takes
// hundreds of times as long as a lookup.  Until that is done, lookups search
// the index where it is, in the mapped file, and the data block that it names.
// Whatever is unusual or damaged is left to the table itself.
//
// To verify the whole index takes tens of times as long as a lookup, too, and
// it is seldom necessary.  Blocks of a table do not overlap: a block that has
// an entry before the key and one after it is the only one where the key can
// be, by whichever index it was found.  So the index is at first searched as it
// is, and what it leads to is believed if the block, whose own checksum is
// verified, spans the key.  Otherwise the index must prove that the key is
// nowhere else: by its checksum and its order.

#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <string>
#include <utility>

#include "table/block.h"
#include "table/block_file.h"
#include "table/footer.h"
#include "table/internal_key.h"
#include "table/readable_pages.h"
#include "table/table_reader.h"
#include "tamis/env.h"

namespace tamis {

// Safe to share among threads.
class QuickTable {
 public:
  // Reads the footer, and the index if it is compressed.  Null: this table must
  // be loaded: it is not mapped, or damaged, or its pages cannot be read.
  // REQUIRES: the keys of `bounds` outlive it
  static std::unique_ptr<const QuickTable> Open(
      const TableReadContext& context, std::shared_ptr<const ReadableFile> file,
      const std::string& name, const KeyBounds& bounds);

  // As Table::Get() without a filter, if it returns true.  False: the table
  // must be loaded to find out, and *value and *result are void.
  // Damage never hides a key: one is absent only if a block spans it, or if the
  // whole index is verified and in order.  What does not matter for the answer
  // is not reported here: damage elsewhere in the index, or a table that was
  // written out of order, with checksums that hold.
  bool Get(const LookupKey& key, std::string* value,
           LookupResult* result) const;

  // What it was opened with.
  const std::shared_ptr<const ReadableFile>& file() const noexcept {
    return file_;
  }
  const std::string& name() const noexcept { return name_; }

 private:
  // An entry of the index.
  struct Entry {
    Slice key;  // internal
    Slice value;
    const char* end = nullptr;  // null: damaged
  };

  // What proves that a key is in no other block.
  enum class Trust { kBlockThatSpansIt, kIndex };

  QuickTable(const TableReadContext& context,
             std::shared_ptr<const ReadableFile> file, std::string name,
             const KeyBounds& bounds) noexcept
      : context_(context),
        file_(std::move(file)),
        name_(std::move(name)),
        bounds_(bounds) {}

  bool ParseIndex(const BlockHandle& handle);
  bool Unpack();
  bool ReadEntry(std::uint32_t i, Entry* entry) const noexcept;
  Entry EntryAt(std::uint32_t i) const noexcept;
  bool FindBlock(Slice internal_key, std::uint32_t* found) const noexcept;
  bool IsIndexSound() const noexcept;
  bool CheckIndexOrder() const noexcept;
  bool Find(Trust trust, const LookupKey& key, std::string* value,
            LookupResult* result) const;
  bool GetFromBlock(std::uint32_t i, Trust trust, const LookupKey& key,
                    std::string* value, LookupResult* result) const;
  bool HasFaulted() const noexcept;

  const TableReadContext context_;
  const std::shared_ptr<const ReadableFile> file_;
  const std::string name_;
  const KeyBounds bounds_;
  StoredBlock stored_;   // the index, in the mapping
  ReadablePages pages_;  // of it, unless it is compressed
  std::string raw_;      // of a compressed index
  Block index_;          // a view of the mapping, or of raw_
  mutable std::atomic<bool> is_sound_{false};  // the whole index
};

}  // namespace tamis
