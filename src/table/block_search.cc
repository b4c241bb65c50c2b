// SPDX-License-Identifier: Apache-2.0
#include "table/block_search.h"

#include <optional>

#include "table/block_cursor.h"
#include "table/entry_search.h"

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

// Scans from a restart on.  Nothing: a cursor is needed.
std::optional<BlockFind> ScanFrom(const char* p, const char* end,
                                  const LookupKey& key) noexcept {
  EntrySearch search(key.internal());
  while (p != end) {
    EntryHead head;
    const char* const suffix = DecodeEntry(p, end, &head);
    if (suffix == nullptr) return kDamage;
    p = suffix + head.unshared + head.value_bytes;
    switch (search.Judge(suffix, head)) {
      case EntryPlace::kBefore:
        break;
      case EntryPlace::kHere:
        return BlockFind{BlockFind::State::kFound,
                         LoadLittle64(suffix + head.unshared - kTrailerBytes),
                         {suffix + head.unshared, head.value_bytes}};
      case EntryPlace::kAfter:
        return BlockFind{};
      case EntryPlace::kUnclear:
        return std::nullopt;
    }
  }
  return BlockFind{};
}

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
  if (const auto found = ScanFrom(start, block.end(), key)) {
    return *found;
  }
  return FindBySeeking(block, order, key);
}

}  // namespace tamis
