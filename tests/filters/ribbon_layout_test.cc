// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <limits>
#include <memory>
#include <random>
#include <vector>

#include <gtest/gtest.h>

#include "filters/ribbon/layout.h"
#include "filters/ribbon/query.h"

namespace tamis {
namespace {

constexpr std::uint32_t kOne = 1u << kColumnFractionBits;
constexpr std::uint64_t kMaxHash = std::numeric_limits<std::uint64_t>::max();

// Every number of columns, whole, a bit more and a bit less.
std::vector<std::uint32_t> AllColumns() {
  std::vector<std::uint32_t> all;
  for (std::uint32_t columns = 1; columns <= kMaxRibbonColumns; ++columns) {
    all.push_back(columns * kOne);
    if (columns == kMaxRibbonColumns) break;
    for (const std::uint32_t fraction : {1u, kOne / 3, kOne / 2, kOne - 1}) {
      all.push_back(columns * kOne + fraction);
    }
  }
  return all;
}

// Around every border of a part, and sizes where 64 bits get tight.
std::vector<std::uint64_t> BucketCounts(const BumpedLayout& shape) {
  const std::uint64_t part = shape.part_buckets();
  return {1,          2,          3,
          7,          part - 1,   part,
          part + 1,   2 * part,   3 * part - 1,
          10'000'019, 1ull << 40, 1ull << 48};
}

std::uint64_t RowOf(const BumpedLayer& layer, const BumpedPlace& place) {
  return place.bucket * layer.shape().bucket_rows() + place.row;
}

TEST(BumpedLayout, LevelsAndTheRowsTheyBumpAreEachOthersInverse) {
  for (const std::uint32_t columns : AllColumns()) {
    const BumpedLayout shape = BumpedLayout::Of(columns);
    const unsigned levels = 1u << shape.level_bits;
    EXPECT_EQ(shape.level_bits % shape.bucket_pairs, 0u);
    EXPECT_LE(shape.level_bits / shape.bucket_pairs, shape.columns);
    EXPECT_EQ(shape.Threshold(0), 0u);
    EXPECT_EQ(shape.Threshold(levels - 1), shape.bucket_rows());
    for (unsigned level = 1; level < levels; ++level) {
      ASSERT_GT(shape.Threshold(level), shape.Threshold(level - 1));
    }
    for (unsigned row = 0; row < shape.bucket_rows(); ++row) {
      const unsigned level = shape.LevelAbove(row);
      ASSERT_LT(level, levels);
      ASSERT_GT(shape.Threshold(level), row) << columns;
      ASSERT_LE(shape.Threshold(level - 1), row) << columns;
    }
  }
}

TEST(BumpedLayout, PlacesNeverDecreaseAndBucketsBeginWhereTheySay) {
  std::mt19937_64 random(1);
  for (const std::uint32_t columns : {1u, 2u, 3u, 8u}) {
    const BumpedLayout shape = BumpedLayout::Of(columns * kOne);
    for (const std::uint64_t buckets : BucketCounts(shape)) {
      const BumpedLayer layer(shape, buckets);
      for (unsigned i = 0; i < 500; ++i) {
        const std::uint64_t hash = random() >> (i % 64);
        const std::uint64_t more = hash + (random() >> (random() % 64));
        if (more >= hash) {
          ASSERT_LE(RowOf(layer, layer.PlaceOf(hash)),
                    RowOf(layer, layer.PlaceOf(more)));
        }
        const std::uint64_t bucket =
            i < 4 ? std::min<std::uint64_t>(i, buckets - 1)
                  : random() % buckets;
        const std::uint64_t first = layer.FirstHashOf(bucket);
        ASSERT_EQ(layer.PlaceOf(first).bucket, bucket);
        ASSERT_EQ(layer.PlaceOf(first).row, 0u);
        if (bucket > 0) {
          ASSERT_EQ(layer.PlaceOf(first - 1).bucket, bucket - 1);
        }
      }
      EXPECT_EQ(layer.PlaceOf(0).bucket, 0u);
      EXPECT_EQ(layer.PlaceOf(kMaxHash).bucket, buckets - 1);
    }
  }
}

// The last hash of a bucket starts as late as a window can.
TEST(BumpedLayout, NoWindowLeavesItsPartAndAllRowsAreReached) {
  for (const std::uint32_t columns : {1u, 2u, 3u, 32u}) {
    const BumpedLayout shape = BumpedLayout::Of(columns * kOne);
    for (const std::uint64_t buckets : BucketCounts(shape)) {
      const BumpedLayer layer(shape, buckets);
      const std::uint64_t shown = std::min<std::uint64_t>(buckets, 1500);
      for (std::uint64_t i = 0; i < 2 * shown; ++i) {
        const std::uint64_t bucket = i < shown ? i : buckets - 1 - (i - shown);
        const std::uint64_t last = bucket + 1 == buckets
                                       ? kMaxHash
                                       : layer.FirstHashOf(bucket + 1) - 1;
        const BumpedPlace place = layer.PlaceOf(last);
        ASSERT_EQ(place.bucket, bucket);
        const bool ends_part =
            (bucket + 1) % shape.part_buckets() == 0 || bucket + 1 == buckets;
        const unsigned end = place.row + shape.window;
        ASSERT_LT(place.row, shape.bucket_rows());
        if (ends_part) {
          ASSERT_EQ(end, shape.bucket_rows());
        } else {
          ASSERT_EQ(place.row + 1, shape.bucket_rows());
        }
      }
    }
  }
}

TEST(BumpedLayout, SegmentsLieOneBehindTheOther) {
  for (const std::uint32_t columns : AllColumns()) {
    const BumpedLayout shape = BumpedLayout::Of(columns);
    for (const std::uint64_t buckets : {1u, 2u, 5u, 300u}) {
      const BumpedLayer layer(shape, buckets);
      std::uint64_t offset = 0;
      std::uint64_t wide = 0;
      for (std::uint64_t i = 0; i < layer.segments(); ++i) {
        ASSERT_EQ(layer.OffsetOf(i), offset);
        ASSERT_LE(layer.WordsIn(i), shape.most_columns());
        offset += 8 * layer.WordsIn(i);
        wide += layer.WordsIn(i) - shape.columns;
        // A window finds its columns in all segments that it may reach.
        for (unsigned j = 0; j <= shape.window / kSegmentRows; ++j) {
          ASSERT_LE(layer.ColumnsAt(i), layer.WordsIn(i + j));
        }
        ASSERT_GE(layer.ColumnsAt(i), shape.columns);
      }
      EXPECT_EQ(layer.bytes(), offset);
      EXPECT_EQ(wide, layer.segments() * std::uint64_t{shape.wide} / kOne);
    }
    // The largest that a file may name.
    const BumpedLayer huge(shape, std::uint64_t{1} << 48);
    const Uint128 words =
        static_cast<Uint128>(huge.segments()) * shape.columns +
        ((static_cast<Uint128>(huge.segments()) * shape.wide) >>
         kColumnFractionBits);
    EXPECT_TRUE(8 * words == huge.bytes()) << columns;
  }
}

// ---- Queries against a model that looks at one bit at a time ----

struct SlowTable {
  const BumpedLayer& layer;
  const unsigned char* bytes;

