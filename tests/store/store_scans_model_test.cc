// SPDX-License-Identifier: Apache-2.0
// Iterators over a store whose tables have range filters and prefixes, of
// several kinds and damaged ones among them: whatever is asked of them, and
// whatever happens meanwhile, they show what a map shows.

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstdint>
#include <iterator>
#include <map>
#include <memory>
#include <optional>
#include <random>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "tamis/store.h"
#include "tests/store/batch_history.h"
#include "tests/store/stores.h"
#include "tests/store/table_parts.h"
#include "tests/support/filter_choices.h"

namespace tamis {
namespace {

using testing::NumberFrom;
using testing::TestStore;
using Model = std::map<std::string, std::string>;

std::optional<std::string> EndOf(std::string prefix) {
  while (prefix.ends_with('\xff')) prefix.pop_back();
  if (prefix.empty()) return std::nullopt;
  ++prefix.back();
  return prefix;
}

// One store, its model, and iterators that stay while both go on.
class ScansRun {
 public:
  explicit ScansRun(std::uint64_t seed)
      : random_(seed), store_(FirstOptions()) {}

  void Run(int operations) {
    for (int i = 0; i < operations; ++i) {
      Step();
      if (::testing::Test::HasFailure()) return;
    }
    for (auto& walk : walks_) ExpectShowsAll(walk.get());
  }

  // Another thread changes the limit of the memory for filters meanwhile.
  void RunWhileLimitsChange(int operations) {
    may_reopen_ = false;
    std::atomic<bool> is_over{false};
    std::thread other([&] {
      for (std::uint64_t i = 0; !is_over.load(); ++i) {
        constexpr std::uint64_t kLimits[] = {0, 700, 3000, 1 << 20};
        EXPECT_TRUE(store_->SetFilterMemory(kLimits[i % 4]).ok());
      }
    });
    Run(operations);
    is_over = true;
    other.join();
  }

  std::uint64_t Asked() {
    std::uint64_t asked = 0;
    for (const LevelStats& level : store_->Stats().levels) {
      asked += level.range_filter_probes + level.prefix_probes;
    }
    return asked_ + asked;
  }

 private:
  struct Walk {
    Model model;  // what it may show
    // What the options name.
    std::string lower;
    std::string upper;
    std::string prefix;
    std::unique_ptr<Iterator> iterator;
    Model::const_iterator at;
    std::string how;
  };

  std::uint64_t Chance(std::uint64_t below) { return random_() % below; }

  StoreOptions FirstOptions() {
    StoreOptions options = testing::SmallOptions();
    options.write_buffer_bytes = std::size_t{4} << 10;
    options.table_bytes = std::uint64_t{2} << 10;
    options.level1_bytes = std::uint64_t{6} << 10;
    options.block_bytes = 256;
    options.level0_compact_at = static_cast<unsigned>(2 + Chance(6));
    Choose(&options);
    return options;
  }

  // Every opening has options of its own.
  void Choose(StoreOptions* options) {
    constexpr const char* kExtractors[] = {
        "",        "fixed=1",     "fixed=2",     "fixed=3",
        "fixed=4", "delimiter=:", "delimiter=0", "delimiter=0xff"};
    constexpr unsigned kBits[] = {0, 3, 8, 14, 32};
    testing::ChooseFilters(random_(), options);
    options->prefix_extractor = kExtractors[Chance(std::size(kExtractors))];
    options->range_filter_bits = kBits[Chance(std::size(kBits))];
    options->filter_parts_above = Chance(2) == 0 ? 100 : 1 << 20;
    options->filter_memory_bytes.reset();
    if (Chance(2) == 0) options->filter_memory_bytes = Chance(6000);
    options->filter_loading = Chance(2) == 0 ? FilterLoading::kInBackground
                                             : FilterLoading::kWhenFirstAsked;
    options->filter_use =
        Chance(6) == 0 ? FilterUse::kAlwaysMaybe : FilterUse::kOn;
  }

