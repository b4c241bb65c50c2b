// SPDX-License-Identifier: Apache-2.0
#include "base/worker_threads.h"

#include <atomic>
#include <new>
#include <system_error>
#include <thread>
#include <utility>
#include <vector>

#include "base/mutex.h"
#include "base/no_throw.h"

namespace tamis {
namespace {

// The first error that any thread reported.
class FirstError {
 public:
  void Note(Status status) {
    const MutexLock lock(mutex_);
    if (status_.ok()) status_ = std::move(status);
  }
  Status Take() {
    const MutexLock lock(mutex_);
    return std::move(status_);
  }

 private:
  Mutex mutex_;
  Status status_ TAMIS_GUARDED_BY(mutex_);
};

}  // namespace

Status RunTasks(
    unsigned threads, std::size_t tasks,
    const std::function<Status(std::size_t task, unsigned worker)>& run) {
  std::atomic<std::size_t> next = 0;
  FirstError first_error;
  const auto work = [&](unsigned worker) noexcept {
    for (std::size_t task = next++; task < tasks; task = next++) {
      Status status = NoThrow([&] { return run(task, worker); });
      if (status.ok()) continue;
      next = tasks;
      first_error.Note(std::move(status));
    }
  };

  std::vector<std::thread> others;
  try {
    for (unsigned worker = 1; worker < threads && worker < tasks; ++worker) {
      others.emplace_back(work, worker);
    }
  } catch (const std::system_error&) {  // the existing threads do the work
  } catch (const std::bad_alloc&) {
  }
  work(0);
  for (std::thread& thread : others) thread.join();
  return first_error.Take();
}

}  // namespace tamis
