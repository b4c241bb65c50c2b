// SPDX-License-Identifier: Apache-2.0
// table/internal_key.h -- keys as stored in tables: the user's key, then eight
// bytes with the sequence number and type of the write.
//
// Ordered by user key, and among equal ones the newest write first: a search
// for (key, sequence) finds the newest entry that is not newer.

#pragma once

#include <cassert>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string>

#include "base/coding.h"
#include "tamis/comparator.h"
#include "tamis/slice.h"

namespace tamis {

// Numbers all writes of a store; 56 bits.
using Sequence = std::uint64_t;
inline constexpr Sequence kMaxSequence = (std::uint64_t{1} << 56) - 1;

enum class ValueType : std::uint8_t { kDeletion = 0, kValue = 1 };
// Sorts before every other type of the same sequence: the type to seek with.
inline constexpr ValueType kTypeForSeek = ValueType::kValue;

inline constexpr std::size_t kTrailerBytes = 8;

constexpr std::uint64_t PackTrailer(Sequence sequence,
                                    ValueType type) noexcept {
  return sequence << 8 | static_cast<std::uint64_t>(type);
}

// REQUIRES, for these: `internal` has at least kTrailerBytes bytes
inline Slice UserKeyOf(Slice internal) noexcept {
  assert(internal.size() >= kTrailerBytes);
  return internal.substr(0, internal.size() - kTrailerBytes);
}
inline std::uint64_t TrailerOf(Slice internal) noexcept {
  assert(internal.size() >= kTrailerBytes);
  return LoadLittle64(internal.data() + internal.size() - kTrailerBytes);
}
inline Sequence SequenceOf(Slice internal) noexcept {
  return TrailerOf(internal) >> 8;
}
inline ValueType TypeOf(Slice internal) noexcept {
  return static_cast<ValueType>(TrailerOf(internal) & 0xff);
}
// False: too short, or of an unknown type.
inline bool IsInternalKey(Slice bytes) noexcept {
  return bytes.size() >= kTrailerBytes &&
         (TrailerOf(bytes) & 0xff) <= static_cast<unsigned>(ValueType::kValue);
}

inline void AppendInternalKey(std::string* dst, Slice user_key,
                              Sequence sequence, ValueType type) {
  const std::size_t start = dst->size();
  dst->resize(start + user_key.size() + kTrailerBytes);
  if (!user_key.empty()) {
    std::memcpy(dst->data() + start, user_key.data(), user_key.size());
  }
  StoreLittle(dst->data() + start + user_key.size(),
              PackTrailer(sequence, type));
}

// Returns the first eight bytes as a number that orders like them; missing
// bytes count as zero.  If a's number is less than b's, key a comes first;
// equality means nothing.
inline std::uint64_t PrefixOf(Slice key) noexcept {
  if (key.size() >= 8) return LoadBig<std::uint64_t>(key.data());
  std::uint64_t prefix = 0;
  for (std::size_t i = 0; i < key.size(); ++i) {
    prefix |= std::uint64_t{static_cast<unsigned char>(key[i])}
              << (8 * (7 - i));
  }
  return prefix;
}

// The order of a store's keys, user's and internal.  A small value.
class KeyOrder {
 public:
  // REQUIRES: `user` outlives this
  explicit KeyOrder(const Comparator& user = BytewiseComparator()) noexcept
      : user_(&user), is_bytewise_(&user == &BytewiseComparator()) {}

  const Comparator& user() const noexcept { return *user_; }
  // True: keys are in bytewise order, so prefixes may be compared first.
  bool is_bytewise() const noexcept { return is_bytewise_; }

  int CompareUser(Slice a, Slice b) const noexcept {
    return is_bytewise_ ? a.compare(b) : user_->Compare(a, b);
  }
  // REQUIRES: both have a trailer
  int Compare(Slice a, Slice b) const noexcept {
    const int order = CompareUser(UserKeyOf(a), UserKeyOf(b));
    if (order != 0) return order;
    const std::uint64_t x = TrailerOf(a);
    const std::uint64_t y = TrailerOf(b);
    return x > y ? -1 : (x < y ? 1 : 0);
  }

 private:
  const Comparator* user_;
  bool is_bytewise_;
};

// A key to look up, in both forms, without allocating if it is short.
class LookupKey {
 public:
  LookupKey(Slice user_key, Sequence sequence) {
    size_ = user_key.size() + kTrailerBytes;
    char* p = here_;
    if (size_ > sizeof(here_)) {
      elsewhere_.resize(size_);
      p = elsewhere_.data();
    }
    if (!user_key.empty()) std::memcpy(p, user_key.data(), user_key.size());
    StoreLittle(p + user_key.size(), PackTrailer(sequence, kTypeForSeek));
    start_ = p;
  }
  LookupKey(const LookupKey&) = delete;
  LookupKey& operator=(const LookupKey&) = delete;

  Slice internal() const noexcept { return {start_, size_}; }
  Slice user() const noexcept { return {start_, size_ - kTrailerBytes}; }
  Sequence sequence() const noexcept { return SequenceOf(internal()); }

 private:
  const char* start_;
  std::size_t size_;
  char here_[192];
  std::string elsewhere_;
};

}  // namespace tamis
