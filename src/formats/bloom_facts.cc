// SPDX-License-Identifier: Apache-2.0
#include "formats/bloom_facts.h"

#include <algorithm>

#include "tamis/bloom_math.h"

namespace tamis {

namespace {

// Before it is rounded up to be foldable, which hardly changes how many probes
// are best.
BloomFacts PlanExactly(const BloomSizing& sizing, std::uint64_t keys,
                       unsigned most_probes) noexcept {
  BloomFacts facts;
  if (sizing.bits != 0) {
    facts.bits = sizing.bits;
    facts.probes = sizing.probes;
    return facts;
  }
  const bool by_rate = sizing.rate > 0;
  facts.bits = by_rate ? BloomBits(keys, sizing.rate)
                       : BloomBitsAt(keys, sizing.bits_per_key);
  if (sizing.probes != 0) {
    facts.probes = sizing.probes;
  } else if (keys != 0) {
    facts.probes =
        BloomProbes(static_cast<double>(facts.bits) / static_cast<double>(keys),
                    most_probes);
  } else {
    facts.probes = BloomProbes(
        by_rate ? BloomBitsPerKey(sizing.rate) : sizing.bits_per_key,
        most_probes);
  }
  return facts;
}

}  // namespace

BloomFacts PlanTextbook(const BloomSizing& sizing, std::uint64_t keys,
                        unsigned most_probes) noexcept {
  BloomFacts facts = PlanExactly(sizing, keys, most_probes);
  facts.bits = (facts.bits + sizing.fold - 1) / sizing.fold * sizing.fold;
  return facts;
}

}  // namespace tamis
