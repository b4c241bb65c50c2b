// SPDX-License-Identifier: Apache-2.0
// filters/kernels/avx512_lines.h -- a function that both AVX-512 sets have.

#pragma once

#include <cstdint>

#include "filters/bloom/line_bloom.h"

namespace tamis::avx512 {

// See Kernels.
bool CheckHash(const unsigned char* lines, std::uint64_t count,
               std::uint64_t hash, const WideLineProbes& probes) noexcept;

}  // namespace tamis::avx512
