// SPDX-License-Identifier: Apache-2.0
// build_options.h -- the options of tamis build that say how to build.

#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "commands.h"
#include "tamis/filter.h"

namespace tamis::tools {

// Parses `text` as a number of at least 1; an error names the option.
Result<std::uint64_t> CountOf(std::string_view option, const std::string& text);

// InvalidArgument: --memory, --threads or --temp-dir make no sense.
Status ReadBuildOptions(const BuildArgs& args, BuildOptions* options);

}  // namespace tamis::tools
