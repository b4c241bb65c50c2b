// SPDX-License-Identifier: Apache-2.0
#include "policy/table_policy.h"

#include <string>

#include <gtest/gtest.h>

#include "tests/support/filters.h"

namespace tamis {
namespace {

using testing::PolicyOf;

TEST(TryPolicy, TakesEveryKindThatGrowsWithItsTable) {
  for (const char* spec : {"bloom:10", "ribbon:8", "fuse8", "cuckoo:fpr=0.01",
                           "leveldb:10", "rocksdb-ribbon:10"}) {
    EXPECT_TRUE(TryPolicy(*PolicyOf(spec)).ok()) << spec;
  }
}

// It is the policy that is unfit: another try would end the same way.
TEST(TryPolicy, AFilterTooSmallForATableIsUnfit) {
  const Status status = TryPolicy(*PolicyOf("cuckoo:m=8,k=8"));
  EXPECT_EQ(status.code(), StatusCode::kInvalidArgument);
  EXPECT_NE(status.message().find("do not fit"), std::string::npos)
      << status.ToString();
}

}  // namespace
}  // namespace tamis
