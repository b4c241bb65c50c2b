// SPDX-License-Identifier: Apache-2.0
// bench/store_child.h -- a process of its own for each store, so that memory,
// processor time and bytes written can be told apart.

#pragma once

#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "bench/store_phases.h"
#include "tamis/result.h"

namespace tamis::bench {

// This program once more, with other arguments, which answers questions from
// a pipe.
class StoreChild {
 public:
  virtual ~StoreChild() = default;  // ends the process, and waits for it

  static Result<std::unique_ptr<StoreChild>> Start(
      const std::vector<std::string>& arguments);

  // As StoreWorker::Run().  IoError: also where the process has died.
  virtual Result<Figures> Run(std::string_view phase, unsigned round) = 0;
};

// What the other end does until it is told nothing more: reads phases from
// standard input, has them run, writes figures to standard output.
using RunPhase =
    std::function<Result<Figures>(std::string_view phase, unsigned round)>;
void ServePhases(const RunPhase& run);

}  // namespace tamis::bench
