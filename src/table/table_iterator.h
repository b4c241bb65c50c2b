// SPDX-License-Identifier: Apache-2.0
// table/table_iterator.h -- iterates over the entries of one table.

#pragma once

#include <string>
#include <string_view>

#include "table/block_cursor.h"
#include "table/internal_iterator.h"
#include "table/read_ahead.h"
#include "table/table_blocks.h"
#include "table/table_index.h"

namespace tamis {

// What an iterator reads.  REQUIRES: all of it outlives the iterator
struct TableParts {
  const KeyOrder& order;
  const TableIndex& index;
  const TableBlocks& blocks;
  const std::string& name;  // of the file, for messages
};

// If a page of the mapping that it reads cannot be read (see GuardMappings() in
// tamis/env.h), it is at no entry from the next move on, for good, and status()
// reports it at once: the last entry may have been zeros.
class TableIterator final : public InternalIterator {
 public:
  TableIterator(const TableParts& parts, const BlockReadOptions& options);

  void SeekToFirst() override;
  void SeekToLast() override;
  void Seek(Slice internal_key) override;
  bool WillSeek(Slice internal_key) override;
  void Next() override;
  void Prev() override;
  Status status() const override {
    return IsSpoiled() ? CannotBeRead() : status_;
  }

 private:
  static constexpr std::size_t kNoBlock = ~std::size_t{0};

  std::size_t FindBlock(Slice internal_key) const noexcept;
  bool Enter(std::size_t block, bool to_search);
  bool EnterKnown(std::size_t block);
  bool CheckOrder();
  bool LeaveForward();
  void GoOnFrom(std::size_t block);
  void GoBackFrom(std::size_t block);
  bool StandAtCursor();
  void Fail(const Status& why);
  void FailAtBlock(std::string_view what);
  // True: a page was lost while this was reading the mapping.
  bool IsSpoiled() const noexcept {
    return is_spoiled_ || (buffer_.is_mapped && parts_.blocks.faulted());
  }
  bool FailIfSpoiled();
  Status CannotBeRead() const;

  TableParts parts_;
  BlockReadOptions options_;
  // The blocks that have entries of the span.
  std::size_t first_block_ = 0;
  std::size_t end_block_;
  std::size_t block_ = kNoBlock;     // the one that cursor_ is in
  std::size_t expected_ = kNoBlock;  // by WillSeek()
  unsigned steps_ = 0;               // of WillSeek()
  bool checks_order_ = false;        // of the entries of block_, at each step
  ReadAhead ahead_;
  BlockBuffer buffer_;
  BlockCursor cursor_;
  Status status_;
  bool is_spoiled_ = false;
};

}  // namespace tamis