  // Short ones of few bytes, some of which begin others; and sparse ones, of
  // which there are few enough to meet again.
  std::string RandomKey() {
    constexpr char kAlphabet[] = {'a', 'b', ':', '\0', '\xff'};
    if (Chance(3) == 0) {
      std::string key(Chance(6), ' ');
      for (char& c : key) c = kAlphabet[Chance(std::size(kAlphabet))];
      return key;
    }
    std::mt19937_64 of_key(Chance(700));
    std::string key = of_key() % 3 == 0 ? "user:" : "";
    for (std::uint64_t i = 1 + of_key() % 7; i > 0; --i) {
      key += static_cast<char>(of_key() % 4 == 0 ? kAlphabet[of_key() % 5]
                                                 : static_cast<char>(of_key()));
    }
    return key;
  }
  // Often close to a key.
  std::string RandomPlace() {
    std::string key = RandomKey();
    const std::uint64_t how = Chance(8);
    if (how == 0) key += '\0';
    if (how == 1) key += '\xff';
    if (how == 2 && !key.empty()) key.pop_back();
    if (how == 3 && !key.empty()) {
      key.back() = static_cast<char>(key.back() + 1);
    }
    if (how == 4 && !key.empty()) {
      key.back() = static_cast<char>(key.back() - 1);
    }
    return key;
  }

  void Step() {
    const std::uint64_t what = Chance(1000);
    if (what < 330) {
      Write();
    } else if (what < 430) {
      BeginWalk();
    } else if (what < 960) {
      if (!walks_.empty()) Move(walks_[Chance(walks_.size())].get());
    } else if (what < 970) {
      if (!walks_.empty()) ExpectShowsAll(walks_[Chance(walks_.size())].get());
    } else if (what < 980) {
      store_.Flush();
    } else if (what < 983) {
      store_.Compact();
    } else if (what < 990) {
      ChangeMemory();
    } else if (what < 993) {
      Reopen();
    } else {
      snapshot_ = store_->GetSnapshot();
      then_ = model_;
    }
  }

  void Write() {
    const std::string key = RandomKey();
    if (Chance(4) == 0) {
      store_.Delete(key);
      model_.erase(key);
      return;
    }
    const std::string value(Chance(60), static_cast<char>('a' + Chance(26)));
    store_.Put(key, value);
    model_[key] = value;
  }

  void ChangeMemory() {
    if (!may_reopen_) return;
    std::optional<std::uint64_t> bytes;
    if (Chance(3) != 0) bytes = Chance(8000);
    const Status changed = store_->SetFilterMemory(bytes);
    ASSERT_TRUE(changed.ok()) << changed.ToString();
    const std::uint64_t held = store_->Stats().filter_memory_held;
    ASSERT_LE(held, bytes.value_or(held));
  }

  void BeginWalk() {
    if (walks_.size() == 4) {
      walks_.erase(walks_.begin() +
                   static_cast<std::ptrdiff_t>(Chance(walks_.size())));
    }
    auto walk = std::make_unique<Walk>();
    ReadOptions options;
    const bool is_old = snapshot_ != nullptr && Chance(4) == 0;
    if (is_old) options.snapshot = snapshot_.get();
    walk->lower = RandomPlace();
    walk->upper = RandomPlace();
    walk->prefix = RandomPlace().substr(0, Chance(5));
    const std::uint64_t how = Chance(8);
    if (how == 1) walk->upper = walk->lower + walk->upper;
    if (how == 2) walk->upper = EndOf(walk->lower).value_or("");
    if (how == 3) walk->upper = walk->lower;
    if (how == 4) walk->upper = walk->lower + '\0';
    if (how == 5) walk->lower = walk->prefix + walk->lower;
    if (Chance(3) != 0) options.lower_bound = walk->lower;
    if (Chance(3) != 0) options.upper_bound = walk->upper;
    if (Chance(3) == 0) options.prefix = walk->prefix;
    for (const auto& [key, value] : is_old ? then_ : model_) {
      if (options.lower_bound && Slice(key) < *options.lower_bound) continue;
      if (options.upper_bound && Slice(key) >= *options.upper_bound) continue;
      if (options.prefix && !key.starts_with(*options.prefix)) continue;
      walk->model.emplace(key, value);
    }
    walk->iterator = store_->NewIterator(options);
    walk->at = walk->model.end();
    ASSERT_FALSE(walk->iterator->Valid());
    walks_.push_back(std::move(walk));
    if (Chance(2) == 0) ExpectShowsAll(walks_.back().get());
  }

