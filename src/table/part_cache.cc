// SPDX-License-Identifier: Apache-2.0
#include "table/part_cache.h"

#include <algorithm>
#include <cstring>
#include <new>
#include <utility>

namespace tamis {

PartCache::PartCache(FilterRoom& room) noexcept : room_(room) {}

PartCache::~PartCache() {
  Shrink(0, 0).Free();
  for (std::atomic<Leaf*>& leaf : leaves_) {
    delete leaf.load(std::memory_order_relaxed);
  }
}

PartCache::Slab* PartCache::SlabOf(Frame frame) const noexcept {
  const std::size_t number = (frame - 1) / kFramesPerSlab;
  if (frame == kNowhere || number >= kFanOut * kFanOut) return nullptr;
  const Leaf* const leaf =
      leaves_[number / kFanOut].load(std::memory_order_acquire);
  if (leaf == nullptr) return nullptr;
  return (*leaf)[number % kFanOut].load(std::memory_order_seq_cst);
}

// The loads are ordered: if a word is of a later part, then so is the version
// that is read after it.
bool PartCache::CopyLine(Frame frame, std::uint64_t number, std::size_t line,
                         Line* copy) const noexcept {
  Slab* const slab = SlabOf(frame);
  if (slab == nullptr) return false;
  const std::size_t i = (frame - 1) % kFramesPerSlab;
  Head& head = slab->heads[i];
  const std::uint64_t version = head.version.load(std::memory_order_acquire);
  if (version % 2 != 0 ||
      head.number.load(std::memory_order_acquire) != number) {
    return false;
  }
  const std::atomic<std::uint64_t>* const words =
      &slab->words[i][line * copy->words.size()];
  for (std::size_t k = 0; k < copy->words.size(); ++k) {
    copy->words[k] = words[k].load(std::memory_order_acquire);
  }
  if (head.version.load(std::memory_order_relaxed) != version) return false;
  // Not written each time: all readers share it.
  if (!head.was_asked.load(std::memory_order_relaxed)) {
    head.was_asked.store(true, std::memory_order_relaxed);
  }
  return true;
}

PartCache::Addresses PartCache::AddressesOf(Frame frame,
                                            std::size_t line) const noexcept {
  const Slab* const slab = SlabOf(frame);
  if (slab == nullptr) return {};
  const std::size_t i = (frame - 1) % kFramesPerSlab;
  return {&slab->heads[i], &slab->words[i][line * (kLineBytes / 8)]};
}

PartCache::Frame PartCache::Insert(std::uint64_t number, Slice part) noexcept {
  if (!mutex_.TryLock()) return kNowhere;
  const Frame frame = FindFrame();
  if (frame != kNowhere) {
    Slab* const slab = SlabOf(frame);
    const std::size_t i = (frame - 1) % kFramesPerSlab;
    Head& head = slab->heads[i];
    const std::uint64_t version = head.version.load(std::memory_order_relaxed);
    // Whoever reads one of these stores sees those before it.
    head.version.store(version + 1, std::memory_order_relaxed);
    head.number.store(number, std::memory_order_release);
    for (std::size_t k = 0; k < part.size() / 8; ++k) {
      std::uint64_t word = 0;
      std::memcpy(&word, part.data() + k * 8, 8);
      slab->words[i][k].store(word, std::memory_order_release);
    }
    head.was_asked.store(false, std::memory_order_relaxed);
    head.version.store(version + 2, std::memory_order_release);
  }
  mutex_.Unlock();
  return frame;
}

PartCache::Frame PartCache::FindFrame() noexcept {
  const std::uint64_t frames =
      slab_count_.load(std::memory_order_relaxed) * kFramesPerSlab;
  if (used_ < frames || Grow()) return ++used_;
  return FindVictim();
}

// The first part that was not asked for since the hand passed it last.
PartCache::Frame PartCache::FindVictim() noexcept {
  if (used_ == 0) return kNowhere;
  for (std::uint64_t steps = 0; steps <= used_; ++steps) {
    hand_ = hand_ % used_ + 1;
    std::atomic<bool>& was_asked =
        SlabOf(hand_)->heads[(hand_ - 1) % kFramesPerSlab].was_asked;
    if (!was_asked.load(std::memory_order_relaxed)) break;
    was_asked.store(false, std::memory_order_relaxed);
  }
  return hand_;
}

bool PartCache::Grow() noexcept {
  const std::uint64_t count = slab_count_.load(std::memory_order_relaxed);
  if (count >= kMaxFrame / kFramesPerSlab ||
      capacity_ / sizeof(Slab) <= count || !room_.Take(sizeof(Slab))) {
    return false;
  }
  std::atomic<Leaf*>& place = leaves_[count / kFanOut];
  Leaf* leaf = place.load(std::memory_order_relaxed);
  if (leaf == nullptr) {
    leaf = new (std::nothrow) Leaf();
    place.store(leaf, std::memory_order_release);
  }
  unsigned char* const memory =
      leaf == nullptr ? nullptr : NewPooledMemory(sizeof(Slab)).release();
  if (memory == nullptr) {
    room_.Return(sizeof(Slab));
    return false;
  }
  (*leaf)[count % kFanOut].store(new (memory) Slab, std::memory_order_seq_cst);
  slab_count_.store(count + 1, std::memory_order_relaxed);
  return true;
}

PartCache::Removed PartCache::Shrink(std::uint64_t bytes,
                                     std::uint64_t capacity) noexcept {
  Removed removed;
  const MutexLock lock(mutex_);
  capacity_ = capacity;
  removed.room_ = &room_;
  std::uint64_t count = slab_count_.load(std::memory_order_relaxed);
  for (; count > bytes / sizeof(Slab); --count) {
    const std::size_t last = static_cast<std::size_t>(count - 1);
    Leaf& leaf = *leaves_[last / kFanOut].load(std::memory_order_relaxed);
    Slab* const slab =
        leaf[last % kFanOut].exchange(nullptr, std::memory_order_seq_cst);
    slab->next = std::exchange(removed.first_, slab);
  }
  slab_count_.store(count, std::memory_order_relaxed);
  used_ = static_cast<Frame>(
      std::min<std::uint64_t>(used_, count * kFramesPerSlab));
  return removed;
}

void PartCache::FreeSlab(Slab* slab, FilterRoom& room) noexcept {
  slab->~Slab();
  FreePooled{sizeof(Slab)}(slab);
  room.Return(sizeof(Slab));
}

PartCache::Removed::Removed(Removed&& other) noexcept
    : room_(other.room_), first_(std::exchange(other.first_, nullptr)) {}

PartCache::Removed& PartCache::Removed::operator=(Removed&& other) noexcept {
  std::swap(room_, other.room_);
  std::swap(first_, other.first_);
  return *this;
}

void PartCache::Removed::Free() noexcept {
  while (first_ != nullptr) {
    Slab* const slab = first_;
    first_ = slab->next;
    FreeSlab(slab, *room_);
  }
}

}  // namespace tamis
