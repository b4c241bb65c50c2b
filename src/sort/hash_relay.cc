// SPDX-License-Identifier: Apache-2.0
#include "sort/hash_relay.h"

#include <algorithm>

namespace tamis {

HashRelay::HashRelay(HashCollector* collector)
    : collector_(collector),
      ring_(kBlocks * kBlockHashes),
      thread_([this] { Run(); }) {}

HashRelay::~HashRelay() {
  {
    const MutexLock lock(mutex_);
    ended_ = true;
  }
  has_filled_.NotifyOne();
  thread_.join();
  collector_->Push(BlockAt(open_block_).first(open_count_));
}

std::span<std::uint64_t> HashRelay::BlockAt(std::size_t number) noexcept {
  return std::span(ring_).subspan(number % kBlocks * kBlockHashes,
                                  kBlockHashes);
}

void HashRelay::Push(std::span<const std::uint64_t> hashes) noexcept {
  while (!hashes.empty()) {
    const auto room = BlockAt(open_block_).subspan(open_count_);
    const std::size_t count = std::min(room.size(), hashes.size());
    std::copy_n(hashes.begin(), count, room.begin());
    hashes = hashes.subspan(count);
    open_count_ += count;
    if (open_count_ == kBlockHashes) HandOver();
  }
}

void HashRelay::HandOver() noexcept {
  open_count_ = 0;
  ++open_block_;
  MutexLock lock(mutex_);
  ++filled_;
  if (filled_ - emptied_ >= kWorthWaking) has_filled_.NotifyOne();
  // Do some of the thread's work instead of waiting.
  while (filled_ - emptied_ == kBlocks) {
    lock.Unlock();
    const bool helped = collector_->GetMemoryAhead();
    lock.Lock();
    if (!helped && filled_ - emptied_ == kBlocks) has_emptied_.Wait(mutex_);
  }
}

void HashRelay::Run() noexcept {
  MutexLock lock(mutex_);
  while (true) {
    while (!ended_ && emptied_ == filled_) has_filled_.Wait(mutex_);
    if (emptied_ == filled_) return;
    const std::span<const std::uint64_t> block = BlockAt(emptied_);
    lock.Unlock();
    collector_->Push(block);
    lock.Lock();
    ++emptied_;
    if (filled_ - emptied_ <= kBlocks / 2) has_emptied_.NotifyOne();
  }
}

}  // namespace tamis
