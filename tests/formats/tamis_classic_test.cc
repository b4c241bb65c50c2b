// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include "formats/tamis/classic.h"
#include "formats/tamis/container.h"
#include "tests/support/filters.h"

namespace tamis {
namespace {

using testing::PolicyOf;

// Golden bytes, readers' edge cases and damage of all kinds of the container
// are in tamis_filter_test.cc.

// Blocked filters round up; this kind has any number of bits.
TEST(TamisClassic, HasAnyNumberOfBitsAndUpTo255Probes) {
  for (std::uint64_t bits : {1u, 2u, 63u, 64u, 65u, 511u, 513u, 1021u}) {
    const auto policy =
        PolicyOf("classic:m=" + std::to_string(bits) + ",k=255");
    const std::string filter = testing::Build(*policy, {"key"});
    const FilterInfo info = (*policy->Open(filter))->Describe();
    EXPECT_EQ(info.bits, bits);
    EXPECT_EQ(info.probes, 255u);
    EXPECT_EQ(info.kind, "classic");
    EXPECT_EQ(filter.size(), 64 + (bits + 63) / 64 * 8);
  }
  EXPECT_FALSE(MakePolicy("classic:m=64,k=256").ok());
}

TEST(TamisContainer, PayloadStartsAtACacheLine) {
  static_assert(kTamisHeaderBytes % 64 == 0);
  std::string whole(kTamisHeaderBytes + 8, '\0');
  whole.back() = '\x5a';
  SealTamis(whole, {.kind = 77, .keys = 5});
  const auto contents = ParseTamis(whole);
  ASSERT_TRUE(contents.ok());
  EXPECT_EQ(contents->payload.data(), whole.data() + 64);
  EXPECT_EQ(contents->header.kind, 77);
  EXPECT_EQ(contents->header.keys, 5u);
}

}  // namespace
}  // namespace tamis
