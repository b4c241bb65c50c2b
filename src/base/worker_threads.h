// SPDX-License-Identifier: Apache-2.0
// base/worker_threads.h -- runs many tasks on a few threads.

#pragma once

#include <cstddef>
#include <functional>

#include "tamis/status.h"

namespace tamis {

// Calls run(task, worker) for every task < tasks, and starts them in ascending
// order; worker < threads identifies the thread, and 0 is the caller's.  The
// first error ends the run, with some tasks undone; bad_alloc counts as
// ResourceExhausted.  If the system refuses a thread, fewer do the work.
Status RunTasks(
    unsigned threads, std::size_t tasks,
    const std::function<Status(std::size_t task, unsigned worker)>& run);

}  // namespace tamis
