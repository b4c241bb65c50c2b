// SPDX-License-Identifier: Apache-2.0
// base/append_zeros.h -- room in a string, or a Status where there is none.

#pragma once

#include <cstdint>
#include <string>

#include "tamis/status.h"

namespace tamis {

// Appends `count` zero bytes to *dst.  ResourceExhausted: *dst is as it was.
// Many of them by that many threads, for the system takes its time to give so
// much memory.
Status AppendZeros(std::string* dst, std::uint64_t count, unsigned threads = 1);

}  // namespace tamis
