// support/specs.h -- the policies that tests of "every policy" run over.

#pragma once

#include <string>
#include <vector>

namespace tamis::testing {

// Every name that MakePolicy() knows, at usual and at awkward sizes.
const std::vector<std::string>& EverySpec();

// Those whose keys set bits: all but the Ribbon's, which needs its keys at
// once, cannot be merged, and has no probes in the usual sense.
std::vector<std::string> BloomSpecs();

// Those that many threads can grow: the blocked kinds.
bool IsBlockedSpec(const std::string& spec);

// Do the bytes written for no keys open?  RocksDB's two Bloom filters are then
// a bare trailer, which cannot be told from the rest of a damaged filter.
bool OpensWithoutKeys(const std::string& spec);

// For the names of parameterised tests: letters, digits and underscores.
std::string TestNameOf(const std::string& spec);

}  // namespace tamis::testing
