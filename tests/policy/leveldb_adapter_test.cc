// SPDX-License-Identifier: Apache-2.0
// What LevelDB is told, whatever happens to the bytes or the memory.  The real
// LevelDB is asked in tests/peers/leveldb_adapter_test.cc.

#include "tamis/leveldb_adapter.h"

#include <memory>
#include <new>
#include <string>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "tamis/filter.h"
#include "tests/support/filters.h"
#include "tests/support/specs.h"

namespace tamis {
namespace {

using testing::PolicyOf;

std::string FilterOf(const LevelDbAdapter& adapter,
                     const std::vector<std::string>& keys) {
  std::string filter;
  adapter.CreateFilter(std::vector<Slice>(keys.begin(), keys.end()), &filter);
  return filter;
}

class AdapterOfEveryPolicy : public ::testing::TestWithParam<std::string> {};

INSTANTIATE_TEST_SUITE_P(Specs, AdapterOfEveryPolicy,
                         ::testing::ValuesIn(testing::EverySpec()),
                         [](const auto& test) {
                           return testing::TestNameOf(test.param);
                         });

TEST_P(AdapterOfEveryPolicy, FindsEveryKeyAndBearsThePolicysName) {
  const LevelDbAdapter adapter(PolicyOf(GetParam()));
  EXPECT_EQ(adapter.name(), PolicyOf(GetParam())->name());
  for (const std::size_t count : {1u, 2u, 30u, 1000u}) {
    const auto keys = testing::NumberedKeys("key", count);
    std::string filter = "before";
    const std::vector<Slice> slices(keys.begin(), keys.end());
    adapter.CreateFilter(slices, &filter);
    ASSERT_TRUE(filter.starts_with("before"));
    EXPECT_EQ(filter.substr(6), testing::Build(*PolicyOf(GetParam()), keys));
    for (const std::string& key : keys) {
      ASSERT_TRUE(adapter.KeyMayMatch(key, Slice(filter).substr(6)));
    }
  }
}

// LevelDB takes an empty filter for one without keys, and does not even ask.
TEST_P(AdapterOfEveryPolicy, NeverWritesAnEmptyFilter) {
  const LevelDbAdapter adapter(PolicyOf(GetParam()));
  EXPECT_NE(FilterOf(adapter, {}), "");
  EXPECT_NE(FilterOf(adapter, {""}), "");
  EXPECT_TRUE(adapter.KeyMayMatch("key", ""));
}

TEST(LevelDbAdapter, DamagedFiltersOfOurOwnHideNothing) {
  for (const char* spec : {"bloom:10", "ribbon:8", "fuse8", "cuckoo"}) {
    const LevelDbAdapter adapter(PolicyOf(spec));
    const auto keys = testing::NumberedKeys("key", 30);
    const std::string filter = FilterOf(adapter, keys);
    for (std::size_t i = 0; i < filter.size(); ++i) {
      std::string flipped = filter;
      flipped[i] = static_cast<char>(flipped[i] ^ 1 << i % 8);
      ASSERT_TRUE(adapter.KeyMayMatch(keys[i % 30], flipped)) << spec << i;
      ASSERT_TRUE(adapter.KeyMayMatch(keys[i % 30], filter.substr(0, i)));
    }
    EXPECT_TRUE(adapter.KeyMayMatch("key", "of somebody else"));
  }
}

// A policy of the caller's own that fails in every way there is.
class FailingPolicy final : public FilterPolicy {
 public:
  enum class How { kNoBuilder, kThrows, kStatus, kWritesNothing };
  explicit FailingPolicy(How how) : how_(how) {}

  std::string_view name() const noexcept override { return "failing"; }
  std::unique_ptr<FilterBuilder> NewBuilder(
      const BuildOptions&) const override {
    if (how_ == How::kThrows) throw std::bad_alloc();
    if (how_ == How::kNoBuilder) return nullptr;
    return std::make_unique<Builder>(how_);
  }
  Result<std::unique_ptr<const FilterReader>> Open(Slice) const override {
    if (how_ == How::kThrows) throw 7;
    if (how_ == How::kNoBuilder) return std::unique_ptr<const FilterReader>();
    return Status::Corruption("failing");
  }
  Estimate Predict(std::uint64_t) const noexcept override { return {}; }
  double RateAt(std::uint64_t, std::uint64_t) const noexcept override {
    return 1;
  }

 private:
  class Builder final : public FilterBuilder {
   public:
    explicit Builder(How how) : how_(how) {}
    void Add(Slice) override {}
    Status Finish(std::string* dst) override {
      if (how_ == How::kWritesNothing) return Status::Ok();
      dst->append("half a filter");
      return Status::ResourceExhausted("failing");
    }

   private:
    How how_;
  };

  How how_;
};

TEST(LevelDbAdapter, WhatCannotBeBuiltOrReadRulesNothingOut) {
  using How = FailingPolicy::How;
  for (const How how :
       {How::kNoBuilder, How::kThrows, How::kStatus, How::kWritesNothing}) {
    const LevelDbAdapter adapter(std::make_unique<FailingPolicy>(how));
    const std::string filter = FilterOf(adapter, {"key"});
    // LevelDB's own policy reads it as "maybe", too.
    ASSERT_EQ(filter, std::string("\0\xff", 2));
    EXPECT_TRUE(PolicyOf("leveldb:10")->Open(filter).value()->MayContain("k"));
    EXPECT_TRUE(adapter.KeyMayMatch("key", filter));
    EXPECT_TRUE(adapter.KeyMayMatch("key", "anything"));
  }
}

}  // namespace
}  // namespace tamis
