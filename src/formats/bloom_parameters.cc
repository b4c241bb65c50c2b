// SPDX-License-Identifier: Apache-2.0
#include "formats/bloom_parameters.h"

#include <algorithm>

#include "tamis/bloom_math.h"

namespace tamis {

namespace {

// Plans the size before it is rounded up to be foldable, which hardly affects
// the best number of probes.
BloomParameters PlanExactly(const BloomSizing& sizing, std::uint64_t keys,
                            unsigned most_probes) noexcept {
  BloomParameters parameters;
  if (sizing.bits != 0) {
    parameters.bits = sizing.bits;
    parameters.probes = sizing.probes;
    return parameters;
  }
  const bool by_rate = sizing.rate > 0;
  parameters.bits = by_rate ? BloomBits(keys, sizing.rate)
                            : BloomBitsAt(keys, sizing.bits_per_key);
  if (sizing.probes != 0) {
    parameters.probes = sizing.probes;
  } else if (keys != 0) {
    parameters.probes = BloomProbes(
        static_cast<double>(parameters.bits) / static_cast<double>(keys),
        most_probes);
  } else {
    parameters.probes = BloomProbes(
        by_rate ? BloomBitsPerKey(sizing.rate) : sizing.bits_per_key,
        most_probes);
  }
  return parameters;
}

}  // namespace

BloomParameters PlanTextbook(const BloomSizing& sizing, std::uint64_t keys,
                             unsigned most_probes) noexcept {
  BloomParameters parameters = PlanExactly(sizing, keys, most_probes);
  parameters.bits =
      (parameters.bits + sizing.fold - 1) / sizing.fold * sizing.fold;
  return parameters;
}

}  // namespace tamis
