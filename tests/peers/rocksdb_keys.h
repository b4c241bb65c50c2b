// SPDX-License-Identifier: Apache-2.0
// peers/rocksdb_keys.h -- keys for tables, and our answers in the form in
// which RocksDbAnswers() gives RocksDB's.

#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "tamis/filter.h"

namespace tamis::testing {

// The policy whose filters RocksDB writes: "rocksdb:10" and so on.
std::string PolicyTextOf(bool is_ribbon, int format_version,
                         std::string_view bits_per_key);

enum class TableKeys {
  kText,    // "g0007/000123": 100 to a prefix of 6
  kBinary,  // 1 to 24 bytes, of which the first four have four values each
};

// `count` keys in order, each once; the same for the same arguments.
std::vector<std::string> SortedKeys(TableKeys kind, std::size_t count);

// `count` keys of 0 to 40 random bytes.
std::vector<std::string> RandomKeys(std::uint64_t seed, std::size_t count);

// One character per key, '1' maybe and '0' certainly absent, by our reader.
// A filter that is refused is one '1' per key, since the caller must then
// read.  Fails the running test if MayContainMany() answers differently.
std::string OurAnswers(const FilterPolicy& policy, Slice filter,
                       std::span<const std::string> keys);

// The text as GoogleTest takes it for a name: letters and digits stay.
std::string AsTestName(std::string text);

}  // namespace tamis::testing
