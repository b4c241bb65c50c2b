// No memory for a filter: a Status says so, and nothing is thrown.

#include <memory>
#include <optional>
#include <string>

#include <gtest/gtest.h>

#include "tamis/filter.h"
#include "tests/support/failing_new.h"

namespace tamis::testing {
namespace {

class PolicyMemory : public ::testing::TestWithParam<const char*> {};

TEST_P(PolicyMemory, MakePolicySaysWhenThereIsNone) {
  bool any = true;
  for (int after = 0; any; ++after) {
    std::optional<Result<std::unique_ptr<const FilterPolicy>>> made;
    FailAllocations(after, 1);
    {
      const FaultScope faulty;
      made = MakePolicy(GetParam());
    }
    any = FailedAllocations() > 0;
    FailAllocations(1 << 30, 0);
    EXPECT_TRUE(made->ok() ||
                made->status().code() == StatusCode::kResourceExhausted);
  }
}

TEST_P(PolicyMemory, BuildersSayWhenThereIsNone) {
  const auto policy = *MakePolicy(GetParam());
  bool any = true;
  for (int after = 0; any; ++after) {
    const auto builder = policy->NewBuilder();
    std::string bytes = "before";
    Status finished;
    FailAllocations(after, 1);
    {
      const FaultScope faulty;
      for (char c = 'a'; c <= 'z'; ++c) builder->Add({&c, 1});
      finished = builder->Finish(&bytes);
    }
    any = FailedAllocations() > 0;
    FailAllocations(1 << 30, 0);
    if (!finished.ok()) {
      EXPECT_EQ(finished.code(), StatusCode::kResourceExhausted);
      EXPECT_EQ(bytes, "before");
    }
    EXPECT_TRUE(any || finished.ok());
  }
}

TEST_P(PolicyMemory, PredictingEndsNoProgram) {
  const auto policy = *MakePolicy(GetParam());
  bool any = true;
  for (int after = 0; any; ++after) {
    FailAllocations(after, 1);
    {
      const FaultScope faulty;
      (void)policy->Predict(1000);
      (void)policy->RateAt(10, 100);
    }
    any = FailedAllocations() > 0;
    FailAllocations(1 << 30, 0);
  }
}

INSTANTIATE_TEST_SUITE_P(Kinds, PolicyMemory,
                         ::testing::Values("bloom:10", "classic:10",
                                           "splitblock:10", "ribbon:8", "fuse8",
                                           "cuckoo:fpr=0.01", "counting:10",
                                           "scalable:fpr=0.01", "fpr:0.01",
                                           "leveldb:10", "rocksdb:10",
                                           "rocksdb-ribbon:10", "parquet:10"));

}  // namespace
}  // namespace tamis::testing
