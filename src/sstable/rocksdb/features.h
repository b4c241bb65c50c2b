// SPDX-License-Identifier: Apache-2.0
// sstable/rocksdb/features.h -- what a table of RocksDB may have that is not
// understood.

#pragma once

#include <string>
#include <string_view>

namespace tamis {

// RocksDB's own comparators of user keys.
inline constexpr std::string_view kRocksDbBytewise =
    "leveldb.BytewiseComparator";
inline constexpr std::string_view kRocksDbReverse =
    "rocksdb.ReverseBytewiseComparator";

// Begins the name, in the metaindex, of an index that a program defined.
inline constexpr std::string_view kRocksDbUserIndex =
    "rocksdb.user_defined_index.";

// Why keys in the order of that comparator are not understood; empty: they are.
std::string WhyNotComparable(std::string_view comparator);

}  // namespace tamis
