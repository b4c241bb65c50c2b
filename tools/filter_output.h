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

// Returns true if both are the same file, under any names; "-" is
// `standard_input`.  Devices and pipes do not count: they are not replaced.
bool IsSameFile(const std::string& input, const std::string& output,
                int standard_input);

// Returns ok if WriteFilterOutput() can be expected to succeed: checked before
// the work starts, so that an hour's build does not end in "already exists".
Status CheckFilterOutput(const Console& console, const std::string& path,
                         bool force);

// Writes the filter to `path`: "-" is standard output; a device or a pipe is
// written to; a file is replaced as a whole, and only with `force`.
Status WriteFilterOutput(const Console& console, const std::string& path,
                         Slice bytes, bool force);

// Keeps other commands from changing the filter at `path` until *lock is
// destroyed; taken before the filter is read by a command that replaces it.
// Waits for a command that is changing it, and says so after a second.  No lock
// is taken if nothing can be replaced: "-", a stream, or a missing file.
Status LockOutput(const Console& console, std::string_view command,
                  const std::string& path,
                  std::unique_ptr<FilterFileLock>* lock);

}  // namespace tamis::tools
