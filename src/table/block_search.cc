// SPDX-License-Identifier: Apache-2.0
// With bytewise order, an entry's key need not be assembled to be compared.
// Let `matched` be the number of leading bytes that the previous entry has in
// common with the key that is searched for.  An entry that shares more than
// `matched` bytes with the previous one differs from that key in the same
// place, and comes before it, too: its key need not be read.  Any other entry
// differs, if at all, in its unshared bytes.

#include "table/block_search.h"

#include <optional>

#include "table/block_cursor.h"
#include "table/shared_prefix.h"

namespace tamis {
namespace {

constexpr BlockFind kDamage{BlockFind::State::kDamaged, 0, {}};

// The definition, for any order: uses a cursor.
BlockFind FindBySeeking(const Block& block, const KeyOrder& order,
                        const LookupKey& key) {
  BlockCursor cursor;
  cursor.Reset(block);
  cursor.Seek(order, key.internal());
  if (cursor.damaged()) return kDamage;
  if (!cursor.valid() ||
      order.CompareUser(UserKeyOf(cursor.key()), key.user()) != 0) {
    return {};
  }
  return {BlockFind::State::kFound, TrailerOf(cursor.key()), cursor.value()};
}

// Compares bytewise, user keys first.
bool ComesBefore(Slice internal, Slice user, std::uint64_t trailer) noexcept {
  const int order = UserKeyOf(internal).compare(user);
  return order < 0 || (order == 0 && TrailerOf(internal) > trailer);
}

// Returns the last restart before the key, or the first one.  Null: damaged.
const char* StartOfScan(const Block& block, Slice user,
                        std::uint64_t trailer) noexcept {
  std::uint32_t low = 0;
  std::uint32_t high = block.restart_count() - 1;
  while (low < high) {
    const std::uint32_t middle = high - (high - low) / 2;
    const Slice key = block.RestartKey(middle);
    if (key.size() < kTrailerBytes) return nullptr;
    if (ComesBefore(key, user, trailer)) {
      low = middle;
    } else {
      high = middle - 1;
    }
  }
  return block.Restart(low);
}

// Scans from a restart on; see above.
class Scan {
 public:
  Scan(Slice user, std::uint64_t trailer) noexcept
      : user_(user), trailer_(trailer) {}

  // Nothing: keys differ only within their trailers, so a cursor is needed.
  std::optional<BlockFind> Run(const char* p, const char* end) noexcept {
    while (p != end) {
      EntryHead head;
      const char* const suffix = DecodeEntry(p, end, &head);
      if (suffix == nullptr) return kDamage;
      p = suffix + head.unshared + head.value_bytes;
      switch (Judge(suffix, head)) {
        case Place::kBefore:
          break;
        case Place::kHere:
          return BlockFind{BlockFind::State::kFound,
                           LoadLittle64(suffix + head.unshared - kTrailerBytes),
                           {suffix + head.unshared, head.value_bytes}};
        case Place::kAfter:
          return BlockFind{};
        case Place::kUnclear:
          return std::nullopt;
      }
    }
    return BlockFind{};
  }

 private:
  // Where an entry is, relative to the key that is searched for.
  enum class Place { kBefore, kHere, kAfter, kUnclear };

  Place Judge(const char* suffix, const EntryHead& head) noexcept {
    if (head.shared > previous_size_ || head.unshared < kTrailerBytes) {
      return JudgeRepeat(head);
    }
    const std::size_t own = head.unshared - kTrailerBytes;
    previous_size_ = head.shared + own;
    if (head.shared > matched_) return Place::kBefore;
    const Slice mine(suffix, own);
    const Slice wanted = user_.substr(head.shared);
    const std::size_t common = SharedPrefix(mine, wanted);
    matched_ = head.shared + common;
    if (common == own || common == wanted.size()) {
      return JudgeEnded(mine, wanted, suffix + own);
    }
    return static_cast<unsigned char>(mine[common]) <
                   static_cast<unsigned char>(wanted[common])
               ? Place::kBefore
               : Place::kAfter;
  }

  // One is a prefix of the other, or they are equal.
  Place JudgeEnded(Slice mine, Slice wanted, const char* trailer) noexcept {
    if (mine.size() != wanted.size()) {
      return mine.size() < wanted.size() ? Place::kBefore : Place::kAfter;
    }
    if (LoadLittle64(trailer) <= trailer_) return Place::kHere;
    is_newer_ = true;
    return Place::kBefore;
  }

  // A key that shares even bytes of the trailer with the one before.  If it is
  // the same user key again, its place is the same.
  Place JudgeRepeat(const EntryHead& head) const noexcept {
    const bool same = head.shared >= previous_size_ &&
                      std::size_t{head.shared} + head.unshared ==
                          previous_size_ + kTrailerBytes;
    return same && !is_newer_ && previous_size_ != 0 ? Place::kBefore
                                                     : Place::kUnclear;
  }

  Slice user_;
  std::uint64_t trailer_;
  std::size_t matched_ = 0;
  std::size_t previous_size_ = 0;  // of the user key before
  bool is_newer_ = false;          // that user key, but too new
};

}  // namespace

BlockFind FindInBlock(const Block& block, const KeyOrder& order,
                      const LookupKey& key) {
  if (!order.is_bytewise()) return FindBySeeking(block, order, key);
  if (block.begin() == block.end()) return {};
  const std::uint64_t trailer = TrailerOf(key.internal());
  PrefetchRestarts(block);
  const char* const start = StartOfScan(block, key.user(), trailer);
  if (start == nullptr) return kDamage;
  PrefetchScan(start, block.end());
  Scan scan(key.user(), trailer);
  if (const auto found = scan.Run(start, block.end())) return *found;
  return FindBySeeking(block, order, key);
}

}  // namespace tamis
