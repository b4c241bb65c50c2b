// SPDX-License-Identifier: Apache-2.0
// Filters that cannot be built cost a table nothing else.

#include "table/table_filter_builder.h"

#include <memory>
#include <stdexcept>
#include <string>

#include <gtest/gtest.h>

#include "tamis/filter.h"
#include "tests/support/failing_new.h"
#include "tests/support/filters.h"

namespace tamis {
namespace {

TEST(TableFilterBuilder, GivesUpAFilterThatFindsNoMemory) {
  const auto policy = testing::PolicyOf("bloom:10");
  TableFilterBuilder filters(policy.get(), 10, 10, 0);
  const std::string key(1000, 'k');
  testing::AllowAllocations(0);
  filters.Add(key, false);
  filters.EndBlock();
  filters.StartBlock(5000);
  testing::AllowAllocations(-1);
  std::string bytes;
  EXPECT_FALSE(filters.FinishWhole(&bytes));
  EXPECT_EQ(filters.whole_problem(), "no memory");
  EXPECT_FALSE(filters.FinishLevelDb(&bytes));
  EXPECT_EQ(filters.leveldb_problem(), "no memory");
  EXPECT_FALSE(filters.FinishBlocks(&bytes));
  EXPECT_EQ(filters.blocks_problem(), "no memory");
}

TEST(TableFilterBuilder, GivesUpOneOfTheTwoAlone) {
  const auto policy = testing::PolicyOf("parquet:m=1024,k=3");
  TableFilterBuilder filters(policy.get(), 10);
  filters.Add("key", false);
  filters.StartBlock(100);
  std::string bytes;
  EXPECT_TRUE(filters.FinishLevelDb(&bytes));
  EXPECT_FALSE(bytes.empty());
  EXPECT_EQ(filters.leveldb_problem(), "");
  EXPECT_FALSE(filters.FinishWhole(&bytes));
  EXPECT_NE(filters.whole_problem().find("parquet"), std::string::npos);
}

TEST(TableFilterBuilder, WithoutFiltersHasNoProblem) {
  TableFilterBuilder filters(nullptr, 0);
  filters.Add("key", false);
  filters.StartBlock(100);
  std::string bytes;
  EXPECT_FALSE(filters.FinishLevelDb(&bytes));
  EXPECT_FALSE(filters.FinishWhole(&bytes));
  EXPECT_FALSE(filters.FinishBlocks(&bytes));
  EXPECT_EQ(filters.whole_problem() + filters.leveldb_problem() +
                filters.blocks_problem(),
            "");
}

}  // namespace
}  // namespace tamis
