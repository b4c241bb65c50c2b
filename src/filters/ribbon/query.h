// SPDX-License-Identifier: Apache-2.0
// filters/ribbon/query.h -- queries one layer of a bumped ribbon filter.

#pragma once

#include <array>
#include <cstdint>

#include "base/coding.h"
#include "filters/kernels/kernels.h"
#include "filters/ribbon/coefficients.h"
#include "filters/ribbon/layout.h"

namespace tamis {

// A key's window, split into the segments that it reaches.
template <typename Word>
struct BumpedWindow {
  static constexpr unsigned kSegments = sizeof(Word) / 8 + 1;

  // The window starts at `row` of a segment; `second`: it is the second of its
  // pair.
  BumpedWindow(Word coefficients, unsigned row, bool second) noexcept {
    unsigned rows = kSegmentRows - (second ? 1u : 0u);
    masks[0] = Low(coefficients << row, rows);
    // In two steps, because the first segment may hold the whole word.
    coefficients = (coefficients >> (rows - row - 1)) >> 1;
    for (unsigned i = 1; i < kSegments; ++i) {
      rows = kPairRows - rows;
      masks[i] = Low(coefficients, rows);
      coefficients = (coefficients >> (rows - 1)) >> 1;
    }
  }

  std::array<std::uint64_t, kSegments> masks;

 private:
  static std::uint64_t Low(Word word, unsigned rows) noexcept {
    return static_cast<std::uint64_t>(word) &
           (~std::uint64_t{0} >> (64 - rows));
  }
};

// Returns the level of a bucket.
inline unsigned BumpedLevel(const BumpedLayer& layer,
                            const unsigned char* bytes,
                            std::uint64_t bucket) noexcept {
  const BumpedLayout& shape = layer.shape();
  const unsigned per_pair = shape.level_bits / shape.bucket_pairs;
  unsigned level = 0;
  unsigned bit = 0;
  for (unsigned pair = 0; pair < shape.bucket_pairs; ++pair) {
    const std::uint64_t second = 2 * (bucket * shape.bucket_pairs + pair) + 1;
    const unsigned char* words = bytes + layer.OffsetOf(second);
    for (unsigned i = 0; i < per_pair; ++i, ++bit) {
      level |=
          static_cast<unsigned>(LoadLittle64(words + std::size_t{8} * i) >> 63)
          << bit;
    }
  }
  return level;
}

// The segment of a bucket's row, and the row within it.
struct BumpedSegment {
  std::uint64_t segment;
  unsigned row;
  bool second;  // of its pair
};
inline BumpedSegment SegmentOf(const BumpedLayer& layer,
                               const BumpedPlace& place) noexcept {
  const unsigned pair = place.row / kPairRows;
  const unsigned row = place.row % kPairRows;
  const bool second = row >= kSegmentRows;
  return {2 * (place.bucket * layer.shape().bucket_pairs + pair) +
              (second ? 1u : 0u),
          row - (second ? kSegmentRows : 0), second};
}

// Returns whether the table contains the key, with windows of Word.
// REQUIRES: the key is not bumped; `bytes` is the layer, from its start
template <typename Word>
bool CheckBumpedKey(const BumpedLayer& layer, const unsigned char* bytes,
                    std::uint64_t hash, const BumpedPlace& place) noexcept {
  const BumpedSegment at = SegmentOf(layer, place);
  const BumpedKey<Word> key = BumpedKeyOf<Word>(hash);
  const BumpedWindow<Word> window(key.coefficients, at.row, at.second);
  const unsigned columns = layer.ColumnsAt(at.segment);
  std::array<const unsigned char*, BumpedWindow<Word>::kSegments> segments;
  for (unsigned i = 0; i < segments.size(); ++i) {
    // A segment that the window does not reach may be beyond the table.
    segments[i] =
        bytes + layer.OffsetOf(at.segment + (window.masks[i] != 0 ? i : 0u));
  }
  unsigned wrong = 0;
  for (unsigned column = 0; column < columns; ++column) {
    std::uint64_t selected = (key.fingerprint >> column) & 1;
    for (unsigned i = 0; i < segments.size(); ++i) {
      selected ^= LoadLittle64(segments[i] + 8 * column) & window.masks[i];
    }
    wrong |= Parity(selected);
  }
  return wrong == 0;
}

// Returns what queries of a layer share.  The layer must outlive the result.
// REQUIRES: layer->shape().window == 64
inline WindowLayer WindowLayerOf(const BumpedLayer* layer,
                                 const unsigned char* bytes) noexcept {
  const BumpedLayout& shape = layer->shape();
  WindowLayer windows;
  windows.layer = layer;
  windows.bytes = bytes;
  windows.buckets = layer->buckets();
  windows.part_mask = layer->part_mask();
  windows.least_columns = shape.columns;
  windows.wide_segments = layer->wide_segments();
  windows.columns = shape.wide == 0 ? shape.columns : 0;
  windows.level_bits = shape.level_bits;
  for (unsigned level = 0; level < 1u << shape.level_bits; ++level) {
    windows.thresholds[level] =
        static_cast<std::uint8_t>(shape.Threshold(level));
  }
  windows.levels_are_rows = shape.level_bits == 7 && shape.level_step == 1;
  return windows;
}

// Sets query i to a key's window: the same as PlaceOf(), SegmentOf() and
// BumpedWindow together.  Buckets are single pairs if windows have 64 rows.
inline void FindWindow(std::uint64_t hash, const WindowLayer& windows,
                       std::size_t i, WindowQueries* queries) noexcept {
  const BumpedLayer& layer = *windows.layer;
  const BumpedPlace place = layer.PlaceOf(hash);
  const auto key = BumpedKeyOf<std::uint64_t>(hash);
  const unsigned second = place.row / kSegmentRows;  // 0 or 1
  const unsigned row = place.row % kSegmentRows;
  const std::uint64_t segment = 2 * place.bucket + second;
  queries->masks[0][i] =
      (key.coefficients << row) & (~std::uint64_t{0} >> second);
  // In two steps, because that may be all of them.
  queries->masks[1][i] =
      key.coefficients >> (kSegmentRows - 1 - second - row) >> 1;
  queries->fingerprints[i] = key.fingerprint;
  queries->rows[i] = place.row;
  queries->words[i] = windows.bytes + layer.OffsetOf(segment);
  queries->levels[i] = windows.bytes + layer.OffsetOf(2 * place.bucket + 1);
  if (windows.columns != 0) return;
  queries->strides[i] = std::uint64_t{8} * layer.WordsIn(segment);
  queries->columns[i] = layer.ColumnsAt(segment);
}

}  // namespace tamis
