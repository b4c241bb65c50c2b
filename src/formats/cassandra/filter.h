// SPDX-License-Identifier: Apache-2.0
// formats/cassandra/filter.h -- Cassandra's Filter.db, byte for byte, in each
// of its four eras; see docs/formats/cassandra.md.

#pragma once

#include <memory>
#include <string>

#include "formats/bloom_parameters.h"
#include "formats/cassandra/version.h"
#include "tamis/filter.h"

namespace tamis {

struct CassandraOptions {
  std::string version;           // of the sstable: "nb"
  BloomSizing sizing;            // a rate is Cassandra's bloom_filter_fp_chance
  bool textbook_sizing = false;  // instead of Cassandra's table
};

// InvalidArgument: a version or a size that Cassandra does not have.
Result<std::unique_ptr<const FilterPolicy>> NewCassandraPolicy(
    const CassandraOptions& options);

// FilterPolicy::name() of the policies of that era.
std::string_view CassandraFilterName(CassandraEra era) noexcept;

// As FilterPolicy::Open().  Reading needs no settings, but that of the era.
Result<std::unique_ptr<const FilterReader>> OpenCassandraFilter(
    CassandraEra era, Slice bytes);
template <CassandraEra kEra>
Result<std::unique_ptr<const FilterReader>> OpenCassandraOf(Slice bytes) {
  return OpenCassandraFilter(kEra, bytes);
}

}  // namespace tamis
