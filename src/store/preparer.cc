// SPDX-License-Identifier: Apache-2.0
#include "store/preparer.h"

#include <chrono>
#include <utility>

#include "base/mapping_guard.h"
#include "base/no_throw.h"

namespace tamis {
namespace {

// Without writes for so long, memory that is kept for the next memtable is the
// system's again.
constexpr std::chrono::milliseconds kQuiet(500);

}  // namespace

void Preparer::Start() {
  // A thread inherits the signal mask of the thread that starts it.
  const bool unblock = context_.options.guard_mappings;
  thread_ = std::thread([this, unblock] {
    if (unblock) UnblockFaults();
    Run();
  });
}

void Preparer::Request(std::shared_ptr<WriteLog> log,
                       std::shared_ptr<Memtable> memtable) noexcept {
  // The last references must not be released here, under the mutex.
  if (log_ != nullptr) return;
  log_ = std::move(log);
  memtable_ = std::move(memtable);
  background_.NotifyPreparer();
}

void Preparer::Run() {
  StoreLock lock(context_.mutex);
  while (true) {
    while (!background_.is_closing() && log_ == nullptr) {
      if (context_.chunks->is_empty()) {
        background_.WaitForRequest();
      } else if (!background_.WaitForRequest(kQuiet)) {
        lock.Unlock();
        context_.chunks->FreeAll();
        lock.Lock();
      }
    }
    if (background_.is_closing()) return;
    std::shared_ptr<WriteLog> log = std::exchange(log_, nullptr);
    std::shared_ptr<Memtable> memtable = std::exchange(memtable_, nullptr);
    lock.Unlock();
    // What cannot be prepared is left to the writer.
    (void)NoThrow([&] {
      log->PrepareMore();
      if (memtable != nullptr) memtable->PrepareMore();
      return Status::Ok();
    });
    // They may be the last references: then a file is closed, and memory freed.
    log.reset();
    memtable.reset();
    lock.Lock();
  }
}

}  // namespace tamis
