// SPDX-License-Identifier: Apache-2.0
// filter_output.h -- where a finished filter goes.

#pragma once

#include <memory>
#include <string>
#include <string_view>

#include "console.h"
#include "tamis/filter.h"
#include "tamis/filter_file.h"

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

// Keeps other commands from changing the filter at `path`, from here until
// *lock goes: taken before it is read by who replaces it later.  Waits for who
// changes it now, and says so after a second.  No lock is needed, and none is
// taken, where nothing can be replaced: "-", a stream, a file that is not
// there.
Status LockOutput(const Console& console, std::string_view command,
                  const std::string& path,
                  std::unique_ptr<FilterFileLock>* lock);

}  // namespace tamis::tools
