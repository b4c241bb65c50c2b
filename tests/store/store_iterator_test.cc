// SPDX-License-Identifier: Apache-2.0
// Walks over a store: both ways, from anywhere, over all its parts.

#include <cstdint>
#include <iterator>
#include <map>
#include <memory>
#include <ostream>
#include <random>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "tamis/store.h"
#include "tests/store/stores.h"

namespace tamis {
namespace {

using testing::NumberKey;
using testing::SmallOptions;
using testing::StillOptions;
using testing::TestStore;
using Model = std::map<std::string, std::string>;

void ExpectAt(const Iterator& it, const Model& model,
              Model::const_iterator at) {
  ASSERT_EQ(it.Valid(), at != model.end());
  ASSERT_TRUE(it.status().ok()) << it.status().ToString();
  if (!it.Valid()) return;
  ASSERT_EQ(it.key(), at->first);
  ASSERT_EQ(it.value(), at->second);
}

Model::const_iterator AtOrBefore(const Model& model, const std::string& key) {
  const auto after = model.upper_bound(key);
  return after == model.begin() ? model.end() : std::prev(after);
}

// Whole walks, and at every entry a step back and forth again, both ways.
void ExpectWalks(Iterator* it, const Model& model) {
  auto at = model.begin();
  for (it->SeekToFirst(); it->Valid(); it->Next(), ++at) {
    ASSERT_NO_FATAL_FAILURE(ExpectAt(*it, model, at));
    it->Prev();
    ASSERT_NO_FATAL_FAILURE(ExpectAt(
        *it, model, at == model.begin() ? model.end() : std::prev(at)));
    if (it->Valid()) {
      it->Next();
    } else {
      it->SeekToFirst();
    }
    ASSERT_NO_FATAL_FAILURE(ExpectAt(*it, model, at));
  }
  EXPECT_EQ(at, model.end());
  auto back = model.rbegin();
  for (it->SeekToLast(); it->Valid(); it->Prev(), ++back) {
    ASSERT_NO_FATAL_FAILURE(ExpectAt(*it, model, std::prev(back.base())));
    it->Next();
    ASSERT_NO_FATAL_FAILURE(ExpectAt(*it, model, back.base()));
    if (it->Valid()) {
      it->Prev();
    } else {
      it->SeekToLast();
    }
    ASSERT_NO_FATAL_FAILURE(ExpectAt(*it, model, std::prev(back.base())));
  }
  EXPECT_EQ(back, model.rend());
  EXPECT_TRUE(it->status().ok());
}

// To every key, before and behind it, and a step either way from there.
void ExpectSeeks(Iterator* it, const Model& model) {
  std::vector<std::string> targets = {"", "\xff"};
  for (const auto& [key, value] : model) {
    targets.push_back(key);
    targets.push_back(key + '\0');
    targets.push_back(key.substr(0, key.size() - 1));
  }
  for (const std::string& target : targets) {
    const auto at = model.lower_bound(target);
    it->Seek(target);
    ASSERT_NO_FATAL_FAILURE(ExpectAt(*it, model, at));
    if (it->Valid()) {
      it->Prev();
      ASSERT_NO_FATAL_FAILURE(ExpectAt(
          *it, model, at == model.begin() ? model.end() : std::prev(at)));
    }
    const auto before = AtOrBefore(model, target);
    it->SeekForPrev(target);
    ASSERT_NO_FATAL_FAILURE(ExpectAt(*it, model, before));
    if (it->Valid()) {
      it->Next();
      ASSERT_NO_FATAL_FAILURE(ExpectAt(*it, model, std::next(before)));
    }
  }
}

void ExpectShows(TestStore* store, const Model& model,
                 const Snapshot* snapshot = nullptr) {
  const auto it = (*store)->NewIterator({.snapshot = snapshot});
  EXPECT_FALSE(it->Valid());
  ExpectWalks(it.get(), model);
  ExpectSeeks(it.get(), model);
}

// The part of the model that an iterator with such bounds shows.
Model PartOf(const Model& model, const ReadOptions& options) {
  Model part;
  for (const auto& [key, value] : model) {
    const bool is_out =
        (options.lower_bound && key < *options.lower_bound) ||
        (options.upper_bound && key >= *options.upper_bound) ||
        (options.prefix && !Slice(key).starts_with(*options.prefix));
    if (!is_out) part.emplace(key, value);
  }
  return part;
}

// Random bounds, between keys and at them, also such that nothing is within.
void ExpectShowsWithin(TestStore* store, const Model& model, int times,
                       const Snapshot* snapshot = nullptr) {
  std::mt19937_64 random(model.size());
  for (int i = 0; i < times; ++i) {
    const auto bound = [&] {
      std::string key = NumberKey(random() % 2100);
      if (random() % 3 == 0) key.resize(key.size() - random() % 3);
      if (random() % 3 == 0) key.push_back('\0');
      return key;
    };
    const std::string lower = bound();
    const std::string upper = bound();
    const std::string prefix = bound();
    ReadOptions options = {.snapshot = snapshot};
    if (random() % 4 != 0) options.lower_bound = lower;
    if (random() % 4 != 0) options.upper_bound = upper;
    if (random() % 4 == 0) {
      options.prefix = Slice(prefix).substr(0, prefix.size() - 2);
    }
    const auto it = (*store)->NewIterator(options);
    const Model part = PartOf(model, options);
    SCOPED_TRACE(i);
    ASSERT_NO_FATAL_FAILURE(ExpectWalks(it.get(), part));
    for (const std::string& target :
         {std::string(), bound(), bound(), lower, upper, std::string("z")}) {
      it->Seek(target);
      ASSERT_NO_FATAL_FAILURE(ExpectAt(*it, part, part.lower_bound(target)));
      it->SeekForPrev(target);
      ASSERT_NO_FATAL_FAILURE(ExpectAt(*it, part, AtOrBefore(part, target)));
    }
  }
}

// Puts and deletes by chance, so that there are versions of all kinds.
void ChangeBoth(TestStore* store, Model* model, std::uint64_t seed,
                int changes) {
  std::mt19937_64 random(seed);
  for (int i = 0; i < changes; ++i) {
    const std::string key = NumberKey(random() % 300);
    if (random() % 3 == 0) {
      store->Delete(key);
      model->erase(key);
    } else {
      (*model)[key] = std::to_string(seed) + "/" + std::to_string(i);
      store->Put(key, (*model)[key]);
    }
  }
}

// How tables have range filters, which change nothing.
struct RangeUse {
  const char* name;
  unsigned bits;
  FilterUse use;

