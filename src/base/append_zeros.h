// SPDX-License-Identifier: Apache-2.0
// base/append_zeros.h -- appends zeros to a string, or reports that there is no
// memory.

#pragma once

#include <cstdint>
#include <string>

#include "tamis/status.h"

namespace tamis {

// Appends `count` zero bytes to *dst.  ResourceExhausted: *dst is as it was.
// A large count is spread over `threads` threads, because the system is slow to
// provide so much memory.
Status AppendZeros(std::string* dst, std::uint64_t count, unsigned threads = 1);

}  // namespace tamis
