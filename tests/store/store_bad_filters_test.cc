// SPDX-License-Identifier: Apache-2.0
// Filters that cannot be built: refused at opening where that can be known,
// and else left out of the table they are for.

#include <cstdint>
#include <memory>
#include <stdexcept>
#include <string>
#include <utility>

#include <gtest/gtest.h>

#include "tamis/store.h"
#include "tests/store/stores.h"

namespace tamis {
namespace {

using testing::NumberKey;
using testing::StillOptions;
using testing::TestStore;

TEST(StoreBadFilters, OfAFixedSizeAreRefusedBeforeAnythingIsWritten) {
  for (const char* filter : {"parquet:m=1024,k=3", "cuckoo:m=8,k=8",
                             "bloom:m=100,k=7", "classic:k=3,m=64"}) {
    testing::MemoryEnv env;
    StoreOptions options;
    options.create_if_missing = true;
    options.env = &env;
    options.filter = filter;
    const Status refused = Store::Open("/db", options).status();
    EXPECT_EQ(refused.code(), StatusCode::kInvalidArgument) << filter;
    const std::string name(filter, std::string(filter).find(':'));
    EXPECT_NE(refused.message().find("\"" + std::string(filter) + "\""),
              std::string::npos)
        << refused.message();
    EXPECT_NE(refused.message().find("\"" + name + ":10\""), std::string::npos)
        << refused.message();
    EXPECT_FALSE(env.Exists("/db")) << filter;
  }
}

// What a policy of somebody's own may do wrong, from a number of keys on.
enum class Fault { kNone, kFails, kThrows, kDenies, kNotOpen, kNoBuilder };

class FaultyPolicy final : public FilterPolicy {
 public:
  FaultyPolicy(Fault fault, std::uint64_t from_keys)
      : fault_(fault), from_keys_(from_keys), inner_(*MakePolicy("bloom:10")) {}

  std::string_view name() const noexcept override { return "test.Faulty"; }
  std::unique_ptr<FilterBuilder> NewBuilder(
      const BuildOptions&) const override {
    if (fault_ == Fault::kNoBuilder) return nullptr;
    return std::make_unique<Builder>(*this);
  }
  Result<std::unique_ptr<const FilterReader>> Open(Slice bytes) const override {
    if (fault_ == Fault::kNotOpen) return Status::Corruption("never opens");
    return inner_->Open(bytes);
  }
  Estimate Predict(std::uint64_t) const noexcept override { return {}; }
  double RateAt(std::uint64_t, std::uint64_t) const noexcept override {
    return 1.0;
  }

 private:
  class Builder final : public FilterBuilder {
   public:
    explicit Builder(const FaultyPolicy& policy)
        : policy_(policy), inner_(policy.inner_->NewBuilder()) {}
    void Add(Slice key) override {
      ++keys_;
      if (is(Fault::kThrows)) throw std::bad_alloc();
      inner_->Add(is(Fault::kDenies) ? Slice("another") : key);
    }
    Status Finish(std::string* dst) override {
      if (is(Fault::kFails)) return Status::ResourceExhausted("too many keys");
      return inner_->Finish(dst);
    }

   private:
    bool is(Fault fault) const {
      return policy_.fault_ == fault && keys_ >= policy_.from_keys_;
    }
    const FaultyPolicy& policy_;
    std::unique_ptr<FilterBuilder> inner_;
    std::uint64_t keys_ = 0;
  };

  Fault fault_;
  std::uint64_t from_keys_;
  std::unique_ptr<const FilterPolicy> inner_;
};

StoreOptions OptionsWith(Fault fault, std::uint64_t from_keys) {
  StoreOptions options = StillOptions();
  options.filter_policy = std::make_shared<FaultyPolicy>(fault, from_keys);
  return options;
}

TEST(StoreBadFilters, OfOnesOwnAreTriedOnAFewKeysAndRefused) {
  for (const Fault fault : {Fault::kFails, Fault::kThrows, Fault::kDenies,
                            Fault::kNotOpen, Fault::kNoBuilder}) {
    testing::MemoryEnv env;
    StoreOptions options = OptionsWith(fault, 20);
    options.create_if_missing = true;
    options.env = &env;
    const Status refused = Store::Open("/db", options).status();
    EXPECT_FALSE(refused.ok());
    EXPECT_TRUE(refused.message().starts_with("filter_policy: "))
        << refused.message();
    EXPECT_FALSE(env.Exists("/db"));
  }
  testing::MemoryEnv env;
  StoreOptions options = OptionsWith(Fault::kNone, 0);
  options.create_if_missing = true;
  options.env = &env;
  EXPECT_TRUE(Store::Open("/db", options).ok());
}

TEST(StoreBadFilters, MeanATableWithoutOne) {
  for (const Fault fault : {Fault::kFails, Fault::kThrows}) {
    TestStore store(OptionsWith(fault, 1000));
    for (std::uint64_t i = 0; i < 999; ++i) store.Put(NumberKey(i), "few");
    store.Flush();
    EXPECT_EQ(store->Stats().filters_not_built, 0u);
    for (std::uint64_t i = 0; i < 2000; ++i) store.Put(NumberKey(i), "many");
    store.Flush();
    EXPECT_EQ(store->Stats().filters_not_built, 1u);
    EXPECT_EQ(store->Stats().background_error, "");
    store.Compact();
    EXPECT_EQ(store->Stats().filters_not_built, 2u);
    store.Reopen();
    for (std::uint64_t i = 0; i < 2000; ++i) {
      ASSERT_EQ(store.Get(NumberKey(i)), "many");
    }
    EXPECT_EQ(store.Get("x"), "(none)");
  }
}

TEST(StoreBadFilters, DoNotStopARepair) {
  TestStore store(StillOptions());
  for (std::uint64_t i = 0; i < 2000; ++i) store.Put(NumberKey(i), "value");
  store.Close();
  ASSERT_TRUE(store.env().Remove("/db/CURRENT").ok());
  StoreOptions options = OptionsWith(Fault::kFails, 1000);
  options.env = &store.env();
  const auto report = RepairStore("/db", options);
  ASSERT_TRUE(report.ok()) << report.status().ToString();
  EXPECT_TRUE(report->lost.empty());
  store.Open();
  EXPECT_EQ(store.Get(NumberKey(1999)), "value");
}

}  // namespace
}  // namespace tamis
