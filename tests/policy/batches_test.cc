// SPDX-License-Identifier: Apache-2.0
// Many keys at once give what the same keys give one by one: building,
// growing and asking, at any address.

#include <algorithm>
#include <cstring>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "tamis/filter.h"
#include "tests/support/filters.h"
#include "tests/support/specs.h"

namespace tamis {
namespace {

using testing::Build;
using testing::PolicyOf;

std::vector<Slice> SlicesOf(const std::vector<std::string>& keys) {
  return {keys.begin(), keys.end()};
}

// The filter of `keys`, given in batches of these sizes in turn; 0 stands for
// a single Add().
std::string BuildInBatches(const FilterPolicy& policy,
                           const std::vector<std::string>& keys,
                           const std::vector<std::size_t>& batches) {
  const std::vector<Slice> slices = SlicesOf(keys);
  std::span<const Slice> rest(slices);
  const auto builder = policy.NewBuilder();
  for (std::size_t turn = 0; !rest.empty(); ++turn) {
    const std::size_t batch = batches[turn % batches.size()];
    if (batch == 0) {
      builder->Add(rest.front());
    } else {
      builder->AddMany(rest.first(std::min(batch, rest.size())));
    }
    rest = rest.subspan(std::min(std::max<std::size_t>(batch, 1), rest.size()));
  }
  builder->AddMany({});
  std::string filter;
  EXPECT_TRUE(builder->Finish(&filter).ok());
  return filter;
}

// Some keys come twice in a row, also across the ends of batches.
std::vector<std::string> KeysWithRepeats(std::size_t count) {
  std::vector<std::string> keys;
  for (std::size_t i = 0; i < count; ++i) {
    keys.push_back("user:" + std::to_string(i % 3 == 2 ? i - 1 : i));
  }
  return keys;
}

class Batches : public ::testing::TestWithParam<std::string> {
 protected:
  const std::unique_ptr<const FilterPolicy> policy_ = PolicyOf(GetParam());
};

INSTANTIATE_TEST_SUITE_P(Specs, Batches,
                         ::testing::ValuesIn(testing::EverySpec()),
                         [](const auto& test) {
                           return testing::TestNameOf(test.param);
                         });

TEST_P(Batches, AddManyWritesTheBytesOfAdd) {
  for (std::size_t count : {0u, 1u, 2u, 63u, 64u, 65u, 127u, 129u, 3000u}) {
    const auto keys = KeysWithRepeats(count);
    const std::string expected = Build(*policy_, keys);
    EXPECT_EQ(BuildInBatches(*policy_, keys, {100'000}), expected) << count;
    EXPECT_EQ(BuildInBatches(*policy_, keys, {1, 64, 0, 65, 7}), expected)
        << count;
  }
}

// Asks `reader` for many keys, in batches of many sizes.
void CheckManyAsOneByOne(const FilterReader& reader) {
  const auto asked = testing::NumberedKeys("user:", 2011);
  const std::vector<Slice> slices = SlicesOf(asked);
  for (std::size_t count :
       {0u, 1u, 31u, 32u, 33u, 63u, 64u, 65u, 127u, 128u, 129u, 2011u}) {
    // Exactly as long as the batch, so that a sanitizer sees a write beyond.
    const std::unique_ptr<bool[]> out(new bool[count]);
    const std::span<const Slice> batch(slices.data() + (2011 - count), count);
    reader.MayContainMany(batch, {out.get(), count});
    for (std::size_t i = 0; i < count; ++i) {
      ASSERT_EQ(out[i], reader.MayContain(batch[i])) << i << " of " << count;
    }
  }
}

TEST_P(Batches, AnswerAsOneByOne) {
  const std::string filter =
      Build(*policy_, testing::NumberedKeys("user:", 1000));
  const auto reader = policy_->Open(filter);
  ASSERT_TRUE(reader.ok());
  CheckManyAsOneByOne(**reader);
}

TEST_P(Batches, AFilterMayLieAtAnyAddress) {
  const auto keys = testing::NumberedKeys("user:", 400);
  const auto asked = testing::NumberedKeys("user:", 800);
  const std::vector<Slice> slices = SlicesOf(asked);
  const std::string filter = Build(*policy_, keys);
  std::vector<bool> expected;
  for (std::size_t offset = 0; offset < 64; ++offset) {
    // Ends where its allocation ends.
    const std::unique_ptr<char[]> memory(new char[offset + filter.size()]);
    std::memcpy(memory.get() + offset, filter.data(), filter.size());
    const auto reader =
        policy_->Open(Slice(memory.get() + offset, filter.size()));
    ASSERT_TRUE(reader.ok());
    const std::unique_ptr<bool[]> out(new bool[asked.size()]);
    reader->MayContainMany(slices, {out.get(), asked.size()});
    const std::vector<bool> answers(out.get(), out.get() + asked.size());
    if (offset == 0) expected = answers;
    ASSERT_EQ(answers, expected) << "offset " << offset;
    for (std::size_t i = 0; i < asked.size(); i += 7) {
      ASSERT_EQ(reader->MayContain(asked[i]), expected[i]) << offset;
    }
    if (offset == 0) {
      ASSERT_TRUE(std::all_of(expected.begin(), expected.begin() + 400,
                              [](bool answer) { return answer; }));
    }
  }
}

// A filter that grows, of either sort, takes the keys one by one and in
// batches, and saves what a builder writes.
void CheckGrowing(const FilterPolicy& policy, MutableFilter* one_by_one,
                  MutableFilter* many) {
  const auto keys = testing::NumberedKeys("user:", 1000);
  const std::vector<Slice> slices = SlicesOf(keys);
  EXPECT_EQ(one_by_one->Describe().set_bits, 0u);
  for (const std::string& key : keys) {
    ASSERT_TRUE(one_by_one->Insert(key).ok());
  }
  std::span<const Slice> rest(slices);
  for (std::size_t batch : {0u, 1u, 31u, 32u, 33u, 64u, 839u}) {
    ASSERT_TRUE(many->InsertMany(rest.first(batch)).ok());
    rest = rest.subspan(batch);
  }
  ASSERT_TRUE(rest.empty());
  const std::string expected = Build(policy, keys);
  for (MutableFilter* filter : {one_by_one, many}) {
    CheckManyAsOneByOne(*filter);
    std::string saved = "before";
    ASSERT_TRUE(filter->Save(&saved).ok());
    EXPECT_EQ(saved, "before" + expected);
    const auto reader = policy.Open(expected);
    ASSERT_TRUE(reader.ok());
    const FilterInfo grown = filter->Describe();
    EXPECT_EQ(grown.set_bits, reader->Describe().set_bits);
    EXPECT_EQ(grown.keys, 1000u);
    for (const std::string& key : testing::NumberedKeys("user:", 1500)) {
      ASSERT_EQ(filter->MayContain(key), reader->MayContain(key));
    }
  }
}

TEST_P(Batches, MutableFiltersSaveWhatABuilderWrites) {
  auto one = policy_->NewMutable(1000);
  auto many = policy_->NewMutable(1000);
  if (testing::NeedsAllKeysAtOnce(GetParam())) {
    EXPECT_EQ(one.status().code(), StatusCode::kNotSupported);
    return;
  }
  ASSERT_TRUE(one.ok() && many.ok());
  if (!testing::GrowsToWhatABuilderWrites(GetParam())) return;
  CheckGrowing(*policy_, one.value().get(), many.value().get());
}

TEST_P(Batches, ConcurrentFiltersSaveWhatABuilderWrites) {
  auto one = policy_->NewConcurrent(1000);
  auto many = policy_->NewConcurrent(1000);
  if (!testing::IsBlockedSpec(GetParam())) {
    EXPECT_EQ(one.status().code(), StatusCode::kNotSupported);
    return;
  }
  ASSERT_TRUE(one.ok() && many.ok());
  CheckGrowing(*policy_, one.value().get(), many.value().get());
}

// Planned for nothing, they still have bits to set.
TEST_P(Batches, GrowingFiltersTakeKeysThatNobodyPlanned) {
  for (bool concurrent : {false, true}) {
    std::unique_ptr<MutableFilter> filter;
    if (concurrent && testing::IsBlockedSpec(GetParam())) {
      filter = *policy_->NewConcurrent(0);
    } else if (auto grows = policy_->NewMutable(0); grows.ok()) {
      filter = *std::move(grows);
    } else {
      continue;
    }
    ASSERT_TRUE(filter->Insert("key").ok());
    EXPECT_TRUE(filter->MayContain("key"));
    std::string saved;
    ASSERT_TRUE(filter->Save(&saved).ok());
    const auto reader = policy_->Open(saved);
    ASSERT_TRUE(reader.ok());
    EXPECT_TRUE(reader->MayContain("key"));
  }
}

// Builders sort the hashes of many keys by their upper bits from 2^17 on; the
// filter that grows in place does not, and gives the same bytes.
class ManyKeys : public ::testing::TestWithParam<std::string> {};

INSTANTIATE_TEST_SUITE_P(Specs, ManyKeys,
                         ::testing::Values("bloom:10", "bloom:3,seed=5",
                                           "splitblock:12", "rocksdb:10",
                                           "rocksdb-legacy:8", "parquet:10",
                                           "classic:10", "rocksdb-ribbon:10"),
                         [](const auto& test) {
                           return testing::TestNameOf(test.param);
                         });

TEST_P(ManyKeys, WriteTheSameBytesHoweverTheyCome) {
  const auto policy = PolicyOf(GetParam());
  const auto all = testing::NumberedKeys("key-", 200'000);
  for (std::size_t count : {10'000u, 131'071u, 131'072u, 131'073u, 200'000u}) {
    const std::vector<std::string> keys(
        all.begin(), all.begin() + static_cast<std::ptrdiff_t>(count));
    const std::string expected = Build(*policy, keys);
    EXPECT_TRUE(BuildInBatches(*policy, keys, {1000}) == expected) << count;
    EXPECT_TRUE(BuildInBatches(*policy, keys, {131'072, 0, 5}) == expected)
        << count;
    const auto reader = policy->Open(expected);
    ASSERT_TRUE(reader.ok());
    for (std::size_t i = 0; i < count; i += 97) {
      ASSERT_TRUE(reader->MayContain(keys[i])) << count << " " << i;
    }
    auto grown = policy->NewMutable(count);
    if (!grown.ok()) continue;
    for (const std::string& key : keys) ASSERT_TRUE(grown->Insert(key).ok());
    std::string saved;
    ASSERT_TRUE(grown->Save(&saved).ok());
    EXPECT_TRUE(saved == expected) << count;
  }
}

}  // namespace
}  // namespace tamis
