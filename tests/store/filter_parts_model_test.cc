// SPDX-License-Identifier: Apache-2.0
// Filters in parts under a limit, beside a model: keys that are prefixes of one
// another, many versions of each, snapshots, and iterators both ways.

#include <algorithm>
#include <cstdint>
#include <iterator>
#include <map>
#include <memory>
#include <optional>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "tamis/store.h"
#include "tests/store/stores.h"

namespace tamis {
namespace {

using testing::StillOptions;
using testing::TestStore;
using PartsModel = std::map<std::string, std::string>;

constexpr int kPartStems = 600;
constexpr int kLongestKeys = 4;  // keys of one stem

// Each is a prefix of the next one of its stem.
std::string PartStemKey(int stem, int longer) {
  return "user:" + std::to_string(stem) + ":" +
         std::string(static_cast<std::size_t>(longer), '\xff');
}

std::uint64_t OverAllLevels(const StoreStats& stats,
                            std::uint64_t LevelStats::*member) {
  std::uint64_t sum = 0;
  for (const LevelStats& level : stats.levels) sum += level.*member;
  return sum;
}

// A store whose every filter is in several parts, and what should be in it.
class PartsRun {
 public:
  PartsRun(std::uint64_t limit, const std::string& prefixes)
      : store_(Options(limit, prefixes)), limit_(limit) {}

  // Changes that end in a table: most keys are in it twice, some thrice.
  void WriteTable() {
    if (moments_.size() < 3) {
      moments_.push_back({store_->GetSnapshot(), model_});
    }
    for (int i = 0; i < 2 * kPartStems * kLongestKeys; ++i) Write();
    moments_.push_back({store_->GetSnapshot(), model_});
    for (int i = 0; i < kPartStems; ++i) Write();
    store_.Flush();
  }
  void Compact() { store_.Compact(); }
  void DropSnapshots() { moments_.clear(); }

  void ExpectEqual() {
    moments_.push_back({nullptr, model_});
    for (const Moment& moment : moments_) {
      ExpectLookups(moment);
      ExpectWalks(moment);
      ExpectSteps(moment);
      for (int i = 0; i < 8; ++i) ExpectWithin(moment);
    }
    moments_.pop_back();
    const StoreStats stats = store_->Stats();
    EXPECT_LE(stats.filter_memory_held, limit_);
    EXPECT_EQ(stats.damaged_filter_parts, 0u);
  }
  StoreStats stats() { return store_->Stats(); }

 private:
  struct Moment {
    std::unique_ptr<const Snapshot> snapshot;
    PartsModel model;
  };

  static StoreOptions Options(std::uint64_t limit,
                              const std::string& prefixes) {
    StoreOptions options = StillOptions();
    options.filter_per_level = {"bloom:400"};
    options.filter_parts_above = 1;
    options.filter_memory_bytes = limit;
    options.filter_seed = FilterSeed::kFixed;
    options.prefix_extractor = prefixes;
    return options;
  }

  int Chance(int n) {
    return static_cast<int>(random_() % static_cast<unsigned>(n));
  }
  // Of even stems; those of the odd ones are absent.
  std::string KeyToWrite() {
    return PartStemKey(2 * Chance(kPartStems), Chance(kLongestKeys));
  }
  std::string AnyKey() {
    return PartStemKey(Chance(2 * kPartStems), Chance(kLongestKeys));
  }

  void Write() {
    const std::string key = KeyToWrite();
    if (Chance(4) == 0) {
      store_.Delete(key);
      model_.erase(key);
      return;
    }
    const std::string value = std::to_string(++writes_);
    store_.Put(key, value);
    model_[key] = value;
  }

  static std::string Expected(const Moment& moment, const std::string& key) {
    const auto found = moment.model.find(key);
    return found != moment.model.end() ? found->second : "(none)";
  }
  // One by one, and in a batch.
  void ExpectLookups(const Moment& moment) {
    std::vector<std::string> keys;
    for (int i = 0; i < 400; ++i) keys.push_back(AnyKey());
    const std::vector<Slice> slices(keys.begin(), keys.end());
    std::vector<std::string> values(keys.size());
    std::vector<Status> statuses(keys.size());
    store_->MultiGet({.snapshot = moment.snapshot.get()}, slices, values,
                     statuses);
    for (std::size_t i = 0; i < keys.size(); ++i) {
      const std::string expected = Expected(moment, keys[i]);
      ASSERT_EQ(store_.Get(keys[i], moment.snapshot.get()), expected);
      ASSERT_EQ(statuses[i].ok() ? values[i] : "(none)", expected);
      ASSERT_TRUE(statuses[i].ok() ||
                  statuses[i].code() == StatusCode::kNotFound);
    }
  }

