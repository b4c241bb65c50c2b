// SPDX-License-Identifier: Apache-2.0
// What holds of both kinds of the `.tamis` container from which keys can be
// erased: counting and cuckoo.

#include <algorithm>
#include <cstring>
#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "tamis/mutable_filter.h"
#include "tests/formats/page_dumps.h"
#include "tests/support/filters.h"
#include "tests/support/golden.h"

namespace tamis {
namespace {

using testing::PolicyOf;
using testing::Saved;
using testing::ToHex;

std::unique_ptr<ErasableFilter> Empty(const std::string& spec,
                                      std::uint64_t planned) {
  auto filter = NewErasable(spec, planned);
  EXPECT_TRUE(filter.ok()) << spec << ": " << filter.status().ToString();
  return filter.ok() ? *std::move(filter) : nullptr;
}

// These bytes were computed from the pages of the formats by
// tamis_mutable_reference.py, without this library.
TEST(TamisErasable, WritesTheFrozenBytes) {
  const nlohmann::json golden = testing::LoadGolden("tamis_mutable.json");
  ASSERT_GE(golden["vectors"].size(), 117u);
  for (const auto& row : golden["vectors"]) {
    const std::string spec = row["spec"];
    SCOPED_TRACE(spec + ", " + row["why"].get<std::string>());
    const auto keys = testing::KeysFromHex(row["keys"]);
    const std::string filter = testing::Build(*PolicyOf(spec), keys);
    EXPECT_EQ(ToHex(filter), row["filter"].get<std::string>());
    const auto reader = PolicyOf("tamis")->Open(filter);
    ASSERT_TRUE(reader.ok());
    for (const std::string& key : keys) {
      EXPECT_TRUE(reader->MayContain(key));
    }
    EXPECT_EQ(reader->Describe().kind, spec.substr(0, spec.find(':')));
  }
}

// One filter lives in memory, another is saved and loaded at every step.
TEST(TamisErasable, LivesAsItsPageSaysAndGoesOnWhereItWasSaved) {
  const nlohmann::json golden = testing::LoadGolden("tamis_mutable.json");
  ASSERT_GE(golden["lives"].size(), 16u);
  for (const auto& row : golden["lives"]) {
    const std::string spec = row["spec"];
    SCOPED_TRACE(spec + ", " + row["why"].get<std::string>());
    const auto lived = Empty(spec, row["planned"]);
    std::unique_ptr<ErasableFilter> reloaded = Empty(spec, row["planned"]);
    ASSERT_TRUE(lived != nullptr && reloaded != nullptr);
    for (const auto& step : row["steps"]) {
      const std::string key = testing::HexBytes(step[1]);
      const bool inserts = step[0] == "+";
      const std::string before = Saved(*reloaded);
      auto loaded = LoadErasable(before);
      ASSERT_TRUE(loaded.ok()) << loaded.status().ToString();
      reloaded = *std::move(loaded);
      for (ErasableFilter* filter : {lived.get(), reloaded.get()}) {
        const Status status =
            inserts ? filter->Insert(key) : filter->Erase(key);
        ASSERT_EQ(status.ok(), step[2].get<bool>()) << status.ToString();
        if (status.ok()) continue;
        EXPECT_EQ(status.code(),
                  inserts ? StatusCode::kFilterFull : StatusCode::kNotFound);
        EXPECT_EQ(Saved(*filter), before);
      }
    }
    EXPECT_EQ(ToHex(Saved(*lived)), row["filter"].get<std::string>());
    EXPECT_EQ(ToHex(Saved(*reloaded)), row["filter"].get<std::string>());
  }
}

TEST(TamisErasable, OpensLoadsOrRefusesAsItsPageSays) {
  const nlohmann::json golden = testing::LoadGolden("tamis_mutable.json");
  ASSERT_GE(golden["reader"].size(), 140u);
  const std::map<std::string, StatusCode> codes = {
      {"ok", StatusCode::kOk},
      {"not supported", StatusCode::kNotSupported},
      {"corruption", StatusCode::kCorruption}};
  const auto policy = PolicyOf("tamis");
  for (const auto& row : golden["reader"]) {
    SCOPED_TRACE(row["why"].get<std::string>());
    const std::string filter = testing::HexBytes(row["filter"]);
    EXPECT_EQ(LoadErasable(filter).status().code(), codes.at(row["loads"]));
    EXPECT_EQ(LoadMutable(filter).status().code(), codes.at(row["loads"]));
    const auto reader = policy->Open(filter);
    if (row["opens"] == "corruption") {
      ASSERT_FALSE(reader.ok());
      EXPECT_EQ(reader.status().code(), StatusCode::kCorruption);
      continue;
    }
    ASSERT_TRUE(reader.ok()) << reader.status().ToString();
    EXPECT_EQ(reader->Describe().always_maybe.empty(),
              row["opens"] == "probes");
    for (const std::string& key : testing::KeysFromHex(row["keys"])) {
      EXPECT_TRUE(reader->MayContain(key));
    }
    for (const std::string& key : testing::KeysFromHex(row["absent"])) {
      EXPECT_FALSE(reader->MayContain(key));
    }
  }
}

TEST(TamisErasable, WritesTheExamplesOfItsPages) {
  for (const auto& [page, spec] :
       {std::pair("tamis-counting.md", "counting:46"),
        std::pair("tamis-cuckoo.md", "cuckoo:m=8,k=8")}) {
    const std::vector<std::string> dumps = testing::DumpsOfPage(page);
    ASSERT_EQ(dumps.size(), 1u) << page;
    EXPECT_EQ(
        ToHex(dumps[0]),
        ToHex(testing::Build(*PolicyOf(spec), {"apple", "banana", "cherry"})))
        << page;
  }
}

class EveryErasable : public ::testing::TestWithParam<std::string> {};

INSTANTIATE_TEST_SUITE_P(Specs, EveryErasable,
                         ::testing::Values("counting:46,seed=3",
                                           "cuckoo:10.6,seed=3",
                                           "cuckoo:m=1200,k=31"),
                         [](const auto& test) {
                           return test.param.substr(0, test.param.find(':')) +
                                  std::to_string(test.index);
                         });

TEST_P(EveryErasable, EverySingleFlippedBitAndEveryCutIsNoticed) {
  const std::string whole =
      testing::Build(*PolicyOf(GetParam()), testing::NumberedKeys("key-", 30));
  const auto refuses = [](const std::string& bytes) {
    return PolicyOf("tamis")->Open(bytes).status().code() ==
               StatusCode::kCorruption &&
           LoadMutable(bytes).status().code() == StatusCode::kCorruption;
  };
  ASSERT_TRUE(LoadErasable(whole).ok());
  std::string damaged = whole;
  for (std::size_t bit = 0; bit < whole.size() * 8; ++bit) {
    char& byte = damaged[bit / 8];
    byte = static_cast<char>(byte ^ (1 << (bit % 8)));
    ASSERT_TRUE(refuses(damaged)) << bit;
    byte = whole[bit / 8];
  }
  for (std::size_t size = 0; size < whole.size(); ++size) {
    ASSERT_TRUE(refuses(std::string(whole.data(), size))) << size;
  }
}

TEST_P(EveryErasable, AnswersFromBytesAtEveryAddress) {
  const auto policy = PolicyOf(GetParam());
  const auto keys = testing::NumberedKeys("key-", 1000);
  const std::string filter = testing::Build(*policy, keys);
  std::vector<std::string> asked = testing::NumberedKeys("absent-", 1000);
  asked.insert(asked.end(), keys.begin(), keys.end());
  const std::vector<Slice> slices(asked.begin(), asked.end());
  std::vector<bool> expected;
  for (std::size_t offset = 0; offset < 9; ++offset) {
    // Exactly as long as needed, so that sanitizers see a read beyond it.
    const std::unique_ptr<char[]> memory(new char[offset + filter.size()]);
    std::memcpy(memory.get() + offset, filter.data(), filter.size());
    const auto reader =
        policy->Open(Slice(memory.get() + offset, filter.size()));
    ASSERT_TRUE(reader.ok());
    const std::unique_ptr<bool[]> out(new bool[slices.size()]);
    reader->MayContainMany(slices, {out.get(), slices.size()});
    std::vector<bool> answers(out.get(), out.get() + slices.size());
    for (std::size_t i = 0; i < slices.size(); ++i) {
      ASSERT_EQ(reader->MayContain(slices[i]), answers[i]) << offset;
    }
    if (offset == 0) expected = answers;
    EXPECT_EQ(answers, expected) << offset;
  }
  EXPECT_EQ(std::count(expected.begin() + 1000, expected.end(), true), 1000);
  EXPECT_LT(std::count(expected.begin(), expected.begin() + 1000, true), 40);
}

TEST_P(EveryErasable, SaysWhatItIs) {
  const auto policy = PolicyOf(GetParam());
  const auto keys = testing::NumberedKeys("key-", 1000);
  const std::string filter = testing::Build(*policy, keys);
  const Estimate estimate = policy->Predict(keys.size());
  EXPECT_EQ(filter.size(), estimate.bytes);
  const FilterInfo info = (*policy->Open(filter))->Describe();
  EXPECT_EQ(info.format, "tamis");
  EXPECT_EQ(info.kind, GetParam().substr(0, GetParam().find(':')));
  EXPECT_EQ(info.keys, 1000u);
  EXPECT_EQ(info.bits, estimate.bits);
  EXPECT_EQ(info.probes, estimate.probes);
  EXPECT_NEAR(info.keys_by_fill, 1000, 30);
  EXPECT_NEAR(info.rate / estimate.false_positive_rate, 1, 0.2);
}

TEST_P(EveryErasable, ManyInsertionsAreInsertionsOneByOne) {
  const auto keys = testing::NumberedKeys("key-", 1000);
  const auto one_by_one = Empty(GetParam(), keys.size());
  for (const std::string& key : keys) {
    ASSERT_TRUE(one_by_one->Insert(key).ok());
  }
  const auto many = Empty(GetParam(), keys.size());
  const std::vector<Slice> slices(keys.begin(), keys.end());
  ASSERT_TRUE(many->InsertMany(slices).ok());
  EXPECT_EQ(Saved(*many), Saved(*one_by_one));
}

// So that two machines that build from the same keys can compare the bytes.
TEST_P(EveryErasable, ABuilderKnowsNoOrderAndNoRepeats) {
  const auto policy = PolicyOf(GetParam());
  auto keys = testing::NumberedKeys("key-", 1000);
  const std::string filter = testing::Build(*policy, keys);
  std::vector<std::string> backwards(keys.rbegin(), keys.rend());
  backwards.insert(backwards.end(), keys.begin(), keys.end());
  EXPECT_EQ(testing::Build(*policy, backwards), filter);
}

// Whoever erases absent keys hides keys; in the checked mode nobody does.
TEST_P(EveryErasable, ChecksErasuresIfToldTo) {
  const auto keys = testing::NumberedKeys("key-", 1000);
  const auto checked = CheckErasures(Empty(GetParam(), keys.size()));
  for (const std::string& key : keys) ASSERT_TRUE(checked->Insert(key).ok());
  const std::string before = Saved(*checked);
  unsigned mistaken = 0;
  for (const std::string& key : testing::NumberedKeys("absent-", 20'000)) {
    mistaken += checked->MayContain(key) ? 1u : 0u;
    ASSERT_EQ(checked->Erase(key).code(), StatusCode::kNotFound);
  }
  EXPECT_EQ(Saved(*checked), before);
  if (checked->Describe().rate > 0.001) {
    EXPECT_GT(mistaken, 0u);
  }
  for (const std::string& key : keys) ASSERT_TRUE(checked->Erase(key).ok());
  ASSERT_EQ(checked->Erase(keys[0]).code(), StatusCode::kNotFound);
  EXPECT_EQ(Saved(*checked), Saved(*Empty(GetParam(), keys.size())));
}

}  // namespace
}  // namespace tamis
