// SPDX-License-Identifier: Apache-2.0
// hash/md5.h -- the MD5 message digest.  Here it only spreads keys over a
// filter: as a defence against forgery it has been broken since 2004.

#pragma once

#include <array>
#include <cstdint>

#include "tamis/filter.h"

namespace tamis {

// The digest in the order in which it is written down.  Specification:
// RFC 1321.
std::array<std::uint8_t, 16> Md5(Slice data) noexcept;

}  // namespace tamis
