// SPDX-License-Identifier: Apache-2.0
#include "store/table_loader.h"

#include <utility>

#include "base/mapping_guard.h"
#include "base/no_throw.h"

namespace tamis {

void TableLoader::Start() {
  // A thread inherits the signal mask of the thread that starts it.
  const bool unblock = context_.options.guard_mappings;
  thread_ = std::thread([this, unblock] {
    if (unblock) UnblockFaults();
    Run();
  });
}

void TableLoader::Stop() noexcept {
  is_stopped_ = true;
  work_.NotifyOne();
}

void TableLoader::Request(const TableFileRef& file) noexcept {
  if (!file->ClaimLoading()) return;
  const Status queued = NoThrow([&] {
    const StoreLock lock(context_.mutex);
    waiting_.push_back(file);
    work_.NotifyOne();
    return Status::Ok();
  });
  if (!queued.ok()) file->EndLoading();
}

void TableLoader::RequestRebalance() noexcept {
  if (!context_.tables.owner.IsHere()) return;
  const StoreLock lock(context_.mutex);
  must_rebalance_ = true;
  work_.NotifyOne();
}

void TableLoader::Run() {
  StoreLock lock(context_.mutex);
  while (true) {
    while (!is_stopped_ && waiting_.empty() && !must_rebalance_) {
      context_.mutex.Wait(work_);
    }
    if (is_stopped_) break;
    if (waiting_.empty()) {
      lock.Unlock();
      (void)budget_.Rebalance();
      lock.Lock();
      must_rebalance_ = false;
      background_.NotifyWaiters();
      continue;
    }
    TableFileRef file = std::move(waiting_.front());
    waiting_.pop_front();
    is_loading_ = true;
    lock.Unlock();
    // An error is not kept: the next lookup finds it, and returns it.
    (void)NoThrow([&] { return file->Load(); });
    file->EndLoading();
    file.reset();
    lock.Lock();
    is_loading_ = false;
    must_rebalance_ = context_.room.is_limited();
    if (!must_rebalance_ && waiting_.empty()) background_.NotifyWaiters();
  }
  waiting_.clear();
}

}  // namespace tamis
