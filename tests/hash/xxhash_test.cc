// SPDX-License-Identifier: Apache-2.0
#include "hash/xxhash.h"

#include <gtest/gtest.h>

#include "tests/hash/golden_rows.h"

#ifdef XXH_INLINE_ALL
#error "hash/xxhash.h must keep XXH_INLINE_ALL to itself"
#endif

namespace tamis {
namespace {

using testing::ExpectGoldenColumn;

TEST(XxHash, GivesTheGoldenValues) {
  ExpectGoldenColumn("xxh32", [](Slice data) { return Xxh32(data); });
  ExpectGoldenColumn("xxh64", [](Slice data) { return Xxh64(data); });
  ExpectGoldenColumn("xxh3", [](Slice data) { return Xxh3(data); });
}

TEST(XxHash, GivesPublishedValues) {
  EXPECT_EQ(Xxh32("abc"), 0x32d153ffu);
  EXPECT_EQ(Xxh64("abc"), 0x44bc2cf5ad770999u);
  EXPECT_EQ(Xxh3("abc"), 0x78af5f94892f3950u);
}

// xxHash's own test fixes these values of the empty input.
TEST(XxHash, TheSeedEntersAsInTheLibrary) {
  constexpr std::uint64_t kPrime64 = 0x9e3779b185ebca8d;
  EXPECT_EQ(Xxh32("", 0x9e3779b1), 0x36b78ae7u);
  EXPECT_EQ(Xxh64("", 0x9e3779b1), 0xac75fda2929b17efu);
  EXPECT_EQ(Xxh3("", kPrime64), 0xa8a6b918b2f0364au);
}

// Beyond 240 bytes XXH3 derives a secret from its seed.
TEST(XxHash, TheSeedOfXxh3MattersAtEveryLength) {
  for (std::size_t n = 0; n <= 600; ++n) {
    const std::string input = testing::GoldenInput(n);
    ASSERT_EQ(Xxh3(input, 0), XXH3_64bits(input.data(), n)) << n;
    ASSERT_NE(Xxh3(input, 1), Xxh3(input, 0)) << n;
    ASSERT_NE(Xxh3(input, 1ull << 63), Xxh3(input, 0)) << n;
  }
}

}  // namespace
}  // namespace tamis
