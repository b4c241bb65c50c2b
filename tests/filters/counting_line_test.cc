// SPDX-License-Identifier: Apache-2.0
#include "filters/bloom/counting_line.h"

#include <algorithm>
#include <array>
#include <random>
#include <set>

#include <gtest/gtest.h>

namespace tamis {
namespace {

using Line = std::array<unsigned char, kCountingLineBytes>;

// Of all bits, some few have probes that fall together.
std::set<unsigned> CountersOf(std::uint32_t bits, unsigned probes) {
  std::set<unsigned> counters;
  for (unsigned i = 0; i < probes; ++i) counters.insert(CounterOf(bits, i));
  return counters;
}

TEST(CountingLine, AKeyAddsOneToEachOfItsCounters) {
  std::mt19937 random(1);
  unsigned fell_together = 0;
  for (unsigned i = 0; i < 2000; ++i) {
    const std::uint32_t bits = static_cast<std::uint32_t>(random());
    const unsigned probes = 1 + i % kMaxCountingProbes;
    const std::set<unsigned> counters = CountersOf(bits, probes);
    fell_together += counters.size() < probes ? 1u : 0u;
    Line line{};
    for (unsigned times = 1; times <= 20; ++times) {
      AddToCounters(line.data(), bits, probes);
      for (unsigned c = 0; c < kCountersPerLine; ++c) {
        ASSERT_EQ(CountAt(line.data(), c),
                  counters.contains(c) ? std::min(times, kStuckCount) : 0u);
      }
    }
    EXPECT_EQ(CountOccupied(line.data()), counters.size());
  }
  EXPECT_GT(fell_together, 500u);
}

TEST(CountingLine, TakingIsTheReverseOfAdding) {
  std::mt19937 random(2);
  for (unsigned probes = 1; probes <= kMaxCountingProbes; ++probes) {
    Line line{};
    AddToCounters(line.data(), 12345, probes);
    AddToCounters(line.data(), 54321, probes);
    const Line before = line;
    for (unsigned i = 0; i < 1000; ++i) {
      const std::uint32_t bits = static_cast<std::uint32_t>(random());
      for (unsigned times = 0; times < 3; ++times) {
        AddToCounters(line.data(), bits, probes);
        ASSERT_TRUE(CheckCounters(line.data(), bits, probes));
      }
      for (unsigned times = 0; times < 3; ++times) {
        TakeFromCounters(line.data(), bits, probes);
      }
      ASSERT_EQ(line, before);
    }
  }
}

TEST(CountingLine, ACounterAt15StaysThere) {
  Line line{};
  for (unsigned i = 0; i < 15; ++i) AddToCounters(line.data(), 7, 4);
  const Line stuck = line;
  AddToCounters(line.data(), 7, 4);
  EXPECT_EQ(line, stuck);
  for (unsigned i = 0; i < 16; ++i) TakeFromCounters(line.data(), 7, 4);
  EXPECT_EQ(line, stuck);
}

TEST(CountingLine, ChecksExactlyTheCountersOfAKey) {
  Line line;
  line.fill(0x11);
  std::mt19937 random(3);
  for (unsigned i = 0; i < 200; ++i) {
    const std::uint32_t bits = static_cast<std::uint32_t>(random());
    ASSERT_TRUE(CheckCounters(line.data(), bits, 9));
    for (unsigned c = 0; c < kCountersPerLine; ++c) {
      Line without = line;
      without[c / 2] = c % 2 == 0 ? 0x10 : 0x01;
      ASSERT_EQ(CheckCounters(without.data(), bits, 9),
                !CountersOf(bits, 9).contains(c));
    }
  }
}

TEST(CountingLine, SumsStopAt15) {
  for (unsigned a = 0; a < 256; ++a) {
    for (unsigned b = 0; b < 256; ++b) {
      Line into{};
      Line from{};
      into[63] = static_cast<unsigned char>(a);
      from[63] = static_cast<unsigned char>(b);
      AddLine(into.data(), from.data());
      EXPECT_EQ(CountAt(into.data(), 126), std::min(a % 16 + b % 16, 15u));
      EXPECT_EQ(CountAt(into.data(), 127), std::min(a / 16 + b / 16, 15u));
      EXPECT_LE(CountOccupied(into.data()), 2u);
    }
  }
}

}  // namespace
}  // namespace tamis
