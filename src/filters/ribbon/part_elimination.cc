// SPDX-License-Identifier: Apache-2.0
#include "filters/ribbon/part_elimination.h"

#include <algorithm>

#include "filters/ribbon/elimination.h"

namespace tamis {
namespace {

constexpr std::uint32_t LowBits(unsigned count) noexcept {
  return static_cast<std::uint32_t>((std::uint64_t{1} << count) - 1);
}

// Returns the first row of a segment, counted from the layer's start.
constexpr std::uint64_t RowOfSegment(std::uint64_t segment) noexcept {
  return segment / 2 * kPairRows + segment % 2 * kSegmentRows;
}

// Returns how many of the rows from `first` on can start keys with the extra
// column.
std::size_t WideRows(const BumpedLayer& layer, std::uint64_t first) {
  // The segment where ColumnsAt() decreases.
  std::uint64_t segment = 0;
  std::uint64_t end = layer.segments();
  while (segment < end) {
    const std::uint64_t middle = segment + (end - segment) / 2;
    if (layer.ColumnsAt(middle) > layer.shape().columns) {
      segment = middle + 1;
    } else {
      end = middle;
    }
  }
  const std::uint64_t row = RowOfSegment(segment);
  return static_cast<std::size_t>(row > first ? row - first : 0);
}

}  // namespace

template <typename Word>
bool BumpedElimination<Word>::Start(std::uint64_t part,
                                    std::span<const std::uint64_t> hashes,
                                    WalkingKey<Word>* walking) {
  const BumpedLayout& shape = layer_.shape();
  first_bucket_ = part * shape.part_buckets();
  const auto buckets = static_cast<std::size_t>(std::min<std::uint64_t>(
      shape.part_buckets(), layer_.buckets() - first_bucket_));
  rows_.count = buckets * shape.bucket_rows();
  // The same for all parts of the layer, also for a shorter one at its end.
  rows_.values = static_cast<std::size_t>(std::min<std::uint64_t>(
                     shape.part_buckets(), layer_.buckets())) *
                 shape.bucket_rows();
  memory_.assign(2 * rows_.values, 0);
  rows_.coefficients = memory_.data();
  levels_.assign(buckets, 0);
  bumped_.clear();
  hashes_ = hashes;
  bucket_ = first_bucket_ - 1;  // so that the next is the first
  bucket_begin_ = bucket_end_ = 0;
  walking->self = walking->queue = nullptr;
  mask_ = LowBits(shape.columns);
  wide_mask_ = LowBits(shape.most_columns());
  wide_rows_ = shape.wide == 0
                   ? 0
                   : WideRows(layer_, first_bucket_ * shape.bucket_rows());
  return TakeNextIn(walking);
}

template <typename Word>
bool BumpedElimination<Word>::Settle(WalkingKey<Word>* walking) {
  if (!GetRow(*walking, rows_.values) &&
      walking->row[rows_.values] != walking->value) {
    Bump(*walking->self);
    walking->self = walking->queue;
  }  // Else it has a row, or follows from the others and needs none.
  return TakeNextIn(walking);
}

template <typename Word>
bool BumpedElimination<Word>::OpenNextBucket(WalkingKey<Word>* walking) {
  if (bucket_end_ == hashes_.size()) return false;
  ++bucket_;
  bucket_row_ = static_cast<std::size_t>(bucket_ - first_bucket_) *
                layer_.shape().bucket_rows();
  bucket_begin_ = bucket_end_;
  const bool last = bucket_ + 1 == first_bucket_ + levels_.size();
  if (last) {
    bucket_end_ = hashes_.size();
  } else {
    const std::uint64_t bound = layer_.FirstHashOf(bucket_ + 1);
    while (bucket_end_ < hashes_.size() && hashes_[bucket_end_] < bound) {
      ++bucket_end_;
    }
  }
  // All at once, so that the processor overlaps the work for several keys.
  queue_.resize(bucket_end_ - bucket_begin_);
  for (std::size_t i = 0; i < queue_.size(); ++i) {
    const std::uint64_t hash = hashes_[bucket_begin_ + i];
    const std::size_t row = bucket_row_ + layer_.PlaceOf(hash).row;
    const BumpedKey<Word> key = BumpedKeyOf<Word>(hash);
    queue_[i] = {key.coefficients, key.fingerprint & FingerprintMask(row),
                 rows_.coefficients + row, nullptr};
  }
  walking->queue = queue_.data();
  walking->self = walking->queue + queue_.size();
  return true;
}

template <typename Word>
bool BumpedElimination<Word>::TakeNextIn(WalkingKey<Word>* walking) {
  while (walking->self == walking->queue) {
    if (!OpenNextBucket(walking)) return false;
  }
  TakeNext(walking);
  return true;
}

template <typename Word>
void BumpedElimination<Word>::Bump(const QueuedKey<Word>& key) {
  const BumpedLayout& shape = layer_.shape();
  const Word* const bucket = rows_.coefficients + bucket_row_;
  const unsigned level =
      shape.LevelAbove(static_cast<unsigned>(key.row - bucket));
  const Word* const threshold = bucket + shape.Threshold(level);
  levels_[static_cast<std::size_t>(bucket_ - first_bucket_)] =
      static_cast<std::uint16_t>(level);
  // The keys up to the threshold are the last that got rows.  No other key was
  // reduced by them, so they can simply be removed.
  auto end = static_cast<std::size_t>(&key - queue_.data()) + 1;
  for (; end < queue_.size() && queue_[end].row < threshold; ++end) {
    Word* const owned = queue_[end].owned;
    if (owned != nullptr) rows_.Clear(owned);
  }
  const auto first =
      hashes_.begin() + static_cast<std::ptrdiff_t>(bucket_begin_);
  bumped_.insert(bumped_.end(), first,
                 first + static_cast<std::ptrdiff_t>(end));
}

template class BumpedElimination<std::uint64_t>;
template class BumpedElimination<Uint128>;

}  // namespace tamis
