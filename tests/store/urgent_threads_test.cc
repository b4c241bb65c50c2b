// SPDX-License-Identifier: Apache-2.0
// Flushing and compaction give way to other threads until writers need them.

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "base/mutex.h"
#include "base/thread_priority.h"
#include "store/urgency.h"
#include "tamis/store.h"
#include "tests/store/stores.h"

namespace tamis::testing {
namespace {

TEST(UrgentThreads, WorkIsUrgentWhileItIsBehindOrWaitedFor) {
  StoreMutex mutex;
  const StoreLock lock(mutex);
  Urgency urgency;
  EXPECT_FALSE(urgency.is_urgent());
  urgency.NoteBacklog(Urgency::kUrgentBacklog - 0.01);
  EXPECT_FALSE(urgency.is_urgent());
  urgency.NoteBacklog(Urgency::kUrgentBacklog);
  EXPECT_TRUE(urgency.is_urgent());
  urgency.BeginWaiting();
  urgency.NoteBacklog(0);
  EXPECT_TRUE(urgency.is_urgent());
  urgency.BeginWaiting();
  urgency.EndWaiting();
  EXPECT_TRUE(urgency.is_urgent());
  urgency.EndWaiting();
  EXPECT_FALSE(urgency.is_urgent());
}

#if defined(__linux__)

constexpr int kNice = 7;

// By how much the niceness of the threads was raised that began and ended
// filters, in order.
class SeenThreads {
 public:
  void Note() {
    const MutexLock lock(mutex_);
    raised_.push_back(NicenessOfThisThread() - before_);
  }
  std::size_t count() {
    const MutexLock lock(mutex_);
    return raised_.size();
  }
  std::vector<int> Take() {
    const MutexLock lock(mutex_);
    return std::exchange(raised_, {});
  }

 private:
  const int before_ = NicenessOfThisThread();
  Mutex mutex_;
  std::vector<int> raised_ TAMIS_GUARDED_BY(mutex_);
};

class NotingPolicy final : public FilterPolicy {
 public:
  explicit NotingPolicy(std::shared_ptr<SeenThreads> seen)
      : seen_(std::move(seen)), inner_(*MakePolicy("bloom:10")) {}

  std::string_view name() const noexcept override { return "test.Noting"; }
  std::unique_ptr<FilterBuilder> NewBuilder(
      const BuildOptions&) const override {
    seen_->Note();
    return std::make_unique<Builder>(*this);
  }
  Result<std::unique_ptr<const FilterReader>> Open(Slice bytes) const override {
    return inner_->Open(bytes);
  }
  Estimate Predict(std::uint64_t keys) const noexcept override {
    return inner_->Predict(keys);
  }
  double RateAt(std::uint64_t keys,
                std::uint64_t bytes) const noexcept override {
    return inner_->RateAt(keys, bytes);
  }

 private:
  class Builder final : public FilterBuilder {
   public:
    explicit Builder(const NotingPolicy& policy)
        : seen_(policy.seen_), inner_(policy.inner_->NewBuilder()) {}
    void Add(Slice key) override { inner_->Add(key); }
    Status Finish(std::string* dst) override {
      seen_->Note();
      return inner_->Finish(dst);
    }

   private:
    const std::shared_ptr<SeenThreads> seen_;
    const std::unique_ptr<FilterBuilder> inner_;
  };

  const std::shared_ptr<SeenThreads> seen_;
  const std::unique_ptr<const FilterPolicy> inner_;
};

// A store whose next table is held while it is begun.
class UrgentThreadsOfStores : public ::testing::Test {
 protected:
  UrgentThreadsOfStores() : store_(OptionsWith(seen_)) {}
  ~UrgentThreadsOfStores() override { store_.env().ReleaseCreate(); }

  void SetUp() override {
    if (NicenessOfThisThread() > 10) GTEST_SKIP() << "this process gives way";
    (void)seen_->Take();  // the policy was tried at opening
  }

  static StoreOptions OptionsWith(const std::shared_ptr<SeenThreads>& seen) {
    StoreOptions options = StillOptions();
    options.background_niceness = kNice;
    options.write_buffer_bytes = std::size_t{64} << 10;
    options.filter_policy = std::make_shared<const NotingPolicy>(seen);
    return options;
  }

  void Hold() {
    store_.env().HoldCreate(".ldb");
    (void)seen_->Take();
  }
  bool IsHeld() {
    return ComesTrue([&] { return store_.env().is_holding(); });
  }
  void PutSome(std::uint64_t count) {
    for (std::uint64_t i = 0; i < count; ++i) {
      store_.Put(NumberKey(next_++), std::string(100, 'v'));
    }
  }
  // Writes until a memtable is full; its flush begins soon.
  void FillOne() {
    Hold();
    while (store_->Stats().immutable_memtables == 0) PutSome(1);
  }
  // Returns what so many notes are once the table is released; nobody waits for
  // the work but this.
  std::vector<int> AfterRelease(std::size_t notes) {
    store_.env().ReleaseCreate();
    EXPECT_TRUE(ComesTrue([&] { return seen_->count() >= notes; }));
    return seen_->Take();
  }

