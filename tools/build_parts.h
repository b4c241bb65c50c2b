// SPDX-License-Identifier: Apache-2.0
// build_parts.h -- tamis build --parts and --part: keys in, a folder of filters
// out (tamis/key_parts.h).

#pragma once

#include "commands.h"
#include "console.h"

namespace tamis::tools {

// REQUIRES: args.parts or args.part is given
int RunBuildParts(const BuildArgs& args, const Console& console);

}  // namespace tamis::tools
