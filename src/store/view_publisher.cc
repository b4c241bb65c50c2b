// SPDX-License-Identifier: Apache-2.0
#include "store/view_publisher.h"

#include <utility>

namespace tamis {

ViewPublisher::~ViewPublisher() {
  view_.store(nullptr, std::memory_order_seq_cst);
  retired_.reset();
  current_.reset();
}

std::shared_ptr<const ReadView> ViewPublisher::Current() const {
  const StoreLock lock(mutex_);
  return current_;
}

void ViewPublisher::Publish(std::shared_ptr<const ReadView> next) noexcept {
  view_.store(next.get(), std::memory_order_seq_cst);
  if (current_ != nullptr) {
    current_->older = std::move(retired_);
    retired_ = std::move(current_);
  }
  current_ = std::move(next);
}

void ViewPublisher::ReleaseRetired() noexcept {
  std::shared_ptr<const ReadView> old;
  {
    const StoreLock lock(mutex_);
    old.swap(retired_);
  }
  if (old == nullptr) return;
  slots_.WaitForReaders();
  while (old != nullptr) old = std::exchange(old->older, nullptr);
}

}  // namespace tamis
