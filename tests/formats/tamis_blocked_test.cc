// SPDX-License-Identifier: Apache-2.0
#include <bit>
#include <cmath>
#include <set>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "base/coding.h"
#include "formats/tamis/blocked.h"
#include "formats/tamis/container.h"
#include "tests/support/filters.h"

// Golden bytes, readers' edge cases and damage of all kinds of the container
// are in tamis_filter_test.cc.

namespace tamis {
namespace {

using testing::PolicyOf;

Slice PayloadOf(const std::string& filter) {
  return Slice(filter).substr(kTamisHeaderBytes);
}

unsigned SetBitsOf(Slice bytes) {
  unsigned count = 0;
  for (const char c : bytes) {
    count +=
        static_cast<unsigned>(std::popcount(static_cast<unsigned char>(c)));
  }
  return count;
}

// The blocks of `bytes` in which any bit is set.
std::set<std::size_t> UsedBlocks(Slice bytes, std::size_t block_bytes) {
  std::set<std::size_t> used;
  for (std::size_t at = 0; at < bytes.size(); ++at) {
    if (bytes[at] != 0) used.insert(at / block_bytes);
  }
  return used;
}

TEST(TamisLine, AKeyKeepsToOneLineOf64Bytes) {
  const auto policy = PolicyOf("bloom:m=512000,k=32");
  std::set<std::size_t> lines;
  for (const std::string& key : testing::NumberedKeys("key-", 2000)) {
    const std::string filter = testing::Build(*policy, {key});
    const std::set<std::size_t> used = UsedBlocks(PayloadOf(filter), 64);
    ASSERT_EQ(used.size(), 1u);
    lines.insert(used.begin(), used.end());
    // 32 probes rarely fall on fewer than 26 bits of 512.
    EXPECT_GE(SetBitsOf(PayloadOf(filter)), 22u);
  }
  EXPECT_GT(lines.size(), 800u);  // 865 of 1000 are expected
  EXPECT_TRUE(lines.count(0) + lines.count(1) + lines.count(2) > 0);
  EXPECT_TRUE(lines.count(999) + lines.count(998) + lines.count(997) > 0);
}

TEST(TamisSplitBlock, AKeyHasOneBitInEachWordOfOneBlock) {
  const auto policy = PolicyOf("splitblock:m=256000,k=8");
  std::set<std::size_t> blocks;
  for (const std::string& key : testing::NumberedKeys("key-", 2000)) {
    const std::string filter = testing::Build(*policy, {key});
    const Slice payload = PayloadOf(filter);
    const std::set<std::size_t> used = UsedBlocks(payload, 32);
    ASSERT_EQ(used.size(), 1u);
    blocks.insert(used.begin(), used.end());
    for (std::size_t word = 0; word < 8; ++word) {
      const char* at = payload.data() + *used.begin() * 32 + word * 4;
      ASSERT_EQ(std::popcount(LoadLittle32(at)), 1);
    }
  }
  EXPECT_GT(blocks.size(), 800u);
}

// Every bit of a line can be a key's, with every number of probes.
TEST(TamisLine, ProbesReachEveryBit) {
  for (const char* spec : {"bloom:m=512,k=1", "bloom:m=512,k=32"}) {
    const std::string filter =
        testing::Build(*PolicyOf(spec), testing::NumberedKeys("key-", 20'000));
    EXPECT_EQ(SetBitsOf(PayloadOf(filter)), 512u) << spec;
  }
  const std::string filter = testing::Build(
      *PolicyOf("splitblock:m=256,k=8"), testing::NumberedKeys("key-", 20'000));
  EXPECT_EQ(SetBitsOf(PayloadOf(filter)), 256u);
}

TEST(TamisBlocked, SizesAreWholeBlocks) {
  struct Case {
    const char* spec;
    std::uint64_t keys, bits;
  };
  for (const Case& c :
       {Case{"bloom:10", 0, 512}, Case{"bloom:10", 51, 512},
        Case{"bloom:10", 52, 1024}, Case{"bloom:m=513,k=3", 1, 1024},
        Case{"splitblock:10", 0, 256}, Case{"splitblock:10", 26, 512},
        Case{"splitblock:m=256,k=8", 9, 256}}) {
    const Estimate estimate = PolicyOf(c.spec)->Predict(c.keys);
    EXPECT_EQ(estimate.bits, c.bits) << c.spec;
    EXPECT_EQ(estimate.bytes, 64 + c.bits / 8) << c.spec;
  }
  // Beyond 4 GiB: 10^10 keys.
  EXPECT_EQ(PolicyOf("bloom:10")->Predict(10'000'000'000).bits,
            100'000'000'000);
  EXPECT_TRUE(PolicyOf("bloom:10")->Predict(10'000'000'000).status.ok());
}

TEST(TamisBlocked, RefusesProbesAndRatesThatItCannotHave) {
  for (const char* spec :
       {"bloom:10,k=33", "splitblock:10,k=7", "splitblock:10,k=9",
        "bloom:m=512,k=33", "splitblock:m=512,k=1", "fpr:1e-40",
        "splitblock:fpr=1e-20"}) {
    const auto policy = MakePolicy(spec);
    ASSERT_FALSE(policy.ok()) << spec;
    EXPECT_EQ(policy.status().code(), StatusCode::kInvalidArgument) << spec;
  }
  EXPECT_TRUE(MakePolicy("bloom:10,k=32").ok());
  EXPECT_TRUE(MakePolicy("splitblock:10,k=8").ok());
}

// What a rate asks for is what many keys get.
TEST(TamisBlocked, RatesBecomeSizes) {
  for (const char* kind : {"bloom", "splitblock"}) {
    for (double rate : {0.3, 0.1, 0.01, 0.001, 0.0001}) {
      const auto policy =
          PolicyOf(std::string(kind) + ":fpr=" + std::to_string(rate));
      const double predicted = policy->Predict(10'000'000).false_positive_rate;
      EXPECT_LE(predicted, rate * 1.0001) << kind;
      EXPECT_GE(predicted, rate * 0.999) << kind;
    }
  }
}

// What the bits say of themselves, against counting.
TEST(TamisBlocked, DescribesItsTrueRateAndKeys) {
  for (const char* spec :
       {"bloom:10", "splitblock:10", "bloom:4", "bloom:20"}) {
    const auto policy = PolicyOf(spec);
    constexpr std::uint64_t kKeys = 5000;
    const std::string filter =
        testing::Build(*policy, testing::NumberedKeys("key-", kKeys));
    const auto reader = policy->Open(filter);
    ASSERT_TRUE(reader.ok());
    const FilterInfo info = reader->Describe();
    EXPECT_EQ(info.set_bits, SetBitsOf(PayloadOf(filter))) << spec;
    EXPECT_NEAR(info.keys_by_fill / kKeys, 1.0, 0.03) << spec;
    double hits = 0;
    constexpr std::uint64_t kAsked = 400'000;
    for (const std::string& key : testing::NumberedKeys("absent-", kAsked)) {
      hits += reader->MayContain(key) ? 1 : 0;
    }
    // This filter's own rate, so chance is only in the absent keys.
    const double deviation = std::sqrt(info.rate / kAsked);
    EXPECT_NEAR(hits / kAsked, info.rate, 5 * deviation) << spec;
  }
}

}  // namespace
}  // namespace tamis
