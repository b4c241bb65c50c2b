// SPDX-License-Identifier: Apache-2.0
// filters/bloom/bit_array.h -- operations on whole bit arrays, of any length
// and alignment.

#pragma once

#include <cstdint>
#include <span>

namespace tamis {

// Returns the number of bits that are set.
std::uint64_t CountSetBits(std::span<const unsigned char> bytes) noexcept;

// Bytewise into[i] |= from[i], or &=.  REQUIRES: equal sizes.
void OrInto(std::span<unsigned char> into,
            std::span<const unsigned char> from) noexcept;
void AndInto(std::span<unsigned char> into,
             std::span<const unsigned char> from) noexcept;

}  // namespace tamis
