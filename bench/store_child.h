// SPDX-License-Identifier: Apache-2.0
// bench/store_child.h -- a separate process for each store, so that memory,
// processor time and bytes written can be measured separately.

#pragma once

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

// The other end: reads phases from standard input until its end, and writes
// figures to standard output.
void ServePhases(StoreWorker* worker);

}  // namespace tamis::bench
