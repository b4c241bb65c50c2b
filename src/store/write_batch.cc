// SPDX-License-Identifier: Apache-2.0
#include "tamis/write_batch.h"

#include <cassert>
#include <cstring>
#include <limits>
#include <string_view>

#include "base/coding.h"
#include "store/batch_access.h"
#include "table/table_builder.h"

namespace tamis {
namespace {

constexpr std::string_view kNoChanges("\0\0\0\0\0\0\0\0\0\0\0\0",
                                      kBatchHeaderBytes);

void CountMore(std::string* rep, std::uint32_t more) noexcept {
  char* const at = rep->data() + kBatchCountAt;
  const std::uint32_t count = LoadLittle32(at);
  assert(count <= std::numeric_limits<std::uint32_t>::max() - more);
  StoreLittle(at, count + more);
}

char* CopyBytes(char* to, Slice from) noexcept {
  if (!from.empty()) std::memcpy(to, from.data(), from.size());
  return to + from.size();
}

std::uint32_t LengthOf(Slice bytes) noexcept {
  assert(bytes.size() <= std::numeric_limits<std::uint32_t>::max());
  return static_cast<std::uint32_t>(bytes.size());
}

// Appends a change up to the end of its key, and `more` bytes that the caller
// fills or removes; returns where those start.
char* AppendKey(std::string* rep, ValueType type, Slice key, std::size_t more) {
  const std::size_t start = rep->size();
  rep->resize(start + 1 + kMaxVarint32Bytes + key.size() + more);
  char* at = rep->data() + start;
  *at++ = static_cast<char>(type);
  return CopyBytes(EncodeVarint32(at, LengthOf(key)), key);
}

void CutAt(std::string* rep, const char* end) {
  rep->resize(static_cast<std::size_t>(end - rep->data()));
}

}  // namespace

// An entry that does not fit into a table must not get into the log: it could
// never be flushed.
Status CheckEntrySizes(std::uint64_t key_bytes, std::uint64_t value_bytes) {
  if (key_bytes <= kMaxUserKeyBytes && value_bytes <= kMaxValueBytes) {
    return Status::Ok();
  }
  return Status::InvalidArgument(
      "a key of more than 1 GiB, or a value of more than 2 GiB, cannot be "
      "stored");
}

void WriteBatch::Put(Slice key, Slice value) {
  if (rep_.empty()) Clear();  // moved from
  // Up to this size it is cheaper to reserve for all at once.
  constexpr std::size_t kSmall = 1024;
  const std::size_t room = value.size() <= kSmall ? value.size() : 0;
  const std::size_t start = rep_.size();
  char* at = AppendKey(&rep_, ValueType::kValue, key, kMaxVarint32Bytes + room);
  at = EncodeVarint32(at, LengthOf(value));
  if (room != 0) at = CopyBytes(at, value);
  CutAt(&rep_, at);
  if (room == 0) {
    try {
      rep_.append(value);
    } catch (...) {  // no memory: restore it
      rep_.resize(start);
      throw;
    }
  }
  CountMore(&rep_, 1);
}

void WriteBatch::Delete(Slice key) {
  if (rep_.empty()) Clear();  // moved from
  CutAt(&rep_, AppendKey(&rep_, ValueType::kDeletion, key, 0));
  CountMore(&rep_, 1);
}

void WriteBatch::Append(const WriteBatch& other) {
  const std::uint32_t more = other.count();
  if (more == 0) return;
  if (rep_.empty()) Clear();  // moved from
  rep_.append(other.rep_, kBatchHeaderBytes, std::string::npos);
  CountMore(&rep_, more);
}

void WriteBatch::Clear() { rep_.assign(kNoChanges); }

std::uint32_t WriteBatch::count() const noexcept {
  return BatchAccess::count(*this);
}

Status WriteBatch::ForEach(Handler* handler) const {
  if (rep_.empty()) return Status::Ok();  // moved from
  return ForEachChange(rep_, [&](ValueType type, Slice key, Slice value) {
    if (type == ValueType::kValue) {
      handler->Put(key, value);
    } else {
      handler->Delete(key);
    }
  });
}

Result<WriteBatch> WriteBatch::FromContents(std::string contents) {
  Status whole = ForEachChange(
      contents, [](ValueType, Slice, Slice) { /* only checked */ });
  if (!whole.ok()) return whole;
  WriteBatch batch;
  batch.rep_ = std::move(contents);
  return batch;
}

}  // namespace tamis
