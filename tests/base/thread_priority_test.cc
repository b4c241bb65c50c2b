// SPDX-License-Identifier: Apache-2.0
#include "base/thread_priority.h"

#include <thread>

#include <gtest/gtest.h>

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

#endif

}  // namespace
}  // namespace tamis
