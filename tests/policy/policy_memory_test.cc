// SPDX-License-Identifier: Apache-2.0
// No memory for a filter: a Status says so, and nothing is thrown.

#include <filesystem>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include <gtest/gtest.h>

#include "tamis/advice.h"
#include "tamis/env.h"
#include "tamis/filter.h"
#include "tamis/filter_file.h"
#include "tamis/filter_memory.h"
#include "tamis/fold.h"
#include "tamis/mutable_filter.h"
#include "tamis/parquet.h"
#include "tamis/set_algebra.h"
#include "tests/base/temp_dir.h"
#include "tests/support/failing_new.h"
#include "tests/support/specs.h"

namespace tamis::testing {
namespace {

const Status& StatusOf(const Status& status) { return status; }
template <typename T>
const Status& StatusOf(const Result<T>& result) {
  return result.status();
}

// Calls work() again and again, which returns a Status or a Result, while one
// more allocation succeeds each time before one fails, or all that follow do,
// until none fails: it says what it says when there is memory, or that there
// is none.  `before` is called each time first, with memory.
template <typename Work, typename Before>
void ExpectStatus(Work work, Before before) {
  for (const int failures : {1, 1 << 30}) {
    AllowAllocations(-1);
    before();
    const StatusCode usual = StatusOf(work()).code();
    bool any = true;
    for (int after = 0; any; ++after) {
      before();
      StatusCode code = StatusCode::kOk;
      FailAllocations(after, failures);
      {
        const FaultScope faulty;
        const auto result = work();
        code = StatusOf(result).code();
      }
      any = FailedAllocations() > 0;
      FailAllocations(1 << 30, 0);
      EXPECT_TRUE(code == usual || code == StatusCode::kResourceExhausted)
          << StatusCodeName(code) << " instead of " << StatusCodeName(usual)
          << " after " << after << " allocations";
      EXPECT_TRUE(any || code == usual) << StatusCodeName(code);
    }
  }
}
template <typename Work>
void ExpectStatus(Work work) {
  ExpectStatus(work, [] {});
}

std::string FilterOver(const std::string& spec, int keys) {
  const auto policy = *MakePolicy(spec);
  const auto builder = policy->NewBuilder();
  for (int i = 0; i < keys; ++i) builder->Add("key" + std::to_string(i));
  std::string bytes;
  const Status finished = builder->Finish(&bytes);
  EXPECT_TRUE(finished.ok()) << finished.ToString();
  return bytes;
}

class PolicyMemory : public ::testing::TestWithParam<std::string> {
 protected:
  const std::unique_ptr<const FilterPolicy> policy_ = *MakePolicy(GetParam());
};

TEST_P(PolicyMemory, MakePolicySaysWhenThereIsNone) {
  ExpectStatus([] { return MakePolicy(GetParam()); });
}

TEST_P(PolicyMemory, BuildersSayWhenThereIsNone) {
  std::unique_ptr<FilterBuilder> builder;
  std::string bytes;
  ExpectStatus(
      [&] {
        for (char c = 'a'; c <= 'z'; ++c) builder->Add({&c, 1});
        Status finished = builder->Finish(&bytes);
        if (!finished.ok()) {
          EXPECT_EQ(bytes, "before");
        }
        return finished;
      },
      [&] {
        builder = policy_->NewBuilder();
        bytes = "before";
      });
}

TEST_P(PolicyMemory, OpenSaysWhenThereIsNone) {
  const std::string bytes = FilterOver(GetParam(), 200);
  ExpectStatus([&] { return policy_->Open(bytes); });
  const std::string damaged = bytes.substr(0, bytes.size() / 2);
  ExpectStatus([&] { return policy_->Open(damaged); });
}

TEST_P(PolicyMemory, FiltersThatGrowSayWhenThereIsNone) {
  ExpectStatus([&] { return policy_->NewMutable(100); });
  ExpectStatus([&] { return policy_->NewConcurrent(100); });
  auto filter = policy_->NewMutable(10);
  if (!filter.ok()) return;
  // More than was planned: some kinds are full then, others grow.
  int number = 0;
  ExpectStatus([&] {
    for (int end = number + 50; number < end; ++number) {
      char key[16];
      const int length = std::snprintf(key, sizeof(key), "%d", number);
      Status inserted = filter->Insert({key, static_cast<std::size_t>(length)});
      if (inserted.code() == StatusCode::kFilterFull) continue;
      if (!inserted.ok()) {
        EXPECT_EQ(inserted.code(), StatusCode::kResourceExhausted);
      }
    }
    return Status::Ok();
  });
  std::string bytes;
  ExpectStatus([&] { return filter->Save(&bytes); },
               [&] { bytes = std::string(); });
}

TEST_P(PolicyMemory, CombiningSaysWhenThereIsNone) {
  const std::string a = FilterOver(GetParam(), 200);
  const Slice two[] = {a, a};
  for (const SetOperation operation :
       {SetOperation::kUnion, SetOperation::kIntersection}) {
    std::string bytes;
    ExpectStatus(
        [&] {
          Status combined = policy_->Combine(two, operation, &bytes);
          if (!combined.ok()) {
            EXPECT_EQ(bytes, "before");
          }
          return combined;
        },
        [&] { bytes = "before"; });
  }
}

TEST_P(PolicyMemory, PredictingEndsNoProgram) {
  for (const std::uint64_t keys :
       {std::uint64_t{1000}, std::uint64_t{1} << 62}) {
    ExpectStatus([&] {
      (void)policy_->Predict(keys);
      (void)policy_->RateAt(10, keys);
      return Status::Ok();
    });
  }
}

INSTANTIATE_TEST_SUITE_P(Ranges, PolicyMemory, ::testing::Values("range:14.5"),
                         [](const ::testing::TestParamInfo<std::string>& spec) {
                           return TestNameOf(spec.param);
                         });
INSTANTIATE_TEST_SUITE_P(Kinds, PolicyMemory, ::testing::ValuesIn(EverySpec()),
                         [](const ::testing::TestParamInfo<std::string>& spec) {
                           return TestNameOf(spec.param);
                         });

class FilterFileMemory : public ::testing::Test {
 protected:
  const TempDir dir_;
  const std::string bytes_ = FilterOver("bloom:10,fold=16", 500);
  const std::string path_ = dir_.Write("a_rather_long_name.tamis", bytes_);
};

TEST_F(FilterFileMemory, OpeningSaysWhenThereIsNone) {
  for (const FileAccess access : {FileAccess::kMap, FileAccess::kLoad}) {
    ExpectStatus([&] { return FilterFile::Open(path_, {}, access); });
    ExpectStatus([&] { return FilterFile::Open(path_, "lab", access); });
  }
  const std::string missing = dir_.File("no_file_of_that_long_name");
  ExpectStatus([&] { return FilterFile::Open(missing); });
}

TEST_F(FilterFileMemory, WritingAndLockingSayWhenThereIsNone) {
  ExpectStatus(
      [&] { return WriteFilterFile(path_, bytes_, IfExists::kReplace); });
  ExpectStatus([&] { return WriteFilterFile(path_, bytes_, IfExists::kFail); });
  ExpectStatus([&] { return LockFilterFile(path_); });
  const std::string missing = dir_.File("no_folder/of_that_long_name");
  ExpectStatus(
      [&] { return WriteFilterFile(missing, bytes_, IfExists::kFail); });
  ExpectStatus([&] { return LockFilterFile(missing); });
}

TEST_F(FilterFileMemory, StatusSaysWhenThereIsNone) {
  const std::string path =
      dir_.Write("long.tamis", FilterOver("bloom:10", 1'000'000));
  auto file = FilterFile::Open(path);
  ASSERT_TRUE(file.ok()) << file.status().ToString();
  std::filesystem::resize_file(path, 1000);
  ExpectStatus([&] { return file->status(); });
}

TEST(MutableFilterMemory, LoadingSaysWhenThereIsNone) {
  for (const std::string spec : {"bloom:10", "cuckoo", "counting", "rotating",
                                 "scalable:10", "ribbon:8", "leveldb:10"}) {
    SCOPED_TRACE(spec);
    const std::string bytes = FilterOver(spec, 500);
    for (const Slice part : {Slice(bytes), Slice(bytes).substr(0, 90)}) {
      ExpectStatus([&] { return LoadMutable(part); });
      ExpectStatus([&] { return LoadErasable(part); });
      ExpectStatus([&] { return LoadRotating(part); });
    }
  }
}

TEST(MutableFilterMemory, MakingOneSaysWhenThereIsNone) {
  for (const std::string_view spec :
       {"bloom:10", "cuckoo", "counting", "rotating", "no such thing at all"}) {
    SCOPED_TRACE(spec);
    ExpectStatus([&] { return NewErasable(spec, 100); });
    ExpectStatus([&] { return NewRotating(spec, 100); });
  }
}

TEST(MutableFilterMemory, ChangingOneSaysWhenThereIsNone) {
  for (const char* spec : {"cuckoo", "counting"}) {
    SCOPED_TRACE(spec);
    auto filter = *NewErasable(spec, 100);
    auto checked = CheckErasures(*NewErasable(spec, 100));
    ExpectStatus([&] { return filter->Insert("key"); });
    ExpectStatus([&] { return filter->Erase("a stranger to it"); });
    ExpectStatus([&] { return checked->Insert("key"); });
    ExpectStatus([&] { return checked->Erase("a stranger to it"); });
  }
  auto rotating = *NewRotating("rotating", 100);
  ExpectStatus([&] { return rotating->Insert("key"); });
  ExpectStatus([&] { return rotating->Rotate(); });
}

TEST(FilterToolsMemory, FoldingSaysWhenThereIsNone) {
  const std::string bytes = FilterOver("bloom:10,fold=16", 500);
  for (const std::uint64_t divisor : {2u, 7u}) {
    std::string folded;
    ExpectStatus([&] { return FoldFilter(bytes, divisor, &folded); },
                 [&] { folded = std::string(); });
    ExpectStatus([&] { return RateWhenFolded(bytes, divisor); });
  }
  ExpectStatus([&] { return LargestDivisorFor(bytes, 0.1); });
}

TEST(FilterToolsMemory, TheOthersSayWhenThereIsNone) {
  const std::string bytes = FilterOver("bloom:10", 500);
  const std::string other = FilterOver("bloom:10", 5000);
  const std::string parquet = FilterOver("parquet:10", 500);
  ExpectStatus([&] { return EstimateOverlap(bytes, bytes); });
  ExpectStatus([&] { return EstimateOverlap(bytes, other); });
  ExpectStatus([&] { return FindParquetFilters(parquet); });
  ExpectStatus([&] { return FilterMemory::Copy(bytes); });
  FilterNeed need;
  need.keys = 1000;
  ExpectStatus([&] { return AdviseFilter(need); });
  need.deletes = need.expiry = true;
  ExpectStatus([&] { return AdviseFilter(need); });
}

}  // namespace
}  // namespace tamis::testing
