// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cmath>
#include <cstring>
#include <memory>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "base/coding.h"
#include "formats/tamis/container.h"
#include "formats/tamis/scalable.h"
#include "tamis/mutable_filter.h"
#include "tests/formats/page_dumps.h"
#include "tests/support/filters.h"
#include "tests/support/golden.h"

namespace tamis {
namespace {

using testing::InsertAll;
using testing::NumberedKeys;
using testing::PolicyOf;
using testing::Saved;
using testing::ToHex;

std::unique_ptr<MutableFilter> NewScalable(std::uint64_t planned,
                                           const char* spec = "fpr=0.01") {
  auto filter = PolicyOf(std::string("scalable:") + spec)->NewMutable(planned);
  EXPECT_TRUE(filter.ok()) << filter.status().ToString();
  return *std::move(filter);
}

std::size_t PartsOf(const std::string& bytes) {
  return LoadLittle32(bytes.data() + 40);  // parameter a
}

// Computed from the page by tamis_growing_reference.py, without this library:
// each row loads a filter, takes some steps and saves it.
TEST(TamisScalable, TakesTheFrozenSteps) {
  unsigned rows = 0;
  const nlohmann::json golden = testing::LoadGolden("tamis_growing.json");
  for (const auto& row : golden["played"]) {
    const std::string why = row["why"];
    if (!why.starts_with("scalable")) continue;
    SCOPED_TRACE(why);
    ++rows;
    auto filter = LoadTamisScalable(testing::HexBytes(row["before"]));
    ASSERT_TRUE(filter.ok()) << filter.status().ToString();
    for (const std::string& key : testing::KeysFromHex(row["steps"])) {
      ASSERT_TRUE(filter->Insert(key).ok());
    }
    const std::string saved = Saved(**filter);
    EXPECT_EQ(ToHex(saved), row["filter"].get<std::string>());
    EXPECT_EQ(filter->Describe().keys, row["keys"].get<std::uint64_t>());
    const auto reader = PolicyOf("tamis")->Open(saved);
    ASSERT_TRUE(reader.ok());
    for (const std::string& key : testing::KeysFromHex(row["absent"])) {
      EXPECT_FALSE(reader->MayContain(key));
    }
  }
  EXPECT_EQ(rows, 4u);
}

TEST(TamisScalable, WritesTheExampleOfItsPage) {
  const auto dumps = testing::DumpsOfPage("tamis-scalable.md");
  ASSERT_EQ(dumps.size(), 1u);
  EXPECT_EQ(ToHex(dumps[0]),
            ToHex(testing::Build(*PolicyOf("scalable:fpr=0.01"),
                                 {"apple", "banana", "cherry"})));
}

// Scalable and rotating ones.
TEST(TamisGrowing, OpensLoadsOrRefusesAsItsPageSays) {
  const nlohmann::json golden = testing::LoadGolden("tamis_growing.json");
  ASSERT_GE(golden["reader"].size(), 75u);
  const auto policy = PolicyOf("tamis");
  for (const auto& row : golden["reader"]) {
    SCOPED_TRACE(row["why"].get<std::string>());
    const std::string filter = testing::HexBytes(row["filter"]);
    // Of the exact size, so that a sanitizer sees reads beyond it.
    const std::unique_ptr<char[]> exact(new char[filter.size()]);
    std::memcpy(exact.get(), filter.data(), filter.size());
    const Slice bytes(exact.get(), filter.size());
    const auto reader = policy->Open(bytes);
    const auto loaded = LoadMutable(bytes);
    if (row["opens"] == "corruption") {
      EXPECT_EQ(reader.status().code(), StatusCode::kCorruption);
      EXPECT_EQ(loaded.status().code(), StatusCode::kCorruption);
      continue;
    }
    ASSERT_TRUE(reader.ok()) << reader.status().ToString();
    const bool maybe = row["opens"] == "maybe";
    EXPECT_EQ(reader->Describe().always_maybe.empty(), !maybe);
    EXPECT_EQ(reader->MayContain("a stranger"), maybe);
    for (const std::string& key : testing::KeysFromHex(row["keys"])) {
      EXPECT_TRUE(reader->MayContain(key));
      if (!maybe) {
        EXPECT_TRUE(loaded->MayContain(key));
      }
    }
    if (maybe) {
      EXPECT_EQ(loaded.status().code(), StatusCode::kNotSupported);
    }
  }
}

TEST(TamisScalable, EveryFlippedBitAndEveryCutIsNoticed) {
  const auto filter = NewScalable(1);
  InsertAll(filter.get(), NumberedKeys("key-", 150));
  const std::string whole = Saved(*filter);
  ASSERT_EQ(PartsOf(whole), 3u);
  const auto policy = PolicyOf("tamis");
  std::string damaged = whole;
  for (std::size_t bit = 0; bit < whole.size() * 8; ++bit) {
    damaged[bit / 8] = static_cast<char>(whole[bit / 8] ^ (1 << (bit % 8)));
    ASSERT_FALSE(policy->Open(damaged).ok()) << bit;
    damaged[bit / 8] = whole[bit / 8];
  }
  for (std::size_t size = 0; size < whole.size(); ++size) {
    ASSERT_FALSE(policy->Open(std::string(whole.data(), size)).ok()) << size;
  }
}

// Asked at every size, from its own memory and from bytes at any address.
TEST(TamisScalable, NeverForgetsAKeyWhileItGrows) {
  const auto filter = NewScalable(1);
  auto keys = testing::AwkwardKeys();
  const auto more = NumberedKeys("user:", 3000);
  keys.insert(keys.end(), more.begin(), more.end());
  const std::vector<Slice> slices(keys.begin(), keys.end());
  const std::unique_ptr<bool[]> out(new bool[keys.size()]);
  for (std::size_t done = 0; done < keys.size();) {
    const std::size_t next = std::min(keys.size(), done * 2 + 7);
    for (; done < next; ++done) ASSERT_TRUE(filter->Insert(keys[done]).ok());
    const std::string shifted = "?" + Saved(*filter);
    const auto reader = PolicyOf("tamis")->Open(Slice(shifted).substr(1));
    ASSERT_TRUE(reader.ok());
    for (const FilterReader* each :
         {(*reader).get(), static_cast<const FilterReader*>(filter.get())}) {
      each->MayContainMany({slices.data(), done}, {out.get(), done});
      for (std::size_t i = 0; i < done; ++i) {
        ASSERT_TRUE(out[i]) << done;
        ASSERT_TRUE(each->MayContain(keys[i])) << done;
      }
    }
  }
  EXPECT_EQ(PartsOf(Saved(*filter)), 7u);
}

TEST(TamisScalable, BatchesAnswerAsSingleQueries) {
  const auto filter = NewScalable(100, "fpr=0.3");
  InsertAll(filter.get(), NumberedKeys("key-", 2000));
  std::vector<std::string> keys = NumberedKeys("absent-", 700);
  for (std::size_t i = 0; i < keys.size(); i += 3) {
    keys[i] = "key-" + std::to_string(i);
  }
  const std::vector<Slice> slices(keys.begin(), keys.end());
  for (std::size_t count : {0u, 1u, 31u, 32u, 33u, 64u, 65u, 700u}) {
    const std::unique_ptr<bool[]> out(new bool[count]);
    filter->MayContainMany({slices.data(), count}, {out.get(), count});
    for (std::size_t i = 0; i < count; ++i) {
      ASSERT_EQ(out[i], filter->MayContain(keys[i])) << count << " " << i;
    }
  }
}

TEST(TamisScalable, RepeatsCostNothing) {
  const auto filter = NewScalable(0);
  const auto keys = NumberedKeys("key-", 20'000);
  InsertAll(filter.get(), keys);
  const std::string once = Saved(*filter);
  InsertAll(filter.get(), keys);
  const std::vector<Slice> slices(keys.begin(), keys.end());
  ASSERT_TRUE(filter->InsertMany(slices).ok());
  EXPECT_EQ(Saved(*filter), once);
  // Counted are the keys that were new to it: all but a false positive here
  // and there.
  const double keys_counted = static_cast<double>(*filter->Describe().keys);
  EXPECT_LE(keys_counted, 20'000);
  EXPECT_GE(keys_counted, 20'000 * (1 - 0.01));
}

TEST(TamisScalable, SavedAndLoadedItGrowsOnAsIfNothingHadBeen) {
  const auto keys = NumberedKeys("key-", 12'000);
  const auto straight = NewScalable(10, "fpr=0.001,seed=5");
  InsertAll(straight.get(), keys);
  std::unique_ptr<MutableFilter> broken = NewScalable(10, "fpr=0.001,seed=5");
  for (std::size_t i = 0; i < keys.size();) {
    const std::size_t next = std::min(keys.size(), i + i / 3 + 1);
    const std::vector<Slice> some(keys.begin() + static_cast<long>(i),
                                  keys.begin() + static_cast<long>(next));
    ASSERT_TRUE(broken->InsertMany(some).ok());
    i = next;
    auto loaded = LoadTamisScalable(Saved(*broken));
    ASSERT_TRUE(loaded.ok()) << loaded.status().ToString();
    broken = *std::move(loaded);
  }
  EXPECT_EQ(Saved(*broken), Saved(*straight));
}

// A builder knows how many keys there are, and makes one part of them, from
// which the filter grows on.
TEST(TamisScalable, ABuilderPlansForItsKeys) {
  const auto policy = PolicyOf("scalable:fpr=0.01");
  for (std::uint64_t n : {1u, 35u, 36u, 1000u, 30'000u}) {
    const auto keys = NumberedKeys("key-", n);
    const std::string built = testing::Build(*policy, keys);
    EXPECT_EQ(PartsOf(built), 1u) << n;
    EXPECT_EQ(built.size(), policy->Predict(n).bytes) << n;
    const auto grown = NewScalable(n);
    InsertAll(grown.get(), keys);
    EXPECT_EQ(Saved(*grown), built) << n;
    auto loaded = LoadTamisScalable(built);
    ASSERT_TRUE(loaded.ok());
    InsertAll(loaded.value().get(), NumberedKeys("more-", n / 2 + 35));
    InsertAll(grown.get(), NumberedKeys("more-", n / 2 + 35));
    EXPECT_EQ(Saved(**loaded), Saved(*grown)) << n;
    EXPECT_EQ(PartsOf(Saved(**loaded)), 2u) << n;
  }
}

// At most log2(n / c) + 1 parts, c being the keys of the first.
TEST(TamisScalable, PartsDouble) {
  const auto filter = NewScalable(100);
  double keys = 0;
  for (const std::string& key : NumberedKeys("key-", 20'000)) {
    ASSERT_TRUE(filter->Insert(key).ok());
    ++keys;
  }
  EXPECT_LE(static_cast<double>(PartsOf(Saved(*filter))),
            std::log2(keys / 100) + 1);
}

struct Crafted {
  std::uint64_t capacity;
  std::size_t parts;
  StatusCode refusal;  // of another part
};

// A filter of one-line parts that say they are full.
std::string Craft(const Crafted& crafted) {
  ScalableParameters parameters;
  parameters.start = {.share = 0.0015, .capacity = crafted.capacity};
  for (std::size_t i = 0; i < crafted.parts; ++i) {
    parameters.parts.push_back(
        {.lines = 1, .keys = ~std::uint64_t{0}, .probes = 9});
  }
  std::string bytes(parameters.TotalBytes(), '\0');
  parameters.Seal(bytes);
  return bytes;
}

TEST(TamisScalable, FullItIsAsBefore) {
  for (const Crafted& crafted :
       {Crafted{1, 48, StatusCode::kFilterFull},
        Crafted{std::uint64_t{1} << 62, 1, StatusCode::kFilterFull},
        Crafted{std::uint64_t{1} << 50, 1, StatusCode::kResourceExhausted}}) {
    const std::string bytes = Craft(crafted);
    auto filter = LoadTamisScalable(bytes);
    ASSERT_TRUE(filter.ok()) << filter.status().ToString();
    const Status full = filter->Insert("key");
    EXPECT_EQ(full.code(), crafted.refusal);
    EXPECT_EQ(full.message().find("48 parts") != std::string_view::npos,
              crafted.parts == 48);
    EXPECT_EQ(Saved(**filter), bytes);
    EXPECT_FALSE(filter->MayContain("key"));
  }
  EXPECT_FALSE(
      PolicyOf("scalable:fpr=0.01")->NewMutable(~std::uint64_t{0}).ok());
}

TEST(TamisScalable, RefusesSizesThatItCannotKeep) {
  for (const char* spec : {"scalable:m=512,k=3", "scalable:10,k=3",
                           "scalable:fpr=1e-17", "scalable:0.001"}) {
    const auto policy = MakePolicy(spec);
    EXPECT_EQ(policy.status().code(), StatusCode::kInvalidArgument) << spec;
  }
  EXPECT_TRUE(MakePolicy("scalable:fpr=1e-12").ok());
  EXPECT_TRUE(MakePolicy("scalable:fpr=0.9").ok());
  EXPECT_TRUE(MakePolicy("scalable:1").ok());
}

TEST(TamisScalable, BitsPerKeyAreThoseOfTheFirstPart) {
  for (const char* bits : {"6", "10", "16.5"}) {
    const auto policy = PolicyOf(std::string("scalable:") + bits);
    const auto plain = PolicyOf(std::string("bloom:") + bits);
    EXPECT_NEAR(static_cast<double>(policy->Predict(1'000'000).bits) /
                    static_cast<double>(plain->Predict(1'000'000).bits),
                1, 1e-4);
    EXPECT_NEAR(policy->RateAt(1'000'000, 1'000'000) /
                    plain->RateAt(1'000'000, 1'000'000),
                1, 1e-3);
  }
}

// The rate that was asked for is kept at every size; it is what the bits say,
// and about what RateAt() says.
TEST(TamisScalableRates, StayBelowWhatWasAskedHoweverManyKeysCome) {
  const auto policy = PolicyOf("scalable:fpr=0.02");
  const auto filter = NewScalable(0, "fpr=0.02");
  const auto strangers = NumberedKeys("absent-", 200'000);
  const std::vector<Slice> slices(strangers.begin(), strangers.end());
  const std::unique_ptr<bool[]> out(new bool[slices.size()]);
  std::uint64_t keys = 0;
  for (std::uint64_t n : {4096u, 12'000u, 60'000u, 250'000u}) {
    for (; keys < n; ++keys) {
      ASSERT_TRUE(filter->Insert("key-" + std::to_string(keys)).ok());
    }
    filter->MayContainMany(slices, {out.get(), slices.size()});
    const auto asked = static_cast<double>(slices.size());
    const double rate = static_cast<double>(std::count(
                            out.get(), out.get() + slices.size(), true)) /
                        asked;
    const FilterInfo info = filter->Describe();
    const double deviation = std::sqrt(info.rate / asked);
    EXPECT_LE(rate, 0.02) << n;
    EXPECT_NEAR(rate, info.rate, 5 * deviation) << n;
    // The few crowded lines of the first part make most of its rate.
    EXPECT_NEAR(info.rate / policy->RateAt(0, n), 1, 0.15) << n;
    EXPECT_NEAR(info.keys_by_fill / static_cast<double>(n), 1, 0.02) << n;
  }
}

}  // namespace
}  // namespace tamis
