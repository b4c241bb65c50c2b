// SPDX-License-Identifier: Apache-2.0
// Windows of bumped ribbons: every row of kernels against the portable one, and
// that one against bits counted one by one.

#include <algorithm>
#include <array>
#include <cstdint>
#include <memory>
#include <random>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "filters/kernels/kernels.h"
#include "filters/ribbon/layout.h"
#include "filters/ribbon/query.h"

namespace tamis {
namespace {

class EveryWindowKernel : public ::testing::TestWithParam<const Kernels*> {
 protected:
  void SetUp() override {
    if (!GetParam()->runs_here()) {
      GTEST_SKIP() << GetParam()->name << " does not run on this CPU";
    }
  }
  const Kernels& kernels() const { return *GetParam(); }
};

INSTANTIATE_TEST_SUITE_P(Rows, EveryWindowKernel,
                         ::testing::ValuesIn(AllKernels().begin(),
                                             AllKernels().end()),
                         [](const auto& test) {
                           return std::string(test.param->name);
                         });

// A window whose memory ends where the allocation ends, so that a sanitizer
// notices a read beyond.
struct OwnedWindow {
  OwnedWindow(unsigned columns_wanted, bool wide, unsigned first_row,
              std::mt19937_64* random)
      : columns(columns_wanted),
        stride(8 * (columns + (wide ? 1 : 0))),
        row(first_row),
        offset((*random)() % 9),
        bytes(new unsigned char[offset + stride + 8 * columns]) {
    for (std::size_t i = 0; i < stride + 8 * columns; ++i) {
      words()[i] = static_cast<unsigned char>((*random)() | (*random)());
    }
    // The second segment of a pair has 63 rows.
    const std::uint64_t coefficients = (*random)() | 1;
    const unsigned start = second() ? row - 64 : row;
    const unsigned rows = second() ? 63 : 64;
    const std::uint64_t short_one = ~std::uint64_t{0} >> 1;
    masks[0] = (coefficients << start) & (second() ? short_one : ~0ull);
    masks[1] = (coefficients >> (rows - start - 1)) >> 1;
    if (!second()) masks[1] &= short_one;
  }

  bool second() const { return row >= 64; }
  unsigned char* words() const { return bytes.get() + offset; }

  // What the bits add up to, counted one by one.
  std::uint32_t Sums() const {
    std::uint32_t sums = 0;
    for (unsigned column = 0; column < columns; ++column) {
      for (unsigned bit = 0; bit < 64; ++bit) {
        for (unsigned i = 0; i < 2; ++i) {
          const std::size_t byte = i * stride + 8 * column + bit / 8;
          const bool set = (words()[byte] >> bit % 8 & 1) != 0;
          const bool selected = (masks[i] >> bit & 1) != 0;
          sums ^= (set && selected ? 1u : 0u) << column;
        }
      }
    }
    return sums;
  }
  unsigned Level(unsigned bits) const {
    unsigned level = 0;
    for (unsigned i = 0; i < bits; ++i) {
      const std::size_t at = (second() ? 0u : stride) + 8 * i + 7;
      level |= (words()[at] >> 7) * (1u << i);
    }
    return level;
  }

  // Bits beyond the columns do not count.
  std::uint32_t Noise(std::mt19937_64* random) const {
    const auto bits = static_cast<std::uint32_t>((*random)());
    return columns == 32 ? 0 : bits >> columns << columns;
  }

  void PutInto(WindowQueries* queries, std::size_t i,
               std::uint32_t fingerprint) const {
    queries->words[i] = words();
    queries->masks[0][i] = masks[0];
    queries->masks[1][i] = masks[1];
    queries->fingerprints[i] = fingerprint;
    queries->levels[i] = words() + (second() ? 0 : stride);
    queries->rows[i] = row;
    queries->strides[i] = stride;
    queries->columns[i] = columns;
  }

