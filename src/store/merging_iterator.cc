// SPDX-License-Identifier: Apache-2.0
#include "store/merging_iterator.h"

#include <cstddef>
#include <cstdint>
#include <iterator>
#include <string>
#include <utility>

namespace tamis {
namespace {

class MergingIterator final : public InternalIterator {
 public:
  MergingIterator(const KeyOrder& order,
                  std::vector<std::unique_ptr<InternalIterator>> children,
                  const KeySpan* span)
      : order_(order),
        span_(span),
        children_(std::move(children)),
        at_(children_.size()) {
    if (children_.size() > std::size(few_)) {
      many_ = std::make_unique<Entry[]>(children_.size());
      heap_ = many_.get();
    }
  }

  void SeekToFirst() override {
    for (const auto& child : children_) child->SeekToFirst();
    is_forward_ = true;
    Rebuild();
  }
  void SeekToLast() override {
    for (const auto& child : children_) child->SeekToLast();
    is_forward_ = false;
    Rebuild();
  }
  void Seek(Slice internal_key) override {
    // The children's memory accesses overlap.
    for (bool more = true; more;) {
      more = false;
      for (const auto& child : children_) more |= child->WillSeek(internal_key);
    }
    for (const auto& child : children_) child->Seek(internal_key);
    is_forward_ = true;
    Rebuild();
  }

  void SeekForPrev(const KeyOrder& order, Slice internal_key) override {
    for (const auto& child : children_) child->SeekForPrev(order, internal_key);
    is_forward_ = false;
    Rebuild();
  }

  void Next() override {
    if (!is_forward_) {
      TurnForward();
      return;
    }
    InternalIterator& top = *at_[heap_[0].child];
    top.Next();
    Advanced(top);
  }
  void Prev() override {
    if (is_forward_) {
      TurnBackward();
      return;
    }
    InternalIterator& top = *at_[heap_[0].child];
    top.Prev();
    Advanced(top);
  }

  Status status() const override {
    for (const auto& child : children_) {
      if (Status status = child->status(); !status.ok()) return status;
    }
    return Status::Ok();
  }

 private:
  // Sixteen bytes of the key beside the child's index: most comparisons then
  // touch nothing else.
  struct Entry {
    std::uint64_t high = 0;
    std::uint64_t low = 0;
    std::uint32_t child = 0;
    bool is_postponed = false;
  };

  Entry EntryOf(std::uint32_t child) const noexcept {
    Entry entry{.child = child};
    entry.is_postponed = at_[child]->is_postponed();
    if (order_.is_bytewise()) {
      const Slice key = UserKeyOf(at_[child]->key());
      entry.high = PrefixOf(key);
      if (key.size() > 8) entry.low = PrefixOf(key.substr(8));
    }
    return entry;
  }

  // Returns whether a comes before b, in the current direction.
  bool Before(const Entry& a, const Entry& b) const noexcept {
    if (a.high != b.high) return (a.high < b.high) == is_forward_;
    if (a.low != b.low) return (a.low < b.low) == is_forward_;
    const int c = order_.Compare(at_[a.child]->key(), at_[b.child]->key());
    if (c != 0) return (c < 0) == is_forward_;
    return (a.child < b.child) == is_forward_;
  }

  void Rebuild() {
    size_ = 0;
    for (std::uint32_t i = 0; i < children_.size(); ++i) {
      InternalIterator& child = *children_[i];
      at_[i] = child.is_postponed() ? &child : child.Settle();
      if (at_[i]->Valid()) {
        heap_[size_++] = EntryOf(i);
      } else if (!child.status().ok()) {
        size_ = 0;
        break;
      }
    }
    for (std::size_t i = size_ / 2; i > 0; --i) SiftDown(i - 1);
    second_ = Second();
    TakeOver();
  }

