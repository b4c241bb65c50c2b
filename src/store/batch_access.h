// SPDX-License-Identifier: Apache-2.0
// store/batch_access.h -- the store's access to a write batch: the sequence
// number of its first change, and its changes without a virtual call each.

#pragma once

#include <cassert>
#include <cstddef>
#include <cstdint>
#include <string>

#include "base/coding.h"
#include "table/internal_key.h"
#include "tamis/status.h"
#include "tamis/write_batch.h"

namespace tamis {

// The sequence number (8 bytes) and the count (4), both little endian.
inline constexpr std::size_t kBatchCountAt = 8;
inline constexpr std::size_t kBatchHeaderBytes = 12;

class BatchAccess {
 public:
  // The sequence number of the first change; the others follow.
  static Sequence sequence(const WriteBatch& batch) noexcept {
    return SequenceOfContents(batch.rep_);
  }
  static void SetSequence(WriteBatch* batch, Sequence sequence) noexcept {
    assert(batch->rep_.size() >= kBatchHeaderBytes);
    StoreLittle(batch->rep_.data(), sequence);
  }
  static std::uint32_t count(const WriteBatch& batch) noexcept {
    return CountOfContents(batch.rep_);
  }

  // The same from bytes, as in a log.  0 if they are too short.
  static Sequence SequenceOfContents(Slice contents) noexcept {
    return contents.size() < kBatchHeaderBytes ? 0
                                               : LoadLittle64(contents.data());
  }
  static std::uint32_t CountOfContents(Slice contents) noexcept {
    return contents.size() < kBatchHeaderBytes
               ? 0
               : LoadLittle32(contents.data() + kBatchCountAt);
  }
};

// Removes one change from the front of *rest.  False: there is no complete
// change of a known type.
// REQUIRES: *rest is not empty
inline bool TakeChange(Slice* rest, ValueType* type, Slice* key,
                       Slice* value) noexcept {
  const auto tag = static_cast<unsigned char>(rest->front());
  if (tag > static_cast<unsigned char>(ValueType::kValue)) return false;
  *type = static_cast<ValueType>(tag);
  rest->remove_prefix(1);
  if (!ReadLengthPrefixed(rest, key)) return false;
  *value = {};
  return *type == ValueType::kDeletion || ReadLengthPrefixed(rest, value);
}

// Calls visit(ValueType, Slice key, Slice value) for each change in order; a
// deletion's value is empty.  Corruption: the bytes are not a batch; changes
// before the damage were visited, and never more than the count says.
template <typename Visit>
Status ForEachChange(Slice contents, Visit&& visit) {
  if (contents.size() < kBatchHeaderBytes) {
    return Status::Corruption("write batch: shorter than its header");
  }
  std::uint32_t left = BatchAccess::CountOfContents(contents);
  Slice rest = contents.substr(kBatchHeaderBytes);
  for (; left > 0; --left) {
    if (rest.empty()) {
      return Status::Corruption("write batch: fewer changes than it counts");
    }
    ValueType type{};
    Slice key;
    Slice value;
    if (!TakeChange(&rest, &type, &key, &value)) {
      return Status::Corruption(
          "write batch: a change is cut off, or of an unknown type");
    }
    visit(type, key, value);
  }
  if (!rest.empty()) {
    return Status::Corruption("write batch: more changes than it counts");
  }
  return Status::Ok();
}

}  // namespace tamis