  void Move(Walk* walk) {
    const Model& model = walk->model;
    Iterator& it = *walk->iterator;
    const std::uint64_t how = Chance(20);
    const std::string place = RandomPlace();
    if (how == 0) {
      it.SeekToFirst();
      walk->at = model.begin();
    } else if (how == 1) {
      it.SeekToLast();
      walk->at = model.empty() ? model.end() : std::prev(model.end());
    } else if (how < 5) {
      it.SeekForPrev(place);
      const auto after = model.upper_bound(place);
      walk->at = after == model.begin() ? model.end() : std::prev(after);
    } else if (how < 8 || !it.Valid()) {
      it.Seek(place);
      walk->at = model.lower_bound(place);
    } else if (how < 14) {
      it.Next();
      ++walk->at;
    } else {
      it.Prev();
      walk->at = walk->at == model.begin() ? model.end() : std::prev(walk->at);
    }
    ExpectStandsRight(*walk);
  }

  static void ExpectStandsRight(const Walk& walk) {
    const Iterator& it = *walk.iterator;
    ASSERT_TRUE(it.status().ok()) << it.status().ToString();
    ASSERT_EQ(it.Valid(), walk.at != walk.model.end());
    if (!it.Valid()) return;
    ASSERT_EQ(it.key(), walk.at->first);
    ASSERT_EQ(it.value(), walk.at->second);
  }

  // Both ways.
  void ExpectShowsAll(Walk* walk) {
    Iterator& it = *walk->iterator;
    it.SeekToFirst();
    walk->at = walk->model.begin();
    for (; it.Valid() && walk->at != walk->model.end(); ++walk->at) {
      ExpectStandsRight(*walk);
      it.Next();
    }
    ExpectStandsRight(*walk);
    it.SeekToLast();
    auto back = walk->model.rbegin();
    for (; it.Valid() && back != walk->model.rend(); ++back) {
      ASSERT_EQ(it.key(), back->first);
      ASSERT_EQ(it.value(), back->second);
      it.Prev();
    }
    walk->at = walk->model.end();
    ASSERT_EQ(back, walk->model.rend());
    ExpectStandsRight(*walk);
  }

  void Reopen() {
    if (!may_reopen_) return;
    asked_ = Asked();
    walks_.clear();
    snapshot_.reset();
    store_.Close();
    if (Chance(2) == 0) Damage();
    Choose(&store_.options());
    store_.Open();
  }

  // Of a table's filters, some of the time such that only they can tell.
  void Damage() {
    for (const std::string& path : store_.Files(".ldb")) {
      if (Chance(4) != 0) continue;
      const testing::PartPlaces parts = testing::PartsOf(&store_.env(), path);
      std::string bytes = store_.env().Contents(path);
      for (const BlockHandle& block :
           {parts.range_filter, parts.own_filter, parts.filter_top}) {
        if (block.size == 0 || Chance(2) == 0) continue;
        char& byte = bytes[block.offset + Chance(block.size)];
        byte = static_cast<char>(byte ^ (1 << Chance(8)));
        if (Chance(2) == 0) testing::Reseal(&bytes, block);
      }
      store_.env().SetContents(path, bytes);
    }
  }

  std::mt19937_64 random_;
  TestStore store_;
  bool may_reopen_ = true;   // and change the limit
  std::uint64_t asked_ = 0;  // of the openings before
  Model model_;
  std::unique_ptr<const Snapshot> snapshot_;
  Model then_;
  std::vector<std::unique_ptr<Walk>> walks_;
};

// TAMIS_SOAK_SECONDS=600 tries fresh seeds for so long, TAMIS_SOAK_SEED=N one.
TEST(StoreScansModel, ShowWhatAMapShowsForManySeeds) {
  using Clock = std::chrono::steady_clock;
  const std::uint64_t seconds = NumberFrom("TAMIS_SOAK_SECONDS", 0);
  const std::uint64_t only = NumberFrom("TAMIS_SOAK_SEED", 0);
  const auto end = Clock::now() + std::chrono::seconds(seconds);
  std::uint64_t seed = only > 0 ? only : 1;
  if (only == 0 && seconds > 0) seed = std::random_device()() * 1000ull + 1;
  std::uint64_t asked = 0;
  for (std::uint64_t tried = 1;; ++tried, ++seed) {
    ScansRun run(seed);
    run.Run(1500);
    ASSERT_FALSE(HasFailure()) << "TAMIS_SOAK_SEED=" << seed;
    asked += run.Asked();
    if (only > 0 || (seconds == 0 && tried == 4)) break;
    if (seconds > 0 && Clock::now() >= end) break;
  }
  EXPECT_TRUE(only > 0 || asked > 100) << asked;
}

TEST(StoreScansThreads, ShowWhatAMapShowsWhileTheLimitChanges) {
  ScansRun run(1);
  run.RunWhileLimitsChange(500);
}

}  // namespace
}  // namespace tamis
