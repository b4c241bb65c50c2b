// SPDX-License-Identifier: Apache-2.0
// support/key_families.h -- the kinds of keys that a range filter must suit.

#pragma once

#include <cstdint>
#include <random>
#include <span>
#include <string>
#include <vector>

namespace tamis::testing {

using Random = std::mt19937_64;

struct KeyFamily {
  const char* name;
  // The highest rate of false positives at 8 bits per key, for short empty
  // ranges; 1: anything.
  double rate;
  // The same at 6 and at 10 bits; 1: anything.
  double rate_at_6;
  double rate_at_10;
  std::string (*key)(Random* random);
};

std::span<const KeyFamily> KeyFamilies();

// Distinct keys of a family, in order.
std::vector<std::string> SortedKeys(const KeyFamily& family, std::size_t count,
                                    Random* random);

// Every string of up to three symbols, in order; two of the three are the
// bytes that codes of strings most often get wrong.
std::vector<std::string> AllShortStrings();

// The number of a 64-bit integer as its 8 bytes, whose order is the same.
std::string BigEndian(std::uint64_t number);

// Whether one of the sorted keys is from lo to hi.
bool AnyBetween(const std::vector<std::string>& sorted, const std::string& lo,
                const std::string& hi);

}  // namespace tamis::testing
