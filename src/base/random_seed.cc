// SPDX-License-Identifier: Apache-2.0
#include "base/random_seed.h"

#include <unistd.h>

namespace tamis {

std::optional<std::uint64_t> RandomSeed() noexcept {
  std::uint64_t seed = 0;
  if (::getentropy(&seed, sizeof(seed)) != 0) return std::nullopt;
  return seed;
}

}  // namespace tamis
