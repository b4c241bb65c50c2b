// SPDX-License-Identifier: Apache-2.0
// How background work waits, fails, is tried again and ends.

#include "store/background_state.h"

#include <chrono>
#include <thread>

#include <gtest/gtest.h>

namespace tamis {
namespace {

using SteadyClock = std::chrono::steady_clock;

struct Background {
  StoreMutex mutex;
  InfoLog log;
  BackgroundState state{mutex, log};
};

TEST(BackgroundState, AnErrorIsKeptUntilItIsCleared) {
  Background background;
  const StoreLock lock(background.mutex);
  EXPECT_TRUE(background.state.error().ok());
  background.state.NoteError(Status::IoError("no room"), "compacting");
  EXPECT_EQ(background.state.error().message(), "no room");
  background.state.ClearError();
  EXPECT_TRUE(background.state.error().ok());
}

TEST(BackgroundState, AnErrorOfACompactionIsNoneOfAFlush) {
  Background background;
  const StoreLock lock(background.mutex);
  background.state.NoteError(Status::IoError("no room"), "compacting");
  EXPECT_FALSE(background.state.is_flush_failing());
  background.state.set_flush_failed(true);
  EXPECT_TRUE(background.state.is_flush_failing());
  // What failed may have been done since, by another thread.
  background.state.ClearError();
  EXPECT_FALSE(background.state.is_flush_failing());
}

TEST(BackgroundState, TheFirstRetryComesSoon) {
  Background background;
  const StoreLock lock(background.mutex);
  const SteadyClock::time_point start = SteadyClock::now();
  EXPECT_TRUE(background.state.WaitToRetry(1));
  EXPECT_GE(SteadyClock::now() - start, std::chrono::milliseconds(20));
  EXPECT_LT(SteadyClock::now() - start, std::chrono::seconds(10));
}

TEST(BackgroundState, NobodyTriesAgainInAStoreThatIsBeingClosed) {
  Background background;
  const StoreLock lock(background.mutex);
  EXPECT_FALSE(background.state.is_closing());
  background.state.Close();
  EXPECT_TRUE(background.state.is_closing());
  // Though more failures would make it wait for a second.
  const SteadyClock::time_point start = SteadyClock::now();
  EXPECT_FALSE(background.state.WaitToRetry(7));
  EXPECT_LT(SteadyClock::now() - start, std::chrono::milliseconds(900));
}

TEST(BackgroundStateThreads, ClosingWakesThoseWhoWait) {
  Background background;
  std::thread worker([&] {
    const StoreLock lock(background.mutex);
    while (!background.state.is_closing()) background.state.WaitForWork();
  });
  std::thread waiter([&] {
    const StoreLock lock(background.mutex);
    while (!background.state.is_closing()) background.state.WaitForChange();
  });
  {
    const StoreLock lock(background.mutex);
    background.state.Close();
  }
  worker.join();
  waiter.join();
}

}  // namespace
}  // namespace tamis
