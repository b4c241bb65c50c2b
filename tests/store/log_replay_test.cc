// SPDX-License-Identifier: Apache-2.0
// What recovery takes of logs with holes, torn ends and damage.

#include "store/log_replay.h"

#include <algorithm>
#include <cstdint>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "base/coding.h"
#include "store/log_format.h"
#include "tests/store/log_files.h"

namespace tamis::testing {
namespace {

constexpr std::size_t kAhead = std::size_t{64} << 10;

std::string Put(Sequence sequence, Slice value) {
  std::string batch;
  AppendFixed64(&batch, sequence);
  AppendFixed32(&batch, 1);
  batch += '\x01';
  AppendLengthPrefixed(&batch, "key" + std::to_string(sequence));
  AppendLengthPrefixed(&batch, value);
  return batch;
}

// Values whose last bytes could be taken for what was never written.
std::string TrickyValue(std::mt19937_64* random, std::size_t most = 300) {
  constexpr std::string_view kEnds[] = {"",
                                        " ",
                                        "@",
                                        std::string_view("\0", 1),
                                        std::string_view("\1\0\0\0", 4),
                                        std::string_view("\0\0\1", 3)};
  std::string value((*random)() % most, '\0');
  const bool is_empty = (*random)() % 8 == 0;
  for (char& c : value) c = is_empty ? '\0' : static_cast<char>((*random)());
  value += kEnds[(*random)() % std::size(kEnds)];
  return value;
}

// A log of ours with the batches `from` to before `to`, a sync mark behind
// those for which `is_synced` is true, and where each batch ends.
struct OurLog {
  std::string bytes;
  std::vector<std::size_t> ends;
  Records batches;
};

OurLog MakeLog(Sequence from, Sequence to, const LogHead& head = {},
               Sequence synced = 0, std::size_t most = 300) {
  std::mt19937_64 random(from * 31 + to);
  OurLog log;
  log.bytes = LogHeadBytes(head);
  for (Sequence i = from; i < to; ++i) {
    log.batches.push_back(Put(i, TrickyValue(&random, most)));
    log.bytes = LogOf({log.batches.back()}, log.bytes);
    log.ends.push_back(log.bytes.size());
    if (i == synced) log.bytes = LogOf({MarkRecord(i + 1)}, log.bytes);
  }
  return log;
}

std::string Allocated(std::string bytes) {
  bytes.resize((bytes.size() + kAhead - 1) / kAhead * kAhead);
  return bytes;
}

void Erase(std::string* bytes, std::size_t from, std::size_t to) {
  std::fill(bytes->begin() + static_cast<std::ptrdiff_t>(from),
            bytes->begin() + static_cast<std::ptrdiff_t>(to), '\0');
}

Records Batches(const ReplayLog& log, LogPart part = LogPart::kReplayed) {
  Records batches;
  const Status done = ForEachBatch(log, part, [&](Slice batch) {
    batches.emplace_back(batch);
    return Status::Ok();
  });
  EXPECT_TRUE(done.ok());
  return batches;
}

Records FirstOf(const Records& all, std::size_t count) {
  return {all.begin(), all.begin() + static_cast<std::ptrdiff_t>(count)};
}

// How many batches from the first on are in the damaged log as they were.
std::size_t WholeBatches(const OurLog& log, const std::string& damaged) {
  std::size_t whole = 0;
  while (whole < log.ends.size() &&
         damaged.compare(0, log.ends[whole], log.bytes, 0, log.ends[whole]) ==
             0) {
    ++whole;
  }
  return whole;
}

// How many batches from that one on are there as they were, anywhere.
std::size_t WholeBatchesFrom(const OurLog& log, const std::string& damaged,
                             std::size_t first) {
  std::size_t whole = 0;
  for (std::size_t i = first; i < log.ends.size(); ++i) {
    const std::size_t bytes = kLogHeaderBytes + log.batches[i].size();
    const std::size_t start = log.ends[i] - bytes;
    whole += damaged.compare(start, bytes, log.bytes, start, bytes) == 0;
  }
  return whole;
}

TEST(LogReplay, ReplaysAllOfAWholeLog) {
  const OurLog log = MakeLog(7, 600);
  for (const std::string& bytes : {log.bytes, Allocated(log.bytes)}) {
    const ReplayLog plan = Plan(bytes);
    EXPECT_TRUE(plan.is_ours);
    EXPECT_TRUE(plan.can_be_continued);
    EXPECT_EQ(plan.end, log.bytes.size());
    EXPECT_EQ(plan.next, 600u);
    EXPECT_EQ(plan.records, 593u);
    EXPECT_EQ(plan.changes, 593u);
    EXPECT_EQ(Batches(plan), log.batches);
    EXPECT_TRUE(plan.damage.empty() && plan.notes.empty());
  }
}

TEST(LogReplay, ATornEndIsNeverDamageWhereverItIs) {
  const OurLog log = MakeLog(1, 25);
  for (std::size_t cut = 0; cut <= log.bytes.size(); ++cut) {
    // The file ends, or was allocated ahead.
    for (const bool is_allocated : {false, true}) {
      std::string bytes = log.bytes.substr(0, cut);
      if (is_allocated) bytes.resize(bytes.size() + 1000);
      const ReplayLog plan = Plan(bytes);
      ASSERT_TRUE(plan.damage.empty()) << cut << ": " << plan.damage.front();
      ASSERT_EQ(plan.records, WholeBatches(log, bytes)) << cut;
      ASSERT_EQ(plan.dropped, 0u) << cut;
      ASSERT_FALSE(plan.may_hide_records) << cut;
    }
  }
}

TEST(LogReplay, ATornEndOfALogOfLevelDbsIsNoDamage) {
  std::mt19937_64 random(5);
  Records batches;
  for (Sequence i = 1; i < 25; ++i) {
    batches.push_back(Put(i, TrickyValue(&random)));
  }
  const std::string log = LogOf(batches);
  for (std::size_t cut = 0; cut <= log.size(); ++cut) {
    for (const bool is_allocated : {false, true}) {
      std::string bytes = log.substr(0, cut);
      if (is_allocated) bytes.resize(bytes.size() + 1000);
      const ReplayLog plan = Plan(bytes, false);
      ASSERT_TRUE(plan.damage.empty()) << cut << ": " << plan.damage.front();
      const Records found = Batches(plan);
      ASSERT_EQ(found, FirstOf(batches, found.size())) << cut;
    }
  }
}

TEST(LogReplay, WhicheverSectorsAreMissingItIsAPrefix) {
  const OurLog log = MakeLog(100, 900, {}, 0, 500);
  const std::string whole = Allocated(log.bytes);
  for (std::uint64_t seed = 0; seed < 200; ++seed) {
    std::mt19937_64 random(seed);
    const std::size_t unit = seed % 2 == 0 ? 512 : 4096;
    std::string bytes = whole;
    for (std::size_t lost = 1 + random() % 4; lost > 0; --lost) {
      const std::size_t at = random() % (log.bytes.size() / unit + 1) * unit;
      // A page may be there as it was before its last bytes came.
      const std::size_t kept = random() % 2 == 0 ? 0 : random() % unit;
      Erase(&bytes, at + kept, at + unit);
    }
    const ReplayLog plan = Plan(bytes);
    ASSERT_TRUE(plan.damage.empty()) << seed << ": " << plan.damage.front();
    const std::size_t prefix = WholeBatches(log, bytes);
    ASSERT_EQ(Batches(plan), FirstOf(log.batches, prefix)) << seed;
    ASSERT_EQ(plan.next, prefix == 0 ? 0 : 100 + prefix);
    // What is dropped was written, and lay behind.
    const Records dropped = Batches(plan, LogPart::kDropped);
    ASSERT_EQ(dropped.size(), plan.dropped);
    std::size_t at = prefix;
    for (const std::string& batch : dropped) {
      while (at < log.batches.size() && log.batches[at] != batch) ++at;
      ASSERT_LT(at++, log.batches.size()) << seed;
    }
    EXPECT_TRUE(prefix == log.batches.size() || !plan.can_be_continued);
    // Whole batches that are neither are not thrown away.
    const std::size_t whole_behind = WholeBatchesFrom(log, bytes, prefix);
    EXPECT_TRUE(plan.may_hide_records || dropped.size() == whole_behind)
        << seed;
  }
}

TEST(LogReplay, WithoutItsBeginningALogOfOursHasNothing) {
  const OurLog log = MakeLog(1, 500);
  std::string bytes = log.bytes;
  Erase(&bytes, 0, 4096);
  const ReplayLog ours = Plan(bytes, true);
  EXPECT_TRUE(ours.damage.empty());
  EXPECT_EQ(ours.records, 0u);
  EXPECT_GT(ours.dropped, 0u);
  // LevelDB's may have been synced: nobody knows.
  EXPECT_FALSE(Plan(bytes, false).damage.empty());
}

TEST(LogReplay, WhatIsMissingBeforeASyncMarkIsDamage) {
  for (const Sequence synced : {40u, 300u, 499u}) {
    const OurLog log = MakeLog(1, 500, {}, synced);
    const std::size_t end = log.ends[static_cast<std::size_t>(synced) - 1];
    for (std::size_t at = 0; at + 512 <= end; at += 512) {
      std::string bytes = Allocated(log.bytes);
      Erase(&bytes, at, at + 512);
      if (bytes == Allocated(log.bytes)) continue;
      EXPECT_FALSE(Plan(bytes).damage.empty()) << synced << ", " << at;
    }
  }
}

TEST(LogReplay, NoFlippedBitOfSyncedWritesGoesUnnoticed) {
  const OurLog log = MakeLog(1, 8, {}, 7, 60);
  for (const std::string& whole : {log.bytes, Allocated(log.bytes)}) {
    for (std::size_t bit = 0; bit < 8 * log.bytes.size(); ++bit) {
      std::string bytes = whole;
      bytes[bit / 8] = static_cast<char>(bytes[bit / 8] ^ (1 << bit % 8));
      const ReplayLog plan = Plan(bytes);
      EXPECT_TRUE(!plan.damage.empty() || Batches(plan) == log.batches) << bit;
    }
  }
}

TEST(LogReplay, AFlippedBitAmongWritesThatWereNotSyncedIsDamageToo) {
  const OurLog log = MakeLog(1, 400);
  std::mt19937_64 random(1);
  for (int i = 0; i < 200; ++i) {
    std::string bytes = Allocated(log.bytes);
    const std::size_t at = random() % log.ends[398];
    bytes[at] = static_cast<char>(bytes[at] ^ (1 << random() % 8));
    const ReplayLog plan = Plan(bytes);
    // A lost bit before zeros up to a sector's end looks as if not written.
    const std::size_t sector_end = (at / 512 + 1) * 512;
    const bool may_be_unwritten =
        bytes.find_first_not_of('\0', at) >= sector_end;
    EXPECT_TRUE(!plan.damage.empty() || may_be_unwritten ||
                Batches(plan) == log.batches)  // between two blocks
        << at;
  }
}

TEST(LogReplay, AHoleInALogOfLevelDbsIsDamage) {
  std::mt19937_64 random(9);
  Records batches;
  for (Sequence i = 1; i < 600; ++i) {
    batches.push_back(Put(i, TrickyValue(&random) + "x"));
  }
  const std::string log = LogOf(batches);
  for (std::size_t at = 0; at + 3 * kLogBlockBytes / 2 < log.size();
       at += 4096) {
    std::string bytes = log;
    Erase(&bytes, at, at + 4096);
    EXPECT_FALSE(Plan(bytes, false).damage.empty()) << at;
  }
}

TEST(LogReplay, NumbersMayBeLeftOutWhereNothingIsMissing) {
  std::string bytes = LogHeadBytes({});
  bytes = LogOf({Put(5, "a"), Put(6, "b"), Put(1000, "c")}, bytes);
  EXPECT_EQ(Plan(bytes).records, 3u);
  EXPECT_EQ(Plan(bytes).next, 1001u);
}

TEST(LogReplay, ALaterLogIsNotReplayedPastWhatAnEarlierOneHasLost) {
  const OurLog first = MakeLog(1, 100);
  const OurLog second = MakeLog(100, 200, {3, 100});
  const OurLog third = MakeLog(200, 300, {4, 200});
  for (const std::size_t lost : {0u, 50u, 98u}) {
    std::string bytes = Allocated(first.bytes);
    Erase(&bytes, lost == 0 ? 0 : first.ends[lost - 1], bytes.size());
    const auto logs = Planned({LogToReplay(bytes), LogToReplay(second.bytes, 4),
                               LogToReplay(third.bytes, 5)});
    EXPECT_EQ(logs[0].records, lost);
    EXPECT_EQ(logs[1].records, 0u);
    EXPECT_EQ(logs[1].dropped, 100u);
    EXPECT_EQ(logs[2].dropped, 100u);
    for (const ReplayLog& log : logs) EXPECT_TRUE(log.damage.empty());
    EXPECT_EQ(logs[1].notes.size(), 1u);
    EXPECT_EQ(logs[2].notes.size(), 1u) << "each says why it is dropped";
  }
  const auto whole =
      Planned({LogToReplay(first.bytes), LogToReplay(second.bytes, 4),
               LogToReplay(third.bytes, 5)});
  EXPECT_EQ(whole[1].records, 100u);
  EXPECT_EQ(whole[2].records, 100u);
}

TEST(LogReplay, WhatALogHasLostBeforeALaterLogsSyncMarkIsDamage) {
  const OurLog first = MakeLog(1, 100);
  const OurLog second = MakeLog(100, 200, {3, 100}, 150);
  std::string bytes = Allocated(first.bytes);
  Erase(&bytes, first.ends[49], bytes.size());
  const auto logs = Planned({LogToReplay(bytes), LogToReplay(second.bytes, 4)});
  EXPECT_FALSE(logs[0].damage.empty() && logs[1].damage.empty());
  // Whoever passes over damage gets what can be read.
  EXPECT_EQ(logs[0].records, 50u);
  EXPECT_EQ(logs[1].records, 100u);
}

TEST(LogReplay, ALogWithAMarkAloneVouchesForTheLogsBeforeIt) {
  const OurLog first = MakeLog(1, 100);
  const std::string second =
      LogOf({MarkRecord(100)}, LogHeadBytes({kLogNumber, 100}));
  std::string bytes = Allocated(first.bytes);
  Erase(&bytes, 4096, 8192);
  const auto logs = Planned({LogToReplay(bytes), LogToReplay(second, 4)});
  EXPECT_FALSE(logs[0].damage.empty() && logs[1].damage.empty());
  const auto whole =
      Planned({LogToReplay(first.bytes), LogToReplay(second, 4)});
  EXPECT_TRUE(whole[0].damage.empty() && whole[1].damage.empty());
  EXPECT_EQ(whole[0].records, 99u);
}

TEST(LogReplay, TellsOfDamageAHundredTimesAndThenHowOftenMore) {
  for (const std::size_t bad : {99u, 100u, 101u, 5000u}) {
    const ReplayLog plan = Plan(LogOf(Records(bad)));
    ASSERT_EQ(plan.damage.size(), std::min<std::size_t>(bad, 101)) << bad;
    EXPECT_NE(plan.damage[0].find("not a write batch"), std::string::npos);
    if (bad <= 100) continue;
    EXPECT_EQ(plan.damage[100], bad == 101
                                    ? "the like is found 1 more time"
                                    : "the like is found 4900 more times");
  }
}

TEST(LogReplay, ALogThatIsGoneTakesLaterOnesAlong) {
  const auto logs =
      Planned({LogToReplay(MakeLog(100, 200, {3, 100}).bytes, 4)});
  EXPECT_EQ(logs[0].records, 0u);
  EXPECT_EQ(logs[0].dropped, 100u);
  // Unless its writes are in tables.
  const auto needed =
      Planned({LogToReplay(MakeLog(100, 200, {2, 100}).bytes, 4)});
  EXPECT_EQ(needed[0].records, 100u);
}

TEST(LogReplay, AFailedWriteAtALogsEndTakesNothingAlong) {
  // The write of number 100 failed; a part of it is in the log, or all.
  const OurLog first = MakeLog(1, 101);
  const OurLog second = MakeLog(101, 200, {3, 100}, 150);
  for (std::size_t cut = first.ends[98]; cut <= first.ends[99]; ++cut) {
    const auto logs = Planned({LogToReplay(first.bytes.substr(0, cut)),
                               LogToReplay(second.bytes, 4)});
    EXPECT_EQ(logs[0].records, cut == first.ends[99] ? 100u : 99u);
    EXPECT_EQ(logs[1].records, 99u);
    EXPECT_TRUE(logs[0].damage.empty() && logs[1].damage.empty()) << cut;
  }
}

TEST(LogReplay, ABlankLogThatNothingWasAcknowledgedInTakesNothingAlong) {
  const OurLog first = MakeLog(1, 100);
  const OurLog third = MakeLog(101, 200, {3, 100});
  const auto logs =
      Planned({LogToReplay(first.bytes), LogToReplay(Allocated("x"), 4),
               LogToReplay(third.bytes, 5)});
  EXPECT_EQ(logs[2].records, 99u);
}

TEST(LogReplay, PutsWhatIsDroppedIntoALogInLost) {
  const OurLog log = MakeLog(1, 500);
  std::string bytes = log.bytes;
  Erase(&bytes, 0, kLogBlockBytes);
  const ReplayLog plan = Plan(bytes);
  ASSERT_GT(plan.dropped, 0u);
  ASSERT_FALSE(plan.may_hide_records);
  MemoryEnv env;
  ASSERT_TRUE(env.CreateDirectory("/db").ok());
  for (const char* const expected : {"/db/lost/3.log", "/db/lost/3.log.2"}) {
    std::string path;
    ASSERT_TRUE(SaveDropped(env, "/db", plan, &path).ok());
    EXPECT_EQ(path, expected);
    EXPECT_EQ(ReadLog(env.Contents(path)).records,
              Batches(plan, LogPart::kDropped));
  }
}

// Where records begin behind a hole, nobody knows before the next block.
TEST(LogReplay, KeepsALogAsItIsInLostWhereMoreRecordsMayBeHidden) {
  for (const Sequence batches : {120u, 500u}) {
    const OurLog log = MakeLog(1, batches);
    std::string bytes = Allocated(log.bytes);
    Erase(&bytes, 8192, 12'288);
    const ReplayLog plan = Plan(bytes);
    EXPECT_EQ(plan.dropped > 0, batches == 500);
    EXPECT_TRUE(plan.may_hide_records);
    EXPECT_TRUE(plan.damage.empty());
    ASSERT_EQ(plan.notes.size(), 1u);
    EXPECT_NE(plan.notes[0].find("is dropped"), std::string::npos);
    MemoryEnv env;
    ASSERT_TRUE(env.CreateDirectory("/db").ok());
    std::string path;
    ASSERT_TRUE(SaveDropped(env, "/db", plan, &path).ok());
    EXPECT_EQ(path, "/db/lost/3.log");
    EXPECT_EQ(env.Contents(path), bytes);
  }
}

}  // namespace
}  // namespace tamis::testing
