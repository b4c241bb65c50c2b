// SPDX-License-Identifier: Apache-2.0
// Each sequence against its definition, computed the slow and obvious way
// in 128-bit arithmetic.

#include "filters/bloom/probe_sequences.h"

#include <cstdint>
#include <random>
#include <vector>

#include <gtest/gtest.h>

#include "base/wide_math.h"

namespace tamis {
namespace {

__extension__ using Int128 = __int128;

// Around the places where 32-bit arithmetic would break, and small ones.
const std::vector<std::uint64_t>& Sizes() {
  static const std::vector<std::uint64_t> sizes = [] {
    std::vector<std::uint64_t> out = {1, 2, 3, 7, 64, 100, 9586};
    for (unsigned power : {31u, 32u, 33u, 62u}) {
      const std::uint64_t middle = std::uint64_t{1} << power;
      out.insert(out.end(), {middle - 1, middle, middle + 1});
    }
    return out;
  }();
  return sizes;
}

std::vector<std::uint64_t> EdgeHashes() {
  std::vector<std::uint64_t> hashes = {0, 1, ~std::uint64_t{0},
                                       std::uint64_t{1} << 63,
                                       (std::uint64_t{1} << 63) + 1};
  std::mt19937_64 random(1);
  for (int i = 0; i < 50; ++i) hashes.push_back(random());
  return hashes;
}

constexpr unsigned kProbes = 255;

TEST(MultiplicativeProbes, AreTheUpperHalfOfAProduct) {
  for (std::uint64_t bits : Sizes()) {
    for (std::uint64_t hash : EdgeHashes()) {
      MultiplicativeProbes probes(hash, bits);
      std::uint64_t expected = hash;
      for (unsigned i = 0; i < kProbes; ++i) {
        const std::uint64_t position = probes.Next();
        ASSERT_EQ(position, static_cast<std::uint64_t>(
                                (static_cast<Uint128>(expected) * bits) >> 64));
        ASSERT_LT(position, bits);
        expected *= 0xd1342543de82ef95;
      }
    }
  }
}

TEST(RotatedSumProbes, WrapAt32Bits) {
  for (std::uint64_t bits : Sizes()) {
    for (std::uint64_t hash : EdgeHashes()) {
      const auto h = static_cast<std::uint32_t>(hash);
      const std::uint32_t delta = (h >> 17) | (h << 15);
      RotatedSumProbes probes(h, bits);
      for (std::uint32_t i = 0; i < 30; ++i) {
        const std::uint64_t sum = (h + std::uint64_t{i} * delta) & 0xffffffff;
        ASSERT_EQ(probes.Next(), sum % bits);
      }
    }
  }
}

TEST(SignedSumProbes, WrapAt64BitsAndDropTheSign) {
  for (std::uint64_t bits : Sizes()) {
    for (std::uint64_t base : EdgeHashes()) {
      const HashPair pair{base, base * 0x9e3779b97f4a7c15};
      SignedSumProbes probes(pair, bits);
      std::uint64_t wrapped = pair.first;
      for (unsigned i = 0; i < 30; ++i) {
        const Int128 remainder =
            static_cast<Int128>(static_cast<std::int64_t>(wrapped)) %
            static_cast<Int128>(bits);
        const Int128 position = remainder < 0 ? -remainder : remainder;
        ASSERT_EQ(probes.Next(), static_cast<std::uint64_t>(position));
        wrapped += pair.second;
      }
    }
  }
}

TEST(HalvesSumProbes, AddTheUpperHalf) {
  for (std::uint64_t bits : Sizes()) {
    for (std::uint64_t hash : EdgeHashes()) {
      HalvesSumProbes probes(hash, bits);
      for (unsigned i = 0; i < 30; ++i) {
        const Uint128 sum = static_cast<Uint128>(hash & 0xffffffff) +
                            static_cast<Uint128>(i) * (hash >> 32);
        ASSERT_EQ(probes.Next(), static_cast<std::uint64_t>(sum % bits));
      }
    }
  }
}

TEST(ExactSumProbes, NeverWrap) {
  for (std::uint64_t bits : Sizes()) {
    for (std::uint64_t a : EdgeHashes()) {
      const HashPair pair{a, ~a * 3};
      ExactSumProbes probes(pair, bits);
      for (unsigned i = 0; i < kProbes; ++i) {
        const Uint128 sum =
            static_cast<Uint128>(pair.first) +
            static_cast<Uint128>(i) * static_cast<Uint128>(pair.second);
        ASSERT_EQ(probes.Next(), static_cast<std::uint64_t>(sum % bits));
      }
    }
  }
}

}  // namespace
}  // namespace tamis
