// SPDX-License-Identifier: Apache-2.0
#include "math/cassandra_sizing.h"

#include <array>
#include <cassert>

#include "tamis/bloom_math.h"

namespace tamis {
namespace {

// Row b, column k - 1: the rate that Cassandra expects of k probes in b bits
// per key.  A row ends where more probes no longer help; 0 marks the end.
// Rows 0 and 1 are never searched.
constexpr unsigned kColumns = 14;
constexpr std::array<std::array<double, kColumns>, kMaxCassandraBuckets + 1>
    kRates = {{
        {},                                                               // 0
        {},                                                               // 1
        {0.393, 0.400},                                                   // 2
        {0.283, 0.237, 0.253},                                            // 3
        {0.221, 0.155, 0.147, 0.160},                                     // 4
        {0.181, 0.109, 0.092, 0.092, 0.101},                              // 5
        {0.154, 0.0804, 0.0609, 0.0561, 0.0578, 0.0638},                  // 6
        {0.133, 0.0618, 0.0423, 0.0359, 0.0347, 0.0364},                  // 7
        {0.118, 0.0489, 0.0306, 0.024, 0.0217, 0.0216, 0.0229},           // 8
        {0.105, 0.0397, 0.0228, 0.0166, 0.0141, 0.0133, 0.0135, 0.0145},  // 9
        {0.0952, 0.0329, 0.0174, 0.0118, 0.00943, 0.00844, 0.00819,
         0.00846},  // 10
        {0.0869, 0.0276, 0.0136, 0.00864, 0.0065, 0.00552, 0.00513,
         0.00509},  // 11
        {0.08, 0.0236, 0.0108, 0.00646, 0.00459, 0.00371, 0.00329,
         0.00314},  // 12
        {0.074, 0.0203, 0.00875, 0.00492, 0.00332, 0.00255, 0.00217, 0.00199,
         0.00194},  // 13
        {0.0689, 0.0177, 0.00718, 0.00381, 0.00244, 0.00179, 0.00146, 0.00129,
         0.00121, 0.0012},  // 14
        {0.0645, 0.0156, 0.00596, 0.003, 0.00183, 0.00128, 0.001, 0.000852,
         0.000775, 0.000744},  // 15
        {0.0606, 0.0138, 0.005, 0.00239, 0.00139, 0.000935, 0.000702, 0.000574,
         0.000505, 0.00047, 0.000459},  // 16
        {0.0571, 0.0123, 0.00423, 0.00193, 0.00107, 0.000692, 0.000499,
         0.000394, 0.000335, 0.000302, 0.000287, 0.000284},  // 17
        {0.054, 0.0111, 0.00362, 0.00158, 0.000839, 0.000519, 0.00036, 0.000275,
         0.000226, 0.000198, 0.000183, 0.000176},  // 18
        {0.0513, 0.00998, 0.00312, 0.0013, 0.000663, 0.000394, 0.000264,
         0.000194, 0.000155, 0.000132, 0.000118, 0.000111, 0.000109},  // 19
        {0.0488, 0.00906, 0.0027, 0.00108, 0.00053, 0.000303, 0.000196, 0.00014,
         0.000108, 0.0000889, 0.0000777, 0.0000712, 0.0000679,
         0.0000671},  // 20
    }};

constexpr double RateAt(unsigned buckets, unsigned probes) noexcept {
  return probes == 0 ? 1.0 : kRates[buckets][probes - 1];
}

}  // namespace

unsigned CassandraBestProbes(unsigned buckets) noexcept {
  assert(buckets <= kMaxCassandraBuckets);
  unsigned best = 1;
  for (unsigned k = 2; k <= kColumns && RateAt(buckets, k) > 0.0; ++k) {
    if (RateAt(buckets, k) < RateAt(buckets, best)) best = k;
  }
  return best;
}

Result<CassandraSpec> CassandraSpecFor(double rate) {
  if (!(rate > 0.0 && rate < 1.0)) {
    return Status::InvalidArgument(
        "cassandra: the rate must be between 0 and 1");
  }
  if (rate < kMinCassandraRate) {
    return Status::InvalidArgument(
        "cassandra: its sizing table ends at a rate of 0.0000671; ask for "
        "that or more, or for textbook sizing");
  }
  // The two values look exchanged, yet this is what Cassandra does for every
  // rate that two bits per key would satisfy.
  if (rate >= RateAt(2, 1)) return CassandraSpec{.probes = 2, .buckets = 1};

  unsigned buckets = 2;
  while (RateAt(buckets, CassandraBestProbes(buckets)) > rate) ++buckets;
  unsigned probes = CassandraBestProbes(buckets);
  while (RateAt(buckets, probes - 1) <= rate) --probes;
  return CassandraSpec{.probes = probes, .buckets = buckets};
}

std::uint64_t CassandraWords(std::uint64_t keys, unsigned buckets) noexcept {
  constexpr std::uint64_t kExtraBits = 20;  // Cassandra's excess for few keys
  const std::uint64_t bits = keys == 0 ? 0 : BloomBitsAt(keys, buckets);
  return (bits + kExtraBits + 63) / 64;
}

}  // namespace tamis
