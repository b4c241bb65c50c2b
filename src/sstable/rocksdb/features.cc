// SPDX-License-Identifier: Apache-2.0
#include "sstable/rocksdb/features.h"

namespace tamis {

std::string WhyNotComparable(std::string_view comparator) {
  constexpr std::string_view kTimestampSuffix = ".u64ts";
  if (comparator == kRocksDbBytewise || comparator == kRocksDbReverse) {
    return "";
  }
  const std::string name(comparator);
  if (comparator.ends_with(kTimestampSuffix)) {
    return "its keys have user-defined timestamps (comparator " + name + ")";
  }
  return "the order of its keys is not known (comparator " + name + ")";
}

}  // namespace tamis
