// SPDX-License-Identifier: Apache-2.0
// base/damage.h -- what a read that failed says about what was to be read.

#pragma once

#include "tamis/status.h"

namespace tamis {

// True: the bytes are wrong, cannot be read from the disk, or are gone.  False:
// nothing is known about them.  There was no right to read them, no memory or
// open file for them, or nothing here that can unpack them; and who is given
// what was missing finds them as they were.  REQUIRES: !read.ok()
inline bool IsDamage(const Status& read) noexcept {
  return read.code() == StatusCode::kCorruption ||
         read.code() == StatusCode::kIoError ||
         read.code() == StatusCode::kNotFound;
}

// Ok if there is no more to it than damage.
inline Status UnlessDamage(const Status& read) {
  return read.ok() || IsDamage(read) ? Status::Ok() : read;
}

}  // namespace tamis
