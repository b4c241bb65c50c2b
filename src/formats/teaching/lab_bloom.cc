// SPDX-License-Identifier: Apache-2.0
#include "formats/teaching/lab_bloom.h"

#include "filters/bloom/probe_sequences.h"
#include "formats/teaching/lab_format.h"
#include "hash/fnv1a.h"
#include "hash/splitmix64.h"

namespace tamis {
namespace {

struct LabScheme {
  using Hash = std::uint64_t;
  using Probes = HalvesSumProbes;
  static constexpr std::string_view kPolicyName = kLabFilterName;
  static constexpr std::string_view kSpecName = "lab";
  static constexpr std::string_view kHashName = "fnv-1a + splitmix64";
  static constexpr unsigned kMaxProbes = kMaxBloomProbes;  // the lab's limit

  static Hash HashOf(Slice key) noexcept { return SplitMix64(Fnv1a64(key)); }
};

}  // namespace

std::unique_ptr<const FilterPolicy> NewLabPolicy(const BloomSizing& sizing) {
  using Format = LabFormat<LabScheme>;
  return std::make_unique<BloomPolicy<Format>>(Format(sizing));
}

Result<std::unique_ptr<const FilterReader>> OpenLabBloom(Slice bytes) {
  return OpenBloom(LabFormat<LabScheme>(), bytes);
}

}  // namespace tamis
