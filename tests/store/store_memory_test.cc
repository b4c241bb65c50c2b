// SPDX-License-Identifier: Apache-2.0
// Memory runs out, anywhere: every call returns, what it answers is right, and
// what was acknowledged is there.

#include <filesystem>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "tamis/store.h"
#include "tamis/store_settings.h"
#include "tests/base/temp_dir.h"
#include "tests/store/stores.h"
#include "tests/support/failing_new.h"

namespace tamis::testing {
namespace {

using Model = std::map<std::string, std::string>;

// Longer than what strings and keys hold without memory of their own.
std::string LongKey(int i) {
  return std::string(200, 'k') + NumberKey(static_cast<std::uint64_t>(i));
}

StoreOptions OptionsHere() {
  StoreOptions options = SmallOptions();
  options.create_if_missing = true;
  options.automatic_compaction = false;
  return options;
}

// A store on disk, its model, and calls during which memory may fail.
class FaultyStore {
 public:
  explicit FaultyStore(std::string dir, Model model = {})
      : dir_(std::move(dir)), model_(std::move(model)) {}

  const Model& model() const { return model_; }

  void OpenForSure() {
    auto opened = Store::Open(dir_, options_);
    ASSERT_TRUE(opened.ok()) << opened.status().ToString();
    store_ = *std::move(opened);
  }

  void Open() {
    std::optional<Result<std::unique_ptr<Store>>> opened;
    {
      const FaultScope faulty;
      opened = Store::Open(dir_, options_);
    }
    Expect(opened->status());
    if (opened->ok()) {
      store_ = **std::move(opened);
    } else {
      OpenForSure();
    }
  }

  void Put(const std::string& key, const std::string& value,
           bool sync = false) {
    Status put;
    {
      const FaultScope faulty;
      put = store_->Put({.sync = sync}, key, value);
    }
    Wrote(put, {{key, value}});
  }

  // All of them or none.
  void PutBatch(const Model& changes) {
    WriteBatch batch;
    for (const auto& [key, value] : changes) batch.Put(key, value);
    Status put;
    {
      const FaultScope faulty;
      put = store_->Write({}, batch);
    }
    Wrote(put, changes);
  }

  void ReadAll() {
    for (const auto& [key, value] : model_) {
      std::string got;
      Status status;
      {
        const FaultScope faulty;
        status = store_->Get({}, key, &got);
      }
      ExpectAnswer(status, got, value);
    }
    ReadMany();
    Walk();
    Tell();
  }

  void Work() {
    Status flushed;
    Status compacted;
    Status waited;
    {
      const FaultScope faulty;
      flushed = store_->Flush();
      compacted = store_->Compact();
      waited = store_->WaitForQuiet();
    }
    Expect(flushed);
    Expect(compacted);
    Expect(waited);
  }

  void Close() {
    const FaultScope faulty;
    store_.reset();
  }

  // With all the memory there is.
  void ExpectModel() {
    Model found;
    const auto it = store_->NewIterator();
    for (it->SeekToFirst(); it->Valid(); it->Next()) {
      found.emplace(it->key(), it->value());
    }
    ASSERT_TRUE(it->status().ok()) << it->status().ToString();
    for (const auto& [key, value] : unsure_) {
      const auto there = found.find(key);
      if (there != found.end() && there->second == value) model_[key] = value;
    }
    EXPECT_TRUE(found == model_);
    for (const auto& [key, value] : model_) {
      std::string got;
      ASSERT_TRUE(store_->Get({}, key, &got).ok()) << key;
      EXPECT_EQ(got, value);
    }
  }
  // What failed may be in the log all the same.
  void ForgetUnsure() { unsure_.clear(); }
  void ExpectNothingUnsureIsSeen() {
    const Model unsure = std::exchange(unsure_, {});
    ExpectModel();
    unsure_ = unsure;
  }

 private:
  static void Expect(const Status& status) {
    if (!status.ok()) {
      EXPECT_EQ(status.code(), StatusCode::kResourceExhausted)
          << status.ToString();
      EXPECT_NE(status.message(), "");
    }
  }

  void Wrote(const Status& put, const Model& changes) {
    Expect(put);
    for (const auto& [key, value] : changes) {
      if (put.ok()) {
        model_[key] = value;
        unsure_.erase(key);
      } else {
        unsure_[key] = value;
      }
    }
  }

  static void ExpectAnswer(const Status& status, const std::string& got,
                           const std::string& value) {
    Expect(status);
    EXPECT_TRUE(!status.ok() || got == value);
  }

  void ReadMany() {
    std::vector<Slice> keys;
    for (const auto& [key, value] : model_) keys.emplace_back(key);
    std::vector<std::string> values(keys.size());
    std::vector<Status> statuses(keys.size());
    {
      const FaultScope faulty;
      store_->MultiGet({}, keys, values, statuses);
    }
    for (std::size_t i = 0; i < keys.size(); ++i) {
      ExpectAnswer(statuses[i], values[i], model_[std::string(keys[i])]);
    }
  }

