// SPDX-License-Identifier: Apache-2.0
// hash/golden_pair.h -- golden values that are two words.

#pragma once

#include <ostream>
#include <string>

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "hash/hash128.h"
#include "tests/support/golden.h"

namespace tamis {

// GoogleTest prints values by this.
inline void PrintTo(const Hash128& h, std::ostream* out) {
  *out << std::hex << "{" << h.h1 << ", " << h.h2 << "}" << std::dec;
}

namespace testing {

inline Hash128 HashPair(const nlohmann::json& value) {
  return {HexNumber(value.at(0).get<std::string>()),
          HexNumber(value.at(1).get<std::string>())};
}

}  // namespace testing
}  // namespace tamis