  // The child at the top of the heap has moved.
  void Advanced(const InternalIterator& top) {
    if (top.Valid()) [[likely]] {
      heap_[0] = EntryOf(heap_[0].child);
      // Often it is still the first.
      if (second_ != 0 && Before(heap_[second_], heap_[0])) {
        std::swap(heap_[0], heap_[second_]);
        SiftDown(second_);
        second_ = Second();
      }
    } else if (!top.status().ok()) {
      size_ = 0;
      StandNowhere();
      return;
    } else {
      heap_[0] = heap_[--size_];
      if (size_ > 1) SiftDown(0);
      second_ = Second();
    }
    TakeOver();
  }

  // Returns the place of the second entry of all; 0: there is none.
  std::size_t Second() const noexcept {
    if (size_ < 3) return size_ < 2 ? 0 : 1;
    return Before(heap_[2], heap_[1]) ? 2 : 1;
  }

  void SiftDown(std::size_t at) noexcept {
    const Entry moving = heap_[at];
    while (true) {
      std::size_t child = 2 * at + 1;
      if (child >= size_) break;
      if (child + 1 < size_ && Before(heap_[child + 1], heap_[child])) {
        ++child;
      }
      if (!Before(heap_[child], moving)) break;
      heap_[at] = heap_[child];
      at = child;
    }
    heap_[at] = moving;
  }

  void TakeOver() {
    while (size_ > 0 && heap_[0].is_postponed) {
      // All that is left is beyond it, too.
      if (IsBeyondSpan(at_[heap_[0].child]->key())) return StandNowhere();
      SettleTop();
    }
    if (size_ == 0) {
      StandNowhere();
      return;
    }
    const InternalIterator& top = *at_[heap_[0].child];
    StandAt(top.key(), top.value());
  }

  bool IsBeyondSpan(Slice internal_key) const noexcept {
    if (span_ == nullptr) return false;
    const std::string& end = is_forward_ ? span_->end : span_->from;
    if (end.empty()) return false;
    const int c = order_.Compare(internal_key, end);
    return is_forward_ ? c >= 0 : c < 0;
  }

  // The merge has come to where the first child, which is postponed, may have
  // an entry.
  void SettleTop() {
    const std::uint32_t i = heap_[0].child;
    at_[i] = children_[i]->Settle();
    if (at_[i]->Valid()) {
      heap_[0] = EntryOf(i);
    } else if (!children_[i]->status().ok()) {
      size_ = 0;
      return;
    } else {
      heap_[0] = heap_[--size_];
    }
    if (size_ > 1) SiftDown(0);
    second_ = Second();
  }

  // Moves all children to the first entry after the current one ...
  void TurnForward() {
    const std::string here(key());
    for (const auto& child : children_) {
      child->Seek(here);
      // What is postponed is after it.
      if (child->Valid() && !child->is_postponed() &&
          order_.Compare(child->key(), here) == 0) {
        child->Next();
      }
    }
    is_forward_ = true;
    Rebuild();
  }
  // ... and to the last one before it.
  void TurnBackward() {
    const std::string here(key());
    for (const auto& child : children_) {
      child->SeekForPrev(order_, here);
      if (child->Valid() && !child->is_postponed() &&
          order_.Compare(child->key(), here) == 0) {
        child->Prev();
      }
    }
    is_forward_ = false;
    Rebuild();
  }

  KeyOrder order_;
  const KeySpan* span_;  // null: all entries are needed
  std::vector<std::unique_ptr<InternalIterator>> children_;
  // Where each child is: itself, or what moves in its place.
  std::vector<InternalIterator*> at_;
  // A heap of the children that are at an entry, in few_ or in many_.
  Entry few_[8];
  std::unique_ptr<Entry[]> many_;
  Entry* heap_ = few_;
  std::size_t size_ = 0;
  std::size_t second_ = 0;  // the place of the second entry; 0: there is none
  bool is_forward_ = true;
};

}  // namespace

std::unique_ptr<InternalIterator> NewMergingIterator(
    const KeyOrder& order,
    std::vector<std::unique_ptr<InternalIterator>> children,
    const KeySpan* span) {
  if (children.empty()) return std::make_unique<EmptyIterator>();
  if (children.size() == 1) return std::move(children.front());
  return std::make_unique<MergingIterator>(order, std::move(children), span);
}

}  // namespace tamis
