// SPDX-License-Identifier: Apache-2.0
// filters/kernels/avx2_windows.h -- the functions of the AVX2 kernel set for
// bumped ribbons.

#pragma once

#include <cstddef>
#include <cstdint>

#include "filters/kernels/kernels.h"

namespace tamis::avx2 {

// See the members of Kernels.
void FindWindows(const std::uint64_t* hashes, std::size_t count,
                 const WindowLayer& layer, WindowQueries* queries) noexcept;
std::uint64_t CheckWindows(const WindowQueries& queries, std::size_t count,
                           const WindowLayer& layer, bool* out) noexcept;
WindowAnswer CheckWindow(std::uint64_t hash, const WindowLayer& layer) noexcept;
std::size_t Walk(WalkingKey<std::uint64_t>* keys, std::size_t values) noexcept;

}  // namespace tamis::avx2
