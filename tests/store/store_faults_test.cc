// SPDX-License-Identifier: Apache-2.0
// A store on a disk that fails, or is full: what was acknowledged is there
// while it is open, and when it is opened again.

#include <cerrno>
#include <chrono>
#include <functional>
#include <memory>
#include <string>
#include <thread>
#include <utility>

#include <gtest/gtest.h>

#include "tamis/store.h"
#include "tests/store/batch_history.h"
#include "tests/store/stores.h"
#include "tests/support/filter_choices.h"
#include "tests/support/memory_env.h"

namespace tamis::testing {
namespace {

void ExpectNamesAFile(const Status& status) {
  if (status.ok()) return;
  EXPECT_NE(status.message().find(kDir), std::string::npos)
      << status.ToString();
}

// Background work tries again by itself, so what has failed for a reason that
// is gone may fail once more.
bool WorksSoon(const std::function<bool()>& try_it) {
  const auto end = std::chrono::steady_clock::now() + std::chrono::seconds(5);
  while (!try_it()) {
    if (std::chrono::steady_clock::now() > end) return false;
    std::this_thread::sleep_for(std::chrono::milliseconds(2));
  }
  return true;
}

// A fixed sequence of all that a store can be asked for.
class Script {
 public:
  // Its filters are what follows from the seed.
  Script(std::uint64_t filters, const MemoryEnv::Options& options)
      : env_(options), options_(BusyOptions(&env_)) {
    ChooseFilters(filters, &options_);
  }

  MemoryEnv& env() { return env_; }

  void Run() {
    for (int life = 0; life < 2; ++life) {
      Open();
      ASSERT_NE(store_, nullptr);
      Write(12);
      Look();
      ExpectNamesAFile(store_->Flush());
      Write(12);
      ExpectNamesAFile(store_->Compact());
      Write(6);
      Look();
      store_.reset();
    }
  }
  // Without faults: all is well, at once and later.
  void Finish() {
    Open();
    ASSERT_NE(store_, nullptr);
    history_.ExpectKept(store_.get());
    EXPECT_TRUE(
        WorksSoon([this] { return history_.Write(store_.get(), true); }));
    store_.reset();
    ExpectSound(&env_);
    Open();
    history_.ExpectKept(store_.get());
  }

 private:
  // Once more if need be: only one call fails.
  void Open() {
    for (int attempt = 0; attempt < 2 && store_ == nullptr; ++attempt) {
      Result<std::unique_ptr<Store>> opened = Store::Open(kDir, options_);
      ExpectNamesAFile(opened.status());
      if (opened.ok()) store_ = *std::move(opened);
    }
    // What a failed write has left in a log is in, or is not, for good.
    if (store_ != nullptr) known_ = history_.attempts().empty();
  }
  void Write(int batches) {
    for (int i = 0; i < batches; ++i) {
      history_.Write(store_.get(), i % 4 == 3);
    }
  }
  void Look() {
    if (Status quiet = store_->WaitForQuiet(); !quiet.ok()) {
      ExpectNamesAFile(quiet);
    }
    std::string value;
    for (std::uint64_t i = 0; i < 20; ++i) {
      const Status got = store_->Get({}, "key" + NumberKey(3 * i), &value);
      if (got.code() != StatusCode::kNotFound) ExpectNamesAFile(got);
    }
    const auto it = store_->NewIterator();
    for (it->SeekToFirst(); it->Valid(); it->Next()) {
    }
    ExpectNamesAFile(it->status());
    // The fault may have been spent by now, or come in the midst of this.
    const std::uint64_t failures = env_.failures();
    if (known_ && failures > 0) history_.ExpectExactly(store_.get());
  }

