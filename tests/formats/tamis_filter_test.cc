// SPDX-License-Identifier: Apache-2.0
// What holds of every kind of the `.tamis` container.

#include <algorithm>
#include <filesystem>
#include <map>
#include <memory>
#include <sstream>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "formats/tamis/any_kind.h"
#include "tests/support/filters.h"
#include "tests/support/golden.h"

namespace tamis {
namespace {

using testing::PolicyOf;
using testing::ToHex;

// The format is frozen: these bytes were computed from docs/formats/tamis.md
// by tamis_reference.py, without this library.
TEST(TamisFilter, WritesTheFrozenBytes) {
  const nlohmann::json golden = testing::LoadGolden("tamis.json");
  std::map<std::string, unsigned> rows;
  for (const auto& row : golden["vectors"]) {
    const std::string spec = row["spec"];
    SCOPED_TRACE(spec + ", " + row["why"].get<std::string>());
    ++rows[row["kind"]];
    const auto keys = testing::KeysFromHex(row["keys"]);
    const std::string filter = testing::Build(*PolicyOf(spec), keys);
    EXPECT_EQ(ToHex(filter), row["filter"].get<std::string>());
    const auto reader = PolicyOf("tamis")->Open(filter);
    ASSERT_TRUE(reader.ok());
    for (const std::string& key : keys) {
      EXPECT_TRUE(reader->MayContain(key));
    }
    const FilterInfo info = reader->Describe();
    EXPECT_EQ(info.kind, row["kind"]);
    EXPECT_EQ(info.bits, row["m"].get<std::uint64_t>());
    EXPECT_EQ(info.probes, row["k"].get<unsigned>());
  }
  EXPECT_GE(rows["classic"], 26u);
  EXPECT_GE(rows["bloom"], 106u);
  EXPECT_GE(rows["splitblock"], 18u);
}

TEST(TamisFilter, OpensAnswersOrRefusesAsItsPageSays) {
  const nlohmann::json golden = testing::LoadGolden("tamis.json");
  ASSERT_GE(golden["reader"].size(), 159u);
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
    ASSERT_TRUE(reader.ok()) << reader.status().ToString();
    for (const std::string& key : testing::KeysFromHex(row["keys"])) {
      EXPECT_TRUE(reader->MayContain(key));
    }
    for (const std::string& key : testing::KeysFromHex(row["absent"])) {
      EXPECT_FALSE(reader->MayContain(key));
    }
    EXPECT_EQ(reader->Describe().always_maybe.empty(),
              row["opens"] == "probes");
    if (row["opens"] == "maybe") {
      EXPECT_TRUE(reader->MayContain("a stranger"));
    }
  }
}

// The hexadecimal dumps of the page, whole files each.
std::vector<std::string> DumpsOf(const std::string& page) {
  std::vector<std::string> dumps;
  std::istringstream lines(page);
  constexpr std::size_t kBytesAt = 4;
  for (std::string line; std::getline(lines, line);) {
    if (line.starts_with("00  ")) dumps.emplace_back();
    const bool is_dump = line.size() > kBytesAt && line.substr(1, 3) == "0  ";
    if (dumps.empty() || !is_dump) continue;
    for (std::size_t i = 0; i < 16; ++i) {
      // Two digits and a space each, another space after the eighth.
      const std::size_t at = kBytesAt + 3 * i + i / 8;
      const std::string digits = line.substr(std::min(at, line.size()), 2);
      if (digits.size() < 2 || digits == "  ") break;
      dumps.back() += testing::FromHex(digits);
    }
  }
  return dumps;
}

TEST(TamisFilter, WritesTheExamplesOfItsPage) {
  const std::vector<std::string> dumps = DumpsOf(testing::ReadFile(
      std::filesystem::path(TAMIS_SOURCE_DIR) / "docs/formats/tamis.md"));
  const std::vector<std::string> specs = {"classic:10", "bloom:10",
                                          "splitblock:10"};
  ASSERT_EQ(dumps.size(), specs.size());
  for (std::size_t i = 0; i < specs.size(); ++i) {
    EXPECT_EQ(ToHex(dumps[i]),
              ToHex(testing::Build(*PolicyOf(specs[i]),
                                   {"apple", "banana", "cherry"})));
  }
}

class EveryTamisKind : public ::testing::TestWithParam<const char*> {
 protected:
  std::unique_ptr<const FilterPolicy> Policy(const char* arguments) const {
    return PolicyOf(std::string(GetParam()) + arguments);
  }
};

INSTANTIATE_TEST_SUITE_P(Kinds, EveryTamisKind,
                         ::testing::Values("classic", "bloom", "splitblock"),
                         [](const auto& test) { return test.param; });

TEST_P(EveryTamisKind, EverySingleFlippedBitAndEveryCutIsNoticed) {
  const auto policy = Policy(":10,seed=77");
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

TEST_P(EveryTamisKind, StoresSeedAndKeyCount) {
  const std::string filter =
      testing::Build(*Policy(":10,seed=99"), {"a", "a", "b", "a"});
  const FilterInfo info = (*PolicyOf("tamis")->Open(filter))->Describe();
  EXPECT_EQ(info.format, "tamis");
  EXPECT_EQ(info.kind, GetParam());
  EXPECT_EQ(info.hash, "xxh3");
  EXPECT_EQ(info.seed, 99u);
  EXPECT_EQ(info.keys, 2u);  // repeats count once
}

// Whoever knows the seed can make keys that collide; whoever does not, cannot.
TEST_P(EveryTamisKind, AnotherSeedGivesOtherFalsePositives) {
  const auto keys = testing::NumberedKeys("key-", 10'000);
  const std::string a = testing::Build(*Policy(":10,seed=1"), keys);
  const std::string b = testing::Build(*Policy(":10,seed=2"), keys);
  const auto policy = PolicyOf("tamis");
  const auto in_a = policy->Open(a);
  const auto in_b = policy->Open(b);
  ASSERT_TRUE(in_a.ok() && in_b.ok());
  unsigned hits = 0;
  unsigned both = 0;
  for (const std::string& key : testing::NumberedKeys("absent-", 100'000)) {
    if (!in_a->MayContain(key)) continue;
    ++hits;
    if (in_b->MayContain(key)) ++both;
  }
  EXPECT_GT(hits, 600u);
  EXPECT_LT(both, 40u);  // about 1 % of about 1,000
}

// Each policy builds one kind and reads all of them, so files of one kind can
// be read whatever a program's settings say.
TEST_P(EveryTamisKind, IsReadByThePoliciesOfTheOthers) {
  const auto keys = testing::NumberedKeys("key-", 300);
  const std::string filter = testing::Build(*Policy(":10,seed=5"), keys);
  const auto own = Policy(":4");
  for (const char* spec :
       {"tamis", "bloom:3", "fpr:0.1", "splitblock", "classic:20"}) {
    const auto other = PolicyOf(spec);
    EXPECT_EQ(other->name(), own->name());
    const auto reader = other->Open(filter);
    ASSERT_TRUE(reader.ok()) << spec;
    EXPECT_EQ(reader->Describe().kind, GetParam()) << spec;
    unsigned absent = 0;
    for (const std::string& key : keys) {
      EXPECT_TRUE(reader->MayContain(key)) << spec;
      if (!reader->MayContain("no " + key)) ++absent;
    }
    EXPECT_GT(absent, 280u) << spec;
  }
}

TEST_P(EveryTamisKind, CannotBeCombinedWithAnother) {
  // Bits, probes and seed are equal: the kind alone differs.
  const auto keys = testing::NumberedKeys("key-", 30);
  const std::string filter = testing::Build(*Policy(":m=1024,k=8"), keys);
  for (const char* kind : {"classic", "bloom", "splitblock"}) {
    const std::string other =
        testing::Build(*PolicyOf(std::string(kind) + ":m=1024,k=8"), keys);
    std::string merged = "as it was";
    const std::vector<Slice> both = {filter, other};
    const Status status =
        PolicyOf("tamis")->Combine(both, SetOperation::kUnion, &merged);
    if (std::string(kind) == GetParam()) {
      EXPECT_TRUE(status.ok()) << status.ToString();
    } else {
      EXPECT_EQ(status.code(), StatusCode::kInvalidArgument) << kind;
      EXPECT_EQ(merged, "as it was");
    }
  }
}

}  // namespace
}  // namespace tamis
