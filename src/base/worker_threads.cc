#include "base/worker_threads.h"

#include <atomic>
#include <mutex>
#include <new>
#include <system_error>
#include <thread>
#include <utility>
#include <vector>

#include "base/no_throw.h"

namespace tamis {

Status RunTasks(
    unsigned threads, std::size_t tasks,
    const std::function<Status(std::size_t task, unsigned worker)>& run) {
  std::atomic<std::size_t> next = 0;
  std::mutex mutex;
  Status first_error;  // guarded by the mutex
  const auto work = [&](unsigned worker) noexcept {
    for (std::size_t task = next++; task < tasks; task = next++) {
      Status status = NoThrow([&] { return run(task, worker); });
      if (status.ok()) continue;
      next = tasks;
      const std::lock_guard<std::mutex> lock(mutex);
      if (first_error.ok()) first_error = std::move(status);
    }
  };

  std::vector<std::thread> others;
  try {
    for (unsigned worker = 1; worker < threads && worker < tasks; ++worker) {
      others.emplace_back(work, worker);
    }
  } catch (const std::system_error&) {  // those that there are do the work
  } catch (const std::bad_alloc&) {
  }
  work(0);
  for (std::thread& thread : others) thread.join();
  return first_error;
}

}  // namespace tamis
