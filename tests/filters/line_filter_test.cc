// SPDX-License-Identifier: Apache-2.0
#include "filters/bloom/line_filter.h"

#include <cstdint>
#include <random>
#include <type_traits>
#include <vector>

#include <gtest/gtest.h>

#include "base/wide_math.h"
#include "tests/support/random.h"

namespace tamis {
namespace {

using testing::RandomHashes;

constexpr LineFactors kLineFactors = PowersOf(0xadb4a92d);

LineProbes Probes(unsigned count) { return {kLineFactors.data(), count}; }

MutableLineFilter FilterIn(std::vector<unsigned char>* bytes, unsigned probes) {
  return {.lines = bytes->data(),
          .count = bytes->size() / kLineBytes,
          .probes = Probes(probes)};
}

TEST(LineFilter, PicksALineByTheWholeHash) {
  std::vector<unsigned char> bytes(7 * kLineBytes);
  const LineFilter filter = FilterIn(&bytes, 6);
  EXPECT_EQ(filter.LineOf(0), bytes.data());
  EXPECT_EQ(filter.LineOf(~std::uint64_t{0}), bytes.data() + 6 * kLineBytes);
  for (const std::uint64_t hash : RandomHashes(1000, 1)) {
    const auto line = static_cast<std::size_t>(
        static_cast<Uint128>(hash) * filter.count >> 64);
    ASSERT_EQ(filter.OffsetOf(hash), line * kLineBytes);
    ASSERT_EQ(filter.LineOf(hash), bytes.data() + line * kLineBytes);
  }
}

TEST(LineFilter, FindsWhatWasMarkedAndMarksNothingElse) {
  for (const unsigned probes : {1u, 6u, kMaxLineProbes}) {
    std::vector<unsigned char> bytes(50 * kLineBytes);
    const MutableLineFilter filter = FilterIn(&bytes, probes);
    std::vector<unsigned char> expected = bytes;
    for (const std::uint64_t hash : RandomHashes(300, 2)) {
      filter.Mark(hash);
      MarkLine(expected.data() + filter.OffsetOf(hash), LineBitsOf(hash),
               filter.probes);
    }
    EXPECT_EQ(bytes, expected);
    for (const std::uint64_t hash : RandomHashes(300, 2)) {
      ASSERT_TRUE(filter.Check(hash));
    }
  }
}

TEST(LineFilter, AnswersTheSameInEveryWayToAsk) {
  std::vector<unsigned char> bytes(50 * kLineBytes);
  const MutableLineFilter marked = FilterIn(&bytes, 3);
  for (const std::uint64_t hash : RandomHashes(5000, 3)) marked.Mark(hash);
  const LineFilter filter = marked;
  unsigned found = 0;
  for (const std::uint64_t hash : RandomHashes(5000, 4)) {
    const bool maybe = filter.Check(hash);
    found += maybe ? 1 : 0;
    for (const Kernels* kernels : AllKernels()) {
      if (!kernels->runs_here()) continue;
      ASSERT_EQ(filter.Check(*kernels, hash), maybe) << kernels->name;
      const BlockQuery query = filter.QueryOf(hash);
      bool answer = !maybe;
      kernels->check_lines(&query, 1, filter.probes, &answer);
      ASSERT_EQ(answer, maybe) << kernels->name;
    }
  }
  EXPECT_GT(found, 100u);  // both answers occur
  EXPECT_LT(found, 4900u);
}

TEST(LineFilter, InterleavedFiltersKeepToTheirOwnLines) {
  constexpr std::size_t kFilters = 3;
  std::vector<unsigned char> bytes(20 * kFilters * kLineBytes);
  const MutableLineFilter second = {.lines = bytes.data() + kLineBytes,
                                    .count = 20,
                                    .probes = Probes(6),
                                    .stride = kFilters * kLineBytes};
  for (const std::uint64_t hash : RandomHashes(2000, 5)) second.Mark(hash);
  for (std::size_t at = 0; at < bytes.size(); at += kLineBytes) {
    const std::vector<unsigned char> line(bytes.data() + at,
                                          bytes.data() + at + kLineBytes);
    const bool is_clear = line == std::vector<unsigned char>(kLineBytes);
    EXPECT_EQ(is_clear, at / kLineBytes % kFilters != 1) << at;
  }
}

TEST(LineFilter, IsNotMarkedThroughConstBytes) {
  const auto marks = [](auto filter) {
    return requires { filter.Mark(0); };
  };
  static_assert(marks(MutableLineFilter{}));
  static_assert(!marks(LineFilter{}));
  static_assert(std::is_convertible_v<MutableLineFilter, LineFilter>);
  static_assert(!std::is_convertible_v<LineFilter, MutableLineFilter>);
}

}  // namespace
}  // namespace tamis
