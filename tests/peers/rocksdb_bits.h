// SPDX-License-Identifier: Apache-2.0
// peers/rocksdb_bits.h -- RocksDB's own filter builders and readers, one
// filter at a time and without a table.
//
// Since RocksDB 7 the public headers only name the two classes that do this.
// We declare them for the one version that the declarations were checked
// against; with any other library every test that asks must be skipped:
//   if (const auto why = WhyNotThisRocksDb()) GTEST_SKIP() << *why;

#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "tamis/filter.h"

namespace rocksdb {
class FilterPolicy;
}  // namespace rocksdb

namespace tamis::testing {

// Each of RocksDB's filters ends with so many.
inline constexpr std::size_t kRocksDbTrailerBytes = 5;
// Its Bloom filters probe one line for a key.
inline constexpr std::size_t kRocksDbLineBytes = 64;

// Nothing if both the headers and the library are RocksDB 7.8.3; else a
// sentence that says which they are.
std::optional<std::string> WhyNotThisRocksDb();

// What RocksDB is told to make the filters of one of our policies.
struct PeerSpec {
  bool is_ribbon = false;
  double bits_per_key = 10;
  int format_version = 5;
};

// "rocksdb:9.5" is its Bloom policy at format_version 5, "rocksdb-legacy:10"
// the same at 4, "rocksdb-ribbon:10" its Ribbon policy.  Other text fails the
// running test.
PeerSpec PeerSpecOf(std::string_view spec);

// RocksDB's policy; Ribbon for flushes as well.
std::shared_ptr<const rocksdb::FilterPolicy> RocksDbPolicy(
    const PeerSpec& peer);

// The filter that RocksDB's builder makes of `keys`, in order.  Fails the
// running test if the builder doubts its own work.
std::string BuildWithRocksDb(std::string_view spec,
                             std::span<const std::string> keys);

// How many entries RocksDB's builder counts in `keys`.
std::uint64_t RocksDbEntryCount(std::string_view spec,
                                std::span<const std::string> keys);

// One character per key, '1' maybe and '0' certainly absent, by RocksDB's
// reader.  Fails the running test if its batched form answers differently.
// `filter` may be any bytes: RocksDB reads up to 64 bytes beyond some damaged
// ones, so it is given a copy with zeros behind.
std::string RocksDbAnswers(Slice filter, std::span<const std::string> keys);

}  // namespace tamis::testing
