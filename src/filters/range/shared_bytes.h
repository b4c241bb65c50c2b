// SPDX-License-Identifier: Apache-2.0
// filters/range/shared_bytes.h -- how many bytes two keys begin with alike.

#pragma once

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>

#include "base/coding.h"
#include "tamis/slice.h"

namespace tamis {

inline std::size_t SharedBytes(Slice a, Slice b) noexcept {
  const std::size_t most = std::min(a.size(), b.size());
  std::size_t i = 0;
  for (; i + 8 <= most; i += 8) {
    const std::uint64_t differ =
        LoadLittle64(a.data() + i) ^ LoadLittle64(b.data() + i);
    if (differ != 0) {
      return i + static_cast<std::size_t>(std::countr_zero(differ)) / 8;
    }
  }
  while (i < most && a[i] == b[i]) ++i;
  return i;
}

}  // namespace tamis
