// SPDX-License-Identifier: Apache-2.0
#include "hash/murmur2.h"

#include <string>

#include <gtest/gtest.h>

#include "tests/hash/golden_pair.h"
#include "tests/hash/golden_rows.h"

namespace tamis {
namespace {

using testing::ExpectGoldenColumn;
using testing::HashPair;

TEST(Murmur2Cassandra, GivesTheGoldenValues) {
  ExpectGoldenColumn("murmur2_64_cassandra", Murmur2CassandraPair, HashPair);
}

TEST(Murmur2Cassandra, TheEmptyKeyHashesToZero) {
  EXPECT_EQ(Murmur2CassandraPair(Slice()), (Hash128{0, 0}));
}

}  // namespace
}  // namespace tamis
