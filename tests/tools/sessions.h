// SPDX-License-Identifier: Apache-2.0
// tests/tools/sessions.h -- the sessions that documents show: ```console blocks
// of commands and what they print.

#pragma once

#include <string>
#include <vector>

#include "tests/base/temp_dir.h"

namespace tamis::tools {

struct SessionStep {
  int line = 0;         // of the document
  std::string command;  // what follows "$ "
  std::string output;   // both streams, as they came
};

// The opening lines of blocks that are run.
inline constexpr char kConsoleFence[] = "```console";
inline constexpr char kParquetFence[] = "```console parquet";
inline constexpr char kLevelDbFence[] = "```shell-session";

// Returns the steps of all blocks of `document`, a path in the repository, that
// open with exactly `fence`.
std::vector<SessionStep> SessionSteps(const std::string& document,
                                      const std::string& fence);

// Expects that each step prints what it says.  All run in `dir`, in order.
void ExpectSession(const std::string& document,
                   const std::vector<SessionStep>& steps, const TempDir& dir);

}  // namespace tamis::tools
