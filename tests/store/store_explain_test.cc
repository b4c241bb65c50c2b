// SPDX-License-Identifier: Apache-2.0
// What a store tells: of one lookup, and of all of them.

#include <cstdint>
#include <regex>
#include <set>
#include <sstream>
#include <string>

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "tamis/store.h"
#include "tests/store/stores.h"

namespace tamis {
namespace {

using Outcome = LookupStep::Outcome;
using Place = LookupStep::Place;
using testing::NumberKey;
using testing::SmallOptions;
using testing::StillOptions;
using testing::TestStore;

TEST(StoreExplain, TellsTheStepsOfALookup) {
  TestStore store(StillOptions());
  store.Put("b", "old");
  store.Put("d", "1");
  store.Compact();  // level 1
  store.Put("b", "new");
  store.Put("c", "2");
  store.Flush();  // level 0
  store.Delete("c");

  const Explanation b = store->Explain({}, "b");
  ASSERT_EQ(b.steps.size(), 2u);
  EXPECT_EQ(b.steps[0].place, Place::kMemtable);
  EXPECT_EQ(b.steps[0].outcome, Outcome::kFilterAbsent);
  EXPECT_EQ(b.steps[1].place, Place::kTable);
  EXPECT_EQ(b.steps[1].level, 0);
  EXPECT_EQ(b.steps[1].outcome, Outcome::kFound);
  EXPECT_EQ(b.steps[1].filter, "bloom");
  EXPECT_GT(b.steps[1].filter_rate, 0);
  EXPECT_LT(b.steps[1].filter_rate, 0.05);
  EXPECT_EQ(b.steps[1].blocks_read, 1u);
  EXPECT_EQ(b.steps[1].smallest, "b");
  EXPECT_EQ(b.steps[1].largest, "c");
  EXPECT_TRUE(b.status.ok());
  EXPECT_EQ(b.value, "new");

  const Explanation c = store->Explain({}, "c");
  ASSERT_EQ(c.steps.size(), 1u);
  EXPECT_EQ(c.steps[0].outcome, Outcome::kFoundDeleted);
  EXPECT_EQ(c.status.code(), StatusCode::kNotFound);

  const Explanation d = store->Explain({}, "d");
  ASSERT_EQ(d.steps.size(), 3u);
  EXPECT_EQ(d.steps[1].outcome, Outcome::kOutOfRange);
  EXPECT_EQ(d.steps[2].level, 1);
  EXPECT_EQ(d.steps[2].outcome, Outcome::kFound);

  const Explanation z = store->Explain({}, "z");
  EXPECT_EQ(z.status.code(), StatusCode::kNotFound);
  EXPECT_EQ(store->Stats().lookups, 0u);
  EXPECT_EQ(store->Stats().filters().probes, 0u);
}

// The steps of a lookup are what the same Get() adds to the counters.
TEST(StoreExplain, AgreesWithGetAndTheCounters) {
  for (const FilterUse use :
       {FilterUse::kOn, FilterUse::kOff, FilterUse::kAlwaysMaybe}) {
    StoreOptions options = SmallOptions();
    options.filter_use = use;
    TestStore store(options);
    for (std::uint64_t i = 0; i < 3000; ++i) {
      store.Put(NumberKey(i * 7919 % 3000 * 2), std::to_string(i));
    }
    ASSERT_TRUE(store->WaitForQuiet().ok());
    for (std::uint64_t i = 0; i < 6000; i += 7) {
      const std::string key = NumberKey(i);
      const Explanation told = store->Explain({}, key);
      const StoreStats before = store->Stats();
      const std::string got = store.Get(key);
      const StoreStats after = store->Stats();
      ASSERT_EQ(told.status.ok() ? told.value : "(none)", got);
      std::uint64_t read = 0;
      std::uint64_t ruled_out = 0;
      std::uint64_t blocks = 0;
      for (const LookupStep& step : told.steps) {
        if (step.place != Place::kTable) continue;
        blocks += step.blocks_read;
        ruled_out += step.outcome == Outcome::kFilterAbsent;
        read += step.outcome == Outcome::kFound ||
                step.outcome == Outcome::kReadAndAbsent ||
                step.outcome == Outcome::kIndexAbsent;
      }
      std::uint64_t counted_read = 0;
      std::uint64_t counted_blocks = 0;
      for (std::size_t l = 0; l < after.levels.size(); ++l) {
        counted_read +=
            after.levels[l].tables_read - before.levels[l].tables_read;
        counted_blocks +=
            after.levels[l].blocks_read - before.levels[l].blocks_read;
      }
      ASSERT_EQ(counted_read, read) << key;
      ASSERT_EQ(counted_blocks, blocks) << key;
      if (use == FilterUse::kOn) {
        ASSERT_EQ(after.filters().absent - before.filters().absent, ruled_out);
      }
    }
  }
}

TEST(StoreExplain, SaysWhyALookupFailed) {
  TestStore store(StillOptions());
  store.Put("a", "1");
  store.Flush();
  store.Close();
  const std::string path = store.Files(".ldb").front();
  store.env().FlipBit(path, 3, 1);  // in the data block
  store.Open();
  const Explanation told = store->Explain({}, "a");
  EXPECT_EQ(told.status.code(), StatusCode::kCorruption);
  EXPECT_EQ(told.steps.back().outcome, Outcome::kFailed);
  EXPECT_NE(told.steps.back().note.find(path), std::string::npos);
  std::string value;
  const Status got = store->Get({}, "a", &value);
  EXPECT_EQ(got.code(), StatusCode::kCorruption);
  EXPECT_EQ(got.message(), told.status.message());
}

void LookAround(TestStore* store) {
  for (std::uint64_t i = 0; i < 2000; ++i) store->Put(NumberKey(i), "v");
  for (std::uint64_t i = 0; i < 4000; ++i) (void)store->Get(NumberKey(i));
}

TEST(StoreStats, AreAnObjectOfJson) {
  TestStore store(SmallOptions());
  LookAround(&store);
  StoreStats stats = store->Stats();
  stats.last_filter_damage = "a \"name\\ with\n\x01\xff in it";
  const auto json = nlohmann::json::parse(stats.ToJson(), nullptr, false);
  ASSERT_TRUE(json.is_object());
  EXPECT_EQ(json["lookups"], 4000);
  EXPECT_EQ(json["lookups_found"], 2000);
  EXPECT_EQ(json["levels"].size(), 7u);
  EXPECT_EQ(json["filters"]["probes"], stats.filters().probes);
  EXPECT_EQ(json["levels"][1]["tables"], stats.levels[1].tables);
  EXPECT_EQ(json["last_filter_damage"].get<std::string>().substr(0, 14),
            "a \"name\\ with\n");
}

// Every line is a comment or a sample; every metric has one HELP and one TYPE
// before its samples, and no sample comes twice.
TEST(StoreStats, AreWellFormedForPrometheus) {
  TestStore store(SmallOptions());
  LookAround(&store);
  const std::regex comment("# (HELP|TYPE) ([a-z][a-z0-9_]*) [^\\n]+");
  const std::regex sample(
      "([a-z][a-z0-9_]*)(\\{level=\"[0-6]\"\\})? [0-9.e+-]+");
  std::istringstream lines(store->Stats().ToPrometheus());
  std::set<std::string> helped;
  std::set<std::string> typed;
  std::set<std::string> samples;
  for (std::string line; std::getline(lines, line);) {
    std::smatch match;
    if (std::regex_match(line, match, comment)) {
      auto& seen = match[1] == "HELP" ? helped : typed;
      EXPECT_TRUE(seen.insert(match[2]).second) << line;
    } else {
      ASSERT_TRUE(std::regex_match(line, match, sample)) << line;
      EXPECT_TRUE(typed.contains(match[1])) << line;
      EXPECT_TRUE(samples.insert(match[1].str() + match[2].str()).second)
          << line;
    }
  }
  EXPECT_EQ(helped, typed);
  EXPECT_TRUE(samples.contains("tamis_store_lookups_total"));
  EXPECT_TRUE(samples.contains("tamis_store_level_tables{level=\"0\"}"));
}

TEST(StoreStats, CountWritesAndBytes) {
  TestStore store(StillOptions());
  store.Put("key", "value");
  store.Delete("key");
  store.Flush();
  (void)store.All();
  const StoreStats stats = store->Stats();
  EXPECT_EQ(stats.writes, 2u);
  EXPECT_EQ(stats.bytes_put, 11u);
  EXPECT_GT(stats.log_bytes, 11u);
  EXPECT_EQ(stats.flushes, 1u);
  EXPECT_EQ(stats.flush_bytes, stats.levels[0].bytes);
  EXPECT_EQ(stats.iterators, 1u);
  EXPECT_EQ(stats.immutable_memtables, 0u);
  EXPECT_EQ(stats.background_error, "");
}

}  // namespace
}  // namespace tamis
