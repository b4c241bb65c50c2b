// SPDX-License-Identifier: Apache-2.0
// tamis/write_batch.h -- changes that happen together or not at all.

#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <utility>

#include "tamis/export.h"
#include "tamis/result.h"
#include "tamis/slice.h"

namespace tamis {

// Ok if a store takes a key and a value of so many bytes: up to 1 GiB and 2
// GiB. InvalidArgument: it does not, and a write of them would fail so.
TAMIS_EXPORT Status CheckEntrySizes(std::uint64_t key_bytes,
                                    std::uint64_t value_bytes);

// Changes in the order in which they are to happen: of two to the same key the
// later one wins.  Not thread-safe.  A container in the caller's memory: like
// those of the standard library it throws std::bad_alloc where there is none,
// and is then as it was.
class TAMIS_EXPORT WriteBatch {
 public:
  WriteBatch() { Clear(); }

  // What CheckEntrySizes() refuses, a store refuses with the whole batch.
  // Both are copied.  REQUIRES: neither lies in this batch
  void Put(Slice key, Slice value);
  void Delete(Slice key);

  // The changes of `other` after those that are here.
  void Append(const WriteBatch& other);
  void Clear();

  // The number of changes.
  std::uint32_t count() const noexcept;
  // What a store's log will hold of it, about.
  std::size_t bytes() const noexcept { return rep_.size(); }

  // What a batch is made of, for those who look into one.
  class TAMIS_EXPORT Handler {
   public:
    virtual ~Handler() = default;
    // Called for each change; the slices last as long as the call.
    virtual void Put(Slice key, Slice value) = 0;
    virtual void Delete(Slice key) = 0;
  };
  // Calls the handler for each change in order.
  // Corruption: only of a batch that came from bytes.
  Status ForEach(Handler* handler) const;

  // The bytes as LevelDB's log holds them: the first change's sequence number
  // (8 bytes; zero until it is written), the count (4), the changes.
  Slice contents() const noexcept { return rep_; }
  // Corruption: not such bytes.
  static Result<WriteBatch> FromContents(std::string contents);

 private:
  friend class BatchAccess;  // the store's way to set the sequence number
  std::string rep_;
};

}  // namespace tamis
