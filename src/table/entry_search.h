// SPDX-License-Identifier: Apache-2.0
// table/entry_search.h -- compares the entries of a block with a key, one after
// the other, without assembling their keys.
//
// For bytewise order.  Let `matched` be the number of leading bytes that the
// previous entry has in common with the key that is searched for.  An entry
// that shares more than `matched` bytes with the previous one differs from that
// key in the same place, and comes before it, too: its key need not be read.
// Any other entry differs, if at all, in its unshared bytes; what it shares are
// then bytes of the key that is searched for.

#pragma once

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>

#include "base/coding.h"
#include "table/block.h"
#include "table/internal_key.h"
#include "table/shared_prefix.h"
#include "tamis/slice.h"

namespace tamis {

// Where an entry is, relative to the internal key that is searched for.
enum class EntryPlace {
  kBefore,
  kHere,  // the same user key, and not newer
  kAfter,
  kUnclear,  // keys differ only within their trailers: assemble them
};

// One search, from a restart on.
class EntrySearch {
 public:
  // REQUIRES: the key outlives the search
  explicit EntrySearch(Slice internal_key) noexcept
      : user_(UserKeyOf(internal_key)), trailer_(TrailerOf(internal_key)) {}

  // If the entry is here or after: its shared bytes are the first ones of the
  // user key that is searched for.
  // REQUIRES: called for every entry from a restart on, until one is not before
  [[gnu::always_inline]] EntryPlace Judge(const char* suffix,
                                          const EntryHead& head) noexcept {
    if (head.shared > previous_size_ || head.unshared < kTrailerBytes) {
      return JudgeRepeat(head);
    }
    const std::size_t own = head.unshared - kTrailerBytes;
    previous_size_ = head.shared + own;
    if (head.shared > matched_) return EntryPlace::kBefore;
    // A trailer follows both keys, so there are eight bytes to compare.
    const char* const wanted = user_.data() + head.shared;
    const auto a = LoadBig<std::uint64_t>(suffix);
    const auto b = LoadBig<std::uint64_t>(wanted);
    const std::size_t most = std::min(own, user_.size() - head.shared);
    std::size_t common = static_cast<std::size_t>(std::countl_zero(a ^ b)) / 8;
    if (common < most) {
      if (common < 8) {
        matched_ = head.shared + common;
        return a < b ? EntryPlace::kBefore : EntryPlace::kAfter;
      }
      common = SharedPrefix({suffix, most}, {wanted, most});
    } else {
      common = most;
    }
    matched_ = head.shared + common;
    const Slice mine(suffix, own);
    const Slice rest = user_.substr(head.shared);
    if (common == most) return JudgeEnded(mine, rest, suffix + own);
    return static_cast<unsigned char>(mine[common]) <
                   static_cast<unsigned char>(rest[common])
               ? EntryPlace::kBefore
               : EntryPlace::kAfter;
  }

 private:
  // One is a prefix of the other, or they are equal.
  EntryPlace JudgeEnded(Slice mine, Slice wanted,
                        const char* trailer) noexcept {
    if (mine.size() != wanted.size()) {
      return mine.size() < wanted.size() ? EntryPlace::kBefore
                                         : EntryPlace::kAfter;
    }
    if (LoadLittle64(trailer) <= trailer_) return EntryPlace::kHere;
    is_newer_ = true;
    return EntryPlace::kBefore;
  }

  // A key that shares even bytes of the trailer with the one before.  If it is
  // the same user key again, its place is the same.
  EntryPlace JudgeRepeat(const EntryHead& head) const noexcept {
    const bool same = head.shared >= previous_size_ &&
                      std::size_t{head.shared} + head.unshared ==
                          previous_size_ + kTrailerBytes;
    return same && !is_newer_ && previous_size_ != 0 ? EntryPlace::kBefore
                                                     : EntryPlace::kUnclear;
  }

  Slice user_;
  std::uint64_t trailer_;
  std::size_t matched_ = 0;
  std::size_t previous_size_ = 0;  // of the user key before
  bool is_newer_ = false;          // that user key, but too new
};

}  // namespace tamis