  MemoryEnv env_;
  StoreOptions options_;
  BatchHistory history_;
  std::unique_ptr<Store> store_;
  bool known_ = false;
};

// Every n-th call fails in turn, until there are no more.
void SweepFailures(int error, bool tear, bool can_map) {
  const std::uint64_t step = NumberFrom("TAMIS_SOAK_SECONDS", 0) > 0 ? 1 : 5;
  std::uint64_t n = 1 + static_cast<std::uint64_t>(error) % step;
  // How many calls there are depends on the filters.
  for (int whole = 0; whole < 5; n += step) {
    SCOPED_TRACE("call " + std::to_string(n) + " fails");
    Script script(n, {.can_map = can_map, .tear_failed_writes = tear});
    script.env().FailCall(n, error);
    script.Run();
    whole = script.env().failures() > 0 ? 0 : whole + 1;
    script.env().Heal();
    script.Finish();
    if (::testing::Test::HasFailure()) break;
  }
  EXPECT_GT(n, 100u);
}

TEST(StoreFaults, LosesNothingWhereverOneCallFails) {
  SweepFailures(EIO, false, true);
}

TEST(StoreFaults, LosesNothingWhereverOneCallFailsAndLeavesHalf) {
  SweepFailures(ENOSPC, true, false);
}

TEST(StoreFaults, CanBeDestroyedAgainWhereverThatFailed) {
  for (std::uint64_t n = 1;; ++n) {
    SCOPED_TRACE("call " + std::to_string(n) + " and all after it fail");
    Script script(n, {});
    MemoryEnv& env = script.env();
    script.Run();
    env.FailCall(n, EIO, true);
    ExpectNamesAFile(DestroyStore(kDir, BusyOptions(&env)));
    const bool failed = env.failures() > 0;
    env.Heal();
    const Status again = DestroyStore(kDir, BusyOptions(&env));
    EXPECT_TRUE(again.ok() || again.code() == StatusCode::kNotFound);
    const Status anew = Store::Open(kDir, BusyOptions(&env)).status();
    ASSERT_TRUE(anew.ok()) << anew.ToString();
    if (!failed) break;
  }
}

// ---- A full disk ----

std::uint64_t BytesUsed(MemoryEnv& env) {
  std::uint64_t used = 0;
  const Result<std::vector<std::string>> names = env.List(kDir);
  for (const std::string& name : *names) {
    const Result<std::uint64_t> bytes = env.FileSize(kDir + ("/" + name));
    if (bytes.ok()) used += *bytes;  // else it is gone by now
  }
  return used;
}

TEST(StoreFaults, GoesOnWhenAFullDiskHasRoomAgain) {
  MemoryEnv env;
  Result<std::unique_ptr<Store>> opened = Store::Open(kDir, BusyOptions(&env));
  ASSERT_TRUE(opened.ok()) << opened.status().ToString();
  std::unique_ptr<Store> store = *std::move(opened);
  BatchHistory history;
  for (int cycle = 0; cycle < 6; ++cycle) {
    SCOPED_TRACE(cycle);
    for (int i = 0; i < 20; ++i) {
      ASSERT_TRUE(WorksSoon([&] { return history.Write(store.get(), false); }));
    }
    // What compaction would still free is no room for writes.
    ASSERT_TRUE(WorksSoon([&] { return store->WaitForQuiet().ok(); }));
    env.SetCapacity(BytesUsed(env) + 700u * static_cast<unsigned>(cycle));
    int written = 0;
    int refused = 0;
    while (refused < 10 && written < 500) {
      ++(history.Write(store.get(), cycle % 2 == 1) ? written : refused);
      history.ExpectExactly(store.get());
      ASSERT_FALSE(HasFailure());
    }
    ASSERT_EQ(refused, 10);
    env.SetCapacity(0);  // whatever background threads free meanwhile
    const Status full = store->Put({}, "key", "value");
    EXPECT_NE(full.message().find("No space left"), std::string::npos)
        << full.ToString();
    env.SetCapacity(std::uint64_t{1} << 40);
    ASSERT_TRUE(WorksSoon([&] { return history.Write(store.get(), false); }));
    history.ExpectExactly(store.get());
  }
  EXPECT_TRUE(WorksSoon([&] { return store->Flush().ok(); }));
  EXPECT_TRUE(WorksSoon([&] { return store->Compact().ok(); }));
  history.ExpectExactly(store.get());
  EXPECT_TRUE(store->Stats().background_error.empty());
  store.reset();
  ExpectSound(&env);
  opened = Store::Open(kDir, BusyOptions(&env));
  ASSERT_TRUE(opened.ok()) << opened.status().ToString();
  history.ExpectExactly(opened.value().get());
}

}  // namespace
}  // namespace tamis::testing
