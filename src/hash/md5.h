// SPDX-License-Identifier: Apache-2.0
// hash/md5.h -- the MD5 message digest.  Here it only spreads keys over a
// filter: as a cryptographic hash it has been broken since 2004.

#pragma once

#include <array>
#include <cstdint>

#include "tamis/filter.h"

namespace tamis {

// Returns the digest in its usual byte order.  Specification: RFC 1321.
std::array<std::uint8_t, 16> Md5(Slice data) noexcept;

}  // namespace tamis
