// SPDX-License-Identifier: Apache-2.0
// Every set of up to five short strings, every range, and every skip: nothing
// is hidden.  A set is a mask over the strings in order, and so is a range.
#include <bit>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "formats/tamis/range.h"
#include "tests/support/filters.h"
#include "tests/support/key_families.h"

namespace tamis {
namespace {

constexpr int kMaxKeys = 5;

struct Range {
  Slice lo;
  Slice hi;
  std::uint64_t mask;
};

class KeySets {
 public:
  KeySets() {
    for (std::size_t lo = 0; lo < all_.size(); ++lo) {
      for (std::size_t hi = lo; hi < all_.size(); ++hi) {
        const std::uint64_t up_to_hi = (std::uint64_t{2} << hi) - 1;
        ranges_.push_back({all_[lo], all_[hi], up_to_hi >> lo << lo});
      }
    }
  }

  // Checks one set in `stride`.
  void CheckAll(std::size_t stride) {
    stride_ = stride;
    Visit(0, 0);
    EXPECT_EQ(visited_, 760'099u);
  }

 private:
  // The set, and those that have further strings from number `from` on.
  void Visit(std::uint64_t set, std::size_t from) {
    if (visited_++ % stride_ == 0) Check(set);
    if (std::popcount(set) == kMaxKeys || ::testing::Test::HasFailure()) return;
    for (std::size_t i = from; i < all_.size(); ++i) {
      Visit(set | std::uint64_t{1} << i, i + 1);
    }
  }

  void Check(std::uint64_t set) {
    bytes_.clear();
    const auto builder = policy_->NewBuilder();
    for (std::uint64_t left = set; left != 0; left &= left - 1) {
      builder->Add(all_[static_cast<std::size_t>(std::countr_zero(left))]);
    }
    ASSERT_TRUE(builder->Finish(&bytes_).ok());
    const auto reader = policy_->Open(bytes_);
    ASSERT_TRUE(reader.ok());
    for (const Range& range : ranges_) {
      if ((set & range.mask) == 0) continue;
      ASSERT_TRUE((*reader)->MayContainRange(range.lo, range.hi)) << set;
    }
    CheckSkips(set, **reader);
  }

  void CheckSkips(std::uint64_t set, const FilterReader& reader) {
    for (std::size_t i = 0; i < all_.size(); ++i) {
      const std::uint64_t above = set >> i << i;
      if (reader.SkipForward(all_[i], &to_)) {
        ASSERT_GE(to_, all_[i]) << set;
        if (above != 0) {
          const auto next = static_cast<std::size_t>(std::countr_zero(above));
          ASSERT_LE(to_, all_[next]) << set;
        }
      } else {
        ASSERT_EQ(above, 0u) << set;
      }
      const std::uint64_t below = set & ((std::uint64_t{2} << i) - 1);
      if (reader.SkipBackward(all_[i], &to_)) {
        ASSERT_LE(to_, all_[i]) << set;
        if (below != 0) {
          const auto last = static_cast<std::size_t>(std::bit_width(below)) - 1;
          ASSERT_GE(to_, all_[last]) << set;
        }
      } else {
        ASSERT_EQ(below, 0u) << set;
      }
    }
  }

  const std::vector<std::string> all_ = testing::AllShortStrings();
  std::vector<Range> ranges_;
  const std::unique_ptr<const FilterPolicy> policy_ =
      testing::PolicyOf("range:8");
  std::size_t stride_ = 1;
  std::size_t visited_ = 0;
  std::string bytes_;
  std::string to_;
};

TEST(TamisRangeKeySets, SomeSmallOnesHideNoKey) { KeySets().CheckAll(997); }

TEST(TamisRangeKeySetsLarge, NoSmallOneHidesAKey) { KeySets().CheckAll(1); }

}  // namespace
}  // namespace tamis
