// SPDX-License-Identifier: Apache-2.0
// What a store's log says of itself, and what it never says by accident.

#include "store/write_log.h"

#include <algorithm>
#include <cstdint>
#include <memory>
#include <random>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "store/batch_access.h"
#include "store/log_format.h"
#include "store/log_replay.h"
#include "tests/store/log_files.h"
#include "tests/support/memory_env.h"

namespace tamis::testing {
namespace {

// The log of a store that puts these values, with numbers from 1 on.
std::string LogOfPuts(const std::vector<std::string>& values, bool sync) {
  MemoryEnv env;
  WriteLog log(kLogNumber, *env.Create("log", WriteKind::kLog), LogHead());
  Sequence next = 1;
  for (const std::string& value : values) {
    WriteBatch batch;
    batch.Put("key", value);
    BatchAccess::SetSequence(&batch, next++);
    EXPECT_TRUE(log.Append(batch).ok());
    log.Acknowledge(next);
    EXPECT_TRUE(!sync || log.MarkSynced().ok());
  }
  return env.Contents("log");
}

// With a mark behind each of its writes.
std::string SyncedLog(std::size_t writes) {
  return LogOfPuts(std::vector<std::string>(writes, std::string(20, 'v')),
                   true);
}

bool HasMarkBehindItsHead(const std::string& log) {
  const std::size_t head = LogHeadBytes({}).size();
  for (std::size_t at = head; at < log.size();) {
    const std::size_t rest = kLogBlockBytes - at % kLogBlockBytes;
    if (HoldsSyncMark(Slice(log).substr(at, rest), 0)) return true;
    at += rest;
  }
  return false;
}

TEST(WriteLog, HasTheMarksOfItsOwnSyncsAlone) {
  const std::string inner = SyncedLog(1600);
  ASSERT_GT(inner.size(), 3 * kLogBlockBytes);
  EXPECT_TRUE(HasMarkBehindItsHead(inner));
  for (std::size_t before = 0; before < 300; before += 7) {
    const std::vector<std::string> values = {std::string(before, 'b'), inner};
    const std::string log = LogOfPuts(values, false);
    EXPECT_FALSE(HasMarkBehindItsHead(log)) << before;
    const ReplayLog plan = Plan(log);
    EXPECT_TRUE(plan.damage.empty() && plan.notes.empty());
    EXPECT_EQ(plan.records, 2u);
  }
  EXPECT_TRUE(HasMarkBehindItsHead(LogOfPuts({inner}, true)));
}

// The last bytes of a mark are zeros, and so is what was never written.
TEST(WriteLog, AValueThatEndsWithinAMarkMakesNoneWithZerosBehindIt) {
  const std::string inner = SyncedLog(3);
  for (std::size_t less = 0; less < inner.size(); ++less) {
    const std::string value = inner.substr(0, inner.size() - less);
    // Wherever in its block that is.
    for (std::size_t before : {std::size_t{10}, kLogBlockBytes - 200}) {
      std::string log = LogOfPuts({std::string(before, 'b'), value}, false);
      log.resize(log.size() + 100);
      ASSERT_FALSE(HasMarkBehindItsHead(log)) << less << ", " << before;
    }
  }
}

TEST(WriteLog, ATornEndIsNoDamageThoughValuesHoldLogs) {
  const std::string inner = SyncedLog(300);
  std::vector<std::string> values = {"x", inner};
  for (std::size_t i = 0; i < 30; ++i) {
    values.push_back(inner.substr(i * 100, i * 200));
  }
  std::string whole = LogOfPuts(values, false);
  whole.resize((whole.size() / kLogBlockBytes + 2) * kLogBlockBytes);
  for (std::size_t at = 512; at < whole.size(); at += 512) {
    EXPECT_TRUE(Plan(whole.substr(0, at)).damage.empty()) << at;
    std::string zeroed = whole.substr(0, at);
    zeroed.resize(whole.size());
    EXPECT_TRUE(Plan(zeroed).damage.empty()) << at;
  }
  for (std::uint64_t seed = 0; seed < 500; ++seed) {
    std::mt19937_64 random(seed);
    std::string bytes = whole;
    for (std::size_t lost = 1 + random() % 4; lost > 0; --lost) {
      const std::size_t unit = random() % 2 == 0 ? 512 : 4096;
      const std::size_t at = random() % (whole.size() / unit) * unit;
      std::fill_n(bytes.begin() + static_cast<std::ptrdiff_t>(at), unit, '\0');
    }
    const ReplayLog plan = Plan(bytes);
    ASSERT_TRUE(plan.damage.empty()) << seed << ": " << plan.damage.front();
  }
}

TEST(WriteLog, BeforeItsFirstWriteItMarksTheLogsBeforeIt) {
  const LogHead head{.previous_log = 2, .follows = 100};
  MemoryEnv env;
  WriteLog log(kLogNumber, *env.Create("log", WriteKind::kLog), head);
  for (int i = 0; i < 2; ++i) {
    ASSERT_TRUE(log.MarkSynced().ok());
    EXPECT_EQ(env.Contents("log"),
              LogOf({MarkRecord(100)}, LogHeadBytes(head)));
  }
  EXPECT_EQ(log.HeadOfNext().previous_log, 2u);
  EXPECT_EQ(log.HeadOfNext().follows, 100u);
  // It goes on behind its mark.
  WriteBatch batch;
  batch.Put("key", "value");
  BatchAccess::SetSequence(&batch, 100);
  ASSERT_TRUE(log.Append(batch).ok());
  log.Acknowledge(101);
  ASSERT_TRUE(log.MarkSynced().ok());
  // Three records of the head, two marks and the batch.
  EXPECT_EQ(ReadLog(env.Contents("log")).records.size(), 6u);
}

TEST(WriteLog, WhereNothingWasWrittenAMarkSaysNothing) {
  MemoryEnv env;
  WriteLog log(kLogNumber, *env.Create("log", WriteKind::kLog), LogHead());
  ASSERT_TRUE(log.MarkSynced().ok());
  EXPECT_EQ(env.Contents("log"), "");
}

}  // namespace
}  // namespace tamis::testing