  const std::shared_ptr<SeenThreads> seen_ = std::make_shared<SeenThreads>();
  TestStore store_;
  std::uint64_t next_ = 0;
};

using Raised = std::vector<int>;

TEST_F(UrgentThreadsOfStores, AFlushThatNobodyWaitsForGivesWay) {
  FillOne();
  ASSERT_TRUE(IsHeld());
  EXPECT_EQ(AfterRelease(2), (Raised{kNice, kNice}));
}

// The thread that has begun a table ends its piece, and another one goes on.
TEST_F(UrgentThreadsOfStores, AFlushThatACallerWaitsForGivesWayNoLonger) {
  FillOne();
  ASSERT_TRUE(IsHeld());
  std::thread waiting([&] { store_.Flush(); });
  EXPECT_TRUE(
      ComesTrue([&] { return store_->Stats().immutable_memtables == 2; }));
  PutSome(1);  // gets its turn only when the other thread waits
  store_.env().ReleaseCreate();
  waiting.join();
  EXPECT_EQ(AfterRelease(4), (Raised{kNice, 0, 0, 0}));
}

TEST_F(UrgentThreadsOfStores, AFlushThatKeepsWritersBackGivesWayNoLonger) {
  FillOne();
  ASSERT_TRUE(IsHeld());
  while (store_->Stats().immutable_memtables < 2) PutSome(1);
  // More than a quarter of the last memtable there is.
  PutSome(200);
  // The second flush keeps them back no more.
  EXPECT_EQ(AfterRelease(4), (Raised{kNice, 0, kNice, kNice}));
}

// Four tables of level 0, which are merged when the store is opened again.
class UrgentThreadsOfCompactions : public UrgentThreadsOfStores {
 protected:
  void SetUp() override {
    UrgentThreadsOfStores::SetUp();
    if (!IsSkipped()) Begin();
  }

  void Begin() {
    store_.Close();
    store_.options().automatic_compaction = false;
    store_.Open();
    for (int i = 0; i < 4; ++i) {
      next_ = 0;  // tables without common keys would only be moved
      PutSome(100);
      store_.Flush();
    }
    store_.Close();
    store_.options().automatic_compaction = true;
    store_.options().level0_compact_at = 4;
    store_.options().level0_slow_at = 4;
    store_.options().level0_stop_at = 5;
    Hold();
    store_.Open();
    ASSERT_TRUE(IsHeld());
    (void)seen_->Take();
  }
};

TEST_F(UrgentThreadsOfCompactions, OneThatKeepsUpGivesWay) {
  EXPECT_EQ(AfterRelease(2), (Raised{kNice, kNice}));
}

// Nothing shows when a thread has begun to wait: it is given more time if that
// was too short.
TEST_F(UrgentThreadsOfCompactions, OneThatACallerWaitsForGivesWayNoLonger) {
  Raised raised;
  for (int ms = 20; ms < 10'000; ms *= 4) {
    std::thread waiting([&] { EXPECT_TRUE(store_->WaitForQuiet().ok()); });
    std::this_thread::sleep_for(std::chrono::milliseconds(ms));
    raised = AfterRelease(2);
    waiting.join();
    if (raised == Raised{kNice, 0}) break;
    ASSERT_NO_FATAL_FAILURE(Begin());
  }
  EXPECT_EQ(raised, (Raised{kNice, 0}));
}

TEST_F(UrgentThreadsOfCompactions, OneThatKeepsWritersBackGivesWayNoLonger) {
  PutSome(1);
  store_.Flush();
  PutSome(1);  // level 0 is full
  (void)seen_->Take();
  EXPECT_EQ(AfterRelease(2), (Raised{kNice, 0}));
}

TEST_F(UrgentThreadsOfCompactions, ARequestedOneGivesWayToNoOther) {
  PutSome(1);
  std::thread waiting([&] { store_.Compact(); });
  store_.env().ReleaseCreate();
  waiting.join();
  // Of the flush, of the merge that was held, and of the one requested.
  const Raised raised = AfterRelease(6);
  ASSERT_EQ(raised.size(), 6u);
  EXPECT_EQ(raised[raised.size() - 2], 0);
  EXPECT_EQ(raised.back(), 0);
}

// What holds the store is the thread that gives way; it is not waited for long.
TEST_F(UrgentThreadsOfCompactions, ClosesWhileOneGivesWay) {
  std::thread closing([&] { store_.Close(); });
  store_.env().ReleaseCreate();
  closing.join();
  store_.Open();
  EXPECT_TRUE(store_->Get(NumberKey(0)).ok());
}

#endif

}  // namespace
}  // namespace tamis::testing