  unsigned columns;
  std::size_t stride;
  unsigned row;
  std::size_t offset;
  std::unique_ptr<unsigned char[]> bytes;
  std::array<std::uint64_t, 2> masks;
};

// Levels that bump about half of all rows, so that nothing is rare.
WindowLayer LayerWith(unsigned columns, unsigned level_bits,
                      std::mt19937_64* random) {
  WindowLayer layer;
  layer.columns = columns;
  layer.level_bits = level_bits;
  layer.levels_are_rows = level_bits == 7 && (*random)() % 2 == 0;
  for (unsigned level = 0; level < 128; ++level) {
    layer.thresholds[level] = static_cast<std::uint8_t>(
        layer.levels_are_rows ? level : (*random)() % 128);
  }
  return layer;
}

TEST_P(EveryWindowKernel, FindsWhatTheBitsAddUpTo) {
  std::mt19937_64 random(7);
  std::array<unsigned, 3> seen = {};
  for (unsigned round = 0; round < 30 * 20; ++round) {
    const unsigned least = 3 + round % 30;
    // All windows alike, or of two sizes, and any number of them.
    const bool even = random() % 2 == 0;
    const std::size_t count = 1 + random() % kMaxWindows;
    const WindowLayer layer =
        LayerWith(even ? least : 0, std::min(least, 7u), &random);
    std::vector<OwnedWindow> windows;
    std::vector<bool> right;
    WindowQueries queries = {};  // nothing to read behind the last
    for (std::size_t i = 0; i < count; ++i) {
      const unsigned columns =
          even || least == 32 ? least : least + random() % 2;
      windows.emplace_back(columns, !even && random() % 2 == 0,
                           static_cast<unsigned>(random() % 127), &random);
      right.push_back(random() % 2 == 0);
      const std::uint32_t wrong = right[i] ? 0 : 1u << random() % columns;
      const OwnedWindow& window = windows[i];
      window.PutInto(&queries, i,
                     (window.Sums() ^ wrong) | window.Noise(&random));
    }
    std::array<bool, kMaxWindows> answers;
    const std::uint64_t bumped =
        kernels().check_windows(queries, count, layer, answers.data());
    if (count < 64) {
      EXPECT_EQ(bumped >> count, 0u);
    }
    for (std::size_t i = 0; i < count; ++i) {
      const unsigned level = windows[i].Level(layer.level_bits);
      const bool is_bumped = windows[i].row < layer.thresholds[level];
      ASSERT_EQ((bumped >> i & 1) != 0, is_bumped) << least << " columns";
      if (!is_bumped) {
        ASSERT_EQ(answers[i], right[i])
            << least << " columns, row " << windows[i].row;
      }
      ++seen[is_bumped ? 2 : right[i] ? 1 : 0];
    }
  }
  for (const unsigned count : seen) EXPECT_GT(count, 500u);
}

TEST_P(EveryWindowKernel, WritesNoAnswersBeyondTheLast) {
  std::mt19937_64 random(9);
  for (std::size_t count = 0; count < 9; ++count) {
    const WindowLayer layer = LayerWith(8, 7, &random);
    const OwnedWindow window(8, false, 20, &random);
    WindowQueries queries = {};  // nothing to read behind the last
    for (std::size_t i = 0; i < count; ++i) {
      window.PutInto(&queries, i, window.Sums());
    }
    // Of the exact size.
    const std::unique_ptr<bool[]> answers(new bool[count]);
    kernels().check_windows(queries, count, layer, answers.get());
  }
}

// Hashes at the ends of buckets and parts, and any others.
std::vector<std::uint64_t> SomeHashes(const BumpedLayer& layer,
                                      std::size_t count,
                                      std::mt19937_64* random) {
  std::vector<std::uint64_t> hashes = {0, ~std::uint64_t{0}};
  while (hashes.size() < count) {
    const std::uint64_t bucket = (*random)() % layer.buckets();
    const std::uint64_t part = layer.shape().part_buckets();
    hashes.push_back((*random)());
    hashes.push_back(layer.FirstHashOf(bucket));
    hashes.push_back(layer.FirstHashOf(bucket) - 1);
    hashes.push_back(layer.FirstHashOf(bucket / part * part) - 1);
  }
  hashes.resize(count);
  return hashes;
}

TEST_P(EveryWindowKernel, FindsTheWindowsThatPortableDoes) {
  std::mt19937_64 random(11);
  // A place that nobody reads: only addresses are made of it.
  const unsigned char bytes[1] = {};
  for (const std::uint64_t buckets :
       {std::uint64_t{1}, std::uint64_t{2}, std::uint64_t{511},
        std::uint64_t{512}, std::uint64_t{513}, std::uint64_t{764467},
        (std::uint64_t{1} << 31) + 5, (std::uint64_t{1} << 32) - 1,
        std::uint64_t{1} << 32, (std::uint64_t{1} << 40) + 3}) {
    for (unsigned columns = 3; columns <= 32; ++columns) {
      const bool wide = columns < 32 && random() % 3 == 0;
      const BumpedLayout shape = BumpedLayout::Of(
          (columns << kColumnFractionBits) + (wide ? 1u << 25 : 0));
      const BumpedLayer layer(shape, buckets);
      const WindowLayer windows = WindowLayerOf(&layer, bytes);
      const std::size_t count = random() % (kMaxWindows + 1);
      const auto hashes = SomeHashes(layer, count, &random);
      WindowQueries found;
      WindowQueries expected;
      kernels().find_windows(hashes.data(), count, windows, &found);
      kPortableKernels.find_windows(hashes.data(), count, windows, &expected);
      for (std::size_t i = 0; i < count; ++i) {
        SCOPED_TRACE(std::to_string(columns) + " columns, buckets " +
                     std::to_string(buckets));
        ASSERT_EQ(found.rows[i], expected.rows[i]);
        ASSERT_EQ(found.words[i], expected.words[i]);
        ASSERT_EQ(found.levels[i], expected.levels[i]);
        ASSERT_EQ(found.masks[0][i], expected.masks[0][i]);
        ASSERT_EQ(found.masks[1][i], expected.masks[1][i]);
        ASSERT_EQ(static_cast<std::uint32_t>(found.fingerprints[i]),
                  static_cast<std::uint32_t>(expected.fingerprints[i]));
        if (!wide) continue;
        ASSERT_EQ(found.strides[i], expected.strides[i]);
        ASSERT_EQ(found.columns[i], expected.columns[i]);
      }
    }
  }
}

// A whole layer of random bytes, whose levels bump about half of the keys.
TEST_P(EveryWindowKernel, AnswersOneHashAsAWindowOfMany) {
  std::mt19937_64 random(13);
  std::array<unsigned, 3> seen = {};
  for (unsigned round = 0; round < 30 * 8; ++round) {
    const unsigned columns = 3 + round % 30;
    const bool wide = columns < 32 && random() % 2 == 0;
    const BumpedLayout shape = BumpedLayout::Of(
        (columns << kColumnFractionBits) + (wide ? 1u << 25 : 0));
    const BumpedLayer layer(shape, 1 + random() % 700);
    // Of the exact size, so that a sanitizer notices a read beyond.
    const auto size = static_cast<std::size_t>(layer.bytes());
    const std::unique_ptr<unsigned char[]> bytes(new unsigned char[size]);
    for (std::size_t i = 0; i < size; ++i) {
      bytes[i] = static_cast<unsigned char>(random());
    }
    const WindowLayer windows = WindowLayerOf(&layer, bytes.get());
    for (std::uint64_t hash : SomeHashes(layer, 200, &random)) {
      WindowQueries queries = {};
      bool maybe = false;
      kPortableKernels.find_windows(&hash, 1, windows, &queries);
      const bool bumped =
          kPortableKernels.check_windows(queries, 1, windows, &maybe) != 0;
      const WindowAnswer expected = bumped  ? WindowAnswer::kBumped
                                    : maybe ? WindowAnswer::kMaybe
                                            : WindowAnswer::kAbsent;
      ASSERT_EQ(kernels().check_window(hash, windows), expected)
          << columns << " columns, wide " << wide;
      ++seen[static_cast<std::size_t>(expected)];
    }
  }
  for (const unsigned count : seen) EXPECT_GT(count, 100u);
}

}  // namespace
}  // namespace tamis
