// SPDX-License-Identifier: Apache-2.0
// support/specs.h -- the policies that tests of "every policy" run over.

#pragma once

#include <string>
#include <vector>

namespace tamis::testing {

// Every name that MakePolicy() knows, at usual and at awkward sizes; but range,
// which hashes no key and refuses keys that do not suit it
// (formats/tamis_range_test.cc).
const std::vector<std::string>& EverySpec();

// Those whose keys just set bits: they can all grow and be merged.
std::vector<std::string> BloomSpecs();

// Those that many threads can grow: the blocked kinds.
bool IsBlockedSpec(const std::string& spec);

// Those that cannot grow: ribbons and fuse filters.
bool NeedsAllKeysAtOnce(const std::string& spec);

// Of those that grow: does it end at the same bytes?  Not those that start
// small, keep generations, or place keys in the order in which they come.
bool GrowsToWhatABuilderWrites(const std::string& spec);

// Do the bytes written for no keys say what they are?  RocksDB's two Bloom
// filters are then a bare trailer, which cannot be told from the rest of a
// damaged filter: it opens, and answers "maybe".
bool IsKnownWithoutKeys(const std::string& spec);

// For the names of parameterised tests: letters, digits and underscores.
std::string TestNameOf(const std::string& spec);

}  // namespace tamis::testing
