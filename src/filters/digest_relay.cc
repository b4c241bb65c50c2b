#include "filters/digest_relay.h"

#include <algorithm>

namespace tamis {

DigestRelay::DigestRelay(DigestCollector* collector)
    : collector_(collector),
      ring_(kBlocks * kBlockDigests),
      thread_([this] { Run(); }) {}

DigestRelay::~DigestRelay() {
  {
    const std::lock_guard<std::mutex> lock(mutex_);
    ended_ = true;
  }
  has_filled_.notify_one();
  thread_.join();
  collector_->Push(BlockAt(filled_).first(open_count_));
}

std::span<std::uint64_t> DigestRelay::BlockAt(std::size_t number) noexcept {
  return std::span(ring_).subspan(number % kBlocks * kBlockDigests,
                                  kBlockDigests);
}

void DigestRelay::Push(std::span<const std::uint64_t> digests) noexcept {
  while (!digests.empty()) {
    // filled_ is changed by this thread alone.
    const auto room = BlockAt(filled_).subspan(open_count_);
    const std::size_t count = std::min(room.size(), digests.size());
    std::copy_n(digests.begin(), count, room.begin());
    digests = digests.subspan(count);
    open_count_ += count;
    if (open_count_ == kBlockDigests) HandOver();
  }
}

void DigestRelay::HandOver() noexcept {
  open_count_ = 0;
  std::unique_lock<std::mutex> lock(mutex_);
  ++filled_;
  if (filled_ - emptied_ >= kWorthWaking) has_filled_.notify_one();
  // Rather than wait, take some work from the thread.
  while (filled_ - emptied_ == kBlocks) {
    lock.unlock();
    const bool helped = collector_->GetMemoryAhead();
    lock.lock();
    if (!helped && filled_ - emptied_ == kBlocks) has_emptied_.wait(lock);
  }
}

void DigestRelay::Run() noexcept {
  std::unique_lock<std::mutex> lock(mutex_);
  while (true) {
    has_filled_.wait(lock, [this] { return ended_ || emptied_ < filled_; });
    if (emptied_ == filled_) return;
    const std::span<const std::uint64_t> block = BlockAt(emptied_);
    lock.unlock();
    collector_->Push(block);
    lock.lock();
    ++emptied_;
    if (filled_ - emptied_ <= kBlocks / 2) has_emptied_.notify_one();
  }
}

}  // namespace tamis
