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

// A store on disk, its model, and calls during which memory may fail.
class FaultyStore {
 public:
  explicit FaultyStore(std::string dir) : dir_(std::move(dir)) {
    options_ = SmallOptions();
    options_.create_if_missing = true;
    options_.automatic_compaction = false;
  }

  // Two levels, a log, and keys of both lengths.
  void Fill() {
    OpenForSure();
    for (int i = 0; i < 60; ++i) Put(NumberKey(static_cast<unsigned>(i)), "1");
    Put(LongKey(1), std::string(5000, 'v'));
    ASSERT_TRUE(store_->Compact().ok());
    for (int i = 0; i < 60; i += 3) {
      Put(NumberKey(static_cast<unsigned>(i)), "2");
    }
    ASSERT_TRUE(store_->Flush().ok());
    Put("in the log", "3");
    store_.reset();
  }

  void OpenForSure() {
    auto opened = Store::Open(dir_, options_);
    ASSERT_TRUE(opened.ok()) << opened.status().ToString();
    store_ = *std::move(opened);
  }

  void Open() {
    {
      const FaultScope faulty;
      Result<std::unique_ptr<Store>> opened = Store::Open(dir_, options_);
      if (opened.ok()) store_ = *std::move(opened);
      if (!opened.ok()) Expect(opened.status());
    }
    if (store_ == nullptr) OpenForSure();
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
    for (Status (Store::*work)() : {&Store::Flush, &Store::WaitForQuiet}) {
      const FaultScope faulty;
      Expect((store_.get()->*work)());
    }
    const FaultScope faulty;
    Expect(store_->Compact());
  }

  void Close() {
    const FaultScope faulty;
    store_.reset();
  }

  void CheckAndRepair() {
    const FaultScope faulty;
    const auto checked = CheckStore(dir_, options_);
    if (checked.ok()) {
      for (const std::string& problem : checked->problems) {
        EXPECT_NE(problem.find("memory"), std::string::npos) << problem;
      }
    } else {
      Expect(checked.status());
    }
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
    if (status.ok()) EXPECT_EQ(got, value);
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
    const Slice from = "0";
    const KeyRange range{.start = &from};
    const FaultScope faulty;
    (void)store_->Stats();
    (void)store_->ApproximateSizes({&range, 1});
    if (const auto text = store_->Property("tamis.stats"); !text.ok()) {
      Expect(text.status());
    }
    Expect(store_->Explain({}, model_.begin()->first).status);
  }

  std::string dir_;
  StoreOptions options_;
  std::unique_ptr<Store> store_;
  Model model_;
  Model unsure_;
};

void RunWith(const std::string& dir, const FaultyStore& filled, int after,
             int count) {
  SCOPED_TRACE(std::to_string(count) + " failures after " +
               std::to_string(after));
  (void)dir;
  FaultyStore store = FaultyStore(filled);
  FailAllocations(after, count);
  store.Open();
  store.Put("short", "value");
  store.Put(LongKey(2), std::string(70'000, 'w'));
  store.Put("synced", std::string(500, 's'), /*sync=*/true);
  store.PutBatch({{"batch 1", "b"}, {LongKey(3), std::string(3000, 'x')}});
  store.ReadAll();
  store.Work();
  store.Put("after", "work");
  store.ReadAll();
  // Memory is back.
  FailAllocations(1 << 30, 0);
  store.ExpectNothingUnsureIsSeen();
  store.Put("back", "again");
  store.ExpectNothingUnsureIsSeen();
}

}  // namespace
}  // namespace tamis::testing
