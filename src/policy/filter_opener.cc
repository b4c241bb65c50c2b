// SPDX-License-Identifier: Apache-2.0
#include "policy/filter_opener.h"

#include <array>

#include "formats/cassandra/filter.h"
#include "formats/leveldb/bloom.h"
#include "formats/parquet/sbbf.h"
#include "formats/rocksdb/bloom.h"
#include "formats/rocksdb/filter.h"
#include "formats/tamis/any_kind.h"
#include "formats/tamis/container.h"
#include "formats/teaching/lab_bloom.h"
#include "formats/teaching/md5_bloom.h"

namespace tamis {

std::optional<FilterOpener> FilterOpener::ForName(
    std::string_view name) noexcept {
  static const std::array kOpeners = {
      FilterOpener(kTamisFilterName, OpenTamisFilter),
      FilterOpener(kLevelDbBloomName, OpenLevelDbBloom),
      FilterOpener(kRocksDbFilterName, OpenRocksDbFilter),
      FilterOpener(kParquetFilterName, OpenParquetFilter),
      FilterOpener(CassandraFilterName(CassandraEra::kMurmur2),
                   OpenCassandraOf<CassandraEra::kMurmur2>),
      FilterOpener(CassandraFilterName(CassandraEra::kMurmur3),
                   OpenCassandraOf<CassandraEra::kMurmur3>),
      FilterOpener(CassandraFilterName(CassandraEra::kSwapped),
                   OpenCassandraOf<CassandraEra::kSwapped>),
      FilterOpener(CassandraFilterName(CassandraEra::kNativeOrder),
                   OpenCassandraOf<CassandraEra::kNativeOrder>),
      FilterOpener(kLabFilterName, OpenLabBloom),
      FilterOpener(kMd5FilterName, OpenMd5Bloom),
  };
  for (const FilterOpener& opener : kOpeners) {
    if (opener.name() == name) return opener;
  }
  return std::nullopt;
}

}  // namespace tamis
