// SPDX-License-Identifier: Apache-2.0
// What a walk requests before it gets there, block by block.

#include "table/read_ahead.h"

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

namespace tamis {
namespace {

constexpr std::uint64_t kBlock = 4096;

// Notes the hints.
class HintedFile final : public ReadableFile {
 public:
  explicit HintedFile(std::uint64_t size) : size_(size) {}
  std::uint64_t size() const noexcept override { return size_; }
  Result<Slice> Read(std::uint64_t, std::size_t, std::string*) const override {
    return Status::IoError("nothing is read here");
  }
  void WillRead(std::uint64_t offset,
                std::size_t bytes) const noexcept override {
    requested.emplace_back(offset, offset + bytes);
  }
  void HasRead(std::uint64_t offset,
               std::size_t bytes) const noexcept override {
    released.emplace_back(offset, offset + bytes);
  }

  using Range = std::pair<std::uint64_t, std::uint64_t>;
  mutable std::vector<Range> requested;
  mutable std::vector<Range> released;

 private:
  std::uint64_t size_;
};

void Walk(const HintedFile& file, ReadAhead* ahead, std::uint64_t from,
          std::uint64_t count) {
  for (std::uint64_t i = from; i < from + count; ++i) {
    ahead->Visit(file, i * kBlock, i * kBlock + 4000);  // and padding
  }
}

TEST(ReadAhead, OfASeekThatTakesAStepRequestsNothing) {
  const HintedFile file(1000 * kBlock);
  ReadAhead ahead;
  for (const std::uint64_t at : {500u, 20u, 700u, 300u}) {
    Walk(file, &ahead, at, 2);
  }
  EXPECT_TRUE(file.requested.empty());
}

TEST(ReadAhead, OfAWalkRequestsAllThatFollowsOnceAndGrows) {
  const HintedFile file(2000 * kBlock);
  ReadAhead ahead;
  Walk(file, &ahead, 10, 1990);
  ASSERT_GT(file.requested.size(), 5u);
  EXPECT_LT(file.requested.size(), 20u);
  std::uint64_t largest = 0;
  std::uint64_t last = 0;
  for (std::size_t i = 0; i < file.requested.size(); ++i) {
    const auto& [from, to] = file.requested[i];
    EXPECT_EQ(from, i == 0 ? from : last) << "twice, or never";
    EXPECT_LE(to - from, kMaxReadAhead);
    largest = std::max(largest, to - from);
    last = to;
  }
  EXPECT_EQ(largest, kMaxReadAhead);
  EXPECT_EQ(last, file.size());
  EXPECT_TRUE(file.released.empty());
}

TEST(ReadAhead, IsAlwaysAheadOfTheWalk) {
  const HintedFile file(2000 * kBlock);
  ReadAhead ahead;
  Walk(file, &ahead, 0, 3);
  for (std::uint64_t i = 3; i < 2000; ++i) {
    // What is about to be read was requested before.
    ASSERT_FALSE(file.requested.empty());
    EXPECT_GE(file.requested.back().second, i * kBlock + 4000) << i;
    Walk(file, &ahead, i, 1);
  }
}

TEST(ReadAhead, GoesBackwardsAsWell) {
  const HintedFile file(2000 * kBlock);
  ReadAhead ahead;
  for (std::uint64_t i = 1999; i > 0; --i) Walk(file, &ahead, i, 1);
  ASSERT_GT(file.requested.size(), 5u);
  EXPECT_LT(file.requested.size(), 20u);
  for (std::size_t i = 1; i < file.requested.size(); ++i) {
    EXPECT_EQ(file.requested[i].second, file.requested[i - 1].first);
  }
  EXPECT_EQ(file.requested.back().first, 0u);
}

TEST(ReadAhead, OfWhatIsReadOnceBeginsLargeAndReleasesWhatWasPassed) {
  const HintedFile file(2000 * kBlock);
  ReadAhead ahead(/*reads_once=*/true);
  Walk(file, &ahead, 100, 1900);
  ASSERT_FALSE(file.requested.empty());
  EXPECT_EQ(file.requested.front(),
            HintedFile::Range(100 * kBlock, 100 * kBlock + kMaxReadAhead));
  ASSERT_GT(file.released.size(), 2u);
  EXPECT_EQ(file.released.front().first, 100 * kBlock);
  for (std::size_t i = 1; i < file.released.size(); ++i) {
    EXPECT_EQ(file.released[i].first, file.released[i - 1].second);
  }
  EXPECT_LT(file.size() - file.released.back().second, 2 * kMaxReadAhead);
}

}  // namespace
}  // namespace tamis
