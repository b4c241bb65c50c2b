// SPDX-License-Identifier: Apache-2.0
#include "formats/teaching/md5_bloom.h"

#include <array>

#include "base/coding.h"
#include "filters/bloom/probe_sequences.h"
#include "formats/teaching/lab_format.h"
#include "hash/md5.h"

namespace tamis {
namespace {

struct Md5Scheme {
  using Hash = HashPair;
  using Probes = ExactSumProbes;
  static constexpr std::string_view kPolicyName = kMd5FilterName;
  static constexpr std::string_view kSpecName = "md5";
  static constexpr std::string_view kHashName = "md5";
  static constexpr unsigned kMaxProbes = kMaxClassicProbes;  // it has none

  static Hash HashOf(Slice key) noexcept {
    const std::array<std::uint8_t, 16> hash = Md5(key);
    return {LoadBig<std::uint64_t>(hash.data()),
            LoadBig<std::uint64_t>(hash.data() + 8)};
  }
};

}  // namespace

std::unique_ptr<const FilterPolicy> NewMd5Policy(const BloomSizing& sizing) {
  using Format = LabFormat<Md5Scheme>;
  return std::make_unique<BloomPolicy<Format>>(Format(sizing));
}

Result<std::unique_ptr<const FilterReader>> OpenMd5Bloom(Slice bytes) {
  return OpenBloom(LabFormat<Md5Scheme>(), bytes);
}

}  // namespace tamis
