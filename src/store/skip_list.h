// SPDX-License-Identifier: Apache-2.0
// store/skip_list.h -- entries in the order of their internal keys, in memory.
//
// One thread inserts; any number of others search and walk meanwhile, without
// locks.  Nothing is ever removed.
//
// A search through a plain skip list waits for memory at every node that it
// compares with.  Here a link also has the first 16 bytes of its target's key,
// so that a node is touched only when the search moves to it (or when those
// bytes are equal).

#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>

#include "base/arena.h"
#include "table/internal_iterator.h"
#include "table/internal_key.h"

namespace tamis {

class SkipList {
 public:
  // One entry.  Does not change once it is visible.
  class Node;

  // `stock`: see Arena.
  explicit SkipList(const KeyOrder& order,
                    std::shared_ptr<ChunkStock> stock = nullptr);
  SkipList(const SkipList&) = delete;
  SkipList& operator=(const SkipList&) = delete;

  // Guarantees that the next `entries` insertions, with `bytes` bytes of user
  // keys and values in total, do not fail.  Throws std::bad_alloc.
  // REQUIRES: called by the thread that inserts
  void Reserve(std::uint64_t entries, std::size_t bytes);

  // Both are copied.  Throws std::bad_alloc: nothing was inserted.
  // REQUIRES: one thread at a time; (user_key, sequence) is new; key and value
  // are shorter than 4 GiB - 8 each
  void Insert(Sequence sequence, ValueType type, Slice user_key, Slice value);

  // Find the entries around an internal key, and at the ends.  Null: none.
  const Node* FindAtOrAfter(Slice internal_key) const noexcept;
  const Node* FindBefore(Slice internal_key) const noexcept;
  const Node* First() const noexcept;
  const Node* Last() const noexcept;

  static const Node* Next(const Node* node) noexcept;
  static Slice KeyOf(const Node* node) noexcept;  // internal
  static Slice ValueOf(const Node* node) noexcept;

  // REQUIRES: the list outlives it
  std::unique_ptr<InternalIterator> NewIterator() const;

  std::uint64_t entries() const noexcept {
    return entries_.load(std::memory_order_relaxed);
  }
  std::size_t bytes() const noexcept { return arena_.bytes(); }
  // See Arena.
  void PrepareChunk() noexcept { arena_.PrepareChunk(); }

 private:
  // Every second node of a level is in the next one, too: with prefixes in the
  // links, a search then makes the fewest moves.
  static constexpr unsigned kMaxHeight = 20;

  // The first 16 bytes of a user key, as PrefixOf() gives them; zeros if the
  // order is not bytewise.
  struct Prefix {
    std::uint64_t high = 0;
    std::uint64_t low = 0;
  };
  // What is searched for.
  struct Target {
    Prefix prefix;
    Slice key;  // internal
  };
  class Link;

  Prefix PrefixFor(Slice user_key) const noexcept;
  Target TargetFor(Slice internal_key) const noexcept;
  // Returns the link's target node if it comes before the search target,
  // otherwise null.  *bound is a node that does not, or null, and is kept up to
  // date.
  Node* NextBefore(const Link& link, const Target& target,
                   const Node** bound) const noexcept;
  // Returns the last node before the target, or the head; also for each level,
  // if `before` is not null.
  Node* Search(const Target& target, Node** before) const noexcept;
  bool ComesRightAfterLast(const Target& target) const noexcept;
  // NewNode() initialises only links and lengths; the other fills it, too.
  Node* NewNode(unsigned height, std::size_t key_bytes,
                std::size_t value_bytes);
  Node* NewEntry(unsigned height, std::uint64_t trailer, Slice user_key,
                 Slice value);
  static unsigned RandomHeight(std::uint64_t* random) noexcept;
  unsigned height() const noexcept {
    return height_.load(std::memory_order_relaxed);
  }

  KeyOrder order_;
  Arena arena_;
  Node* head_;
  std::atomic<unsigned> height_ = 1;
  std::atomic<std::uint64_t> entries_ = 0;

  // Used by the writer alone.
  std::uint64_t random_ = 0x9e3779b97f4a7c15;
  Node* last_inserted_ = nullptr;
  Prefix last_prefix_;
  // The last node of each level that is not after last_inserted_: an entry
  // right after that one, as in ascending insertions, needs no search.
  Node* before_[kMaxHeight];
};

}  // namespace tamis
