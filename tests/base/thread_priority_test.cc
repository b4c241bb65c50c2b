// SPDX-License-Identifier: Apache-2.0
#include "base/thread_priority.h"

#include <chrono>
#include <thread>

#include <gtest/gtest.h>

#if defined(__linux__)
#include <sys/prctl.h>
#endif

namespace tamis {
namespace {

#if defined(__linux__)

TEST(ThreadPriority, NicenessIsThatOfOneThreadAndOfThoseItStarts) {
  constexpr int kMax = 19;
  const int before = NicenessOfThisThread();
  if (before > 10) GTEST_SKIP() << "this process gives way already";
  std::thread([&] {
    RaiseNiceness(0);
    EXPECT_EQ(NicenessOfThisThread(), before);
    RaiseNiceness(3);
    EXPECT_EQ(NicenessOfThisThread(), before + 3);
    std::thread([&] { EXPECT_EQ(NicenessOfThisThread(), before + 3); }).join();
    RaiseNiceness(1000);
    EXPECT_EQ(NicenessOfThisThread(), kMax);
  }).join();
  EXPECT_EQ(NicenessOfThisThread(), before);
}

TEST(ThreadPriority, APreciseSleepLeavesTheThreadAsItWas) {
  const int before = ::prctl(PR_GET_TIMERSLACK);
  const auto start = std::chrono::steady_clock::now();
  SleepPrecisely(std::chrono::microseconds(200));
  EXPECT_GE(std::chrono::steady_clock::now() - start,
            std::chrono::microseconds(200));
  EXPECT_EQ(::prctl(PR_GET_TIMERSLACK), before);
}

#endif

}  // namespace
}  // namespace tamis
