// SPDX-License-Identifier: Apache-2.0
// What must hold of every policy there is, whatever its format.

#include <map>
#include <memory>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "tamis/filter.h"
#include "tests/support/filters.h"
#include "tests/support/specs.h"

namespace tamis {
namespace {

using testing::AnswersMaybe;
using testing::Build;
using testing::PolicyOf;

class EveryPolicy : public ::testing::TestWithParam<std::string> {
 protected:
  const std::unique_ptr<const FilterPolicy> policy_ = PolicyOf(GetParam());
};

INSTANTIATE_TEST_SUITE_P(Specs, EveryPolicy,
                         ::testing::ValuesIn(testing::EverySpec()),
                         [](const auto& test) {
                           return testing::TestNameOf(test.param);
                         });

// Without the Ribbon, which can neither grow nor be merged.
class EveryBloomPolicy : public EveryPolicy {};

INSTANTIATE_TEST_SUITE_P(Specs, EveryBloomPolicy,
                         ::testing::ValuesIn(testing::BloomSpecs()),
                         [](const auto& test) {
                           return testing::TestNameOf(test.param);
                         });

std::map<std::string, std::vector<std::string>> KeySets() {
  std::vector<std::string> sequential;
  for (std::uint32_t i = 0; i < 2000; ++i) {
    sequential.emplace_back(reinterpret_cast<const char*>(&i), sizeof(i));
  }
  std::vector<std::string> twice = testing::NumberedKeys("k", 500);
  twice.insert(twice.end(), twice.begin(), twice.end());
  return {{"none", {}},
          {"the empty key", {""}},
          {"one", {"one"}},
          {"two", {"one", "two"}},
          {"awkward", testing::AwkwardKeys()},
          {"numbered", testing::NumberedKeys("user:", 3000)},
          {"sequential integers", sequential},
          {"all twice", twice},
          {"all equal", std::vector<std::string>(1000, "same\xff")}};
}

TEST_P(EveryPolicy, NeverForgetsAnAddedKey) {
  for (const auto& [what, keys] : KeySets()) {
    const std::string filter = Build(*policy_, keys);
    const auto reader = policy_->Open(filter);
    ASSERT_TRUE(reader.ok()) << what << ": " << reader.status().ToString();
    for (const std::string& key : keys) {
      ASSERT_TRUE(reader->MayContain(key)) << what;
      ASSERT_TRUE(reader->MayContainRange(key, key)) << what;
    }
  }
}

// What it wrote for nothing it reads; and what was to grow and did not, too.
TEST_P(EveryPolicy, OpensItsOwnFiltersWithoutKeys) {
  const std::string built = Build(*policy_, {});
  const auto reader = policy_->Open(built);
  ASSERT_TRUE(reader.ok()) << reader.status().ToString();
  if (!testing::IsKnownWithoutKeys(GetParam())) {
    EXPECT_TRUE(reader->MayContain("key"));
    EXPECT_FALSE(reader->Describe().always_maybe.empty());
  }
  if (testing::NeedsAllKeysAtOnce(GetParam())) return;
  for (const std::uint64_t planned : {0u, 1u, 2u}) {
    for (const bool filled : {false, true}) {
      auto growing = policy_->NewMutable(planned);
      ASSERT_TRUE(growing.ok()) << growing.status().ToString();
      if (filled) {
        ASSERT_TRUE(growing->Insert("key").ok());
      }
      std::string saved;
      ASSERT_TRUE(growing->Save(&saved).ok());
      const auto opened = policy_->Open(saved);
      ASSERT_TRUE(opened.ok()) << planned << " " << opened.status().ToString();
      EXPECT_TRUE(!filled || opened->MayContain("key")) << planned;
    }
  }
}

TEST_P(EveryPolicy, AppendsAndLeavesWhatIsThereAlone) {
  std::string bytes = "here before";
  const auto builder = policy_->NewBuilder();
  builder->Add("key");
  ASSERT_TRUE(builder->Finish(&bytes).ok());
  EXPECT_TRUE(bytes.starts_with("here before"));
  EXPECT_EQ(bytes.substr(11), Build(*policy_, {"key"}));
}

TEST_P(EveryBloomPolicy, PredictsTheBytesItWrites) {
  for (unsigned keys : {0u, 1u, 2u, 10u, 1000u}) {
    const std::string filter =
        Build(*policy_, testing::NumberedKeys("user:", keys));
    const Estimate estimate = policy_->Predict(keys);
    EXPECT_EQ(filter.size(), estimate.bytes) << keys;
    if (keys == 0 && !testing::IsKnownWithoutKeys(GetParam())) continue;
    const FilterInfo info = (*policy_->Open(filter))->Describe();
    EXPECT_EQ(info.bits, estimate.bits) << keys;
    EXPECT_EQ(info.probes, estimate.probes) << keys;
    EXPECT_LE(info.set_bits, info.bits) << keys;
    EXPECT_LE(info.set_bits, keys * info.probes) << keys;
    EXPECT_GE(estimate.false_positive_rate, 0.0);
    EXPECT_LE(estimate.false_positive_rate, 1.0);
    EXPECT_TRUE(estimate.status.ok());
  }
}

TEST_P(EveryPolicy, RatesClimbWithTheKeys) {
  for (std::uint64_t planned : {std::uint64_t{10}, std::uint64_t{1'000'000},
                                std::uint64_t{1'000'000'000'000}}) {
    EXPECT_EQ(policy_->RateAt(planned, planned),
              policy_->Predict(planned).false_positive_rate);
    double previous = 0.0;
    for (std::uint64_t keys :
         {planned / 10, planned, planned * 2, planned * 10}) {
      const double rate = policy_->RateAt(planned, keys);
      EXPECT_GE(rate, previous) << planned << " planned, " << keys;
      EXPECT_LE(rate, 1.0);
      previous = rate;
    }
  }
}

TEST_P(EveryPolicy, HowItIsBuiltChangesNoBytes) {
  const auto keys = testing::NumberedKeys("key-", 3000);
  const std::string usual = Build(*policy_, keys);
  for (const unsigned threads : {1u, 3u}) {
    for (const std::uint64_t memory : {0u, 1u, 1u << 27}) {
      BuildOptions options;
      options.threads = threads;
      options.memory_bytes = memory;
      options.progress = [](double) {};
      const auto builder = policy_->NewBuilder(options);
      for (const std::string& key : keys) builder->Add(key);
      std::string filter;
      ASSERT_TRUE(builder->Finish(&filter).ok());
      EXPECT_TRUE(filter == usual) << threads << " threads, " << memory;
    }
  }
}

TEST_P(EveryBloomPolicy, MutableFilterSavesTheBytesABuilderWrites) {
  const auto keys = testing::NumberedKeys("user:", 1000);
  auto filter = policy_->NewMutable(keys.size());
  ASSERT_TRUE(filter.ok()) << filter.status().ToString();
  EXPECT_EQ(filter->Describe().set_bits, 0u);
  for (const std::string& key : keys) {
    ASSERT_TRUE(filter->Insert(key).ok());
    ASSERT_TRUE(filter->MayContain(key));
  }
  std::string saved;
  ASSERT_TRUE(filter->Save(&saved).ok());
  EXPECT_EQ(saved, Build(*policy_, keys));
}

TEST_P(EveryBloomPolicy, MutableFilterTakesMoreThanPlanned) {
  auto filter = policy_->NewMutable(10);
  ASSERT_TRUE(filter.ok());
  const auto keys = testing::NumberedKeys("user:", 1000);
  for (const std::string& key : keys) {
    ASSERT_TRUE(filter->Insert(key).ok());
  }
  std::string saved;
  ASSERT_TRUE(filter->Save(&saved).ok());
  const auto reader = policy_->Open(saved);
  ASSERT_TRUE(reader.ok());
  for (const std::string& key : keys) {
    ASSERT_TRUE(filter->MayContain(key));
    ASSERT_TRUE(reader->MayContain(key));
  }
}

TEST_P(EveryBloomPolicy, UnionHoldsTheKeysOfAll) {
  const auto all = testing::NumberedKeys("user:", 900);
  std::vector<std::string> filters;
  for (std::size_t part = 0; part < 3; ++part) {
    const auto first = all.begin() + static_cast<long>(part * 300);
    filters.push_back(Build(*policy_, {first, first + 300}));
  }
  const std::vector<Slice> slices(filters.begin(), filters.end());
  std::string merged = "before";
  ASSERT_TRUE(policy_->Combine(slices, SetOperation::kUnion, &merged).ok());
  ASSERT_TRUE(merged.starts_with("before"));
  const std::string alone = merged.substr(6);
  for (const std::string& key : all) {
    ASSERT_TRUE(AnswersMaybe(*policy_, alone, key)) << key;
  }
  EXPECT_EQ(alone.size(), filters[0].size());
}

TEST_P(EveryBloomPolicy, IntersectionHoldsTheKeysInCommon) {
  const auto all = testing::NumberedKeys("user:", 900);
  const std::string a = Build(*policy_, {all.begin(), all.begin() + 600});
  const std::string b = Build(*policy_, {all.begin() + 300, all.end()});
  const std::vector<Slice> both = {a, b};
  std::string merged;
  ASSERT_TRUE(
      policy_->Combine(both, SetOperation::kIntersection, &merged).ok());
  const auto reader = policy_->Open(merged);
  ASSERT_TRUE(reader.ok());
  for (std::size_t i = 300; i < 600; ++i) {
    ASSERT_TRUE(reader->MayContain(all[i]));
  }
  for (const std::string& key : testing::NumberedKeys("absent-", 1000)) {
    if (!reader->MayContain(key)) continue;
    ASSERT_TRUE(AnswersMaybe(*policy_, a, key));
    ASSERT_TRUE(AnswersMaybe(*policy_, b, key));
  }
}

TEST_P(EveryPolicy, RefusesToCombineWhatDiffers) {
  const std::string filter = Build(*policy_, {"a"});
  std::string other = filter;
  other.pop_back();
  std::string merged = "as it was";
  const std::vector<Slice> slices = {filter, other};
  const Status status = policy_->Combine(slices, SetOperation::kUnion, &merged);
  EXPECT_FALSE(status.ok());
  EXPECT_EQ(merged, "as it was");
  EXPECT_FALSE(policy_->Combine({}, SetOperation::kUnion, &merged).ok());
}

TEST(Predict, SaysWhenNoSuchFilterCanBe) {
  EXPECT_TRUE(PolicyOf("cassandra:10")->Predict(1'000'000'000).status.ok());
  EXPECT_EQ(PolicyOf("cassandra:10")->Predict(20'000'000'000).status.code(),
            StatusCode::kInvalidArgument);
  EXPECT_TRUE(PolicyOf("bloom:4")->Predict(std::uint64_t{1} << 60).status.ok());
  const std::uint64_t beyond = (std::uint64_t{1} << 60) + 1000;
  EXPECT_FALSE(PolicyOf("bloom:4")->Predict(beyond).status.ok());
  EXPECT_FALSE(PolicyOf("bloom:4")->NewMutable(beyond).ok());
  for (const char* spec : {"splitblock:4", "classic:4", "parquet:4",
                           "leveldb:4", "lab:4", "md5:4", "cassandra:4"}) {
    EXPECT_FALSE(PolicyOf(spec)->Predict(beyond).status.ok()) << spec;
  }
}

TEST(Combine, SaysWhichParameterDiffers) {
  const auto policy = PolicyOf("tamis");
  const auto refusal = [&](const char* one, const char* other) {
    const std::string a = Build(*PolicyOf(one), {"a"});
    const std::string b = Build(*PolicyOf(other), {"a"});
    const std::vector<Slice> slices = {a, b};
    std::string merged;
    return policy->Combine(slices, SetOperation::kUnion, &merged).message();
  };
  const auto says = [](const std::string& text, const char* part) {
    return text.find(part) != std::string::npos;
  };
  EXPECT_TRUE(says(refusal("classic:m=640,k=7", "classic:m=641,k=7"),
                   "bits: 640 and 641"));
  EXPECT_TRUE(says(refusal("bloom:m=512,k=7", "bloom:m=513,k=7"),
                   "bits: 512 and 1024"));
  for (const std::string kind : {"classic", "bloom"}) {
    const std::string base = kind + ":m=640,k=7";
    EXPECT_TRUE(says(refusal(base.c_str(), (kind + ":m=640,k=6").c_str()),
                     "probes per key: 7 and 6"));
    EXPECT_TRUE(says(refusal(base.c_str(), (base + ",seed=5").c_str()),
                     "seed: 0 and 5"));
  }
}

TEST(Combine, ForgetsTheKeyCount) {
  const auto policy = PolicyOf("tamis:m=640,k=7");
  const std::string a = Build(*policy, {"a"});
  const std::vector<Slice> two = {a, a};
  std::string merged;
  ASSERT_TRUE(policy->Combine(two, SetOperation::kUnion, &merged).ok());
  EXPECT_FALSE((*policy->Open(merged))->Describe().keys.has_value());
}

}  // namespace
}  // namespace tamis
