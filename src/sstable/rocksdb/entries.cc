// SPDX-License-Identifier: Apache-2.0
#include "sstable/rocksdb/entries.h"

#include "base/coding.h"
#include "table/internal_key.h"

namespace tamis {
namespace {

// The flags in the last word of a block.
constexpr std::uint32_t kCountMask = 0x0fffffff;
constexpr std::uint32_t kSeparateValues = std::uint32_t{1} << 28;
constexpr std::uint32_t kUniformKeys = std::uint32_t{1} << 29;
constexpr std::uint32_t kReserved = std::uint32_t{1} << 30;
constexpr std::uint32_t kHashIndex = std::uint32_t{1} << 31;
constexpr std::size_t kWord = 4;

// Removes a hash index, which is one byte per bucket and their number as LE16.
bool RemoveHashIndex(Slice* body) noexcept {
  constexpr std::size_t kCountBytes = 2;
  if (body->size() < kCountBytes) return false;
  const std::size_t buckets =
      LoadLittle<std::uint16_t>(body->data() + body->size() - kCountBytes);
  if (body->size() - kCountBytes < buckets) return false;
  body->remove_suffix(kCountBytes + buckets);
  return true;
}

// Reads the lengths before a key and appends the rest of it to what it shares
// with the one before.
bool TakeKeyBytes(std::uint32_t shared, std::uint32_t unshared, Slice* in,
                  std::string* key) {
  if (shared > key->size() || unshared > in->size()) return false;
  key->resize(shared);
  key->append(in->substr(0, unshared));
  in->remove_prefix(unshared);
  return true;
}

}  // namespace

Status RocksDbBlockParts::Parse(Slice contents, RocksDbBlockParts* parts) {
  if (contents.size() < kWord) {
    return Status::Corruption("it is too short for a block");
  }
  const std::uint32_t word =
      LoadLittle32(contents.data() + contents.size() - kWord);
  const bool has_hash_index = (word & kHashIndex) != 0;
  parts->has_separate_values = (word & kSeparateValues) != 0;
  if ((word & kReserved) != 0 ||
      (has_hash_index && parts->has_separate_values)) {
    return Status::NotSupported("its layout is newer than this version");
  }
  static_assert((kCountMask | kSeparateValues | kUniformKeys | kReserved |
                 kHashIndex) == 0xffffffff);
  Slice body = contents.substr(0, contents.size() - kWord);
  if (has_hash_index && !RemoveHashIndex(&body)) {
    return Status::Corruption("its hash index is not within it");
  }
  std::size_t values_at = 0;
  if (parts->has_separate_values) {
    if (body.size() < kWord) return Status::Corruption("it is too short");
    body.remove_suffix(kWord);
    values_at = LoadLittle32(body.data() + body.size());
  }
  const std::size_t restarts = word & kCountMask;
  if (restarts > body.size() / kWord) {
    return Status::Corruption("its restarts are not within it");
  }
  parts->restarts = body.substr(body.size() - restarts * kWord);
  parts->entries = body.substr(0, body.size() - restarts * kWord);
  if (!parts->has_separate_values) return Status::Ok();
  if (values_at > parts->entries.size()) {
    return Status::Corruption("its values are not within it");
  }
  parts->entries = parts->entries.substr(0, values_at);
  return Status::Ok();
}

bool RocksDbEntries::IsAtRestart() {
  const std::size_t count = restarts_.size() / kWord;
  while (restart_ < count &&
         LoadLittle32(restarts_.data() + restart_ * kWord) < offset_) {
    ++restart_;
  }
  return restart_ < count &&
         LoadLittle32(restarts_.data() + restart_ * kWord) == offset_;
}

bool RocksDbEntries::Next() {
  if (damaged_ || rest_.empty()) return false;
  const std::size_t before = rest_.size();
  std::uint32_t shared;
  std::uint32_t unshared;
  std::uint32_t value_bytes;
  if (!ReadVarint32(&rest_, &shared) || !ReadVarint32(&rest_, &unshared) ||
      !ReadVarint32(&rest_, &value_bytes)) {
    return Fail();
  }
  std::uint32_t value_at;
  if (has_separate_values_ && IsAtRestart() &&
      !ReadVarint32(&rest_, &value_at)) {
    return Fail();
  }
  if (!TakeKeyBytes(shared, unshared, &rest_, &key_)) return Fail();
  if (!has_separate_values_) {
    if (value_bytes > rest_.size()) return Fail();
    value_ = rest_.substr(0, value_bytes);
    rest_.remove_prefix(value_bytes);
  }
  offset_ += static_cast<std::uint32_t>(before - rest_.size());
  return true;
}

// The difference of the sizes, zigzag; blocks follow each other.
bool RocksDbIndexEntries::ReadHandleAfter(std::uint32_t shared, Slice* in) {
  if (!coding_.has_delta_values || shared == 0) {
    return ReadHandle(in, &handle_);
  }
  std::uint64_t zigzag;
  if (!ReadVarint64(in, &zigzag)) return false;
  const std::uint64_t difference = (zigzag >> 1) ^ (0 - (zigzag & 1));
  handle_.offset += handle_.size + kBlockTrailerBytes;
  handle_.size += difference;
  return true;
}

bool RocksDbIndexEntries::Next() {
  if (damaged_ || rest_.empty()) return false;
  std::uint32_t shared;
  std::uint32_t unshared;
  std::uint32_t value_bytes = 0;
  if (!ReadVarint32(&rest_, &shared) || !ReadVarint32(&rest_, &unshared)) {
    return Fail();
  }
  // Without differences, the value has a length of its own.
  if (!coding_.has_delta_values && !ReadVarint32(&rest_, &value_bytes)) {
    return Fail();
  }
  if (!TakeKeyBytes(shared, unshared, &rest_, &key_)) return Fail();
  if (!coding_.has_user_keys && key_.size() < kTrailerBytes) return Fail();
  if (!coding_.has_delta_values) {
    if (value_bytes > rest_.size()) return Fail();
    Slice value = rest_.substr(0, value_bytes);
    rest_.remove_prefix(value_bytes);
    return ReadHandleAfter(0, &value) || Fail();
  }
  if (!ReadHandleAfter(shared, &rest_)) return Fail();
  Slice first_key;
  if (coding_.has_first_keys && !ReadLengthPrefixed(&rest_, &first_key)) {
    return Fail();
  }
  return true;
}

Slice RocksDbIndexEntries::user_key() const noexcept {
  return coding_.has_user_keys ? Slice(key_) : UserKeyOf(key_);
}

}  // namespace tamis
