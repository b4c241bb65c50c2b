#include "policy/kind_costs.h"

#include <algorithm>
#include <array>
#include <cassert>

namespace tamis {
namespace {

// Orders of magnitude on a common server, for ranking only.  `./run bench
// filters` builds filters of all kinds and asks them in batches, with a million
// and with 100 million keys; these are rounded figures of that kind, not those
// of any one run.  Lines that come together count as fewer than they are.
constexpr std::array kSpeeds = {
    KindSpeed{.kind = "bloom", .build_ns = 12, .query_ns = 2, .lines = 1},
    KindSpeed{.kind = "splitblock", .build_ns = 12, .query_ns = 2, .lines = 1},
    KindSpeed{.kind = "classic", .build_ns = 30, .query_ns = 8, .lines = 0},
    KindSpeed{.kind = "ribbon", .build_ns = 70, .query_ns = 6, .lines = 1.3},
    KindSpeed{.kind = "fuse", .build_ns = 40, .query_ns = 5, .lines = 1.9},
    KindSpeed{.kind = "counting", .build_ns = 110, .query_ns = 9, .lines = 1},
    KindSpeed{.kind = "cuckoo", .build_ns = 140, .query_ns = 8, .lines = 2},
    // After it has grown once; the generations of the other.
    KindSpeed{.kind = "scalable", .build_ns = 40, .query_ns = 6, .lines = 2},
    KindSpeed{.kind = "rotating", .build_ns = 40, .query_ns = 14, .lines = 4},
};

// What it takes to fetch a line while others are under way, by the size of
// what the line is fetched from.
struct Fetch {
  std::uint64_t most_bytes;
  double ns;
};
constexpr std::uint64_t kMiB = std::uint64_t{1} << 20;
constexpr std::array kFetches = {
    Fetch{kMiB, 1},                // second-level cache
    Fetch{32 * kMiB, 3},           // last-level cache
    Fetch{4096 * kMiB, 8},         // memory, in huge pages
    Fetch{~std::uint64_t{0}, 12},  // memory of which the TLB knows little
};

// A GiB costs a tenth of a core: about what the offers of cloud providers
// differ by that have more memory for the same cores.
constexpr double kCoresPerGiB = 0.1;
constexpr double kNsPerByteSecond =
    kCoresPerGiB * 1e9 / static_cast<double>(1024 * kMiB);

double FetchNs(std::uint64_t bytes) noexcept {
  return std::find_if(kFetches.begin(), kFetches.end(),
                      [&](const Fetch& f) { return bytes <= f.most_bytes; })
      ->ns;
}

}  // namespace

const KindSpeed& SpeedOf(std::string_view kind) noexcept {
  const auto* speed =
      std::find_if(kSpeeds.begin(), kSpeeds.end(),
                   [&](const KindSpeed& s) { return s.kind == kind; });
  assert(speed != kSpeeds.end());
  return *speed;
}

double QueryNs(const KindSpeed& speed, const Estimate& estimate) noexcept {
  const double lines = speed.lines > 0 ? speed.lines : estimate.probes;
  return speed.query_ns + lines * FetchNs(estimate.bytes);
}

double CostNs(const FilterNeed& need, const KindSpeed& speed,
              const Estimate& estimate) noexcept {
  const auto keys = static_cast<double>(need.keys);
  const auto bytes =
      static_cast<double>(std::max(estimate.bytes, kLeastChargedBytes));
  return bytes * need.lifetime_seconds * kNsPerByteSecond +
         keys * speed.build_ns +
         keys * need.queries_per_key * QueryNs(speed, estimate);
}

}  // namespace tamis
