// SPDX-License-Identifier: Apache-2.0
#include "bench/tail_report.h"

#include <string>
#include <vector>

#include <gtest/gtest.h>

namespace tamis::bench {
namespace {

TEST(TailReport, RatesAreInTheOrderOfTimeHoweverLongTheRun) {
  constexpr std::size_t kIntervals = 100'002;
  Figures figures;
  for (std::size_t i = 0; i < kIntervals; ++i) {
    figures[TailRateName(i)].value = static_cast<double>(i);
  }
  const RateOverTime rate = RateOf(figures, kIntervals);
  ASSERT_EQ(rate.per_second.size(), kIntervals);
  for (std::size_t i = 0; i < kIntervals; ++i) {
    ASSERT_DOUBLE_EQ(rate.per_second[i],
                     static_cast<double>(i) / kTailIntervalSeconds);
  }
}

TEST(TailReport, TellsWhetherTheStoresCompress) {
  TailRun run;
  EXPECT_NE(TailText(run).find(", not compressed;"), std::string::npos);
  run.plan.settings.snappy = true;
  EXPECT_NE(TailText(run).find(", Snappy;"), std::string::npos);
}

}  // namespace
}  // namespace tamis::bench
