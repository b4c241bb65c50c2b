// SPDX-License-Identifier: Apache-2.0
// table/block.h -- a block's layout: entries one after the other, each without
// the prefix that its key shares with the one before; then the offsets of the
// entries with whole keys (restarts), and their number.

#pragma once

#include <algorithm>
#include <cassert>
#include <cstddef>
#include <cstdint>

#include "base/coding.h"
#include "tamis/slice.h"

namespace tamis {

struct EntryHead {
  std::uint32_t shared = 0;    // bytes that the key shares with the one before
  std::uint32_t unshared = 0;  // bytes that follow
  std::uint32_t value_bytes = 0;
};

// Returns the start of the key's unshared bytes, which its value follows.
// Null: no entry that ends at or before `end`.
[[gnu::always_inline]] inline const char* DecodeEntry(
    const char* p, const char* end, EntryHead* head) noexcept {
  const auto byte = [p](int i) {
    return std::uint32_t{static_cast<unsigned char>(p[i])};
  };
  if (end - p >= 3 && (byte(0) | byte(1) | byte(2)) < 0x80) [[likely]] {
    *head = {byte(0), byte(1), byte(2)};
    p += 3;
  } else {
    p = DecodeVarint32(p, end, &head->shared);
    if (p != nullptr) p = DecodeVarint32(p, end, &head->unshared);
    if (p != nullptr) p = DecodeVarint32(p, end, &head->value_bytes);
    if (p == nullptr) return nullptr;
  }
  const std::uint64_t rest =
      std::uint64_t{head->unshared} + std::uint64_t{head->value_bytes};
  return static_cast<std::uint64_t>(end - p) < rest ? nullptr : p;
}

// A view of a block's bytes, uncompressed and without trailer.
class Block {
 public:
  Block() = default;  // no entries

  // False: not a block.  Entries and restarts are checked when they are used.
  // REQUIRES: `contents` outlives the block
  static bool Parse(Slice contents, Block* block) noexcept {
    constexpr std::size_t kWord = sizeof(std::uint32_t);
    if (contents.size() < kWord) return false;
    const std::size_t rest = contents.size() - kWord;
    const std::uint32_t count = LoadLittle32(contents.data() + rest);
    if (count > rest / kWord) return false;
    block->begin_ = contents.data();
    block->end_ = contents.data() + (rest - count * kWord);
    block->restart_count_ = count;
    return count != 0 || block->begin_ == block->end_;
  }

  const char* begin() const noexcept { return begin_; }
  const char* end() const noexcept { return end_; }  // of the entries
  std::uint32_t restart_count() const noexcept { return restart_count_; }

  // Null: it is outside the block.  REQUIRES: i < restart_count()
  const char* Restart(std::uint32_t i) const noexcept {
    assert(i < restart_count_);
    const std::uint32_t offset =
        LoadLittle32(end_ + std::size_t{i} * sizeof(std::uint32_t));
    return offset < static_cast<std::size_t>(end_ - begin_) ? begin_ + offset
                                                            : nullptr;
  }

  // Returns the key of the entry there.  Null data: damaged.
  Slice RestartKey(std::uint32_t i) const noexcept {
    const char* const entry = Restart(i);
    if (entry == nullptr) return {};
    EntryHead head;
    const char* const key = DecodeEntry(entry, end_, &head);
    if (key == nullptr || head.shared != 0) return {};
    return {key, head.unshared};
  }

 private:
  const char* begin_ = nullptr;
  const char* end_ = nullptr;
  std::uint32_t restart_count_ = 0;
};

// Several memory accesses take the time of one, so what a search is likely to
// need is prefetched at once: first the keys of the restarts ...
[[gnu::always_inline]] inline void PrefetchRestarts(
    const Block& block) noexcept {
  constexpr std::uint32_t kMax = 8;
  const std::uint32_t count = std::min(block.restart_count(), kMax);
  for (std::uint32_t i = 1; i < count; ++i) {
    __builtin_prefetch(block.Restart(i));
  }
}
// ... then what follows the chosen one.
[[gnu::always_inline]] inline void PrefetchScan(const char* start,
                                                const char* end) noexcept {
  constexpr std::size_t kCacheLine = 64;
  constexpr std::size_t kMax = 16 * kCacheLine;
  const std::size_t bytes =
      std::min(static_cast<std::size_t>(end - start), kMax);
  for (std::size_t i = 0; i < bytes; i += kCacheLine) {
    __builtin_prefetch(start + i);
  }
}

}  // namespace tamis
