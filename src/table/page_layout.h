// SPDX-License-Identifier: Apache-2.0
// table/page_layout.h -- where a table's data blocks should end, so that a
// block is in as few pages as it can be.
//
// A page is divided into equal parts, or a few pages are taken together,
// whichever comes near the size of a block; a block ends with such a part.
// How large a block becomes when it is compressed is estimated from those
// before it.  A wrong estimate costs a page more to load, and nothing else.

#pragma once

#include <algorithm>
#include <cstdint>

#include "table/footer.h"

namespace tamis {

// The stored bytes of blocks as a share of their own.
class StoredShare {
 public:
  // Blocks that are stored as they are, of `usual` bytes or about that.
  explicit StoredShare(std::uint64_t usual) noexcept
      : usual_(static_cast<double>(usual)) {}

  // Learns from a block.  Short ones, which fill the rest of a page, compress
  // worse and count less.  REQUIRES: raw > 0
  void Add(std::uint64_t raw, std::uint64_t stored) noexcept {
    const double share = static_cast<double>(stored) / static_cast<double>(raw);
    if (!is_known_) {
      is_known_ = true;
      mean_ = share;
      deviation_ = share < 1 ? share / 32 : 0;
      return;
    }
    const double weight =
        kWeight * std::min(1.0, static_cast<double>(raw) / usual_);
    const double off = share > mean_ ? share - mean_ : mean_ - share;
    deviation_ += (off - deviation_) * weight;
    mean_ += (share - mean_) * weight;
  }

  // Returns what a block of `raw` bytes takes on average.
  std::uint64_t Average(std::uint64_t raw) const noexcept {
    return Part(raw, mean_);
  }
  // Returns what it will rarely exceed.
  std::uint64_t Most(std::uint64_t raw) const noexcept {
    return Part(raw, mean_ + kDeviations * deviation_);
  }

 private:
  static constexpr double kWeight = 0.125;  // of the newest block
  // Blocks that take more than expected cost a page; space that is kept for
  // them in vain costs more.
  static constexpr double kDeviations = 1;

  static std::uint64_t Part(std::uint64_t raw, double share) noexcept {
    return static_cast<std::uint64_t>(static_cast<double>(raw) *
                                      std::min(1.0, share));
  }

  const double usual_;
  bool is_known_ = false;
  double mean_ = 1;
  double deviation_ = 0;
};

// Returns how many bytes a block that begins at `offset` should take, trailer
// included, if blocks usually take `usual`, so that it ends with a page or with
// an equal part of one.  From where another such block has ended, that is from
// two thirds to four thirds of the usual.  REQUIRES: usual > 0
constexpr std::uint64_t SpaceForBlock(std::uint64_t offset,
                                      std::uint64_t usual) noexcept {
  const std::uint64_t within = offset % kPageBytes;
  if (usual > kPageBytes / 4 * 3) {
    const std::uint64_t pages = (usual + kPageBytes / 2) / kPageBytes;
    return std::max<std::uint64_t>(1, pages) * kPageBytes - within;
  }
  // Rounded up, but down where that makes blocks longer by a third at most.
  const std::uint64_t parts = (3 * kPageBytes + 2 * usual - 1) / (3 * usual);
  const std::uint64_t part = kPageBytes / parts;
  std::uint64_t end = (within / part + 1) * part;
  if (end - within < part / 2) end += part;
  return (end + part > kPageBytes ? kPageBytes : end) - within;
}

}  // namespace tamis
