// SPDX-License-Identifier: Apache-2.0
// Arbitrary text as a policy.

#include "fuzz/fuzz_support.h"

namespace tamis::fuzz {
namespace {

constexpr std::uint64_t kSmallBytes = 1 << 20;

void CheckEstimate(const FilterPolicy& policy, std::uint64_t keys) {
  const Estimate estimate = policy.Predict(keys);
  Check(keys == 0 ||
            (estimate.bytes > 0 && estimate.bits > 0 && estimate.probes > 0),
        "every filter with keys has some size");
  Check(estimate.bits / 8 <= estimate.bytes, "its bits fit into its bytes");
  // False for what is not a number, too.
  Check(estimate.false_positive_rate >= 0 && estimate.false_positive_rate <= 1,
        "a rate lies between 0 and 1");
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data,
                                      std::size_t size) {
  const Slice text = AsSlice(data, size);
  const auto policy = MakePolicy(text);
  if (!policy.ok()) {
    Check(policy.status().code() == StatusCode::kInvalidArgument &&
              !policy.status().message().empty(),
          "text that is not understood is refused with a reason");
    return 0;
  }
  Check(!policy->name().empty(), "a policy has a name");
  for (const std::uint64_t keys : {0ull, 1ull, 1000ull, 1ull << 40, ~0ull}) {
    CheckEstimate(**policy, keys);
  }
  if (policy->Predict(kMaxKeys).bytes <= kSmallBytes) {
    CheckBuild(**policy, text);
    CheckOpen(**policy, text);
  }
  return 0;
}

}  // namespace tamis::fuzz
