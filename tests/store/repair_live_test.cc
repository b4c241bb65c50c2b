// SPDX-License-Identifier: Apache-2.0
// RepairStore() and the manifest: what it says is live is kept, what it says is
// not never comes back.

#include <algorithm>
#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "base/coding.h"
#include "store/file_names.h"
#include "store/log_reader.h"
#include "store/log_writer.h"
#include "store/manifest.h"
#include "store/repair_manifest.h"
#include "tamis/store.h"
#include "tests/store/stores.h"
#include "tests/store/table_parts.h"

namespace tamis {
namespace {

using testing::Backwards;
using testing::CrashMode;
using testing::Files;
using testing::FilesOf;
using testing::NumberKey;
using testing::Repair;
using testing::StillOptions;
using testing::TestStore;

bool Mentions(const std::vector<std::string>& sentences,
              const std::string& words) {
  return std::any_of(sentences.begin(), sentences.end(),
                     [&](const std::string& sentence) {
                       return sentence.find(words) != std::string::npos;
                     });
}

// A deleted key whose deletion was compacted away while a scan had the old
// table, and then the process was killed.
void LeaveADeletedKeyOnDisk(TestStore* store) {
  store->Put("alice", "data");
  store->Flush();
  const auto scan = (*store)->NewIterator();
  scan->SeekToFirst();
  store->Delete("alice");
  store->Put("bob", "data");
  store->Compact();
  // The table with the deletion goes when the flush that wrote it lets go of
  // it, and the log with the deletion soon after that flush.
  EXPECT_TRUE(testing::ComesTrue([&] {
    return store->Files(".ldb").size() == 2 && store->Files(".log").size() == 1;
  }));
  store->env().Crash(CrashMode::kKillProcess);
}

TEST(StoreRepairLive, NeverBringsBackADeletedKey) {
  for (const bool lose_current : {false, true}) {
    TestStore store(StillOptions());
    LeaveADeletedKeyOnDisk(&store);
    store.Close();
    store.env().Restart();
    ASSERT_EQ(store.Files(".ldb").size(), 2u);
    if (lose_current) {
      ASSERT_TRUE(store.env().Remove("/db/CURRENT").ok());
    }
    const RepairReport report = Repair(&store);
    EXPECT_EQ(report.was_clean, !lose_current);
    EXPECT_TRUE(report.may_come_back.empty());
    store.Open();
    EXPECT_EQ(store.All(), "bob=data");
  }
}

TEST(StoreRepairLive, MovesWhatTheManifestDoesNotNameToLost) {
  TestStore store(StillOptions());
  LeaveADeletedKeyOnDisk(&store);
  store.Close();
  store.env().Restart();
  const std::string old = store.Files(".ldb").front();
  const std::string bytes = store.env().Contents(old);
  ASSERT_TRUE(store.env().Remove("/db/CURRENT").ok());
  const RepairReport report = Repair(&store);
  EXPECT_TRUE(Mentions(report.actions, old.substr(4) + " was moved to lost/"));
  EXPECT_EQ(store.env().Contents("/db/lost" + old.substr(3)), bytes);
}

TEST(StoreRepairLive, WithoutAManifestSaysThatKeysMayComeBack) {
  TestStore store(StillOptions());
  LeaveADeletedKeyOnDisk(&store);
  store.Close();
  store.env().Restart();
  ASSERT_TRUE(store.env().Remove(store.Manifest()).ok());
  const RepairReport report = Repair(&store);
  ASSERT_EQ(report.may_come_back.size(), 1u);
  EXPECT_TRUE(Mentions(report.may_come_back, "no manifest can be read"));
  store.Open();
  EXPECT_EQ(store.All(), "alice=data bob=data");
}

// Where each record of a log or a manifest ends.
std::vector<std::uint64_t> EndsOfRecords(const std::string& bytes) {
  std::vector<std::uint64_t> ends;
  LogReader reader(bytes);
  Slice record;
  while (reader.Next(&record)) ends.push_back(reader.end_of_record());
  return ends;
}

// Three tables, each in the manifest by an edit of its own, and a log.
void WriteThreeTables(TestStore* store) {
  for (int i = 0; i < 3; ++i) {
    store->Put("key", std::to_string(i));
    store->Put("key" + std::to_string(i), "value");
    store->Flush();
  }
  store->Put("key", "of the log");
  store->Close();
}
constexpr char kThreeTables[] =
    "key=of the log key0=value key1=value key2=value";

TEST(StoreRepairLive, TakesTablesThatADamagedManifestCannotSpeakFor) {
  for (std::size_t edit = 0; edit < 4; ++edit) {
    TestStore store(StillOptions());
    WriteThreeTables(&store);
    const std::string manifest = store.Manifest();
    const auto ends = EndsOfRecords(store.env().Contents(manifest));
    ASSERT_GE(ends.size(), 4u);
    // A bit of this edit is wrong; all before it are well.
    store.env().FlipBit(manifest, ends[edit] - 1, 3);
    const RepairReport report = Repair(&store);
    EXPECT_TRUE(Mentions(report.lost, manifest));
    const auto tables = std::count_if(
        report.may_come_back.begin(), report.may_come_back.end(),
        [](const std::string& s) {
          return s.find(".ldb: taken though") != std::string::npos;
        });
    EXPECT_EQ(static_cast<std::size_t>(tables), edit == 0 ? 0 : 4 - edit);
    EXPECT_FALSE(report.may_come_back.empty());
    store.Open();
    EXPECT_EQ(store.All(), kThreeTables) << edit;
  }
}

// Cut between two edits a manifest looks whole.  But what it names is gone.
TEST(StoreRepairLive, LosesNothingByAManifestThatIsCutOff) {
  for (std::size_t edit = 1; edit < 4; ++edit) {
    TestStore store(StillOptions());
    WriteThreeTables(&store);
    const std::string manifest = store.Manifest();
    const std::string bytes = store.env().Contents(manifest);
    const auto ends = EndsOfRecords(bytes);
    store.env().SetContents(manifest, bytes.substr(0, ends[edit - 1]));
    const RepairReport report = Repair(&store);
    EXPECT_FALSE(report.was_clean);
    EXPECT_FALSE(report.may_come_back.empty());
    store.Open();
    EXPECT_EQ(store.All(), kThreeTables) << edit;
  }
}

// The tables that it does not name may have numbers below the next one that it
// tells: another edit, with a later number, was written before theirs.
TEST(StoreRepairLive, LosesNothingByACutManifestThatTellsALaterNumber) {
  TestStore store(StillOptions());
  WriteThreeTables(&store);
  const std::string manifest = store.Manifest();
  const std::string bytes = store.env().Contents(manifest);
  store.env().SetContents(manifest, bytes.substr(0, EndsOfRecords(bytes)[1]));
  const Result<ManifestState> state = ReadManifest(store.env(), "/db");
  ASSERT_TRUE(state.ok());
  {
    auto file = store.env().Reopen(manifest, state->end, WriteKind::kTable);
    ASSERT_TRUE(file.ok());
    LogWriter writer(*std::move(file), state->end);
    VersionEdit later;
    later.next_file_number = 100;
    std::string record;
    later.AppendTo(&record);
    ASSERT_TRUE(writer.Add(record).ok());
  }
  EXPECT_FALSE(Repair(&store).may_come_back.empty());
  store.Open();
  EXPECT_EQ(store.All(), kThreeTables);
}

// A compaction takes its number before a flush, and is done after it.
TEST(StoreRepairLive, TakesATableWithASmallNumberThatCameLate) {
  TestStore store(StillOptions());
  WriteThreeTables(&store);
  const std::string manifest = store.Manifest();
  const auto ends = EndsOfRecords(store.env().Contents(manifest));
  ManifestFinding found;
  store.env().FlipBit(manifest, ends[2] - 1, 3);
  found = FindManifest(store.env(), "/db", {{2, manifest}});
  ASSERT_EQ(found.trust, ManifestFinding::Trust::kPart);
  const std::uint64_t named = *found.state.named.rbegin();
  EXPECT_FALSE(found.CannotSpeakFor(named));
  EXPECT_TRUE(found.CannotSpeakFor(named - 1));
  EXPECT_TRUE(found.CannotSpeakFor(named + 1));
  EXPECT_TRUE(found.CannotSpeakFor(1));
}

TEST(StoreRepairLive, DoesNotReplayALogThatIsNotNeeded) {
  TestStore store(StillOptions());
  store.Put("deleted", "value");
  const std::string log = store.Files(".log").front();
  const std::string bytes = store.env().Contents(log);
  store.Flush();
  store.Delete("deleted");
  store.Put("other", "value");
  store.Compact();
  store.Close();
  store.env().SetContents(log, bytes);  // as if removing it had failed
  ASSERT_TRUE(store.env().Remove("/db/CURRENT").ok());
  const RepairReport report = Repair(&store);
  EXPECT_TRUE(Mentions(report.actions, "the manifest does not need it"));
  store.Open();
  EXPECT_EQ(store.All(), "other=value");
}

// ---- Levels ----

// A key in each of level 2, 1 and 0, and in the log.
void FillLevels(TestStore* store) {
  for (std::uint64_t i = 0; i < 300; ++i) store->Put(NumberKey(i), "oldest");
  store->Compact();
  for (std::uint64_t i = 0; i < 300; i += 2) store->Put(NumberKey(i), "old");
  store->Flush();
  for (std::uint64_t i = 0; i < 300; i += 3) store->Put(NumberKey(i), "new");
  store->Flush();
  for (std::uint64_t i = 0; i < 300; i += 5) store->Delete(NumberKey(i));
}
std::string ValueInLevels(std::uint64_t i) {
  if (i % 5 == 0) return "(none)";
  if (i % 3 == 0) return "new";
  return i % 2 == 0 ? "old" : "oldest";
}

TEST(StoreRepairLevels, StayAsTheyAreWhereTablesAreWhole) {
  TestStore store(StillOptions());
  FillLevels(&store);
  store.Close();
  const Files before = FilesOf(&store.env());
  ASSERT_TRUE(store.env().Remove("/db/CURRENT").ok());
  const RepairReport report = Repair(&store);
  EXPECT_TRUE(report.lost.empty());
  EXPECT_TRUE(Mentions(report.actions, " was kept in level 1"));
  EXPECT_TRUE(Mentions(report.actions, " was kept in level 0"));
  for (const auto& [path, bytes] : before) {
    if (!path.ends_with(".ldb")) continue;
    EXPECT_EQ(store.env().Contents(path), bytes);
  }
  store.Open();
  EXPECT_EQ(store.TablesAt(1), 1u);
  EXPECT_EQ(store.TablesAt(0), 3u);  // one was the log
  for (std::uint64_t i = 0; i < 300; ++i) {
    ASSERT_EQ(store.Get(NumberKey(i)), ValueInLevels(i)) << i;
  }
}

// Whichever of the tables is damaged: what is saved of it is not taken for
// newer, or older, than it was.
TEST(StoreRepairLevels, KeepTheNewestOfWhatIsLeft) {
  for (std::size_t which = 0; which < 3; ++which) {
    TestStore store(StillOptions());
    FillLevels(&store);
    store.Close();
    const std::string table = store.Files(".ldb")[which];
    // Only the filter is damaged, so nothing is lost.
    const auto parts = testing::PartsOf(&store.env(), table);
    store.env().FlipBit(table, parts.own_filter.offset + 5, 1);
    const RepairReport report = Repair(&store);
    EXPECT_TRUE(Mentions(report.lost, table));
    store.Open();
    for (std::uint64_t i = 0; i < 300; ++i) {
      ASSERT_EQ(store.Get(NumberKey(i)), ValueInLevels(i)) << which << " " << i;
    }
    EXPECT_EQ(store.TablesAt(1), 1u);
    store.Close();
    const auto checked = CheckStore("/db", store.options());
    ASSERT_TRUE(checked.ok());
    EXPECT_TRUE(checked->problems.empty()) << checked->problems.front();
  }
}

// ---- What a repair does not do ----

TEST(StoreRepairClean, ChangesNothingAndSaysSo) {
  for (const bool has_lock : {true, false}) {
    TestStore store(StillOptions());
    FillLevels(&store);
    store.Close();
    if (!has_lock) (void)store.env().Remove("/db/LOCK");
    const Files before = FilesOf(&store.env());
    const RepairReport report = Repair(&store);
    EXPECT_TRUE(report.was_clean);
    EXPECT_TRUE(report.actions.empty());
    EXPECT_EQ(report.tables, 3u);
    EXPECT_TRUE(FilesOf(&store.env()) == before);
  }
}

TEST(StoreRepairDryRun, ChangesNothingAndSaysWhatWouldBeDone) {
  TestStore store(StillOptions());
  FillLevels(&store);
  store.Close();
  (void)store.env().Remove("/db/LOCK");
  const std::string table = store.Files(".ldb").front();
  store.env().FlipBit(table, 10, 1);
  const Files before = FilesOf(&store.env());
  const RepairReport would = Repair(&store, RepairMode::kDryRun);
  EXPECT_TRUE(FilesOf(&store.env()) == before);
  EXPECT_FALSE(store.env().Exists("/db/lost"));
  EXPECT_FALSE(would.was_clean);
  EXPECT_TRUE(Mentions(would.actions, table.substr(4) + " would be replaced"));
  EXPECT_TRUE(Mentions(would.actions, "would be kept in level 0"));
  EXPECT_TRUE(Mentions(would.actions, ".log would be turned into a table"));
  const RepairReport did = Repair(&store);
  EXPECT_EQ(would.lost, did.lost);
  EXPECT_EQ(would.tables, did.tables);
  EXPECT_EQ(would.entries, did.entries);
  EXPECT_EQ(would.logs, did.logs);
  EXPECT_EQ(would.actions.size(), did.actions.size());
}

TEST(StoreRepairLost, IsNeverWrittenOver) {
  TestStore store(StillOptions());
  WriteThreeTables(&store);
  ASSERT_TRUE(store.env().CreateDirectory("/db/lost").ok());
  const std::string log = store.Files(".log").front();
  const std::string in_lost = "/db/lost" + log.substr(3);
  store.env().SetContents(in_lost, "precious");
  store.env().SetContents(in_lost + ".1", "precious, too");
  const std::string bytes = store.env().Contents(log);
  ASSERT_TRUE(store.env().Remove("/db/CURRENT").ok());
  (void)Repair(&store);
  EXPECT_EQ(store.env().Contents(in_lost), "precious");
  EXPECT_EQ(store.env().Contents(in_lost + ".1"), "precious, too");
  EXPECT_EQ(store.env().Contents(in_lost + ".2"), bytes);
}

// Whatever call fails: the store is as it was, or repaired.
TEST(StoreRepairFaults, LeaveTheStoreAsItWasOrRepaired) {
  for (std::uint64_t n = 1;; ++n) {
    TestStore store(StillOptions());
    WriteThreeTables(&store);
    const std::string table = store.Files(".ldb").front();
    const auto parts = testing::PartsOf(&store.env(), table);
    store.env().FlipBit(table, parts.own_filter.offset + 5, 1);
    const Files before = FilesOf(&store.env());
    store.env().Heal();
    store.env().FailCall(n, ENOSPC, true,
                         testing::kCreateCalls | testing::kWriteCalls |
                             testing::kSyncCalls | testing::kNameCalls);
    const auto repaired = RepairStore("/db", store.options());
    const bool failed = store.env().failures() > 0;
    store.env().Heal();
    if (!repaired.ok()) {
      // What could not be removed meanwhile may be there as well.
      const Files after = FilesOf(&store.env());
      for (const auto& [path, bytes] : before) {
        const auto found = after.find(path);
        ASSERT_TRUE(found != after.end()) << n << path;
        if (path == "/db/CURRENT") continue;
        ASSERT_EQ(found->second, bytes) << n << path;
      }
      ASSERT_TRUE(RepairStore("/db", store.options()).ok()) << n;
    }
    store.Open();
    ASSERT_EQ(store.All(), kThreeTables) << n;
    if (!failed) break;
    ASSERT_LT(n, 200u);
  }
}

// ---- Orders ----

TEST(StoreRepairOrder, RefusesAStoreOfAnotherComparator) {
  static const Backwards backwards;
  for (const bool has_manifest : {true, false}) {
    StoreOptions options = StillOptions();
    options.comparator = &backwards;
    TestStore store(options);
    for (std::uint64_t i = 0; i < 1000; ++i) store.Put(NumberKey(i), "value");
    store.Flush();
    store.Close();
    if (!has_manifest) {
      ASSERT_TRUE(store.env().Remove(store.Manifest()).ok());
    }
    ASSERT_TRUE(store.env().Remove("/db/CURRENT").ok());
    (void)store.env().Remove("/db/LOCK");
    const Files before = FilesOf(&store.env());
    StoreOptions plain = StillOptions();
    plain.env = &store.env();
    const Status refused = RepairStore("/db", plain).status();
    EXPECT_EQ(refused.code(), StatusCode::kInvalidArgument)
        << refused.ToString();
    EXPECT_NE(refused.message().find("order"), std::string::npos)
        << refused.ToString();
    EXPECT_TRUE(FilesOf(&store.env()) == before);
    const RepairReport report = Repair(&store);
    EXPECT_TRUE(report.lost.empty());
    store.Open();
    EXPECT_EQ(store.Get(NumberKey(7)), "value");
  }
}

}  // namespace
}  // namespace tamis
