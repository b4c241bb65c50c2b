// SPDX-License-Identifier: Apache-2.0
#include "base/eviction_watch.h"

#include <thread>

#include <gtest/gtest.h>

namespace tamis {
namespace {

constexpr std::uint64_t kPage = 8;  // sectors

TEST(EvictionWatch, WhatWasLoadedBeforeTheFirstLookDoesNotCount) {
  EvictionWatch watch;
  watch.Take({.faults = 1000, .sectors = 1000 * kPage});
  EXPECT_FALSE(watch.is_evicting());
  watch.Take({.faults = 1000, .sectors = 1000 * kPage});
  EXPECT_FALSE(watch.is_evicting());
}

TEST(EvictionWatch, LoadsBetweenTwoLooksCountAsFaultsOrAsRequests) {
  constexpr std::uint64_t kMany = EvictionWatch::kManyLoads;
  EvictionWatch watch;
  watch.Take({.faults = 10, .sectors = 10 * kPage});
  watch.Take({.faults = 10 + kMany - 1, .sectors = (10 + kMany - 1) * kPage});
  EXPECT_FALSE(watch.is_evicting()) << "too few";
  watch.Take({.faults = 30, .sectors = (10 + kMany - 1) * kPage});
  EXPECT_TRUE(watch.is_evicting()) << "by faults, of a system without sectors";
  watch.Take({.faults = 30, .sectors = 40 * kPage});
  EXPECT_TRUE(watch.is_evicting()) << "by requests, which hide the faults";
  watch.Take({.faults = 30, .sectors = 40 * kPage});
  EXPECT_FALSE(watch.is_evicting()) << "no more";
}

TEST(EvictionWatch, AThreadThatLoadsNothingFindsAllInMemory) {
  std::thread([] {
    EvictionWatch& watch = EvictionWatch::OfThisThread();
    unsigned evicting = 0;
    for (unsigned i = 0; i < 4 * EvictionWatch::kReadsPerLook; ++i) {
      if (watch.ReadsAgain()) ++evicting;
    }
    EXPECT_EQ(evicting, 0u);
  }).join();
}

}  // namespace
}  // namespace tamis
