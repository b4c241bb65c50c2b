// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cstdint>
#include <memory>
#include <random>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "base/coding.h"
#include "formats/tamis/container.h"
#include "formats/tamis/range.h"
#include "tests/support/filters.h"
#include "tests/support/golden.h"
#include "tests/support/key_families.h"

namespace tamis {
namespace {

using testing::KeyFamilies;
using testing::KeyFamily;
using testing::PolicyOf;
using testing::Random;

struct Filled {
  Filled(const KeyFamily& family, std::size_t count, const std::string& spec)
      : policy(PolicyOf(spec)),
        keys(testing::SortedKeys(family, count, &random)) {
    bytes = testing::Build(*policy, keys);
    reader = *policy->Open(bytes);
  }

  Random random{42};
  std::unique_ptr<const FilterPolicy> policy;
  std::vector<std::string> keys;
  std::string bytes;
  std::unique_ptr<const FilterReader> reader;
};

TEST(TamisRange, NoRangeAroundAKeyIsRuledOut) {
  for (const KeyFamily& family : KeyFamilies()) {
    // Fewer than those of which a builder refuses what does not suit it.
    Filled filled(family, 1000, "range:9.5");
    for (const std::string& key : filled.keys) {
      ASSERT_TRUE(filled.reader->MayContain(key)) << family.name;
      std::string lo = family.key(&filled.random);
      std::string hi = family.key(&filled.random);
      if (key < lo) lo = key.substr(0, filled.random() % (key.size() + 1));
      if (hi < key) hi = key + lo;
      ASSERT_TRUE(filled.reader->MayContainRange(lo, hi)) << family.name;
    }
  }
}

TEST(TamisRange, UnsortedAndRepeatedKeysGiveTheSameBytes) {
  Filled filled(KeyFamilies()[4], 3000, "range:8");
  std::vector<std::string> mixed = filled.keys;
  mixed.insert(mixed.end(), filled.keys.begin(), filled.keys.begin() + 500);
  std::shuffle(mixed.begin(), mixed.end(), filled.random);
  EXPECT_EQ(testing::Build(*filled.policy, mixed), filled.bytes);
}

TEST(TamisRange, EndsInTheWrongOrderAreMaybe) {
  Filled filled(KeyFamilies()[0], 100, "range:8");
  EXPECT_TRUE(filled.reader->MayContainRange("b", "a"));
}

TEST(TamisRange, WithoutKeysEveryRangeIsRuledOut) {
  const auto policy = PolicyOf("range:8");
  const std::string bytes = testing::Build(*policy, {});
  const auto reader = policy->Open(bytes);
  ASSERT_TRUE(reader.ok());
  EXPECT_FALSE(reader->MayContainRange("", std::string(20, '\xff')));
  EXPECT_FALSE(reader->MayContain(""));
}

TEST(TamisRange, KeysThatDoNotSuitItAreRefusedAndNothingIsWritten) {
  // Each key differs from its neighbour only after what a code can tell.
  Random random(7);
  std::vector<std::string> keys;
  for (int i = 0; i < 2000; ++i) {
    std::string key(60, '\0');
    for (char& c : key) c = static_cast<char>(random());
    keys.push_back(key + "a");
    keys.push_back(key + "b");
  }
  const auto builder = PolicyOf("range:8")->NewBuilder();
  for (const std::string& key : keys) builder->Add(key);
  std::string bytes = "before";
  const Status status = builder->Finish(&bytes);
  EXPECT_EQ(status.code(), StatusCode::kNotSupported);
  EXPECT_NE(status.message().find("% of the ranges"), std::string::npos);
  EXPECT_EQ(bytes, "before");
}

TEST(TamisRange, KeysBeyondTheMemoryLimitAreAStatus) {
  BuildOptions options;
  options.memory_bytes = 10'000;
  const auto builder = PolicyOf("range:8")->NewBuilder(options);
  for (int i = 0; i < 1000; ++i) builder->Add(std::to_string(i));
  std::string bytes;
  EXPECT_EQ(builder->Finish(&bytes).code(), StatusCode::kResourceExhausted);
  EXPECT_TRUE(bytes.empty());
}

TEST(TamisRange, OtherSizesAreRefused) {
  for (const char* spec : {"range:2.9", "range:33", "range:fpr=0.01",
                           "range:m=100,k=1", "range:8,k=2"}) {
    EXPECT_FALSE(MakePolicy(spec).ok()) << spec;
  }
}

// Changes any byte of the payload and makes the checksums right again.
TEST(TamisRange, SealedDamageOpensOrNotAndIsNeverReadOutside) {
  Filled filled(KeyFamilies()[7], 600, "range:8");
  for (std::size_t at = 32; at < filled.bytes.size(); ++at) {
    if (at >= 48 && at < kTamisHeaderBytes) continue;  // length and checksums
    std::string changed = filled.bytes;
    changed[at] = static_cast<char>(
        changed[at] ^ static_cast<int>(1 + filled.random() % 255));
    const auto contents = ParseTamis(filled.bytes);
    TamisHeader header = contents->header;
    header.size_parameter = LoadLittle64(changed.data() + 32);
    header.parameter_a = LoadLittle32(changed.data() + 40);
    header.parameter_b = LoadLittle32(changed.data() + 44);
    SealTamis(changed, header);
    const testing::ExactBytes exact(changed);
    const auto reader = filled.policy->Open(exact);
    if (!reader.ok()) continue;
    for (int i = 0; i < 20; ++i) {
      const std::string key = KeyFamilies()[7].key(&filled.random);
      (void)reader->MayContainRange(key, key + "z");
      (void)reader->MayContainRange("", key);
    }
  }
}

TEST(TamisRange, ReadsWhatTheReferenceWriterWrites) {
  const auto golden = testing::LoadGolden("tamis_range.json");
  ASSERT_FALSE(golden.is_null());
  for (const auto& filter : golden["filters"]) {
    const std::string bytes = testing::HexBytes(filter["bytes"]);
    const auto reader = PolicyOf("range:8")->Open(bytes);
    ASSERT_TRUE(reader.ok()) << filter["name"];
    for (const auto& query : filter["queries"]) {
      EXPECT_EQ(reader->MayContainRange(testing::HexBytes(query["lo"]),
                                        testing::HexBytes(query["hi"])),
                query["maybe"].get<bool>())
          << filter["name"] << query;
    }
  }
}

}  // namespace
}  // namespace tamis
