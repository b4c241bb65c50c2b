// SPDX-License-Identifier: Apache-2.0
// command_line.h -- runs the subcommand that the arguments name.

#pragma once

#include <string>
#include <vector>

#include "console.h"

namespace tamis::tools {

// Runs `tamis ARGS...` and returns its exit code.  Never throws.
int RunTamis(const std::vector<std::string>& args, const Console& console);

}  // namespace tamis::tools
