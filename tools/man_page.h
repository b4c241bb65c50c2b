// SPDX-License-Identifier: Apache-2.0
// man_page.h -- manual pages, generated from the description of the commands.

#pragma once

#include <string>

#include "command_spec.h"

namespace tamis::tools {

// The page's name without its section: "tamis-db-get".
std::string ManPageName(const CommandSpec& command);

// Pages in the language of man(7).
std::string ManPageOf(const CommandSpec& command);
std::string ManPageOfWhole();  // tamis(1)

}  // namespace tamis::tools
