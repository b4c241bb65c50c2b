// SPDX-License-Identifier: Apache-2.0
#include "bench/store_keys.h"

#include <bit>
#include <cassert>
#include <cstring>

#include "hash/splitmix64.h"

namespace tamis::bench {
namespace {

constexpr std::size_t kPoolBytes = std::size_t{1} << 20;
constexpr std::uint64_t kOdd = 0x9e3779b97f4a7c15;  // 2^64 over golden ratio

// The numbers below `universe` in a shuffled order: a bijection on the next
// power of two, repeated until the result is inside.
class Order {
 public:
  Order(std::uint64_t universe, std::uint64_t seed)
      : universe_(universe),
        bits_(static_cast<unsigned>(std::bit_width(universe - 1))),
        mask_(bits_ == 0 ? 0 : ~std::uint64_t{0} >> (64 - bits_)),
        seed_(SplitMix64(seed)) {
    assert(universe > 0);
  }

  std::uint64_t operator[](std::uint64_t i) const {
    std::uint64_t x = i % universe_;
    do {
      x = Step(x);
    } while (x >= universe_);
    return x;
  }

 private:
  // Each of these has an inverse on bits_ bits.
  std::uint64_t Step(std::uint64_t x) const {
    for (unsigned round = 0; round < 3; ++round) {
      x = (x + (seed_ >> (round * 16))) & mask_;
      x ^= x >> (bits_ / 2 + 1);
      x = x * kOdd & mask_;
    }
    return x ^ (x >> (bits_ / 2 + 1));
  }

  std::uint64_t universe_;
  unsigned bits_;
  std::uint64_t mask_;
  std::uint64_t seed_;
};

// Every sixteen bytes come twice.
std::string MakePool() {
  constexpr std::size_t kPiece = 16;
  std::string pool;
  pool.reserve(kPoolBytes + kStoreValueBytes + 2 * kPiece);
  for (std::uint64_t i = 0; pool.size() < kPoolBytes + kStoreValueBytes; ++i) {
    char piece[kPiece];
    const std::uint64_t words[] = {SplitMix64(2 * i), SplitMix64(2 * i + 1)};
    static_assert(sizeof(words) == kPiece);
    std::memcpy(piece, words, kPiece);
    pool.append(piece, kPiece).append(piece, kPiece);
  }
  return pool;
}

}  // namespace

void StoreKeys::Append(std::uint64_t number) {
  char digits[kStoreKeyBytes];
  for (std::size_t i = kStoreKeyBytes; i-- > 0; number /= 10) {
    digits[i] = static_cast<char>('0' + number % 10);
  }
  bytes_.append(digits, kStoreKeyBytes);
}

StoreKeys StoreKeys::Of(std::span<const std::uint64_t> numbers) {
  StoreKeys keys;
  keys.bytes_.reserve(numbers.size() * kStoreKeyBytes);
  for (const std::uint64_t number : numbers) keys.Append(number);
  return keys;
}

StoreKeys StoreKeys::InOrder(std::uint64_t count) {
  StoreKeys keys;
  keys.bytes_.reserve(count * kStoreKeyBytes);
  for (std::uint64_t i = 0; i < count; ++i) keys.Append(2 * i);
  return keys;
}

StoreKeys StoreKeys::Shuffled(const Draw& draw) {
  StoreKeys keys;
  keys.bytes_.reserve(draw.count * kStoreKeyBytes);
  const Order order(draw.universe, draw.seed);
  for (std::uint64_t i = 0; i < draw.count; ++i) {
    keys.Append(2 * order[draw.first + i] + static_cast<unsigned>(draw.kind));
  }
  return keys;
}

Slice ValueOf(Slice key) {
  static const std::string pool = MakePool();
  std::uint64_t low = 0;
  assert(key.size() == kStoreKeyBytes);
  std::memcpy(&low, key.data() + kStoreKeyBytes - sizeof(low), sizeof(low));
  return {pool.data() + (low * kOdd >> 32) % kPoolBytes, kStoreValueBytes};
}

void Seen::Add(const char* value) {
  std::uint64_t head = 0;
  std::memcpy(&head, value, sizeof(head));
  ++values;
  sum += head;
}

Seen Expected(const StoreKeys& keys) {
  Seen seen;
  for (std::size_t i = 0; i < keys.size(); ++i) {
    seen.Add(ValueOf(keys[i]).data());
  }
  return seen;
}

}  // namespace tamis::bench
