// SPDX-License-Identifier: Apache-2.0
// run_command.h -- runs the command with its parsed arguments.

#pragma once

#include "arguments.h"
#include "console.h"

namespace tamis::tools {

// Returns true if there is a command of that name.
bool CanRun(std::string_view name);

// Runs the command of that name ("build", "db get") and returns its exit code.
// REQUIRES: CanRun(name), and the arguments are those of that command
int RunCommand(std::string_view name, const Arguments& arguments,
               const Console& console);

}  // namespace tamis::tools
