// SPDX-License-Identifier: Apache-2.0
// Measures lookups in a store, and what its filters save.

#pragma once

#include <cstdint>
#include <string>

#include "tamis/store.h"

namespace demo {

// Returns key number i; even ones are in the store, odd ones are not.
std::string KeyOf(std::uint64_t i);

// Writes `keys` keys as `tables` tables, each of which spans the whole range.
tamis::Status Load(const std::string& dir, const tamis::StoreOptions& options,
                   std::uint64_t keys, unsigned tables);

struct Cost {
  double tables_read = 0;  // per lookup
  double blocks_read = 0;
  double microseconds = 0;
  std::uint64_t lookups = 0;
  std::uint64_t wrong = 0;  // wrong answers
};

// Looks up random keys, present or missing ones, for about that long.
Cost Measure(tamis::Store& store, std::uint64_t keys, bool present,
             double seconds);

}  // namespace demo
