// SPDX-License-Identifier: Apache-2.0
// base/atomic_file.h -- writes a file atomically: it is there as a whole or not
// at all.

#pragma once

#include <string>
#include <string_view>

#include "tamis/status.h"

namespace tamis {

enum class Overwrite { kNo, kYes };

// Writes `bytes` to a temporary file in the directory of `path`, syncs it,
// gives it its name and syncs the directory.  Readers see the old file or the
// new one, never a part, even after a crash, though a crash may leave the
// temporary file (".tamis-tmp-" and 16 digits) behind.
//
// The mode is that of the file replaced, else 0666 less the umask.  A symbolic
// link stays: the file it points to is replaced.
// AlreadyExists: kNo, and there is something at `path`, even if it was created
// meanwhile.  InvalidArgument: `path` is not a regular file (a device is not
// replaced).  NotFound, IoError: the system reports an error; `path` is as it
// was, unless only the last step, syncing the directory, failed.
Status WriteFileAtomically(const std::string& path, std::string_view bytes,
                           Overwrite overwrite);

// For a signal handler that ends the process: removes the temporary file of a
// write in progress, if there is one.  Async-signal-safe.  If several writes
// are in progress, only one is known here; the files of the others stay behind.
void RemoveUnfinishedFile() noexcept;

// Writes all of `bytes`, even if the system writes only a part at a time or is
// interrupted.  Returns 0, or the errno of the write that failed.
int WriteFully(int fd, std::string_view bytes) noexcept;

}  // namespace tamis
