// SPDX-License-Identifier: Apache-2.0
// base/worker_threads.h -- many tasks, done by a few threads.

#pragma once

#include <cstddef>
#include <functional>

#include "tamis/status.h"

namespace tamis {

// run(task, worker) for every task < tasks, in ascending order of their
// beginning; worker < threads tells which thread it is, and 0 is the caller's.
// The first error ends it, some tasks undone; bad_alloc counts as
// ResourceExhausted.  Where the system has fewer threads to give, fewer work.
Status RunTasks(
    unsigned threads, std::size_t tasks,
    const std::function<Status(std::size_t task, unsigned worker)>& run);

}  // namespace tamis
