// SPDX-License-Identifier: Apache-2.0
// tamis/prefix_filter.h -- filters that know the prefixes of their keys, too,
// and say whether any key starts with one: FilterReader::MayContainPrefix().
//
//   MakePolicy("prefix:delimiter=:,count=2,bloom:10")   builds such filters
//   MakePolicy("tamis")                                 reads them

#pragma once

#include <memory>

#include "tamis/export.h"
#include "tamis/filter.h"
#include "tamis/prefix.h"
#include "tamis/result.h"

namespace tamis {

// Returns a policy whose filters are those of `keys`, a kind of the .tamis
// container that needs no more than hashes, with the prefixes of their keys as
// further keys; the bytes name the extractor.  They cannot grow or be combined.
// The only way for an extractor that has no text: policies and readers without
// it read its filters as if they had no prefixes.
// InvalidArgument: `keys` is of another format, or one of the two is null.
// REQUIRES: the extractor's name is at most 64 bytes
TAMIS_EXPORT Result<std::unique_ptr<const FilterPolicy>> NewPrefixPolicy(
    std::shared_ptr<const PrefixExtractor> extractor,
    std::unique_ptr<const FilterPolicy> keys);

// What another engine has put into a filter.
enum class PrefixContents {
  kKeysAndPrefixes,
  kPrefixesAlone,  // RocksDB with whole_key_filtering = false
};

// Returns a reader that asks a filter of another engine for prefixes: RocksDB
// hashes a prefix as it does a key.  The filter must have been made with that
// extractor, which its bytes do not say: of RocksDB, a table's property
// "rocksdb.prefix.extractor.name" does.  With prefixes alone, a key is "maybe"
// if its prefix is, or if it has none.
// REQUIRES: `filter` outlives the result; the extractor is not null
TAMIS_EXPORT std::unique_ptr<const FilterReader> AskForPrefixes(
    const FilterReader& filter,
    std::shared_ptr<const PrefixExtractor> extractor,
    PrefixContents contents = PrefixContents::kKeysAndPrefixes);

}  // namespace tamis
