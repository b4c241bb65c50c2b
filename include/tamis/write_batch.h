// SPDX-License-Identifier: Apache-2.0
// tamis/write_batch.h -- changes that are applied together or not at all.

#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <utility>

#include "tamis/export.h"
#include "tamis/result.h"
#include "tamis/slice.h"

namespace tamis {

// Ok if a store accepts a key and a value of so many bytes: up to 1 GiB and 2
// GiB.  InvalidArgument: it does not, and a write of them would fail.
TAMIS_EXPORT Status CheckEntrySizes(std::uint64_t key_bytes,
                                    std::uint64_t value_bytes);

// Changes, in order: of two changes to the same key the later one wins.  Not
// thread-safe.  Like the containers of the standard library it throws
// std::bad_alloc when memory runs out, and is then unchanged.
class TAMIS_EXPORT WriteBatch {
 public:
  WriteBatch() { Clear(); }

  // Both are copied.  A store refuses a whole batch with an entry that
  // CheckEntrySizes() refuses.  REQUIRES: neither is a view of this batch
  void Put(Slice key, Slice value);
  void Delete(Slice key);

  // Appends the changes of `other`.
  void Append(const WriteBatch& other);
  void Clear();

  // The number of changes.
  std::uint32_t count() const noexcept;
  // The approximate size of the batch in a store's log.
  std::size_t bytes() const noexcept { return rep_.size(); }

  // Receives the changes of a batch: see ForEach().
  class TAMIS_EXPORT Handler {
   public:
    virtual ~Handler() = default;
    // Called for each change; the slices last as long as the call.
    virtual void Put(Slice key, Slice value) = 0;
    virtual void Delete(Slice key) = 0;
  };
  // Calls the handler for each change in order.
  // Corruption: only for a batch from FromContents().
  Status ForEach(Handler* handler) const;

  // The bytes as LevelDB's log holds them: the first change's sequence number
  // (8 bytes; zero until it is written), the count (4), the changes.
  Slice contents() const noexcept { return rep_; }
  // Corruption: `contents` is not such bytes.
  static Result<WriteBatch> FromContents(std::string contents);

 private:
  friend class BatchAccess;  // sets the sequence number
  std::string rep_;
};

}  // namespace tamis
