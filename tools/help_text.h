// SPDX-License-Identifier: Apache-2.0
// help_text.h -- the text of --help, generated from the description of the
// commands.

#pragma once

#include <string>

#include "command_spec.h"

namespace tamis::tools {

// In at most 80 columns.
std::string HelpOf(const CommandSpec& command);
std::string HelpOf(const GroupSpec& group,
                   std::span<const CommandSpec> commands);

}  // namespace tamis::tools
