// SPDX-License-Identifier: Apache-2.0
// filters/ribbon/layout.h -- the memory layout of a bumped ribbon filter.
//
// (The ideas: Dillinger, Huebschle-Schneider, Sanders, Walzer, "Fast Succinct
// Retrieval and Approximate Membership using Ribbon", 2022; the layout is our
// own, see docs/design/5-ribbon.md.)
//
// A filter is a table of bits with `columns` columns and many rows.  A key is a
// window of 64 (or 128) rows, of which its coefficients select some, and a
// fingerprint: it is "maybe" if in every column the selected bits add up,
// modulo 2, to the fingerprint's.  Building means solving for the table.
//
//   segment  64 rows, or 63 in every second one: a word of 64 bits per column,
//            bit i being row i; the columns of a segment are adjacent
//   pair     two segments, 127 rows; the last bit of each word of the second
//            is not a row but a bit of its bucket's level
//   bucket   one pair, or two or four where there are few columns: keys that
//            start in its first rows may be left out, by its level; they
//            are "bumped" to the next layer
//   part     512 pairs that are solved independently: no window leaves it
//   layer    a table; the next has the bumped keys of this one

#pragma once

#include <algorithm>
#include <cstdint>

#include "base/wide_math.h"
#include "math/fast_range.h"

namespace tamis {

inline constexpr unsigned kSegmentRows = 64;
inline constexpr unsigned kPairRows = 127;
inline constexpr unsigned kPartPairs = 512;
inline constexpr unsigned kMaxRibbonColumns = 32;
// Columns are fixed-point numbers with so many fractional bits.
inline constexpr unsigned kColumnFractionBits = 26;

// The parameters that follow from the number of columns.
struct BumpedLayout {
  unsigned columns = 0;    // that every segment has
  std::uint32_t wide = 0;  // of 2^26: segments that have one more
  unsigned window = 64;    // rows
  unsigned bucket_pairs = 1;
  unsigned level_bits = 0;  // of a bucket
  unsigned level_step = 1;  // rows that one level bumps

  // REQUIRES: fixed is at least 1 and at most 32, times 2^26
  static constexpr BumpedLayout Of(std::uint32_t fixed) noexcept {
    BumpedLayout shape;
    shape.columns = fixed >> kColumnFractionBits;
    shape.wide = fixed & ((1u << kColumnFractionBits) - 1);
    // A level costs as many rows as it has bits per column.  If one pair has
    // too few bits for it, buckets are larger, and windows must be, too.  The
    // steps are measured: docs/design/5-ribbon.md.
    switch (shape.columns) {
      case 1:
        return shape.With(128, 4, 4, 12);
      case 2:
        return shape.With(128, 2, 4, 7);
      case 3:
        return shape.With(64, 1, 3, 10);
      case 4:
        return shape.With(64, 1, 4, 5);
      case 5:
        return shape.With(64, 1, 5, 4);
      case 6:
        return shape.With(64, 1, 6, 2);
      default:
        return shape.With(64, 1, 7, 1);
    }
  }

  constexpr unsigned bucket_rows() const noexcept {
    return bucket_pairs * kPairRows;
  }
  constexpr unsigned part_buckets() const noexcept {
    return kPartPairs / bucket_pairs;
  }
  // The number of columns of the widest segments.
  constexpr unsigned most_columns() const noexcept {
    return columns + (wide != 0 ? 1 : 0);
  }
  // Keys that start before this row of their bucket are bumped.
  constexpr unsigned Threshold(unsigned level) const noexcept {
    const unsigned last = (1u << level_bits) - 1;
    return level == last ? bucket_rows()
                         : std::min(level * level_step, bucket_rows());
  }
  // Returns the lowest level that bumps keys that start at `row`.
  constexpr unsigned LevelAbove(unsigned row) const noexcept {
    const unsigned last = (1u << level_bits) - 1;
    return std::min(row / level_step + 1, last);
  }

 private:
  constexpr BumpedLayout With(unsigned rows, unsigned pairs, unsigned bits,
                              unsigned step) const noexcept {
    BumpedLayout shape = *this;
    shape.window = rows;
    shape.bucket_pairs = pairs;
    shape.level_bits = bits;
    shape.level_step = step;
    return shape;
  }
};

// Where a key's window starts.
struct BumpedPlace {
  std::uint64_t bucket = 0;
  unsigned row = 0;  // of the bucket
};

// One table.  REQUIRES: buckets > 0
class BumpedLayer {
 public:
  BumpedLayer() noexcept = default;
  BumpedLayer(const BumpedLayout& shape, std::uint64_t buckets) noexcept
      : shape_(shape),
        buckets_(buckets),
        part_mask_(shape.part_buckets() - 1),
        wide_segments_(static_cast<std::uint64_t>(
            (static_cast<Uint128>(segments()) * shape.wide) >>
            kColumnFractionBits)) {}

  const BumpedLayout& shape() const noexcept { return shape_; }
  std::uint64_t buckets() const noexcept { return buckets_; }
  std::uint64_t segments() const noexcept {
    return buckets_ * 2 * shape_.bucket_pairs;
  }
  std::uint64_t parts() const noexcept {
    return (buckets_ + shape_.part_buckets() - 1) / shape_.part_buckets();
  }
  std::uint64_t bytes() const noexcept { return OffsetOf(segments()); }
  // The first segments, which have one column more.
  std::uint64_t wide_segments() const noexcept { return wide_segments_; }
  // Buckets of a part, less one: they are a power of two.
  std::uint64_t part_mask() const noexcept { return part_mask_; }

  // Returns the offset in bytes from the layer's start.
  std::uint64_t OffsetOf(std::uint64_t segment) const noexcept {
    return 8 * (segment * shape_.columns + std::min(segment, wide_segments_));
  }
  unsigned WordsIn(std::uint64_t segment) const noexcept {
    return shape_.columns + (segment < wide_segments_ ? 1 : 0);
  }
  // Returns the columns of a key that starts in that segment: the columns that
  // all segments its window may reach have.
  unsigned ColumnsAt(std::uint64_t segment) const noexcept {
    return WordsIn(segment + shape_.window / kSegmentRows);
  }

  // Monotonic: a larger hash never has an earlier place.
  BumpedPlace PlaceOf(std::uint64_t hash) const noexcept {
    const Uint128 product = static_cast<Uint128>(hash) * buckets_;
    const auto bucket = static_cast<std::uint64_t>(product >> 64);
    return {bucket,
            static_cast<unsigned>(MultiplyHigh(
                static_cast<std::uint64_t>(product), StartsIn(bucket)))};
  }
  // Returns the least hash whose place is in that bucket, or a later one.
  std::uint64_t FirstHashOf(std::uint64_t bucket) const noexcept {
    return tamis::FirstHashOf(bucket, buckets_);
  }

 private:
  // Returns the number of rows of a bucket where windows can start.  At the end
  // of a part these are only the rows whose windows end in it.
  unsigned StartsIn(std::uint64_t bucket) const noexcept {
    const bool ends_part =
        ((bucket + 1) & part_mask_) == 0 || bucket + 1 == buckets_;
    return shape_.bucket_rows() - (ends_part ? shape_.window - 1 : 0);
  }

  BumpedLayout shape_;
  std::uint64_t buckets_ = 0;
  std::uint64_t part_mask_ = 0;
  std::uint64_t wide_segments_ = 0;
};

}  // namespace tamis