  // Forward and backward, through a snapshot: in order, and complete if there
  // was no error.
  void Walk() {
    std::unique_ptr<const Snapshot> snapshot;
    std::unique_ptr<Iterator> it;
    {
      const FaultScope faulty;
      snapshot = store_->GetSnapshot();
      it = store_->NewIterator({.snapshot = snapshot.get()});
      it->SeekToFirst();
    }
    for (const auto& [key, value] : model_) {
      if (!it->Valid()) break;
      EXPECT_EQ(it->key(), key);
      EXPECT_EQ(it->value(), value);
      const FaultScope faulty;
      it->Next();
    }
    EXPECT_FALSE(it->Valid());
    {
      const FaultScope faulty;
      it->SeekToLast();
    }
    for (auto at = model_.rbegin(); at != model_.rend(); ++at) {
      if (!it->Valid()) break;
      EXPECT_EQ(it->key(), at->first);
      EXPECT_EQ(it->value(), at->second);
      const FaultScope faulty;
      it->Prev();
    }
    EXPECT_FALSE(it->Valid());
    Expect(it->status());
    if (it->status().ok()) {
      it->Seek(LongKey(0));
      EXPECT_TRUE(it->Valid());
    }
  }

  void Tell() {
    const KeyRange range = KeyRange::From("0");
    std::optional<Result<std::string>> text;
    Status explained;
    {
      const FaultScope faulty;
      (void)store_->Stats();
      (void)store_->ApproximateSizes({&range, 1});
      text = store_->Property("tamis.stats");
      explained = store_->Explain({}, model_.begin()->first).status;
    }
    Expect(text->status());
    Expect(explained);
  }

