// SPDX-License-Identifier: Apache-2.0
// completions.h -- shell completions, generated from the description of the
// commands.

#pragma once

#include <string>

namespace tamis::tools {

std::string BashCompletion();
std::string ZshCompletion();
std::string FishCompletion();

}  // namespace tamis::tools
