// SPDX-License-Identifier: Apache-2.0
// Random operations: a store must answer like a std::map, whatever its
// options.  For longer:
//
//   TAMIS_SOAK_SECONDS=600 tests_store --gtest_filter='StoreModel.*'
//
// tries fresh seeds for so long, and TAMIS_SOAK_SEED=N repeats one.

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <random>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "tamis/store.h"
#include "tests/store/batch_history.h"
#include "tests/store/model_run.h"
#include "tests/store/stores.h"
#include "tests/support/filter_choices.h"

namespace tamis {
namespace {

using testing::ModelRun;
using testing::NumberFrom;
using testing::SmallOptions;

struct Setup {
  const char* name;
  const char* filter;
  unsigned leveldb_bits;
  Compression compression;
  bool map;
};

constexpr Setup kSetups[] = {
    {"Usual", "bloom:10", 10, Compression::kSnappy, true},
    {"NoFilter", "", 0, Compression::kNone, true},
    {"LevelDbsAlone", "", 10, Compression::kNone, false},
    {"Ribbon", "rocksdb-ribbon:10", 0, Compression::kZstd, false},
    {"LevelDbWhole", "leveldb:10", 0, Compression::kNone, true},
    {"Classic", "classic:8", 0, Compression::kSnappy, false},
};

StoreOptions OptionsOf(const Setup& setup) {
  StoreOptions options = SmallOptions();
  options.filter = setup.filter;
  options.leveldb_filter_bits = setup.leveldb_bits;
  options.compression = setup.compression;
  options.map_tables = setup.map;
  return options;
}

std::uint64_t AnswersOf(const StoreOptions& options, std::uint64_t seed,
                        int operations) {
  ModelRun run(options, seed);
  run.Run(operations);
  return run.answers();
}

class StoreModelOf : public ::testing::TestWithParam<Setup> {};

TEST_P(StoreModelOf, AnswersTheSameWithFiltersOnOffAndAlwaysMaybe) {
  constexpr int kOperations = 1500;
  StoreOptions options = OptionsOf(GetParam());
  const std::uint64_t on = AnswersOf(options, 7, kOperations);
  options.filter_use = FilterUse::kOff;
  EXPECT_EQ(AnswersOf(options, 7, kOperations), on);
  options.filter_use = FilterUse::kAlwaysMaybe;
  EXPECT_EQ(AnswersOf(options, 7, kOperations), on);
}

INSTANTIATE_TEST_SUITE_P(Setups, StoreModelOf, ::testing::ValuesIn(kSetups),
                         [](const auto& tested) { return tested.param.name; });

TEST(StoreModel, AnswersTheSameWithAnyMemoryForFilters) {
  constexpr int kOperations = 1500;
  StoreOptions options = SmallOptions();
  const std::uint64_t all = AnswersOf(options, 11, kOperations);
  for (const std::uint64_t limit : {0u, 1u, 300u, 1000u, 3000u, 1'000'000u}) {
    options.filter_memory_bytes = limit;
    options.expect_hits = limit % 2 == 1;
    EXPECT_EQ(AnswersOf(options, 11, kOperations), all) << limit;
  }
}

TEST(StoreModel, AnswersTheSameWithFiltersBesideTables) {
  constexpr int kOperations = 1500;
  StoreOptions options = SmallOptions();
  const std::uint64_t all = AnswersOf(options, 13, kOperations);
  // Tables come without, and get theirs when they were moved down.
  options.filter_per_level = {"", "bloom:10"};
  options.filter_files = true;
  EXPECT_EQ(AnswersOf(options, 13, kOperations), all);
  options.filter_use = FilterUse::kOff;
  EXPECT_EQ(AnswersOf(options, 13, kOperations), all);
}

TEST(StoreModel, FillsSeveralLevels) {
  ModelRun run(SmallOptions(), 1);
  int most_filled = 0;
  std::uint64_t probes = 0;
  // A moment at which compaction has just emptied level 0 proves nothing.
  for (int part = 0; part < 12; ++part) {
    run.Run(500);
    const StoreStats stats = run.stats();
    int filled = 0;
    for (const LevelStats& level : stats.levels) filled += level.tables > 0;
    most_filled = std::max(most_filled, filled);
    probes = std::max(probes, stats.filters().probes);
  }
  EXPECT_GE(most_filled, 2);
  EXPECT_GT(probes, 0u);
}

// One store with options by chance.
void TryRandomOptions(std::uint64_t seed, int operations) {
  std::mt19937_64 random(seed);
  StoreOptions options = OptionsOf(kSetups[random() % std::size(kSetups)]);
  options.filter_use = static_cast<FilterUse>(random() % 3);
  options.write_buffer_bytes = std::size_t{4096} << random() % 5;
  options.table_bytes = std::uint64_t{2048} << random() % 4;
  options.block_bytes = std::size_t{128} << random() % 6;
  options.restart_interval = static_cast<unsigned>(1 + random() % 20);
  options.level0_compact_at = static_cast<unsigned>(1 + random() % 5);
  options.level1_bytes = std::uint64_t{8192} << random() % 4;
  options.level_growth = static_cast<unsigned>(2 + random() % 6);
  options.block_cache_bytes = random() % 2 == 0 ? 0 : std::size_t{64} << 10;
  options.filter_loading = static_cast<FilterLoading>(random() % 3);
  if (random() % 3 == 0) options.filter_memory_bytes = random() % 4000;
  if (random() % 4 == 0) {
    options.filter_per_level = {"bloom:16,fold=8", "ribbon:7", "", "bloom:6"};
    options.filter_per_level.resize(1 + random() % 4);
  }
  options.expect_hits = random() % 2 == 0;
  if (random() % 2 == 0) testing::ChooseFilters(random(), &options);
  ModelRun(options, seed).Run(operations);
}

TEST(StoreModel, AnswersLikeAMapForManySeeds) {
  using Clock = std::chrono::steady_clock;
  const std::uint64_t seconds = NumberFrom("TAMIS_SOAK_SECONDS", 0);
  const std::uint64_t only = NumberFrom("TAMIS_SOAK_SEED", 0);
  const auto end = Clock::now() + std::chrono::seconds(seconds);
  const int operations = seconds > 0 || only > 0 ? 20'000 : 1500;
  std::uint64_t seed = only > 0 ? only : 1;
  if (only == 0 && seconds > 0) seed = std::random_device()() * 1000ull + 1;
  for (std::uint64_t tried = 1;; ++tried, ++seed) {
    TryRandomOptions(seed, operations);
    ASSERT_FALSE(HasFailure()) << "TAMIS_SOAK_SEED=" << seed;
    if (seconds > 0 && tried % 20 == 0) {
      std::printf("%llu seeds, the last %llu\n",
                  static_cast<unsigned long long>(tried),
                  static_cast<unsigned long long>(seed));
      std::fflush(stdout);
    }
    if (only > 0 || (seconds == 0 && tried == 8)) break;
    if (seconds > 0 && Clock::now() >= end) break;
  }
}

}  // namespace
}  // namespace tamis
