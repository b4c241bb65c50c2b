// SPDX-License-Identifier: Apache-2.0
// math/cassandra_sizing.h -- how Cassandra sizes Filter.db: a table of measured
// rates by whole "buckets" (bits) per key and probes.

#pragma once

#include <cstdint>

#include "tamis/result.h"

namespace tamis {

struct CassandraSpec {
  unsigned probes = 1;
  unsigned buckets = 1;  // bits per key
};

// The lowest fp_chance Cassandra accepts: 20 buckets, 14 probes.
inline constexpr double kMinCassandraRate = 0.0000671;
inline constexpr unsigned kMaxCassandraBuckets = 20;

// Returns what Cassandra uses for bloom_filter_fp_chance = rate.
// InvalidArgument: below kMinCassandraRate, or not in (0, 1).
Result<CassandraSpec> CassandraSpecFor(double rate);

// Returns the number of probes with the lowest rate in the row of that many
// buckets.
// REQUIRES: buckets <= kMaxCassandraBuckets
unsigned CassandraBestProbes(unsigned buckets) noexcept;

// 64-bit words for n keys: ceil((n * buckets + 20) / 64).
std::uint64_t CassandraWords(std::uint64_t keys, unsigned buckets) noexcept;

}  // namespace tamis
