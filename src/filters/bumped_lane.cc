#include "filters/bumped_lane.h"

#include <algorithm>

namespace tamis {
namespace {

constexpr std::uint32_t LowBits(unsigned count) noexcept {
  return static_cast<std::uint32_t>((std::uint64_t{1} << count) - 1);
}

// The first row of a segment, counted from the layer's start.
constexpr std::uint64_t RowOfSegment(std::uint64_t segment) noexcept {
  return segment / 2 * kPairRows + segment % 2 * kSegmentRows;
}

// How many of the rows from `first` on can start keys with the extra column.
std::size_t WideRows(const BumpedLayer& layer, std::uint64_t first) {
  // Where ColumnsAt() steps down.
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
bool BumpedLane<Word>::Start(std::uint64_t part,
                             std::span<const std::uint64_t> digests,
                             MovingKey<Word>* moving) {
  const BumpedShape& shape = layer_.shape();
  first_bucket_ = part * shape.part_buckets();
  const auto buckets = static_cast<std::size_t>(std::min<std::uint64_t>(
      shape.part_buckets(), layer_.buckets() - first_bucket_));
  rows_.assign(buckets * shape.bucket_rows(), {});
  levels_.assign(buckets, 0);
  bumped_.clear();
  placed_.clear();
  digests_ = digests;
  bucket_ = first_bucket_ - 1;  // so that the next is the first
  bucket_begin_ = bucket_end_ = next_ = 0;
  mask_ = LowBits(shape.columns);
  wide_mask_ = LowBits(shape.most_columns());
  wide_rows_ = shape.wide == 0
                   ? 0
                   : WideRows(layer_, first_bucket_ * shape.bucket_rows());
  return TakeNext(moving);
}

template <typename Word>
bool BumpedLane<Word>::Settle(MovingKey<Word>* moving) {
  BumpedRow<Word>& row = *moving->row;
  if (row.coefficients == 0) {
    row = {moving->coefficients, moving->value};
    placed_.push_back({start_, &row});
  } else if (row.value != moving->value) {
    Bump();
  }  // Else it follows from the others, and needs no row.
  return TakeNext(moving);
}

template <typename Word>
bool BumpedLane<Word>::TakeNext(MovingKey<Word>* moving) {
  while (next_ == bucket_begin_) {
    if (bucket_end_ == digests_.size()) return false;
    ++bucket_;
    placed_.clear();
    bucket_begin_ = bucket_end_;
    const bool last = bucket_ + 1 == first_bucket_ + levels_.size();
    const std::uint64_t bound = last ? 0 : layer_.FirstDigestOf(bucket_ + 1);
    while (bucket_end_ < digests_.size() &&
           (last || digests_[bucket_end_] < bound)) {
      ++bucket_end_;
    }
    next_ = bucket_end_;
  }
  --next_;
  start_ = layer_.PlaceOf(digests_[next_]).row;
  const std::size_t row = static_cast<std::size_t>(bucket_ - first_bucket_) *
                              layer_.shape().bucket_rows() +
                          start_;
  const BumpedKey<Word> key = BumpedKeyOf<Word>(digests_[next_]);
  *moving = {key.coefficients, key.fingerprint & FingerprintMask(row),
             &rows_[row]};
  return true;
}

template <typename Word>
void BumpedLane<Word>::Bump() {
  const BumpedShape& shape = layer_.shape();
  const unsigned level = shape.LevelAbove(start_);
  const unsigned threshold = shape.Threshold(level);
  levels_[static_cast<std::size_t>(bucket_ - first_bucket_)] =
      static_cast<std::uint16_t>(level);
  // No other key was reduced by the last ones, so they can simply go.
  for (; !placed_.empty() && placed_.back().start < threshold;
       placed_.pop_back()) {
    *placed_.back().row = {};
  }
  std::size_t end = next_ + 1;
  while (end < bucket_end_ && layer_.PlaceOf(digests_[end]).row < threshold) {
    ++end;
  }
  bumped_.insert(bumped_.end(),
                 digests_.begin() + static_cast<std::ptrdiff_t>(bucket_begin_),
                 digests_.begin() + static_cast<std::ptrdiff_t>(end));
  next_ = bucket_begin_;
}

template class BumpedLane<std::uint64_t>;
template class BumpedLane<Uint128>;

}  // namespace tamis
