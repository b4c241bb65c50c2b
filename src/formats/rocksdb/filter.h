// SPDX-License-Identifier: Apache-2.0
// formats/rocksdb/filter.h -- the contents of a RocksDB filter block or
// partition, of any kind, according to its trailer.

#pragma once

#include <memory>

#include "formats/bloom_parameters.h"
#include "tamis/filter.h"

namespace tamis {

enum class RocksDbKind { kBloom, kLegacyBloom, kRibbon };

// As FilterPolicy::Open(), for every kind.  Reading needs no settings.
Result<std::unique_ptr<const FilterReader>> OpenRocksDbFilter(Slice bytes);

// Returns a policy that builds that kind and reads all of them.
// InvalidArgument: this kind has no such size.
Result<std::unique_ptr<const FilterPolicy>> NewRocksDbPolicy(
    RocksDbKind kind, const BloomSizing& sizing);

}  // namespace tamis
