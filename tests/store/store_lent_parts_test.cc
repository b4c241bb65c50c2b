// SPDX-License-Identifier: Apache-2.0
// What a program lends a store: a block cache, a receiver of its log, a policy
// for filters in LevelDB's block.

#include <atomic>
#include <memory>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "tamis/block_cache.h"
#include "tamis/filter.h"
#include "tamis/store.h"
#include "tests/store/stores.h"

namespace tamis {
namespace {

using testing::NumberKey;
using testing::StillOptions;
using testing::TestStore;

constexpr int kLentNumbers = 2000;

// Even numbers.
void FillLent(TestStore* store) {
  for (int i = 0; i < kLentNumbers; i += 2) {
    store->Put(NumberKey(static_cast<std::uint64_t>(i)), std::string(50, 'v'));
  }
  store->Flush();
}

void ScanLent(TestStore* store, const ReadOptions& options) {
  const auto entries = (*store)->NewIterator(options);
  int count = 0;
  for (entries->SeekToFirst(); entries->Valid(); entries->Next()) ++count;
  ASSERT_TRUE(entries->status().ok());
  EXPECT_EQ(count, kLentNumbers / 2);
}

TEST(StoreLentParts, StoresShareACacheAndAScanNeedNotFillIt) {
  StoreOptions options = StillOptions();
  options.block_cache = NewBlockCache(std::size_t{8} << 20);
  TestStore one(options);
  TestStore other(options);
  FillLent(&one);
  FillLent(&other);
  ScanLent(&one, {.fill_cache = false});
  EXPECT_EQ(options.block_cache->bytes(), 0u);
  std::string value;
  ASSERT_TRUE(one->Get({.fill_cache = false}, NumberKey(10), &value).ok());
  EXPECT_EQ(options.block_cache->bytes(), 0u);
  ScanLent(&one, {});
  const std::uint64_t of_one = options.block_cache->bytes();
  EXPECT_GT(of_one, 0u);
  ScanLent(&other, {});
  EXPECT_GT(options.block_cache->bytes(), of_one);
  EXPECT_EQ(one->Stats().block_cache_bytes, options.block_cache->bytes());
}

TEST(StoreLentParts, TheLogGoesToItsReceiverWithoutTheTime) {
  std::vector<std::string> lines;
  StoreOptions options = StillOptions();
  options.info_log = [&lines](std::string_view line) {
    lines.emplace_back(line);
    throw 1;  // is ignored
  };
  {
    TestStore store(options);
    EXPECT_FALSE(store.env().Exists(std::string(testing::kDir) + "/LOG"));
  }
  ASSERT_FALSE(lines.empty());
  EXPECT_EQ(lines.front(), "opening");
}

// A filter is the last bytes of its keys; or empty, if it is to be useless.
class LastBytes final : public FilterPolicy {
 public:
  explicit LastBytes(bool is_useless = false) : is_useless_(is_useless) {}

  class Builder final : public FilterBuilder {
   public:
    explicit Builder(bool is_useless) : is_useless_(is_useless) {}
    void Add(Slice key) override { bytes_ += key.back(); }
    Status Finish(std::string* dst) override {
      if (!is_useless_) *dst += bytes_;
      return Status::Ok();
    }

   private:
    const bool is_useless_;
    std::string bytes_;
  };
  class Reader final : public FilterReader {
   public:
    Reader(Slice filter, const LastBytes& policy)
        : filter_(filter), policy_(policy) {}
    bool MayContain(Slice key) const noexcept override {
      ++policy_.asked;
      return filter_.find(key.back()) != Slice::npos;
    }
    FilterInfo Describe() const override { return {}; }

   private:
    const Slice filter_;
    const LastBytes& policy_;
  };

  std::string_view name() const noexcept override { return "test.LastBytes"; }
  std::unique_ptr<FilterBuilder> NewBuilder(
      const BuildOptions& /*options*/) const override {
    return std::make_unique<Builder>(is_useless_);
  }
  Result<std::unique_ptr<const FilterReader>> Open(Slice bytes) const override {
    return std::unique_ptr<const FilterReader>(
        std::make_unique<Reader>(bytes, *this));
  }
  Estimate Predict(std::uint64_t /*keys*/) const noexcept override {
    return {};
  }
  double RateAt(std::uint64_t /*planned*/,
                std::uint64_t /*keys*/) const noexcept override {
    return 1.0;
  }

  mutable std::atomic<int> asked{0};

 private:
  const bool is_useless_;
};

// Returns the data blocks that lookups of all numbers read; checks the results.
std::uint64_t BlocksOfLent(TestStore* store) {
  const auto read = [store] {
    std::uint64_t blocks = 0;
    for (int i = 0; i < kLentNumbers; ++i) {
      const auto explained =
          (*store)->Explain({}, NumberKey(static_cast<std::uint64_t>(i)));
      EXPECT_EQ(explained.status.ok(), i % 2 == 0) << i;
      for (const LookupStep& step : explained.steps) blocks += step.blocks_read;
    }
    return blocks;
  };
  for (int i = 0; i < kLentNumbers; ++i) {
    const auto value = (*store)->Get(NumberKey(static_cast<std::uint64_t>(i)));
    EXPECT_EQ(value.ok(), i % 2 == 0) << i;
  }
  return read();
}

TEST(StoreLentParts, ACustomPolicysFiltersAreWrittenAndQueried) {
  const auto policy = std::make_shared<LastBytes>();
  StoreOptions options = StillOptions();
  options.filter.clear();
  options.leveldb_filter_policy = policy;
  TestStore store(options);
  FillLent(&store);
  EXPECT_EQ(BlocksOfLent(&store), kLentNumbers / 2u);
  EXPECT_GT(policy->asked, 0);
  store.Reopen();
  EXPECT_EQ(BlocksOfLent(&store), kLentNumbers / 2u);
  // Another policy's filters are not opened.
  store.options().leveldb_filter_policy = nullptr;
  store.Reopen();
  policy->asked = 0;
  EXPECT_GT(BlocksOfLent(&store), kLentNumbers / 2u);
  EXPECT_EQ(policy->asked, 0);
}

TEST(StoreLentParts, AFilterWithoutBytesRulesNothingOut) {
  StoreOptions options = StillOptions();
  options.filter.clear();
  options.leveldb_filter_policy = std::make_shared<LastBytes>(true);
  TestStore store(options);
  FillLent(&store);
  EXPECT_GT(BlocksOfLent(&store), kLentNumbers / 2u);
}

// Ours must not be used there; the program's know its order.
class AnyOrder final : public Comparator {
 public:
  std::string_view name() const noexcept override { return "test.AnyOrder"; }
  int Compare(Slice a, Slice b) const noexcept override { return a.compare(b); }
};

TEST(StoreLentParts, ACustomPolicyIsUsedWhereEqualKeysMayDiffer) {
  const AnyOrder order;
  StoreOptions options = StillOptions();
  options.comparator = &order;
  options.leveldb_filter_policy = std::make_shared<LastBytes>();
  TestStore store(options);
  FillLent(&store);
  EXPECT_EQ(BlocksOfLent(&store), kLentNumbers / 2u);
}

}  // namespace
}  // namespace tamis
