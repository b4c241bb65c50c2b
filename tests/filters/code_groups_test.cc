// SPDX-License-Identifier: Apache-2.0
#include "filters/range/code_groups.h"

#include <algorithm>
#include <cstdint>
#include <optional>
#include <random>
#include <string>
#include <vector>

#include <gtest/gtest.h>

namespace tamis {
namespace {

using Random = std::mt19937_64;

constexpr CellShape kShape{.low_bits = 4, .highs = 300};

// Answers from the codes, group by group, as the page defines it.
class PlainGroups {
 public:
  PlainGroups(const std::vector<std::uint64_t>& codes,
              const std::vector<std::uint32_t>& starts) {
    for (std::size_t group = 0; group < starts.size(); ++group) {
      const std::size_t begin = starts[group];
      const std::size_t end =
          group + 1 < starts.size() ? starts[group + 1] : codes.size();
      const std::uint64_t cells = kShape.HighsOf(end - begin)
                                  << kShape.low_bits;
      Group made{codes[begin],
                 CellScale::For(codes[end - 1] - codes[begin], cells),
                 {}};
      for (std::size_t i = begin; i < end; ++i) {
        made.cells.push_back(made.scale.CellOf(codes[i] - codes[begin]));
      }
      groups_.push_back(made);
    }
  }

  bool MayContain(std::uint64_t lo, std::uint64_t hi) const {
    const Group* last = nullptr;
    for (const Group& group : groups_) {
      if (group.first > lo) {
        if (group.first <= hi) return true;
        break;
      }
      last = &group;
    }
    if (last == nullptr) return false;
    const std::uint64_t from = last->scale.CellOf(lo - last->first);
    const std::uint64_t to = last->scale.CellOf(hi - last->first);
    const auto found =
        std::lower_bound(last->cells.begin(), last->cells.end(), from);
    return found != last->cells.end() && *found <= to;
  }

 private:
  struct Group {
    std::uint64_t first;
    CellScale scale;
    std::vector<std::uint64_t> cells;
  };
  std::vector<Group> groups_;
};

struct Spread {
  std::size_t codes;
  std::size_t group;     // codes of one, at most
  unsigned narrow_bits;  // of the space in which nine of ten codes are; 64: all
};

class CodeGroupsOf : public ::testing::TestWithParam<Spread> {};

// Wherever the codes are: groups whose first codes differ in the lowest bits
// alone are told apart as well.
TEST_P(CodeGroupsOf, AnswerAsTheDefinitionDoes) {
  const auto [count, most, narrow_bits] = GetParam();
  Random random(11);
  std::vector<std::uint64_t> codes;
  const std::uint64_t place = random();
  for (std::size_t i = 0; i < count; ++i) {
    const bool is_anywhere = narrow_bits == 64 || i % 10 == 0;
    codes.push_back(is_anywhere ? random()
                                : place + (random() >> (64 - narrow_bits)));
  }
  std::sort(codes.begin(), codes.end());
  codes.erase(std::unique(codes.begin(), codes.end()), codes.end());
  std::vector<std::uint32_t> starts;
  for (std::size_t at = 0; at < codes.size(); at += 1 + random() % most) {
    starts.push_back(static_cast<std::uint32_t>(at));
  }
  // No group may be longer than it can be.
  ASSERT_LE(most, kMaxGroupCodes);
  std::string bytes(CodeGroupsBytes(kShape, starts.size(), codes.size()), '\0');
  WriteCodeGroups(kShape, codes, starts, bytes.data());
  const std::optional<CodeGroups> groups =
      CodeGroups::Parse({kShape, starts.size(), codes.size()}, bytes);
  ASSERT_TRUE(groups.has_value());
  const PlainGroups plain(codes, starts);
  for (int i = 0; i < 4000; ++i) {
    const std::uint64_t near = codes[random() % codes.size()];
    const std::uint64_t lo =
        i % 4 == 0 ? random()
                   : near + (random() >> (random() % 64)) % 1000 - 500;
    const std::uint64_t length = random() >> (random() % 64);
    const std::uint64_t hi = lo + std::min(length, ~std::uint64_t{0} - lo);
    ASSERT_EQ(groups->MayContain(lo, hi), plain.MayContain(lo, hi))
        << lo << " to " << hi;
    const auto next = std::lower_bound(codes.begin(), codes.end(), lo);
    const std::optional<std::uint64_t> forward = groups->SkipForward(lo);
    if (next != codes.end()) {
      ASSERT_TRUE(forward && *forward >= lo && *forward <= *next);
    }
    const auto after = std::upper_bound(codes.begin(), codes.end(), lo);
    const std::optional<std::uint64_t> backward = groups->SkipBackward(lo);
    if (after != codes.begin()) {
      ASSERT_TRUE(backward && *backward <= lo && *backward >= *(after - 1));
    }
  }
}

INSTANTIATE_TEST_SUITE_P(
    Spreads, CodeGroupsOf,
    ::testing::Values(Spread{1, 1, 64}, Spread{3, 1, 64}, Spread{40, 2, 64},
                      Spread{5000, 200, 64}, Spread{5000, 3, 64},
                      Spread{5000, 3, 20}, Spread{5000, 200, 40}));

}  // namespace
}  // namespace tamis
