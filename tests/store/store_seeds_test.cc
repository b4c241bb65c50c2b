// SPDX-License-Identifier: Apache-2.0
// Seeds of filters: what crafted keys can do, and that tables of every seed
// are read.

#include <cstdint>
#include <cstring>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "base/coding.h"
#include "formats/tamis/line_view.h"
#include "store/lookup.h"
#include "store/version.h"
#include "tamis/store.h"
#include "tamis/store_settings.h"
#include "tests/store/stores.h"
#include "tests/store/table_parts.h"

namespace tamis {
namespace {

using testing::NumberKey;
using testing::PartsOf;
using testing::StillOptions;
using testing::TestStore;

constexpr std::uint64_t kMultiplier = 0x9fb21c651e98df25u;

std::uint64_t InverseOf(std::uint64_t odd) {
  std::uint64_t inverse = odd;
  for (int i = 0; i < 6; ++i) inverse *= 2 - odd * inverse;
  return inverse;
}
std::uint64_t Rotated(std::uint64_t x, int by) {
  return x << by | x >> (64 - by);
}

// The key of eight bytes whose XXH3 by seed 0 is `hash`: each step of it can
// be undone.
std::string KeyWithHash(std::uint64_t hash) {
  std::uint64_t x = hash ^ hash >> 28 ^ hash >> 56;
  x *= InverseOf(kMultiplier);
  x ^= (x >> 35) + 8;
  x *= InverseOf(kMultiplier);
  // x ^ rotl(x, 49) ^ rotl(x, 24) is a map of order 64.
  for (int i = 0; i < 63; ++i) x ^= Rotated(x, 49) ^ Rotated(x, 24);
  x ^= 0x1cad21f72c81017cu ^ 0xdb979083e96dd4deu;  // of its secret
  std::string key(8, '\0');
  StoreLittle(key.data(), static_cast<std::uint32_t>(x >> 32));
  StoreLittle(key.data() + 4, static_cast<std::uint32_t>(x));
  return key;
}

// Keys that all want the same two buckets of any cuckoo filter by seed 0.
void PutCrafted(TestStore* store) {
  for (std::uint64_t i = 0; i < 20; ++i) {
    const std::uint64_t hash = 0x123456789abcde00u + i;
    const std::string key = KeyWithHash(hash);
    ASSERT_EQ(LineHash(key, 0), hash);
    store->Put(key, "x");
  }
}

bool HasOwnFilter(TestStore* store) {
  const std::vector<std::string> tables = store->Files(".ldb");
  return tables.size() == 1 &&
         PartsOf(&store->env(), tables[0]).own_filter.size > 0;
}

TEST(StoreSeeds, OfTheStoreItselfWithstandCraftedKeys) {
  StoreOptions options = StillOptions();
  options.filter = "cuckoo";
  TestStore store(options);
  PutCrafted(&store);
  store.Flush();
  EXPECT_TRUE(HasOwnFilter(&store));
  EXPECT_EQ(store->Stats().filters_not_built, 0u);
}

TEST(StoreSeeds, ThatAreFixedLetCraftedKeysCostTheFilterAndNoMore) {
  StoreOptions options = StillOptions();
  options.filter = "cuckoo";
  options.filter_seed = FilterSeed::kFixed;
  TestStore store(options);
  PutCrafted(&store);
  store.Flush();
  EXPECT_FALSE(HasOwnFilter(&store));
  const StoreStats stats = store->Stats();
  EXPECT_EQ(stats.filters_not_built, 1u);
  EXPECT_NE(stats.last_filter_not_built.find(".ldb: cuckoo"),
            std::string::npos);
  EXPECT_NE(stats.ToText().find(stats.last_filter_not_built),
            std::string::npos);
  EXPECT_NE(stats.ToJson().find("\"filters_not_built\":1"), std::string::npos);
  EXPECT_NE(stats.ToPrometheus().find("tamis_store_filters_not_built_total 1"),
            std::string::npos);
  EXPECT_NE(store.env().Contents("/db/LOG").find(stats.last_filter_not_built),
            std::string::npos);
  store.Reopen();
  for (std::uint64_t i = 0; i < 20; ++i) {
    EXPECT_EQ(store.Get(KeyWithHash(0x123456789abcde00u + i)), "x");
  }
}

TEST(StoreSeeds, AreDrawnOnceForEachStoreAndRemembered) {
  const auto seed = [](TestStore* store) {
    return ReadStoreSettings("/db", &store->env()).value().filter_seed;
  };
  TestStore one(StillOptions());
  TestStore two(StillOptions());
  ASSERT_TRUE(seed(&one).has_value());
  EXPECT_NE(seed(&one), seed(&two));
  const auto before = seed(&one);
  one.Reopen();
  EXPECT_EQ(seed(&one), before);
}

// Bytes of the own filter of the only table.
std::string OwnFilter(TestStore* store) {
  const std::string path = store->Files(".ldb").at(0);
  const BlockHandle at = PartsOf(&store->env(), path).own_filter;
  return store->env().Contents(path).substr(at.offset, at.size);
}

TEST(StoreSeeds, StandInTheFilters) {
  for (const bool fixed : {false, true}) {
    for (const char* filter : {"bloom:10", "classic:10", "bloom:10,seed=7"}) {
      StoreOptions options = StillOptions();
      options.filter = filter;
      if (fixed) options.filter_seed = FilterSeed::kFixed;
      TestStore store(options);
      store.Put("key", "value");
      store.Flush();
      const auto remembered =
          ReadStoreSettings("/db", &store.env()).value().filter_seed;
      EXPECT_EQ(remembered.has_value(), !fixed);
      const std::string bytes = OwnFilter(&store);
      const auto reader = (*MakePolicy("bloom"))->Open(bytes);
      ASSERT_TRUE(reader.ok());
      EXPECT_EQ(reader->Describe().seed, std::string(filter).ends_with("seed=7")
                                             ? 7u
                                         : fixed ? 0u
                                                 : *remembered);
    }
  }
}

// Two tables by each of the ways to get a seed, all overlapping.
void FillWithSeeds(TestStore* store) {
  unsigned round = 0;
  for (const char* filter :
       {"bloom:10", "bloom:10,seed=7", "bloom:10,seed=9"}) {
    for (const FilterSeed seed :
         {FilterSeed::kFixed, FilterSeed::kRandomPerStore}) {
      store->options().filter = filter;
      store->options().filter_seed = seed;
      store->Reopen();
      for (std::uint64_t i = round; i < 600; i += 12) {
        store->Put(NumberKey(2 * i), std::to_string(i));
      }
      ++round;
      store->Flush();
    }
  }
}

TEST(StoreSeeds, OfAllTablesAreFoundWhicheverTheStoreIsOpenedWith) {
  TestStore store(StillOptions());
  FillWithSeeds(&store);
  for (const char* filter : {"bloom:10", "bloom:10,seed=7", "cuckoo", ""}) {
    for (const FilterSeed seed :
         {FilterSeed::kFixed, FilterSeed::kRandomPerStore}) {
      for (const FilterLoading loading :
           {FilterLoading::kWhenFirstAsked, FilterLoading::kAtOpening}) {
        store.options().filter = filter;
        store.options().filter_seed = seed;
        store.options().filter_loading = loading;
        store.Reopen();
        std::vector<std::string> texts;
        for (std::uint64_t i = 0; i < 1200; ++i) texts.push_back(NumberKey(i));
        const std::vector<Slice> keys(texts.begin(), texts.end());
        std::vector<std::string> values(keys.size());
        std::vector<Status> statuses(keys.size());
        store->MultiGet({}, keys, values, statuses);
        for (std::uint64_t i = 0; i < 1200; ++i) {
          const std::string wanted =
              i % 2 == 0 && i / 2 % 12 < 6 ? std::to_string(i / 2) : "(none)";
          ASSERT_EQ(store.Get(NumberKey(i)), wanted) << filter;
          ASSERT_EQ(statuses[i].ok() ? values[i] : "(none)", wanted) << filter;
          ASSERT_EQ(store->Explain({}, NumberKey(i)).status.ok(),
                    wanted != "(none)");
        }
        const StoreStats stats = store->Stats();
        EXPECT_EQ(stats.levels[0].unfiltered, 0u);
        EXPECT_LT(stats.filters().observed_rate(), 0.03);
      }
    }
  }
}

// The fast way: the lines of both seeds are known to the lookup itself.
TEST(StoreSeeds, OfAnOlderTableAreHashedForOnceAndAskedAtOnce) {
  std::string bytes;
  const auto publish = [&](const char* spec, const LineSeeds& seeds) {
    const auto builder = (*MakePolicy(spec))->NewBuilder();
    builder->Add("key");
    bytes.clear();
    EXPECT_TRUE(builder->Finish(&bytes).ok());
    const auto filter = TableFilter::OpenWhole(bytes, **MakePolicy(spec));
    FilterSlot fresh;
    fresh.Publish(*filter, seeds);
    return std::pair(fresh.lines() != nullptr, fresh.shape());
  };
  const LineSeeds seeds{.own = 5, .other = 0};
  EXPECT_EQ(publish("bloom:10,seed=5", seeds), std::pair(true, 6u));
  EXPECT_EQ(publish("bloom:10,seed=0", seeds),
            std::pair(true, 6u | FilterSlot::kOtherSeed));
  EXPECT_FALSE(publish("bloom:10,seed=6", seeds).first);
  EXPECT_FALSE(publish("classic:10,seed=5", seeds).first);
  const Lookup lookup("key", 1, seeds);
  EXPECT_EQ(lookup.hash, LineHash("key", 5));
  EXPECT_EQ(lookup.other_hash(), LineHash("key", 0));
  EXPECT_EQ(lookup.other_hash(), LineHash("key", 0));
}

}  // namespace
}  // namespace tamis
