// filter_output.h -- where a finished filter goes.

#pragma once

#include <string>

#include "console.h"
#include "tamis/filter.h"

namespace tamis::tools {

// True if both are one file, under whatever names; "-" is `standard_input`.
// Devices and pipes do not count: nothing of them is replaced.
bool IsSameFile(const std::string& input, const std::string& output,
                int standard_input);

// Ok if WriteFilterOutput() may be expected to succeed: asked before the work
// begins, so that an hour's build does not end in "already exists".
Status CheckFilterOutput(const Console& console, const std::string& path,
                         bool force);

// Writes the filter to `path`: "-" is standard output; a device or a pipe is
// written to; a file is replaced as a whole, and only with `force`.
Status WriteFilterOutput(const Console& console, const std::string& path,
                         Slice bytes, bool force);

}  // namespace tamis::tools