  bool Bit(std::uint64_t segment, unsigned column, unsigned bit) const {
    std::uint64_t words = column;
    for (std::uint64_t i = 0; i < segment; ++i) words += layer.WordsIn(i);
    EXPECT_LT(segment, layer.segments());
    EXPECT_LT(column, layer.WordsIn(segment));
    return (bytes[8 * words + bit / 8] >> (bit % 8) & 1) != 0;
  }
  unsigned Level(std::uint64_t bucket) const {
    const BumpedLayout& shape = layer.shape();
    unsigned level = 0;
    const unsigned per_pair = shape.level_bits / shape.bucket_pairs;
    for (unsigned i = 0; i < shape.level_bits; ++i) {
      const std::uint64_t pair = bucket * shape.bucket_pairs + i / per_pair;
      level |= (Bit(2 * pair + 1, i % per_pair, 63) ? 1u : 0u) << i;
    }
    return level;
  }
  template <typename Word>
  bool Check(std::uint64_t hash, const BumpedPlace& place) const {
    const auto key = BumpedKeyOf<Word>(hash);
    const std::uint64_t first = RowOf(layer, place);
    const auto segment = [](std::uint64_t row) {
      return row / 127 * 2 + (row % 127 < 64 ? 0 : 1);
    };
    // The window's first row is in one segment, its last may be in another.
    const unsigned columns =
        layer.WordsIn(segment(first) + layer.shape().window / 64);
    for (unsigned column = 0; column < columns; ++column) {
      bool sum = (key.fingerprint >> column & 1) != 0;
      for (unsigned i = 0; i < layer.shape().window; ++i) {
        if ((key.coefficients >> i & 1) == 0) continue;
        const auto bit = static_cast<unsigned>((first + i) % 127);
        sum ^= Bit(segment(first + i), column, bit < 64 ? bit : bit - 64);
      }
      if (sum) return false;
    }
    return true;
  }
};

enum class Answer { kAbsent, kMaybe, kBumped };

// By the way that readers take for windows of 64 rows.
Answer AnswerOf(const Kernels& kernels, const BumpedLayer& layer,
                const unsigned char* bytes, std::uint64_t hash) {
  const WindowLayer windows = WindowLayerOf(&layer, bytes);
  WindowQueries queries;
  kernels.find_windows(&hash, 1, windows, &queries);
  bool maybe = false;
  const std::uint64_t bumped =
      kernels.check_windows(queries, 1, windows, &maybe);
  EXPECT_LE(bumped, 1u);
  if (bumped != 0) return Answer::kBumped;
  return maybe ? Answer::kMaybe : Answer::kAbsent;
}

template <typename Word>
unsigned CompareWithSlowTable(const BumpedLayer& layer,
                              std::mt19937_64* random) {
  const auto size = static_cast<std::size_t>(layer.bytes());
  // Of the exact size, so that sanitizers see what is read beyond.
  const std::unique_ptr<unsigned char[]> bytes(new unsigned char[size]);
  const bool sparse = layer.shape().columns > 5;
  for (std::size_t i = 0; i < size; ++i) {
    bytes[i] = static_cast<unsigned char>((*random)());
    // With many columns a sum that is not 0 would decide nearly every time.
    if (sparse && i % 32 != 7) bytes[i] = 0;
  }
  const SlowTable slow{layer, bytes.get()};
  unsigned maybe = 0;
  for (std::uint64_t i = 0; i < layer.buckets(); ++i) {
    EXPECT_EQ(BumpedLevel(layer, bytes.get(), i), slow.Level(i));
  }
  for (unsigned i = 0; i < 200; ++i) {
    const std::uint64_t hash = i == 0 ? kMaxHash : (*random)();
    const BumpedPlace place = layer.PlaceOf(hash);
    const bool expected = slow.Check<Word>(hash, place);
    EXPECT_EQ(CheckBumpedKey<Word>(layer, bytes.get(), hash, place), expected);
    maybe += expected ? 1 : 0;
    if (layer.shape().window == 64) {
      const unsigned level = slow.Level(place.bucket);
      const Answer right = place.row < layer.shape().Threshold(level)
                               ? Answer::kBumped
                           : expected ? Answer::kMaybe
                                      : Answer::kAbsent;
      for (const Kernels* kernels : AllKernels()) {
        if (!kernels->runs_here()) continue;
        EXPECT_EQ(AnswerOf(*kernels, layer, bytes.get(), hash), right)
            << kernels->name;
      }
    }
  }
  return maybe;
}

TEST(BumpedQuery, AgreesWithASlowTable) {
  std::mt19937_64 random(2);
  unsigned maybe = 0;
  for (const std::uint32_t columns : AllColumns()) {
    const BumpedLayout shape = BumpedLayout::Of(columns);
    const BumpedLayer layer(shape, 1 + random() % 5);
    const unsigned some =
        shape.window == 64 ? CompareWithSlowTable<std::uint64_t>(layer, &random)
                           : CompareWithSlowTable<Uint128>(layer, &random);
    if (shape.columns < 6) {
      EXPECT_GT(some, 0u) << columns;
    }
    maybe += some;
  }
  EXPECT_GT(maybe, 500u);
}

}  // namespace
}  // namespace tamis
