// SPDX-License-Identifier: Apache-2.0
#include "store/reader_slots.h"

#include <algorithm>
#include <chrono>
#include <thread>
#include <utility>

namespace tamis {
namespace {

std::uint64_t NewId() noexcept {
  static std::atomic<std::uint64_t> ids{0};
  return ids.fetch_add(1, std::memory_order_relaxed) + 1;
}

// The slots of one thread, by the store they belong to.  A slot is free for
// another thread when only its store still references it.
struct SlotsOfThread {
  struct Entry {
    std::uint64_t owner;
    std::shared_ptr<ReaderSlots::Slot> slot;
  };
  std::vector<Entry> entries;
};

SlotsOfThread& MySlots() {
  thread_local SlotsOfThread slots;
  return slots;
}

}  // namespace

ReaderSlots::ReaderSlots() : id_(NewId()) {}

ReaderSlots::Slot& ReaderSlots::FindSlot() {
  std::vector<SlotsOfThread::Entry>& mine = MySlots().entries;
  auto found = std::find_if(mine.begin(), mine.end(),
                            [this](const auto& e) { return e.owner == id_; });
  if (found == mine.end()) {
    // Slots that only this thread references belong to destroyed stores.
    std::erase_if(mine, [](const auto& e) { return e.slot.use_count() == 1; });
    mine.reserve(mine.size() + 1);
    mine.push_back({id_, TakeSlot()});
    found = mine.end() - 1;
  }
  RecentOfThisThread() = {id_, found->slot.get()};
  return *found->slot;
}

std::shared_ptr<ReaderSlots::Slot> ReaderSlots::TakeSlot() {
  const MutexLock lock(mutex_);
  for (const std::shared_ptr<Slot>& slot : slots_) {
    if (slot.use_count() == 1) return slot;  // of a thread that has ended
  }
  slots_.push_back(std::make_shared<Slot>());
  return slots_.back();
}

void ReaderSlots::WaitForReaders() noexcept {
  const std::uint64_t now = epoch_.fetch_add(1, std::memory_order_seq_cst) + 1;
  // A thread that takes a slot after this sees what has been published.
  std::size_t count = 0;
  {
    const MutexLock lock(mutex_);
    count = slots_.size();
  }
  for (std::size_t i = 0; i < count; ++i) {
    // One by one, because a copy of them all would need memory.
    std::shared_ptr<Slot> slot;
    {
      const MutexLock lock(mutex_);
      slot = slots_[i];
    }
    for (unsigned tries = 0;; ++tries) {
      const std::uint64_t since =
          slot->reading_since.load(std::memory_order_seq_cst);
      if (since == 0 || since >= now) break;
      if (tries < 64) {
        std::this_thread::yield();
      } else {  // it is waiting for a disk
        std::this_thread::sleep_for(std::chrono::microseconds(50));
      }
    }
  }
}

}  // namespace tamis
