// SPDX-License-Identifier: Apache-2.0
#include "base/give_way.h"

#include <atomic>
#include <new>
#include <thread>
#include <vector>

#include <gtest/gtest.h>

#include "base/thread_priority.h"

namespace tamis {
namespace {

// Niceness above that of the caller, and whether it was the caller's thread.
struct Call {
  int raised = 0;
  bool is_here = false;

  bool operator==(const Call&) const = default;
};

Call ThisCall(std::thread::id here, int before) {
  return {NicenessOfThisThread() - before, std::this_thread::get_id() == here};
}

// Does four pieces of work; the work becomes urgent within that one.
std::vector<Call> FourCalls(int niceness, int urgent_at) {
  std::vector<Call> calls;
  std::atomic<bool> is_urgent{urgent_at < 0};
  const auto here = std::this_thread::get_id();
  const int before = NicenessOfThisThread();
  const Status done = RunInPieces(
      {.niceness = niceness, .is_urgent = &is_urgent}, [&]() -> Result<bool> {
        calls.push_back(ThisCall(here, before));
        if (static_cast<int>(calls.size()) == urgent_at + 1) is_urgent = true;
        return calls.size() == 4;
      });
  EXPECT_TRUE(done.ok());
  EXPECT_EQ(NicenessOfThisThread(), before);
  return calls;
}

#if defined(__linux__)

TEST(GiveWayThreads, WorkIsNiceUntilItIsUrgent) {
  if (NicenessOfThisThread() > 10) GTEST_SKIP() << "this process gives way";
  const Call nice{.raised = 7, .is_here = false};
  const Call here{.raised = 0, .is_here = true};
  EXPECT_EQ(FourCalls(7, 100), (std::vector<Call>{nice, nice, nice, nice}));
  EXPECT_EQ(FourCalls(7, 1), (std::vector<Call>{nice, nice, here, here}));
  EXPECT_EQ(FourCalls(7, -1), (std::vector<Call>{here, here, here, here}));
  EXPECT_EQ(FourCalls(0, 100), (std::vector<Call>{here, here, here, here}));
}

#endif

TEST(GiveWayThreads, TheFirstErrorEndsTheWork) {
  for (const int niceness : {0, 1}) {
    int calls = 0;
    EXPECT_EQ(RunInPieces({.niceness = niceness},
                          [&]() -> Result<bool> {
                            if (++calls < 3) return false;
                            return Status::IoError("no");
                          })
                  .code(),
              StatusCode::kIoError);
    EXPECT_EQ(calls, 3);
    EXPECT_EQ(RunInPieces({.niceness = niceness},
                          []() -> Result<bool> { throw std::bad_alloc(); })
                  .code(),
              StatusCode::kResourceExhausted);
  }
}

}  // namespace
}  // namespace tamis
