// SPDX-License-Identifier: Apache-2.0
#include "filters/cuckoo/cuckoo_table.h"

#include <algorithm>
#include <map>
#include <random>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

namespace tamis {
namespace {

// A table in memory of exactly its size.
struct Filled {
  Filled(std::uint64_t buckets, unsigned bits)
      : table(buckets, bits),
        slots(static_cast<std::size_t>(buckets * bits / 2) +
              kCuckooPaddingBytes) {}

  bool Insert(std::uint64_t hash) {
    return table.Insert(slots.data(), table.PlaceOf(hash));
  }
  bool Erase(std::uint64_t hash) {
    return table.Erase(slots.data(), table.PlaceOf(hash));
  }
  bool Check(std::uint64_t hash) const {
    return table.Check(slots.data(), table.PlaceOf(hash));
  }

  CuckooTable table;
  std::vector<unsigned char> slots;
};

class EveryWidth : public ::testing::TestWithParam<unsigned> {};

INSTANTIATE_TEST_SUITE_P(Bits, EveryWidth,
                         ::testing::Range(kMinFingerprintBits,
                                          kMaxFingerprintBits + 1));

TEST_P(EveryWidth, PlacesLieInBothHalvesAndFingerprintsAreNeverZero) {
  std::mt19937_64 random(GetParam());
  const std::uint64_t largest = (std::uint64_t{1} << GetParam()) - 1;
  for (const std::uint64_t buckets : {2u, 4u, 6u, 1000u, 30'002u}) {
    const CuckooTable table(buckets, GetParam());
    for (unsigned i = 0; i < 500; ++i) {
      const std::uint64_t hash = i == 0   ? 0
                                 : i == 1 ? ~std::uint64_t{0}
                                          : random();
      const CuckooPlace place = table.PlaceOf(hash);
      ASSERT_LT(place.lower, buckets / 2);
      ASSERT_GE(place.upper, buckets / 2);
      ASSERT_LT(place.upper, buckets);
      ASSERT_GE(place.fingerprint, 1u);
      ASSERT_LE(place.fingerprint, largest);
    }
  }
}

// The definition of the answer: a key is "maybe" exactly if some key with the
// same fingerprint and the same lower bucket is in.
TEST_P(EveryWidth, AnswersAsAMapOfPlacesDoes) {
  Filled filled(34, GetParam());
  std::map<std::pair<std::uint64_t, std::uint32_t>, unsigned> model;
  std::mt19937_64 random(GetParam());
  std::vector<std::uint64_t> in;
  const auto place_of = [&](std::uint64_t hash) {
    const CuckooPlace place = filled.table.PlaceOf(hash);
    return std::pair(place.lower, place.fingerprint);
  };
  unsigned refused = 0;
  for (unsigned step = 0; step < 3000; ++step) {
    if (random() % 5 < 3) {
      const std::uint64_t hash = random();
      const auto before = filled.slots;
      if (filled.Insert(hash)) {
        in.push_back(hash);
        ++model[place_of(hash)];
      } else {
        ++refused;
        ASSERT_EQ(filled.slots, before);
      }
    } else if (!in.empty()) {
      std::swap(in[random() % in.size()], in.back());
      ASSERT_TRUE(filled.Erase(in.back()));
      --model[place_of(in.back())];
      in.pop_back();
    }
    for (const std::uint64_t hash : in) ASSERT_TRUE(filled.Check(hash));
    const std::uint64_t stranger = random();
    const bool expected = model[place_of(stranger)] > 0;
    ASSERT_EQ(filled.Check(stranger), expected);
    const auto before = filled.slots;
    if (!expected) {
      ASSERT_FALSE(filled.Erase(stranger));
    }
    ASSERT_EQ(filled.slots, before);
    ASSERT_EQ(filled.table.CountOccupied(filled.slots.data()), in.size());
  }
  EXPECT_GT(refused, 50u);
  for (const std::uint64_t hash : in) ASSERT_TRUE(filled.Erase(hash));
  EXPECT_TRUE(std::all_of(filled.slots.begin(), filled.slots.end(),
                          [](unsigned char byte) { return byte == 0; }));
}

// 0.95 is what sizes are planned by; the first refusal comes later.
TEST(CuckooTable, FillsTo96Percent) {
  for (const unsigned bits : {6u, 8u, 12u, 20u}) {
    Filled filled(10'000, bits);
    std::mt19937_64 random(bits);
    unsigned in = 0;
    while (filled.Insert(random())) ++in;
    EXPECT_GT(in, 38'400u) << bits;
    EXPECT_LT(in, 40'000u) << bits;
  }
}

TEST(CuckooTable, ASearchOfASmallTableFindsTheLastSlot) {
  // Two buckets are both buckets of every key.
  Filled filled(2, 12);
  std::mt19937_64 random(1);
  for (unsigned i = 0; i < 8; ++i) ASSERT_TRUE(filled.Insert(random()));
  EXPECT_FALSE(filled.Insert(random()));
}

}  // namespace
}  // namespace tamis