  // From end to end, both ways; lookups change the parts that are in memory.
  void ExpectWalks(const Moment& moment) {
    const auto it = store_->NewIterator({.snapshot = moment.snapshot.get()});
    it->SeekToFirst();
    for (const auto& [key, value] : moment.model) {
      ASSERT_TRUE(it->Valid());
      ASSERT_EQ(it->key(), key);
      ASSERT_EQ(it->value(), value);
      it->Next();
    }
    ASSERT_FALSE(it->Valid());
    it->SeekToLast();
    for (auto at = moment.model.rbegin(); at != moment.model.rend(); ++at) {
      ASSERT_TRUE(it->Valid());
      ASSERT_EQ(it->key(), at->first);
      ASSERT_EQ(it->value(), at->second);
      if (Chance(8) == 0) {
        const std::string key = AnyKey();
        ASSERT_EQ(store_.Get(key, moment.snapshot.get()),
                  Expected(moment, key));
      }
      it->Prev();
    }
    ASSERT_FALSE(it->Valid());
    ASSERT_TRUE(it->status().ok());
  }

  // From somewhere, back and forth.
  void ExpectSteps(const Moment& moment) {
    const PartsModel& model = moment.model;
    const auto it = store_->NewIterator({.snapshot = moment.snapshot.get()});
    for (int i = 0; i < 60; ++i) {
      const std::string target = AnyKey();
      it->Seek(target);
      auto at = model.lower_bound(target);
      for (int step = 0; step < 8; ++step) {
        ASSERT_EQ(it->Valid(), at != model.end());
        if (!it->Valid()) break;
        ASSERT_EQ(it->key(), at->first);
        ASSERT_EQ(it->value(), at->second);
        if (Chance(2) == 0) {
          it->Next();
          ++at;
        } else {
          it->Prev();
          at = at == model.begin() ? model.end() : std::prev(at);
        }
      }
    }
    ASSERT_TRUE(it->status().ok());
  }

  // The keys of one stem, which filters may have as a prefix.
  void ExpectWithin(const Moment& moment) {
    const std::string prefix = PartStemKey(Chance(2 * kPartStems), 0);
    PartsModel expected;
    for (auto at = moment.model.lower_bound(prefix);
         at != moment.model.end() && at->first.starts_with(prefix); ++at) {
      expected.insert(*at);
    }
    const auto it = store_->NewIterator(
        {.snapshot = moment.snapshot.get(), .prefix = prefix});
    PartsModel forward;
    for (it->SeekToFirst(); it->Valid(); it->Next()) {
      forward.emplace(it->key(), it->value());
    }
    ASSERT_EQ(forward, expected);
    PartsModel reverse;
    for (it->SeekToLast(); it->Valid(); it->Prev()) {
      reverse.emplace(it->key(), it->value());
    }
    ASSERT_EQ(reverse, expected);
    ASSERT_TRUE(it->status().ok());
  }

  TestStore store_;
  const std::uint64_t limit_;
  std::mt19937 random_{16};
  std::uint64_t writes_ = 0;
  PartsModel model_;
  std::vector<Moment> moments_;
};

constexpr std::uint64_t kModelSlab = 70'000;  // of parts in memory

class FilterPartsModel
    : public ::testing::TestWithParam<std::pair<std::uint64_t, const char*>> {};

TEST_P(FilterPartsModel, EveryAnswerIsEqual) {
  const auto [limit, prefixes] = GetParam();
  PartsRun run(limit, prefixes);
  // Overlapping tables; then some above a level; then the level alone.
  for (int i = 0; i < 3; ++i) run.WriteTable();
  run.ExpectEqual();
  EXPECT_EQ(OverAllLevels(run.stats(), &LevelStats::filters_in_parts), 3u);
  run.Compact();
  run.WriteTable();
  run.ExpectEqual();
  EXPECT_EQ(OverAllLevels(run.stats(), &LevelStats::filters_in_parts), 2u);
  run.DropSnapshots();
  run.Compact();
  run.ExpectEqual();
  EXPECT_EQ(OverAllLevels(run.stats(), &LevelStats::filters_in_parts), 1u);
  EXPECT_GT(OverAllLevels(run.stats(), &LevelStats::filter_parts_read), 0u);
  EXPECT_GT(run.stats().filters().absent, 0u);
  EXPECT_EQ(run.stats().filter_parts_held > 0, limit >= kModelSlab);
}

// Without and with memory for parts, and with prefixes in filters.
INSTANTIATE_TEST_SUITE_P(
    Limits, FilterPartsModel,
    ::testing::Values(
        std::pair<std::uint64_t, const char*>{2000, ""},
        std::pair<std::uint64_t, const char*>{kModelSlab + 2000, ""},
        std::pair<std::uint64_t, const char*>{2000, "delimiter=:,count=2"}));

}  // namespace
}  // namespace tamis
