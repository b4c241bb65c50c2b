// SPDX-License-Identifier: Apache-2.0
#include "base/no_throw.h"

namespace tamis {

Status OutOfMemory() noexcept {
  try {
    return Status::ResourceExhausted(
        "out of memory: try again when there is more, or with smaller buffers "
        "and values");
  } catch (const std::bad_alloc&) {
    // Short enough to be stored within the string object.
    return Status::ResourceExhausted("out of memory");
  }
}

}  // namespace tamis
