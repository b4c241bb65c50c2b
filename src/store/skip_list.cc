// SPDX-License-Identifier: Apache-2.0
#include "store/skip_list.h"

#include <algorithm>
#include <bit>
#include <cassert>
#include <cstring>
#include <limits>
#include <new>
#include <utility>

#include "base/coding.h"

namespace tamis {

// Points to the next node of a level.  Written by one thread, read by many: the
// writer first marks it as being changed, and a reader that sees the mark, or
// another node than a moment before, does not trust the prefix.  A link never
// points to an earlier target again.
class SkipList::Link {
 public:
  // REQUIRES, for both: called by the writer.
  // Called before others can see the node that has this link.
  void CopyFrom(const Link& other) noexcept {
    constexpr auto kRelaxed = std::memory_order_relaxed;
    high_.store(other.high_.load(kRelaxed), kRelaxed);
    low_.store(other.low_.load(kRelaxed), kRelaxed);
    next_.store(other.next_.load(kRelaxed), kRelaxed);
  }
  void Set(Node* next, const Prefix& prefix) noexcept {
    next_.store(next_.load(std::memory_order_relaxed) | kChanging,
                std::memory_order_relaxed);
    // Each is a release, so that no part is visible before the mark.
    high_.store(prefix.high, std::memory_order_release);
    low_.store(prefix.low, std::memory_order_release);
    next_.store(reinterpret_cast<std::uintptr_t>(next),
                std::memory_order_release);
  }

  Node* next() const noexcept {
    return NodeOf(next_.load(std::memory_order_acquire));
  }

  // Reads the next node; false if *prefix may not be its prefix.
  bool Read(Node** next, Prefix* prefix) const noexcept {
    const std::uintptr_t word = next_.load(std::memory_order_acquire);
    prefix->high = high_.load(std::memory_order_acquire);
    prefix->low = low_.load(std::memory_order_acquire);
    *next = NodeOf(word);
    return (word & kChanging) == 0 &&
           next_.load(std::memory_order_relaxed) == word;
  }

 private:
  static constexpr std::uintptr_t kChanging = 1;

  static Node* NodeOf(std::uintptr_t word) noexcept {
    return reinterpret_cast<Node*>(word & ~kChanging);
  }

  std::atomic<std::uint64_t> high_ = 0;
  std::atomic<std::uint64_t> low_ = 0;
  std::atomic<std::uintptr_t> next_ = 0;
};

// In memory: the links from the highest down to that of level 0, this object,
// the internal key, the value.  So what a search touches last is contiguous.
class alignas(Arena::kAlignment) SkipList::Node {
 public:
  Node(std::uint32_t key_bytes, std::uint32_t value_bytes) noexcept
      : key_bytes_(key_bytes), value_bytes_(value_bytes) {}

  Link& link(unsigned level) noexcept {
    return *(reinterpret_cast<Link*>(this) - 1 - level);
  }
  const Link& link(unsigned level) const noexcept {
    return *(reinterpret_cast<const Link*>(this) - 1 - level);
  }
  char* data() noexcept { return reinterpret_cast<char*>(this + 1); }
  const char* data() const noexcept {
    return reinterpret_cast<const char*>(this + 1);
  }
  Slice key() const noexcept { return {data(), key_bytes_}; }
  Slice value() const noexcept { return {data() + key_bytes_, value_bytes_}; }

