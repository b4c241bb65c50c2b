// SPDX-License-Identifier: Apache-2.0
// bench/store_keys.h -- the keys and values that every store gets.

#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>

#include "tamis/slice.h"

namespace tamis::bench {

inline constexpr std::size_t kStoreKeyBytes = 16;
inline constexpr std::size_t kStoreValueBytes = 100;

// Keys are numbers in sixteen decimal digits.  Even ones are in the stores,
// odd ones are not: so a missing key lies between two that are there, and no
// table's range of keys rules it out.
enum class KeyKind : unsigned { kPresent = 0, kMissing = 1 };

// Keys made beforehand, one after the other in memory.
class StoreKeys {
 public:
  StoreKeys() = default;
  // Of 0, 1, ...: ascending.
  static StoreKeys InOrder(std::uint64_t count);

  // Of these numbers, in their order.
  static StoreKeys Of(std::span<const std::uint64_t> numbers);

  struct Draw {
    std::uint64_t universe = 0;  // so many keys are in the store
    KeyKind kind = KeyKind::kPresent;
    std::uint64_t seed = 0;   // which order
    std::uint64_t first = 0;  // where in that order to begin
    std::uint64_t count = 0;
  };
  // Every seed puts all numbers of the universe into an order that looks
  // random; past its end the order begins again.
  static StoreKeys Shuffled(const Draw& draw);

  std::size_t size() const { return bytes_.size() / kStoreKeyBytes; }
  Slice operator[](std::size_t i) const {
    return {bytes_.data() + i * kStoreKeyBytes, kStoreKeyBytes};
  }

 private:
  void Append(std::uint64_t number);

  std::string bytes_;
};

// The value that belongs to a key; half of it repeats, as compression likes.
Slice ValueOf(Slice key);

// Sums of what a store returned, so that a wrong value shows.
struct Seen {
  std::uint64_t values = 0;
  std::uint64_t sum = 0;  // of the first eight bytes of each

  // REQUIRES: kStoreValueBytes are there
  void Add(const char* value);
  friend bool operator==(const Seen&, const Seen&) = default;
};

// Returns the sums for the values of all these keys.
Seen Expected(const StoreKeys& keys);

}  // namespace tamis::bench
