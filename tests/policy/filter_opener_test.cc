// SPDX-License-Identifier: Apache-2.0
#include "policy/filter_opener.h"

#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "tests/support/filters.h"
#include "tests/support/specs.h"

namespace tamis {
namespace {

using testing::Build;
using testing::NumberedKeys;
using testing::PolicyOf;

TEST(FilterOpener, OpensFiltersOfEveryPolicyByTheStoredName) {
  const std::vector<std::string> keys = NumberedKeys("key ", 300);
  for (const std::string& spec : testing::EverySpec()) {
    const auto policy = PolicyOf(spec);
    const auto opener = FilterOpener::ForName(policy->name());
    ASSERT_TRUE(opener.has_value()) << spec;
    EXPECT_EQ(opener->name(), policy->name());
    const std::string bytes = Build(*policy, keys);
    const auto by_name = opener->Open(bytes);
    const auto by_policy = FilterOpener(*policy).Open(bytes);
    ASSERT_TRUE(by_name.ok() && by_policy.ok()) << spec;
    for (const std::string& key : keys) {
      ASSERT_TRUE(by_name->MayContain(key)) << spec;
    }
    for (const std::string& key : NumberedKeys("absent ", 300)) {
      ASSERT_EQ(by_name->MayContain(key), by_policy->MayContain(key)) << spec;
    }
    const FilterInfo info = by_name->Describe();
    EXPECT_EQ(info.kind, by_policy->Describe().kind) << spec;
    EXPECT_EQ(info.rate, by_policy->Describe().rate) << spec;
  }
}

TEST(FilterOpener, KnowsNoOtherNames) {
  for (const char* name : {"", "tamis", "tamis.Filter2", "leveldb"}) {
    EXPECT_FALSE(FilterOpener::ForName(name).has_value()) << name;
  }
}

}  // namespace
}  // namespace tamis
