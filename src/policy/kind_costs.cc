// SPDX-License-Identifier: Apache-2.0
#include "policy/kind_costs.h"

#include <algorithm>
#include <array>

namespace tamis {
namespace {

// The time to fetch a line while others are in flight, by the size of the
// memory that it is fetched from.
struct Fetch {
  std::uint64_t most_bytes;
  double ns;
};
constexpr std::uint64_t kMiB = std::uint64_t{1} << 20;
constexpr std::array kFetches = {
    Fetch{kMiB, 1},                // second-level cache
    Fetch{32 * kMiB, 3},           // last-level cache
    Fetch{4096 * kMiB, 8},         // memory, in huge pages
    Fetch{~std::uint64_t{0}, 12},  // memory beyond the reach of the TLB
};

// A GiB costs a tenth of a core: about the price that cloud providers charge
// for more memory with the same cores.
constexpr double kCoresPerGiB = 0.1;
constexpr double kNsPerByteSecond =
    kCoresPerGiB * 1e9 / static_cast<double>(1024 * kMiB);

double FetchNs(std::uint64_t bytes) noexcept {
  return std::find_if(kFetches.begin(), kFetches.end(),
                      [&](const Fetch& f) { return bytes <= f.most_bytes; })
      ->ns;
}

}  // namespace

double QueryNs(const KindSpeed& speed, const Estimate& estimate) noexcept {
  const double lines = speed.lines > 0 ? speed.lines : estimate.probes;
  return speed.query_ns + lines * FetchNs(estimate.bytes);
}

double CostNs(const FilterNeed& need, const KindSpeed& speed,
              const Estimate& estimate) noexcept {
  const auto keys = static_cast<double>(need.keys);
  const auto bytes =
      static_cast<double>(std::max(estimate.bytes, kMinChargedBytes));
  return bytes * need.lifetime_seconds * kNsPerByteSecond +
         keys * speed.build_ns +
         keys * need.queries_per_key * QueryNs(speed, estimate);
}

}  // namespace tamis
