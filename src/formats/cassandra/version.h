// SPDX-License-Identifier: Apache-2.0
// formats/cassandra/version.h -- which rules an sstable version follows.

#pragma once

#include <optional>
#include <string_view>

namespace tamis {

// Filter.db changed three times; see docs/formats/cassandra.md.
enum class CassandraEra {
  kMurmur2,      // f .. hf     Cassandra 0.7 - 1.1
  kMurmur3,      // ia .. lb    1.2 - 2.2: base h1, increment h2
  kSwapped,      // ma .. me    3.0 - 3.11: base h2, increment h1
  kNativeOrder,  // na .. oa, da  4.0 on: and words as they are in memory
};

// Returns nothing for a version older than f, or one that is unknown.
std::optional<CassandraEra> CassandraEraOf(std::string_view version) noexcept;

// Returns the version in the name of a component file: "nb-1-big-Filter.db",
// "keyspace-table-ka-3-Filter.db".  Empty: not such a name.  The version may be
// unknown to CassandraEraOf().
std::string_view CassandraVersionIn(std::string_view file_name) noexcept;

inline constexpr std::string_view kNewestCassandraVersion = "oa";

}  // namespace tamis
