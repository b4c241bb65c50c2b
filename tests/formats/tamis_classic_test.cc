#include "formats/tamis_classic.h"

#include <gtest/gtest.h>

#include "formats/tamis_container.h"
#include "tests/support/filters.h"
#include "tests/support/golden.h"

namespace tamis {
namespace {

using testing::PolicyOf;
using testing::ToHex;

// The format is frozen: these bytes were computed from docs/formats/tamis.md
// by tamis_reference.py, without this library.
TEST(TamisClassic, WritesTheFrozenBytes) {
  const nlohmann::json golden = testing::LoadGolden("tamis.json");
  ASSERT_GE(golden["vectors"].size(), 25u);
  for (const auto& row : golden["vectors"]) {
    const auto policy = PolicyOf(row["spec"].get<std::string>());
    const auto keys = testing::KeysFromHex(row["keys"]);
    const std::string filter = testing::Build(*policy, keys);
    EXPECT_EQ(ToHex(filter), row["filter"].get<std::string>()) << row["why"];
    const auto reader = PolicyOf("tamis")->Open(filter);
    ASSERT_TRUE(reader.ok()) << row["why"];
    for (const std::string& key : keys) {
      EXPECT_TRUE((*reader)->MayContain(key)) << row["why"];
    }
    EXPECT_EQ((*reader)->Describe().bits, row["m"].get<std::uint64_t>());
    EXPECT_EQ((*reader)->Describe().probes, row["k"].get<unsigned>());
  }
}

TEST(TamisClassic, OpensAnswersOrRefusesAsItsPageSays) {
  const nlohmann::json golden = testing::LoadGolden("tamis.json");
  ASSERT_GE(golden["reader"].size(), 67u);
  const auto policy = PolicyOf("tamis");
  for (const auto& row : golden["reader"]) {
    SCOPED_TRACE(row["why"].get<std::string>());
    const std::string filter = testing::HexBytes(row["filter"]);
    const auto reader = policy->Open(filter);
    if (row["opens"] == "corruption") {
      ASSERT_FALSE(reader.ok());
      EXPECT_EQ(reader.status().code(), StatusCode::kCorruption);
      continue;
    }
    ASSERT_TRUE(reader.ok());
    for (const std::string& key : testing::KeysFromHex(row["keys"])) {
      EXPECT_TRUE((*reader)->MayContain(key));
    }
    for (const std::string& key : testing::KeysFromHex(row["absent"])) {
      EXPECT_FALSE((*reader)->MayContain(key));
    }
    EXPECT_EQ((*reader)->Describe().always_maybe.empty(),
              row["opens"] == "probes");
    if (row["opens"] == "maybe") {
      EXPECT_TRUE((*reader)->MayContain("a stranger"));
    }
  }
}

TEST(TamisClassic, EverySingleFlippedBitAndEveryCutIsNoticed) {
  const auto policy = PolicyOf("bloom:10,seed=77");
  for (std::size_t keys : {0u, 1u, 3u, 100u, 1000u}) {
    const std::string whole =
        testing::Build(*policy, testing::NumberedKeys("key-", keys));
    ASSERT_TRUE(policy->Open(whole).ok());
    std::string damaged = whole;
    for (std::size_t bit = 0; bit < whole.size() * 8; ++bit) {
      char& byte = damaged[bit / 8];
      byte = static_cast<char>(byte ^ (1 << (bit % 8)));
      const auto reader = policy->Open(damaged);
      ASSERT_FALSE(reader.ok()) << keys << " keys, bit " << bit;
      ASSERT_EQ(reader.status().code(), StatusCode::kCorruption);
      byte = whole[bit / 8];
    }
    for (std::size_t size = 0; size < whole.size(); ++size) {
      // A copy of the exact size, so that sanitizers see a read beyond it.
      const std::string cut(whole.data(), size);
      ASSERT_FALSE(policy->Open(cut).ok()) << size;
    }
    ASSERT_FALSE(policy->Open(whole + '\0').ok());
  }
}

TEST(TamisClassic, StoresSeedAndKeyCount) {
  const std::string filter =
      testing::Build(*PolicyOf("bloom:10,seed=99"), {"a", "a", "b", "a"});
  const FilterInfo info = (*PolicyOf("tamis")->Open(filter))->Describe();
  EXPECT_EQ(info.seed, 99u);
  EXPECT_EQ(info.keys, 3u);  // a repeat right after itself is dropped
  EXPECT_EQ(info.kind, "classic");
  EXPECT_EQ(info.hash, "xxh3");
}

// Whoever knows the seed can make keys that collide; whoever does not, cannot.
TEST(TamisClassic, AnotherSeedGivesOtherFalsePositives) {
  const auto keys = testing::NumberedKeys("key-", 10'000);
  const std::string a = testing::Build(*PolicyOf("bloom:10,seed=1"), keys);
  const std::string b = testing::Build(*PolicyOf("bloom:10,seed=2"), keys);
  const auto policy = PolicyOf("tamis");
  unsigned in_a = 0;
  unsigned in_both = 0;
  for (const std::string& key : testing::NumberedKeys("absent-", 100'000)) {
    if (!testing::AnswersMaybe(*policy, a, key)) continue;
    ++in_a;
    if (testing::AnswersMaybe(*policy, b, key)) ++in_both;
  }
  EXPECT_GT(in_a, 600u);
  EXPECT_LT(in_both, 40u);  // 0.82 % of about 820
}

TEST(TamisContainer, PayloadStartsAtACacheLine) {
  static_assert(kTamisHeaderBytes % 64 == 0);
  std::string whole(kTamisHeaderBytes + 8, '\0');
  whole.back() = '\x5a';
  SealTamis(whole, {.kind = 77, .keys = 5});
  const auto contents = ParseTamis(whole);
  ASSERT_TRUE(contents.ok());
  EXPECT_EQ(contents->payload.data(), whole.data() + 64);
  EXPECT_EQ(contents->header.kind, 77);
  EXPECT_EQ(contents->header.keys, 5u);
}

}  // namespace
}  // namespace tamis
