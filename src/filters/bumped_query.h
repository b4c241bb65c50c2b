// filters/bumped_query.h -- asks one layer of a bumped ribbon filter.

#pragma once

#include <array>
#include <cstdint>

#include "base/coding.h"
#include "filters/bumped_key.h"
#include "filters/bumped_shape.h"
#include "filters/kernels.h"

namespace tamis {

// A key's window, as far as it lies in each of the segments that it reaches.
template <typename Word>
struct BumpedWindow {
  static constexpr unsigned kSegments = sizeof(Word) / 8 + 1;

  // The window starts at `row` of a segment that is the second of its pair,
  // or not.
  BumpedWindow(Word coefficients, unsigned row, bool second) noexcept {
    unsigned rows = kSegmentRows - (second ? 1u : 0u);
    masks[0] = Low(coefficients << row, rows);
    // In two steps, for the first segment may hold the whole word.
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

// The level of a bucket, from its first segment on.
inline unsigned BumpedLevel(const BumpedLayer& layer,
                            const unsigned char* bytes,
                            std::uint64_t bucket) noexcept {
  const BumpedShape& shape = layer.shape();
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

// The segment that row `row` of the bucket is in, and the row there.
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

// Whether the table holds the key, in windows of Word.
// REQUIRES: the key is not bumped; `bytes` is the layer, from its start
template <typename Word>
bool CheckBumpedKey(const BumpedLayer& layer, const unsigned char* bytes,
                    std::uint64_t digest, const BumpedPlace& place) noexcept {
  const BumpedSegment at = SegmentOf(layer, place);
  const BumpedKey<Word> key = BumpedKeyOf<Word>(digest);
  const BumpedWindow<Word> window(key.coefficients, at.row, at.second);
  const unsigned columns = layer.ColumnsAt(at.segment);
  std::array<const unsigned char*, BumpedWindow<Word>::kSegments> segments;
  for (unsigned i = 0; i < segments.size(); ++i) {
    // A segment that the window does not reach may lie behind the table.
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

// Makes the queries of a layer whose windows have 64 rows, and whose buckets
// therefore are single pairs: the same as PlaceOf(), SegmentOf() and
// BumpedWindow together, for the many that are asked at once.
class WindowFinder {
 public:
  WindowFinder() noexcept = default;
  // REQUIRES: layer.shape().window == 64; `bytes` is the layer, from its start
  WindowFinder(const BumpedLayer& layer, const unsigned char* bytes) noexcept
      : layer_(layer), bytes_(bytes), columns_(layer.shape().columns) {}

  WindowQuery QueryOf(std::uint64_t digest) const noexcept {
    const BumpedPlace place = layer_.PlaceOf(digest);
    const auto key = BumpedKeyOf<std::uint64_t>(digest);
    const unsigned second = place.row / kSegmentRows;  // 0 or 1
    const unsigned row = place.row % kSegmentRows;
    const std::uint64_t segment = 2 * place.bucket + second;
    WindowQuery query;
    query.masks[0] = (key.coefficients << row) & (~std::uint64_t{0} >> second);
    // In two steps, for that may be all of them.
    query.masks[1] = key.coefficients >> (kSegmentRows - 1 - second - row) >> 1;
    query.fingerprint = key.fingerprint;
    query.row = static_cast<std::uint8_t>(place.row);
    query.second = second != 0;
    if (layer_.shape().wide == 0) {  // each segment is as large as the next
      query.words = bytes_ + segment * (8 * columns_);
      query.stride = static_cast<std::uint16_t>(8 * columns_);
      query.columns = static_cast<std::uint8_t>(columns_);
    } else {
      query.words = bytes_ + layer_.OffsetOf(segment);
      query.stride = static_cast<std::uint16_t>(8 * layer_.WordsIn(segment));
      query.columns = static_cast<std::uint8_t>(layer_.ColumnsAt(segment));
    }
    return query;
  }

 private:
  BumpedLayer layer_;
  const unsigned char* bytes_ = nullptr;
  std::uint64_t columns_ = 0;
};

}  // namespace tamis
