// SPDX-License-Identifier: Apache-2.0
// RepairStore() and logs that lack writes which were never synced: opening
// passes over these by itself, so they are nothing to repair.

#include <algorithm>
#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "base/coding.h"
#include "store/file_names.h"
#include "store/log_markers.h"
#include "tamis/store.h"
#include "tests/store/log_files.h"
#include "tests/store/stores.h"

namespace tamis::testing {
namespace {

std::string Batch(Sequence sequence, Slice key) {
  std::string batch;
  AppendFixed64(&batch, sequence);
  AppendFixed32(&batch, 1);
  batch += '\x01';
  AppendLengthPrefixed(&batch, key);
  AppendLengthPrefixed(&batch, "value");
  return batch;
}

class StoreRepairLogs : public ::testing::Test {
 protected:
  static constexpr std::uint64_t kKeys = 300;

  // A log, in which nothing was synced.
  StoreRepairLogs() : store_(StillOptions()) {
    for (std::uint64_t i = 0; i < kKeys; ++i) {
      store_.Put(NumberKey(i), std::string(100, 'v'));
    }
    store_.Close();
    log_ = store_.Files(".log").back();
  }

  // Sectors that never came to the disk.
  void MakeAHole() {
    std::string bytes = store_.env().Contents(log_);
    std::fill_n(bytes.begin() + 8192, 1024, '\0');
    store_.env().SetContents(log_, bytes);
  }
  // Another log, which follows the first.
  std::string AddALog() {
    const std::uint64_t number =
        ParseFileName(log_.substr(log_.rfind('/') + 1))->number;
    const std::string path = LogFileName("/db", number + 10);
    store_.env().SetContents(
        path, LogOf({Batch(kKeys + 1, "a"), Batch(kKeys + 2, "b")},
                    LogHeadBytes({number, kKeys + 1})));
    return path;
  }
  std::map<std::string, std::string> Files() {
    std::map<std::string, std::string> files;
    for (const std::string& path : store_.Files("")) {
      if (path != "/db/lost") files[path] = store_.env().Contents(path);
    }
    return files;
  }
  RepairReport Repair(RepairMode mode) {
    const auto repaired = RepairStore("/db", store_.options(), mode);
    EXPECT_TRUE(repaired.ok()) << repaired.status().ToString();
    return repaired.ok() ? *repaired : RepairReport();
  }
  static bool Mentions(const std::vector<std::string>& sentences,
                       const std::string& words) {
    return std::any_of(sentences.begin(), sentences.end(),
                       [&](const std::string& sentence) {
                         return sentence.find(words) != std::string::npos;
                       });
  }

  TestStore store_;
  std::string log_;
};

TEST_F(StoreRepairLogs, AHoleThatOpeningPassesOverIsNothingToRepair) {
  for (const bool has_another : {false, true}) {
    MakeAHole();
    if (has_another) AddALog();
    const auto checked = CheckStore("/db", store_.options());
    ASSERT_TRUE(checked.ok()) << checked.status().ToString();
    EXPECT_TRUE(checked->problems.empty());
    EXPECT_EQ(checked->notes.size(), has_another ? 2u : 1u);
    const auto before = Files();
    for (const RepairMode mode : {RepairMode::kDryRun, RepairMode::kWrite}) {
      EXPECT_TRUE(Repair(mode).was_clean);
      EXPECT_TRUE(Files() == before);
    }
  }
}

TEST_F(StoreRepairLogs, EachLogThatIsDroppedIsSaidWhereMoreIsToBeDone) {
  MakeAHole();
  const std::string other = AddALog();
  ASSERT_TRUE(store_.env().Remove("/db/CURRENT").ok());
  for (const RepairMode mode : {RepairMode::kDryRun, RepairMode::kWrite}) {
    const RepairReport report = Repair(mode);
    EXPECT_EQ(report.lost.size(), 2u);
    EXPECT_TRUE(Mentions(report.lost, log_ + ": writes are missing before"));
    EXPECT_TRUE(Mentions(report.lost, other + ": writes of a log before it"));
    EXPECT_EQ(report.logs, 1u) << "the other one gives no table";
    EXPECT_FALSE(Mentions(report.actions, "with 0 entries"));
    EXPECT_TRUE(Mentions(report.actions, "it has no entries to take"));
  }
  store_.Open();
  EXPECT_EQ(store_.Get(NumberKey(0)), std::string(100, 'v'));
  EXPECT_EQ(store_.Get("a"), "(none)");
}

// ---- A dry run and the lock ----

TEST(StoreRepairDryRun, IsRefusedWhereTheStoreIsOpenAsARepairIs) {
  TestStore store(StillOptions());
  store.Put("key", "value");
  const Status would =
      RepairStore("/db", store.options(), RepairMode::kDryRun).status();
  EXPECT_EQ(would.ToString(),
            RepairStore("/db", store.options()).status().ToString());
  EXPECT_NE(would.message().find("locked"), std::string::npos)
      << would.ToString();
}

TEST(StoreRepairDryRun, LooksWhereItMayNotLock) {
  TestStore store(StillOptions());
  store.Put("key", "value");
  store.Close();
  for (const int error : {EACCES, EROFS, EIO}) {
    store.env().FailCall(1, error, true, kLockCalls);
    const auto would = RepairStore("/db", store.options(), RepairMode::kDryRun);
    EXPECT_EQ(would.ok(), error != EIO) << would.status().ToString();
    EXPECT_FALSE(RepairStore("/db", store.options()).ok());
    store.env().Heal();
  }
}

TEST(StoreRepairDryRun, SaysWhatWouldBeTakenAndNotThatItWas) {
  TestStore store(StillOptions());
  store.Put("key", "value");
  store.Flush();
  store.Close();
  ASSERT_TRUE(store.env().Remove(store.Manifest()).ok());
  const auto would = RepairStore("/db", store.options(), RepairMode::kDryRun);
  ASSERT_TRUE(would.ok()) << would.status().ToString();
  ASSERT_EQ(would->may_come_back.size(), 1u);
  EXPECT_NE(would->may_come_back[0].find("would be taken"), std::string::npos)
      << would->may_come_back[0];
  EXPECT_EQ(would->may_come_back[0].find("was taken"), std::string::npos);
}

}  // namespace
}  // namespace tamis::testing
