// SPDX-License-Identifier: Apache-2.0
// formats/rocksdb/bloom.h -- RocksDB's two Bloom filters: FastLocalBloom
// (format_version 5 and later) and the legacy one (up to 4).
// Byte layout: docs/formats/rocksdb.md

#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>

#include "formats/bloom_parameters.h"
#include "sort/hash_buckets.h"
#include "tamis/filter.h"

namespace tamis {

inline constexpr std::string_view kRocksDbFilterName =
    "rocksdb.BuiltinBloomFilter";
inline constexpr std::size_t kRocksDbTrailerBytes = 5;

// The first byte of the trailer.
inline constexpr unsigned kRocksDbNewBloom = 0xff;
inline constexpr unsigned kRocksDbRibbon = 0xfe;
inline constexpr unsigned kMaxRocksDbLegacyProbes = 0x7f;

// The policies below read the bytes of their own kind; formats/rocksdb/filter.h
// has those that read all of them. InvalidArgument: fewer than 0.5 bits per
// key, for which RocksDB writes no filter; or a rate that no size meets.
Result<std::unique_ptr<const FilterPolicy>> NewRocksDbBloomPolicy(
    const BloomSizing& sizing);
Result<std::unique_ptr<const FilterPolicy>> NewRocksDbLegacyPolicy(
    const BloomSizing& sizing);

// As FilterPolicy::Open() and Combine(), for bytes of one kind.
Result<std::unique_ptr<const FilterReader>> OpenRocksDbBloom(Slice bytes);
Result<std::unique_ptr<const FilterReader>> OpenRocksDbLegacy(Slice bytes);
Status CombineRocksDbBloom(std::span<const Slice> filters,
                           SetOperation operation, std::string* dst);
Status CombineRocksDbLegacy(std::span<const Slice> filters,
                            SetOperation operation, std::string* dst);

// Returns the hash of an entry for HashBuckets, with the half that selects the
// line in the upper bits; rotate it by 32 bits for RocksDB's own hash.
std::uint64_t FastLocalBloomHash(Slice key) noexcept;

// Appends the filter of these hashes, sized for so many keys, as a Ribbon
// policy does if a Ribbon would not pay off.  ResourceExhausted: no memory,
// *dst is as it was.
Status AppendFastLocalBloom(const HashBuckets& hashes, std::uint64_t keys,
                            unsigned millibits, std::string* dst);

}  // namespace tamis
