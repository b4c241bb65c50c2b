// SPDX-License-Identifier: Apache-2.0
// The filters of a Parquet file of the corpus.

#include <string>

#include <gtest/gtest.h>

#include "tamis/sstable.h"
#include "tests/base/temp_dir.h"
#include "tests/support/golden.h"

namespace tamis::testing {
namespace {

TEST(ParquetSstable, HasTheFiltersOfAllColumnsAndNoKeys) {
  const auto path =
      CorpusPath("parquet/data_index_bloom_encoding_stats.parquet");
  if (!path) GTEST_SKIP() << kNoCorpus;
  const auto listing = FindSstables(path->string());
  ASSERT_TRUE(listing.ok()) << listing.status().ToString();
  ASSERT_EQ(listing->sstables.size(), 1u);
  EXPECT_EQ(listing->sstables[0].engine, "parquet");
  const auto sstable = OpenSstable(listing->sstables[0]);
  ASSERT_TRUE(sstable.ok());
  const SstableInfo& info = (*sstable)->info();
  EXPECT_EQ(info.filter.kind, "splitblock");
  EXPECT_EQ(info.filter.parts, 1u);
  EXPECT_EQ(info.filter.bits, 8u * 1024);
  EXPECT_NEAR(info.filter.keys, 14, 0.5);
  EXPECT_EQ(info.verdict, FilterVerdict::kOk);
  EXPECT_NE(info.why_not_verifiable.find("out of scope"), std::string::npos);
}

TEST(ParquetSstable, ThatIsCutOffIsUnreadable) {
  const TempDir dir;
  dir.Write("t.parquet", "PAR1 and nothing else PAR1");
  const auto listing = FindSstables(dir.path());
  ASSERT_TRUE(listing.ok());
  ASSERT_EQ(listing->sstables.size(), 1u);
  const auto sstable = OpenSstable(listing->sstables[0]);
  ASSERT_TRUE(sstable.ok());
  EXPECT_EQ((*sstable)->info().verdict, FilterVerdict::kUnreadable);
}

}  // namespace
}  // namespace tamis::testing
