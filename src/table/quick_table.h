// SPDX-License-Identifier: Apache-2.0
// table/quick_table.h -- lookups in a table that is not loaded yet.
//
// Loading a table parses its whole index and copies its filter, which takes
// hundreds of times as long as a lookup.  Until that is done, lookups search
// the index where it is, in the mapped file, as verified bytes, and the data
// block that it names.  Whatever is unusual or damaged is left to the table
// itself.

#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <string>
#include <utility>

#include "table/block.h"
#include "table/footer.h"
#include "table/internal_key.h"
#include "table/table_reader.h"
#include "tamis/env.h"

namespace tamis {

// Safe to share among threads.
class QuickTable {
 public:
  // Reads the footer and verifies the checksum of the index.  Null: this table
  // must be loaded: it is not mapped, its index is damaged, or its pages cannot
  // be read.
  // REQUIRES: the keys of `bounds` outlive it
  static std::unique_ptr<const QuickTable> Open(
      const TableReadContext& context, std::shared_ptr<const ReadableFile> file,
      const std::string& name, const KeyBounds& bounds);

  // As Table::Get() without a filter, if it returns true.  False: the table
  // must be loaded to find out, and *value and *result are void.
  // A key is absent only if the whole index is in order.  One that is found is
  // returned without looking at the rest of the index, so an index that was
  // written out of order, with a checksum that holds, is not reported here.
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

  QuickTable(const TableReadContext& context,
             std::shared_ptr<const ReadableFile> file, std::string name,
             const KeyBounds& bounds, std::unique_ptr<const std::string> raw,
             const Block& index) noexcept
      : context_(context),
        file_(std::move(file)),
        name_(std::move(name)),
        bounds_(bounds),
        raw_(std::move(raw)),
        index_(index) {}

  Entry EntryAt(std::uint32_t i) const noexcept;
  bool FindBlock(Slice internal_key, std::uint32_t* found) const noexcept;
  bool IsIndexInOrder() const noexcept;
  bool CheckIndexOrder() const noexcept;
  bool GetFromBlock(std::uint32_t i, const LookupKey& key, std::string* value,
                    LookupResult* result) const;
  bool HasFaulted() const noexcept;

  const TableReadContext context_;
  const std::shared_ptr<const ReadableFile> file_;
  const std::string name_;
  const KeyBounds bounds_;
  const std::unique_ptr<const std::string> raw_;  // of a compressed index
  const Block index_;  // a view of the mapping, or of *raw_
  mutable std::atomic<bool> is_in_order_{false};  // the whole index
};

}  // namespace tamis
