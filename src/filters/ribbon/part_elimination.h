// SPDX-License-Identifier: Apache-2.0
// filters/ribbon/part_elimination.h -- Gaussian elimination for one part of a
// layer.
//
// Buckets are processed from left to right, and the keys of a bucket from right
// to left: if a bucket gets too many keys, its first keys find no free row,
// because the windows of the bucket before reach there.  From the first that
// finds none on, all are bumped.

#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "base/wide_math.h"
#include "filters/kernels/kernels.h"
#include "filters/ribbon/coefficients.h"
#include "filters/ribbon/layout.h"

namespace tamis {

// The rows of a part, with the keys that own them: coefficients, 0 for a free
// row, and fingerprints, `values` words later.
// Two arrays, so that a step from row to row is an addition.
template <typename Word>
struct BumpedRows {
  Word* coefficients = nullptr;
  std::size_t values = 0;
  std::size_t count = 0;

  void Clear(Word* row) const noexcept { row[0] = row[values] = 0; }
};

template <typename Word>
class BumpedElimination {
 public:
  explicit BumpedElimination(const BumpedLayer& layer) : layer_(layer) {}

  // Starts a part, whose first key goes to *walking; false if it has none.
  // REQUIRES: `hashes` are those of the part, ascending, and outlive the
  // elimination
  bool Start(std::uint64_t part, std::span<const std::uint64_t> hashes,
             WalkingKey<Word>* walking);

  // Called when Walk() stops: assigns the key its row, or bumps it, and
  // continues with the next.  False: there is none, the part is done.
  bool Settle(WalkingKey<Word>* walking);

  const BumpedRows<Word>& rows() const noexcept { return rows_; }
  // By bucket.
  std::span<const std::uint16_t> levels() const noexcept { return levels_; }
  std::uint64_t first_bucket() const noexcept { return first_bucket_; }
  std::span<const std::uint64_t> bumped() const noexcept { return bumped_; }

 private:
  // False: there is none.
  bool OpenNextBucket(WalkingKey<Word>* walking);
  // Opens buckets until there is a key.
  bool TakeNextIn(WalkingKey<Word>* walking);
  // Bumps the key, and all keys of its bucket that the required level bumps.
  void Bump(const QueuedKey<Word>& key);
  std::uint32_t FingerprintMask(std::size_t row) const noexcept {
    return row < wide_rows_ ? wide_mask_ : mask_;
  }

  const BumpedLayer& layer_;
  std::vector<Word> memory_;
  BumpedRows<Word> rows_;
  std::vector<std::uint16_t> levels_;
  std::vector<std::uint64_t> bumped_;
  std::vector<QueuedKey<Word>> queue_;  // keys of the current bucket

  std::span<const std::uint64_t> hashes_;
  std::uint64_t first_bucket_ = 0;
  std::uint64_t bucket_ = 0;      // of the layer
  std::size_t bucket_row_ = 0;    // its first row in the part
  std::size_t bucket_begin_ = 0;  // its hashes
  std::size_t bucket_end_ = 0;
  std::size_t wide_rows_ = 0;
  std::uint32_t mask_ = 0;
  std::uint32_t wide_mask_ = 0;
};

}  // namespace tamis
