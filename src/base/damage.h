// SPDX-License-Identifier: Apache-2.0
// base/damage.h -- whether a failed read means that the file is damaged.

#pragma once

#include "tamis/status.h"

namespace tamis {

// True: the bytes are wrong, missing, or cannot be read from the disk.  False:
// nothing is known about them.  The permission, the memory, a file descriptor
// or support for the compression was missing; the read may succeed once that is
// resolved.  REQUIRES: !read.ok()
inline bool IsDamage(const Status& read) noexcept {
  return read.code() == StatusCode::kCorruption ||
         read.code() == StatusCode::kIoError ||
         read.code() == StatusCode::kNotFound;
}

// Returns ok if `read` is ok or is damage, otherwise `read`.
inline Status UnlessDamage(const Status& read) {
  return read.ok() || IsDamage(read) ? Status::Ok() : read;
}

}  // namespace tamis