 private:
  std::uint32_t key_bytes_;
  std::uint32_t value_bytes_;
};

SkipList::SkipList(const KeyOrder& order, std::shared_ptr<ChunkStock> stock)
    : order_(order),
      arena_(std::move(stock)),
      head_(NewNode(kMaxHeight, 0, 0)) {
  std::fill(std::begin(before_), std::end(before_), head_);
}

SkipList::Prefix SkipList::PrefixFor(Slice user_key) const noexcept {
  if (!order_.is_bytewise()) return {};
  Prefix prefix{.high = PrefixOf(user_key)};
  if (user_key.size() > 8) prefix.low = PrefixOf(user_key.substr(8));
  return prefix;
}

SkipList::Target SkipList::TargetFor(Slice internal_key) const noexcept {
  return {PrefixFor(UserKeyOf(internal_key)), internal_key};
}

SkipList::Node* SkipList::NextBefore(const Link& link, const Target& target,
                                     const Node** bound) const noexcept {
  Node* next;
  Prefix prefix;
  const bool known = link.Read(&next, &prefix);
  if (next == *bound || next == nullptr) return nullptr;
  if (known) [[likely]] {
    if (prefix.high != target.prefix.high) {
      return prefix.high < target.prefix.high ? next : nullptr;
    }
    if (prefix.low != target.prefix.low) {
      return prefix.low < target.prefix.low ? next : nullptr;
    }
  }
  if (order_.Compare(next->key(), target.key) < 0) return next;
  *bound = next;  // often found again a level below
  return nullptr;
}

SkipList::Node* SkipList::Search(const Target& target,
                                 Node** before) const noexcept {
  Node* at = head_;
  const Node* bound = nullptr;
  for (unsigned level = height(); level > 0; --level) {
    while (Node* const next = NextBefore(at->link(level - 1), target, &bound)) {
      at = next;
    }
    if (before != nullptr) before[level - 1] = at;
  }
  return at;
}

const SkipList::Node* SkipList::FindAtOrAfter(
    Slice internal_key) const noexcept {
  const Target target = TargetFor(internal_key);
  const Node* at = Search(target, nullptr);
  // Meanwhile entries may have been inserted before the target.
  for (;;) {
    const Node* const next = Next(at);
    if (next == nullptr || order_.Compare(next->key(), internal_key) >= 0) {
      return next;
    }
    at = next;
  }
}

const SkipList::Node* SkipList::FindBefore(Slice internal_key) const noexcept {
  const Node* const found = Search(TargetFor(internal_key), nullptr);
  return found == head_ ? nullptr : found;
}

const SkipList::Node* SkipList::First() const noexcept { return Next(head_); }

const SkipList::Node* SkipList::Last() const noexcept {
  const Node* at = head_;
  for (unsigned level = height(); level > 0; --level) {
    while (const Node* const next = at->link(level - 1).next()) at = next;
  }
  return at == head_ ? nullptr : at;
}

const SkipList::Node* SkipList::Next(const Node* node) noexcept {
  return node->link(0).next();
}
Slice SkipList::KeyOf(const Node* node) noexcept { return node->key(); }
Slice SkipList::ValueOf(const Node* node) noexcept { return node->value(); }

SkipList::Node* SkipList::NewNode(unsigned height, std::size_t key_bytes,
                                  std::size_t value_bytes) {
  assert(key_bytes <= std::numeric_limits<std::uint32_t>::max());
  assert(value_bytes <= std::numeric_limits<std::uint32_t>::max());
  const std::size_t tower = height * sizeof(Link);
  char* const memory =
      arena_.Allocate(tower + sizeof(Node) + key_bytes + value_bytes);
  for (unsigned i = 0; i < height; ++i) new (memory + i * sizeof(Link)) Link();
  return new (memory + tower) Node(static_cast<std::uint32_t>(key_bytes),
                                   static_cast<std::uint32_t>(value_bytes));
}

unsigned SkipList::RandomHeight(std::uint64_t* random) noexcept {
  // Marsaglia's xorshift with 64 bits.
  *random ^= *random << 13;
  *random ^= *random >> 7;
  *random ^= *random << 17;
  const auto more = static_cast<unsigned>(std::countr_zero(*random));
  return 1 + std::min(more, kMaxHeight - 1);
}

bool SkipList::ComesRightAfterLast(const Target& target) const noexcept {
  if (last_inserted_ == nullptr || target.prefix.high < last_prefix_.high ||
      order_.Compare(last_inserted_->key(), target.key) > 0) {
    return false;
  }
  const Node* bound = nullptr;
  return NextBefore(last_inserted_->link(0), target, &bound) == nullptr;
}

SkipList::Node* SkipList::NewEntry(unsigned height, std::uint64_t trailer,
                                   Slice user_key, Slice value) {
  Node* const node =
      NewNode(height, user_key.size() + kTrailerBytes, value.size());
  char* at = node->data();
  if (!user_key.empty()) std::memcpy(at, user_key.data(), user_key.size());
  at += user_key.size();
  StoreLittle(at, trailer);
  at += kTrailerBytes;
  if (!value.empty()) std::memcpy(at, value.data(), value.size());
  return node;
}

void SkipList::Reserve(std::uint64_t entries, std::size_t bytes) {
  // Draws the same heights as the insertions will, so that the estimate is
  // close.
  std::uint64_t random = random_;
  for (std::uint64_t i = 0; i < entries; ++i) {
    bytes += RandomHeight(&random) * sizeof(Link) + sizeof(Node) +
             kTrailerBytes + Arena::kAlignment;
  }
  arena_.Reserve(bytes);
}

void SkipList::Insert(Sequence sequence, ValueType type, Slice user_key,
                      Slice value) {
  const unsigned levels = RandomHeight(&random_);
  Node* const node =
      NewEntry(levels, PackTrailer(sequence, type), user_key, value);
  const Target target{PrefixFor(user_key), node->key()};
  if (!ComesRightAfterLast(target)) Search(target, before_);
  if (levels > height()) {
    // There, before_ has the head.  A reader that still sees the old height
    // only takes longer.
    height_.store(levels, std::memory_order_relaxed);
  }
  for (unsigned i = 0; i < levels; ++i) {
    node->link(i).CopyFrom(before_[i]->link(i));
  }
  for (unsigned i = 0; i < levels; ++i) {
    before_[i]->link(i).Set(node, target.prefix);
    before_[i] = node;
  }
  last_inserted_ = node;
  last_prefix_ = target.prefix;
  entries_.store(entries() + 1, std::memory_order_relaxed);
}

namespace {

class SkipListIterator final : public InternalIterator {
 public:
  explicit SkipListIterator(const SkipList& list) noexcept : list_(list) {}

  void SeekToFirst() override { StandAtNode(list_.First()); }
  void SeekToLast() override { StandAtNode(list_.Last()); }
  void Seek(Slice internal_key) override {
    StandAtNode(list_.FindAtOrAfter(internal_key));
  }
  void Next() override {
    StandAtNode(SkipList::Next(node_));
    if (node_ != nullptr) __builtin_prefetch(SkipList::Next(node_));
  }
  void Prev() override { StandAtNode(list_.FindBefore(key())); }
  Status status() const override { return Status::Ok(); }

 private:
  void StandAtNode(const SkipList::Node* node) noexcept {
    node_ = node;
    if (node == nullptr) {
      StandNowhere();
    } else {
      StandAt(SkipList::KeyOf(node), SkipList::ValueOf(node));
    }
  }

  const SkipList& list_;
  const SkipList::Node* node_ = nullptr;
};

}  // namespace

std::unique_ptr<InternalIterator> SkipList::NewIterator() const {
  return std::make_unique<SkipListIterator>(*this);
}

}  // namespace tamis