  friend void PrintTo(const RangeUse& printed, std::ostream* out) {
    *out << printed.name;
  }
};

class StoreIterator : public ::testing::TestWithParam<RangeUse> {
 protected:
  static StoreOptions With(StoreOptions options) {
    options.range_filter_bits = GetParam().bits;
    options.filter_use = GetParam().use;
    return options;
  }
};

INSTANTIATE_TEST_SUITE_P(
    RangeFilters, StoreIterator,
    ::testing::Values(RangeUse{"None", 0, FilterUse::kOn},
                      RangeUse{"On", 8, FilterUse::kOn},
                      RangeUse{"Off", 8, FilterUse::kOff},
                      RangeUse{"AlwaysMaybe", 8, FilterUse::kAlwaysMaybe}),
    [](const auto& tested) { return std::string(tested.param.name); });

TEST_P(StoreIterator, OverAnEmptyStoreStandsAtNone) {
  TestStore store(With({}));
  ExpectShows(&store, {});
  store.Put("a", "1");
  store.Delete("a");
  ExpectShows(&store, {});
  store.Flush();
  ExpectShows(&store, {});
}

TEST_P(StoreIterator, WalksOverTheMemtable) {
  TestStore store(With({}));
  Model model;
  ChangeBoth(&store, &model, 1, 1000);
  ExpectShows(&store, model);
}

TEST_P(StoreIterator, WalksOverTheMemtableAndAllLevels) {
  TestStore store(With(StillOptions()));
  Model model;
  for (std::uint64_t round = 0; round < 6; ++round) {
    ChangeBoth(&store, &model, round, 200);
    if (round == 2) store.Compact();
    if (round != 5) store.Flush();
    ExpectShows(&store, model);
  }
  EXPECT_EQ(store.TablesAt(0), 3u - 1u);
  EXPECT_GT(store.TablesAt(1), 0u);
}

TEST_P(StoreIterator, WalksOverManyTablesAndLevels) {
  TestStore store(With(SmallOptions()));
  Model model;
  for (std::uint64_t i = 0; i < 8000; ++i) {
    const std::string key = NumberKey(i * 7919 % 2000);
    if (i % 4 == 3) {
      store.Delete(key);
      model.erase(key);
    } else {
      model[key] = std::to_string(i);
      store.Put(key, model[key]);
    }
  }
  ASSERT_TRUE(store->WaitForQuiet().ok());
  ExpectShows(&store, model);
}

TEST_P(StoreIterator, WithinBoundsIsAsIfNothingElseWereThere) {
  StoreOptions options = With(SmallOptions());
  options.block_bytes = 256;  // many blocks
  TestStore store(options);
  Model model;
  Model then;
  std::unique_ptr<const Snapshot> snapshot;
  std::mt19937_64 random(5);
  for (std::uint64_t i = 0; i < 6000; ++i) {
    const std::string key = NumberKey(random() % 2000);
    if (i % 4 == 3) {
      store.Delete(key);
      model.erase(key);
    } else {
      model[key] = std::to_string(i);
      store.Put(key, model[key]);
    }
    if (i == 3000) {
      snapshot = store->GetSnapshot();
      then = model;
    }
  }
  ExpectShowsWithin(&store, model, 60);
  ASSERT_TRUE(store->WaitForQuiet().ok());
  EXPECT_GT(store.TablesAt(1) + store.TablesAt(2), 3u);
  ExpectShowsWithin(&store, model, 60);
  ExpectShowsWithin(&store, then, 60, snapshot.get());
}

// Bounds end at keys that are prefixes of others, and at bytes 0 and 0xff.
TEST_P(StoreIterator, KnowsTheEndOfEveryPrefix) {
  TestStore store(With({}));
  Model model;
  const std::string nul(1, '\0');
  for (const std::string& key :
       {std::string(), nul, nul + "a", std::string("a"), std::string("ab"),
        std::string("ab\xff"), std::string("ab\xff\xff"), std::string("ac"),
        std::string("b"), std::string("\xff"), std::string("\xff\xff"),
        std::string("\xff\xff\xff")}) {
    model[key] = "of " + key;
    store.Put(key, model[key]);
  }
  for (int round = 0; round < 2; ++round) {
    for (const auto& [prefix, value] : model) {
      const ReadOptions options = {.prefix = prefix};
      const auto it = store->NewIterator(options);
      ASSERT_NO_FATAL_FAILURE(ExpectWalks(it.get(), PartOf(model, options)));
    }
    store.Compact();
  }
}

TEST_P(StoreIterator, ReadsNoTableThatIsOutOfBounds) {
  StoreOptions options = With(StillOptions());
  TestStore store(options);
  for (const std::string key : {"a", "m", "z"}) {
    store.Put(key, "1");
    store.Put(key + "z", "2");
    store.Flush();
  }
  store.Close();
  const std::vector<std::string> tables = store.Files(".ldb");
  ASSERT_EQ(tables.size(), 3u);
  store.env().FlipBit(tables.front(), 3, 3);
  store.env().FlipBit(tables.back(), 3, 3);
  store.Open();
  const auto all = store->NewIterator();
  all->SeekToFirst();
  EXPECT_EQ(all->status().code(), StatusCode::kCorruption);
  const auto some =
      store->NewIterator({.lower_bound = "b", .upper_bound = "z"});
  some->SeekToFirst();
  ASSERT_TRUE(some->Valid());
  EXPECT_EQ(some->key(), "m");
  some->SeekToLast();
  ASSERT_TRUE(some->Valid());
  EXPECT_EQ(some->key(), "mz");
  some->Next();
  EXPECT_FALSE(some->Valid());
  EXPECT_TRUE(some->status().ok());
}

TEST_P(StoreIterator, ShowsOfManyVersionsTheRightOne) {
  TestStore store(With(StillOptions()));
  std::vector<std::unique_ptr<const Snapshot>> snapshots;
  std::vector<Model> models;
  Model model;
  for (int i = 0; i < 60; ++i) {
    for (const std::string key : {"a", "b", "c"}) {
      if (i % 7 == 3 && key == "b") {
        store.Delete(key);
        model.erase(key);
      } else {
        model[key] = key + std::to_string(i);
        store.Put(key, model[key]);
      }
    }
    if (i % 6 == 0) {
      snapshots.push_back(store->GetSnapshot());
      models.push_back(model);
    }
    if (i % 20 == 19) store.Flush();
    if (i == 45) store.Compact();
  }
  for (int round = 0; round < 2; ++round) {
    for (std::size_t i = 0; i < snapshots.size(); ++i) {
      ExpectShows(&store, models[i], snapshots[i].get());
    }
    ExpectShows(&store, model);
    if (round == 0) store.Compact();
  }
}

TEST_P(StoreIterator, SnapshotsSurviveCompactions) {
  TestStore store(With(SmallOptions()));
  std::vector<std::unique_ptr<const Snapshot>> snapshots;
  std::vector<Model> models;
  Model model;
  for (std::uint64_t round = 0; round < 5; ++round) {
    ChangeBoth(&store, &model, round, 700);
    snapshots.push_back(store->GetSnapshot());
    models.push_back(model);
  }
  for (std::size_t i = 0; i < snapshots.size(); ++i) {
    store.Compact();
    ExpectShows(&store, models[i], snapshots[i].get());
    snapshots[i].reset();
  }
  ExpectShows(&store, model);
}

// What it shows stays, though its tables and memtables are replaced.
TEST_P(StoreIterator, OutlivesFlushesAndCompactions) {
  TestStore store(With(SmallOptions()));
  Model old;
  ChangeBoth(&store, &old, 1, 1500);
  const auto it = store->NewIterator();
  const auto halfway = store->NewIterator();
  halfway->Seek(NumberKey(150));
  const auto at = old.lower_bound(NumberKey(150));
  Model now = old;
  ChangeBoth(&store, &now, 2, 3000);
  store.Compact();
  for (std::uint64_t i = 0; i < 300; ++i) store.Delete(NumberKey(i));
  store.Compact();
  ASSERT_TRUE(store->WaitForQuiet().ok());
  ASSERT_NO_FATAL_FAILURE(ExpectAt(*halfway, old, at));
  halfway->Next();
  ASSERT_NO_FATAL_FAILURE(ExpectAt(*halfway, old, std::next(at)));
  halfway->Prev();
  halfway->Prev();
  ASSERT_NO_FATAL_FAILURE(ExpectAt(*halfway, old, std::prev(at)));
  ExpectWalks(it.get(), old);
  ExpectSeeks(it.get(), old);
  EXPECT_EQ(store.All(), "");
}

TEST_P(StoreIterator, TellsOfDamageAndStandsAtNone) {
  StoreOptions options = With(StillOptions());
  options.block_bytes = 256;
  TestStore store(options);
  for (std::uint64_t i = 0; i < 500; ++i) store.Put(NumberKey(i), "value");
  store.Flush();
  store.Close();
  store.env().FlipBit(store.Files(".ldb").front(), 2000, 3);
  store.Open();
  const auto it = store->NewIterator();
  std::uint64_t seen = 0;
  for (it->SeekToFirst(); it->Valid(); it->Next()) ++seen;
  EXPECT_EQ(it->status().code(), StatusCode::kCorruption);
  EXPECT_GT(seen, 0u);
  EXPECT_LT(seen, 500u);
  std::uint64_t back = 0;
  for (it->SeekToLast(); it->Valid(); it->Prev()) ++back;
  EXPECT_EQ(it->status().code(), StatusCode::kCorruption);
  EXPECT_GT(back, 0u);
  EXPECT_LT(seen + back, 500u);
  EXPECT_GT(seen + back, 450u);
}

}  // namespace
}  // namespace tamis
