// SPDX-License-Identifier: Apache-2.0
#include "hash/fnv1a.h"

#include <gtest/gtest.h>

#include "hash/splitmix64.h"
#include "tests/hash/golden_rows.h"

namespace tamis {
namespace {

using testing::ExpectGoldenColumn;

TEST(Fnv1a64, GivesTheGoldenValues) { ExpectGoldenColumn("fnv1a64", Fnv1a64); }

TEST(Fnv1a64, GivesPublishedValues) {
  EXPECT_EQ(Fnv1a64(""), 0xcbf29ce484222325u);
  EXPECT_EQ(Fnv1a64("a"), 0xaf63dc4c8601ec8cu);
  EXPECT_EQ(Fnv1a64("foobar"), 0x85944171f73967e8u);
}

TEST(Fnv1a64, MixedBySplitMix64GivesTheGoldenValuesOfTheLabFormat) {
  ExpectGoldenColumn("lab_mix64",
                     [](Slice data) { return SplitMix64(Fnv1a64(data)); });
}

static_assert(Fnv1a64("foobar") == 0x85944171f73967e8);

}  // namespace
}  // namespace tamis