  std::string dir_;
  const StoreOptions options_ = OptionsHere();
  std::unique_ptr<Store> store_;
  Model model_;
  Model unsure_;
};

// Two levels, a log, and keys of both lengths.
Model Fill(const std::string& dir) {
  FaultyStore store(dir);
  store.OpenForSure();
  for (unsigned i = 0; i < 60; ++i) store.Put(NumberKey(i), "1");
  store.Put(LongKey(1), std::string(5000, 'v'));
  store.Work();
  for (unsigned i = 0; i < 60; i += 3) store.Put(NumberKey(i), "2");
  store.Work();
  store.Put("in the log", "3");
  store.Close();
  return store.model();
}

struct Faults {
  int after = 0;
  int count = 0;
};

// True: something has failed.
bool RunWith(const Faults& faults, const TempDir& dir, const Model& filled) {
  SCOPED_TRACE(std::to_string(faults.count) + " failures after " +
               std::to_string(faults.after));
  std::filesystem::remove_all(dir.File("run"));
  std::filesystem::copy(dir.File("filled"), dir.File("run"));
  FaultyStore store(dir.File("run"), filled);
  FailAllocations(faults.after, faults.count);
  store.Open();
  store.Put("short", "value");
  store.Put(LongKey(2), std::string(70'000, 'w'));
  store.Put("synced", std::string(500, 's'), /*sync=*/true);
  store.PutBatch({{"batch 1", "b"}, {LongKey(3), std::string(3000, 'x')}});
  store.ReadAll();
  store.Work();
  store.Put("after", "work");
  store.ReadAll();
  store.Close();
  const bool any = FailedAllocations() > 0;
  FailAllocations(1 << 30, 0);  // there is memory again
  store.OpenForSure();
  store.ExpectModel();
  store.Put("back", "again");
  store.ExpectModel();
  return any;
}

// At every `stride`th allocation of the run, one or more fail.
void RunWithEach(int stride, const std::vector<int>& counts) {
  const TempDir dir(TempDir::InMemory());
  FailAllocations(1 << 30, 0);
  const Model filled = Fill(dir.File("filled"));
  for (const int count : counts) {
    int after = count % stride;
    while (RunWith({after, count}, dir, filled)) after += stride;
    EXPECT_GT(after, 500);
  }
}

TEST(StoreMemory, MayRunOutAtAnyPoint) { RunWithEach(11, {1, 40}); }
TEST(StoreMemoryLarge, MayRunOutAtEachPoint) {
  RunWithEach(1, {1, 2, 3, 40, 300});
}

// Calls work() while one more allocation succeeds each time, until none fails:
// it gives `usual`, or says that there is no memory.
template <typename Work>
void ExpectStatus(StatusCode usual, Work work) {
  for (const int count : {1, 1 << 20}) {
    bool any = true;
    for (int after = 0; any; ++after) {
      FailAllocations(after, count);
      const StatusCode code = work();
      any = FailedAllocations() > 0;
      FailAllocations(1 << 30, 0);
      EXPECT_TRUE(code == usual || code == StatusCode::kResourceExhausted)
          << StatusCodeName(code) << " after " << after;
      EXPECT_TRUE(any || code == usual);
    }
  }
}

TEST(StoreMemory, ACompactThatIsRefusedSaysSoOrThatThereIsNone) {
  const TempDir dir(TempDir::InMemory());
  FailAllocations(1 << 30, 0);
  Fill(dir.File("filled"));
  StoreOptions options = OptionsHere();
  options.create_if_missing = false;
  options.read_only = true;
  const auto store = *Store::Open(dir.File("filled"), options);
  const StatusCode usual = store->Compact().code();
  EXPECT_NE(usual, StatusCode::kOk);
  ExpectStatus(usual, [&] {
    const FaultScope faulty;
    return store->Compact().code();
  });
}

TEST(StoreMemory, ReadingSettingsSaysWhenThereIsNone) {
  const TempDir dir(TempDir::InMemory());
  FailAllocations(1 << 30, 0);
  const std::string path = dir.File("a_rather_long_name_for_a_store");
  StoreOptions options = OptionsHere();
  options.filter = "bloom:12";
  ASSERT_TRUE(Store::Open(path, options).ok());
  ExpectStatus(StatusCode::kOk, [&] {
    std::optional<Result<StoreSettings>> read;
    {
      const FaultScope faulty;
      read = ReadStoreSettings(path);
    }
    // Not one setting less.
    if (read->ok()) {
      EXPECT_EQ((*read)->filter, "bloom:12");
    }
    return read->status().code();
  });
  const std::string missing = dir.File("no_store_of_that_name");
  ExpectStatus(StatusCode::kNotFound, [&] {
    const FaultScope faulty;
    return ReadStoreSettings(missing).status().code();
  });
}

// What whole-store calls do to one that is not damaged: all is there after
// they failed, and after they were tried again.
TEST(StoreMemory, MayRunOutInCheckAndRepair) {
  const TempDir dir(TempDir::InMemory());
  FailAllocations(1 << 30, 0);
  const Model filled = Fill(dir.File("filled"));
  const StoreOptions options = OptionsHere();
  const std::string run = dir.File("run");
  bool any = true;
  for (int after = 0; any; after += 7) {
    std::filesystem::remove_all(run);
    std::filesystem::copy(dir.File("filled"), run);
    std::optional<Result<CheckReport>> checked;
    std::optional<Result<RepairReport>> repaired;
    FailAllocations(after, 1);
    {
      const FaultScope faulty;
      checked = CheckStore(run, options);
      repaired = RepairStore(run, options);
    }
    any = FailedAllocations() > 0;
    FailAllocations(1 << 30, 0);
    EXPECT_TRUE(checked->ok() ||
                checked->status().code() == StatusCode::kResourceExhausted);
    EXPECT_TRUE(repaired->ok() ||
                repaired->status().code() == StatusCode::kResourceExhausted);
    FaultyStore store(run, filled);
    if (!repaired->ok()) {
      ASSERT_TRUE(RepairStore(run, options).ok()) << after;
    }
    store.OpenForSure();
    store.ExpectModel();
  }
}

TEST(StoreMemory, MayRunOutInDestroy) {
  const TempDir dir(TempDir::InMemory());
  FailAllocations(1 << 30, 0);
  (void)Fill(dir.File("filled"));
  const std::string run = dir.File("run");
  bool any = true;
  for (int after = 0; any; ++after) {
    std::filesystem::remove_all(run);
    std::filesystem::copy(dir.File("filled"), run);
    Status destroyed;
    FailAllocations(after, 1);
    {
      const FaultScope faulty;
      destroyed = DestroyStore(run);
    }
    any = FailedAllocations() > 0;
    FailAllocations(1 << 30, 0);
    if (!destroyed.ok()) {
      EXPECT_EQ(destroyed.code(), StatusCode::kResourceExhausted);
      const Status again = DestroyStore(run);
      EXPECT_TRUE(again.ok() || again.code() == StatusCode::kNotFound);
    }
    EXPECT_FALSE(std::filesystem::exists(run + "/CURRENT"));
  }
}

// Not visible while the store is open, and whole or not at all afterwards.
TEST(StoreMemory, AFailedBatchIsNotSeen) {
  const TempDir dir(TempDir::InMemory());
  FailAllocations(1 << 30, 0);
  const Model filled = Fill(dir.File("db"));
  bool failed = true;
  for (int after = 0; failed; ++after) {
    FaultyStore store(dir.File("db"), filled);
    store.OpenForSure();
    FailAllocations(after, 1);
    store.PutBatch({{"one", std::string(100'000, '1')},
                    {LongKey(9), std::string(50'000, '2')}});
    failed = FailedAllocations() > 0;
    FailAllocations(1 << 30, 0);
    if (failed) store.ExpectNothingUnsureIsSeen();
    if (!failed) store.ExpectModel();
  }
}

}  // namespace
}  // namespace tamis::testing
