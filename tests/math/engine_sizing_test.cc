// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include "math/cassandra_sizing.h"
#include "math/leveldb_sizing.h"
#include "tamis/bloom_math.h"
#include "tests/support/golden.h"

namespace tamis {
namespace {

TEST(CassandraSizing, ChoosesWhatCassandraChooses) {
  const nlohmann::json golden = testing::LoadGolden("cassandra.json");
  ASSERT_GE(golden["spec"].size(), 13u);
  for (const auto& row : golden["spec"]) {
    const Result<CassandraSpec> spec = CassandraSpecFor(row[0].get<double>());
    ASSERT_TRUE(spec.ok()) << row;
    EXPECT_EQ(spec->probes, row[1][0].get<unsigned>()) << row;
    EXPECT_EQ(spec->buckets, row[1][1].get<unsigned>()) << row;
  }
}

TEST(CassandraSizing, KnowsTheBestProbesForEachBucketCount) {
  const nlohmann::json golden = testing::LoadGolden("cassandra.json");
  ASSERT_EQ(golden["opt_k"].size(), kMaxCassandraBuckets + 1);
  for (unsigned buckets = 0; buckets <= kMaxCassandraBuckets; ++buckets) {
    EXPECT_EQ(CassandraBestProbes(buckets),
              golden["opt_k"][buckets].get<unsigned>())
        << buckets;
  }
}

TEST(CassandraSizing, RefusesRatesOutsideItsTable) {
  for (double rate : {0.0000670, 0.0, -1.0, 1.0, 2.0}) {
    const Result<CassandraSpec> spec = CassandraSpecFor(rate);
    ASSERT_FALSE(spec.ok()) << rate;
    EXPECT_EQ(spec.status().code(), StatusCode::kInvalidArgument);
  }
  EXPECT_TRUE(CassandraSpecFor(kMinCassandraRate).ok());
}

TEST(CassandraSizing, DiffersFromTheTextbook) {
  // At 1 % Cassandra takes 10 bits and 5 probes, the textbook 9.6 and 7.
  const Result<CassandraSpec> spec = CassandraSpecFor(0.01);
  ASSERT_TRUE(spec.ok());
  EXPECT_EQ(spec->probes, 5u);
  EXPECT_EQ(BloomProbes(BloomBitsPerKey(0.01)), 7u);
  EXPECT_EQ(CassandraWords(1000, spec->buckets), (10'000u + 20 + 63) / 64);
}

// Each cell of the table is the textbook's rate to two digits: a slip of the
// pen would stand out.
TEST(CassandraSizing, EveryRateItChoosesIsMetByTheFormula) {
  for (double rate = kMinCassandraRate; rate < 0.393; rate *= 1.003) {
    const Result<CassandraSpec> spec = CassandraSpecFor(rate);
    ASSERT_TRUE(spec.ok());
    const std::uint64_t n = 100'000'000;
    const auto formula = [&](unsigned buckets, unsigned probes) {
      return BloomRate(n * buckets, n, probes);
    };
    // The choice is the smallest that meets the rate, within the rounding of
    // the table's three digits.
    EXPECT_LE(formula(spec->buckets, spec->probes), rate * 1.012) << rate;
    if (spec->probes > 1) {
      EXPECT_GT(formula(spec->buckets, spec->probes - 1), rate * 0.988) << rate;
    }
    if (spec->buckets > 2) {
      const unsigned fewer = spec->buckets - 1;
      EXPECT_GT(formula(fewer, CassandraBestProbes(fewer)), rate * 0.988)
          << rate;
    }
  }
}

TEST(CassandraSizing, AddsTwentyBitsAndRoundsUpToWords) {
  EXPECT_EQ(CassandraWords(44, 1), 1u);
  EXPECT_EQ(CassandraWords(45, 1), 2u);
  EXPECT_EQ(CassandraWords(0, 10), 1u);
}

TEST(CassandraSizing, CountsWordsBeyond32Bits) {
  EXPECT_EQ(CassandraWords(std::uint64_t{1} << 33, 10),
            ((std::uint64_t{10} << 33) + 20 + 63) / 64);
}

TEST(LevelDbSizing, CutsProbesWhereTheTextbookRounds) {
  struct Row {
    std::uint64_t bits_per_key;
    unsigned leveldb, textbook;
  };
  for (const Row& row :
       {Row{1, 1, 1}, Row{4, 2, 3}, Row{8, 5, 6}, Row{10, 6, 7}, Row{13, 8, 9},
        Row{16, 11, 11}, Row{20, 13, 14}, Row{44, 30, 30}, Row{100, 30, 30}}) {
    EXPECT_EQ(LevelDbProbes(row.bits_per_key), row.leveldb);
    EXPECT_EQ(BloomProbes(static_cast<double>(row.bits_per_key)), row.textbook);
  }
}

TEST(LevelDbSizing, FillsBytesAndHasAtLeast64Bits) {
  EXPECT_EQ(LevelDbBits(0, 10), 64u);
  EXPECT_EQ(LevelDbBits(6, 10), 64u);
  EXPECT_EQ(LevelDbBits(7, 10), 72u);
  EXPECT_EQ(LevelDbBits(8, 10), 80u);
  EXPECT_EQ(LevelDbBits(std::uint64_t{1} << 32, 10), std::uint64_t{10} << 32);
}

TEST(LevelDbSizing, RateCountsThe32BitHash) {
  // 100 million keys: one absent key in 43 shares the hash of some key.
  const std::uint64_t keys = 100'000'000;
  const std::uint64_t bits = LevelDbBits(keys, 20);
  const double collisions = 1.0 - std::exp(-1e8 / 4294967296.0);
  EXPECT_GT(LevelDbRate(bits, keys, 13), collisions);
  // Of 2^34 bits only a quarter can be reached.
  EXPECT_EQ(LevelDbRate(std::uint64_t{1} << 34, keys, 6),
            LevelDbRate(std::uint64_t{1} << 32, keys, 6));
  EXPECT_LT(LevelDbRate(std::uint64_t{1} << 32, keys, 6),
            LevelDbRate(std::uint64_t{1} << 31, keys, 6));
}

TEST(LevelDbSizing, FindsTheFewestBitsForARate) {
  EXPECT_EQ(LevelDbBitsPerKeyFor(0.01), 10u);
  for (double rate : {0.5, 0.1, 0.01, 0.001, 0.0001, 1e-9}) {
    const std::uint64_t bits = LevelDbBitsPerKeyFor(rate);
    const std::uint64_t n = 1'000'000'000;
    EXPECT_LE(BloomRate(n * bits, n, LevelDbProbes(bits)), rate * 1.0001);
    if (bits > 1) {
      EXPECT_GT(BloomRate(n * (bits - 1), n, LevelDbProbes(bits - 1)), rate);
    }
  }
  EXPECT_EQ(LevelDbBitsPerKeyFor(1e-300), kMaxLevelDbBitsPerKey);
}

}  // namespace
}  // namespace tamis
