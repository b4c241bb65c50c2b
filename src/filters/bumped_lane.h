// filters/bumped_lane.h -- Gaussian elimination for one part of a layer.
//
// Buckets come from left to right, the keys of a bucket from right to left:
// where a bucket gets more than it can hold, it is its first keys that find no
// place, because the windows of the bucket before reach over there.  From the
// first that finds none on all are bumped.

#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <type_traits>
#include <vector>

#include "base/wide_math.h"
#include "filters/bumped_key.h"
#include "filters/bumped_shape.h"

namespace tamis {

// REQUIRES: word != 0
inline unsigned TrailingZeros(std::uint64_t word) noexcept {
  return static_cast<unsigned>(__builtin_ctzll(word));
}
inline unsigned TrailingZeros(Uint128 word) noexcept {
  const auto low = static_cast<std::uint64_t>(word);
  return low != 0 ? TrailingZeros(low)
                  : 64 + TrailingZeros(static_cast<std::uint64_t>(word >> 64));
}

__extension__ using Int128 = __int128;
template <typename Word>
using SignedWord = std::conditional_t<sizeof(Word) == 8, std::int64_t, Int128>;

// A row of a part, with the key that owns it; coefficients 0: none does.
template <typename Word>
struct BumpedRow {
  Word coefficients;
  std::uint64_t value;  // 64 bits, so that a row is one power of two of bytes
};

// A key on its way to a row: the coefficients that are left of it, the first
// being that of `row`.
template <typename Word>
struct MovingKey {
  Word coefficients = 0;
  std::uint64_t value = 0;
  BumpedRow<Word>* row = nullptr;

  // Eliminates the first coefficient.  False: the row is free, or no
  // coefficient is left.
  bool Step() noexcept {
    const Word sum = coefficients ^ row->coefficients;
    // First coefficients are 1 unless a row is free: so the sum's is 0, and
    // turned around to the end it makes a positive number, but for the two
    // cases that end the matter.  One branch less than by asking for each.
    const Word turned =
        static_cast<Word>(sum >> 1) | static_cast<Word>(sum << (kBits - 1));
    if (static_cast<SignedWord<Word>>(turned) <= 0) [[unlikely]] {
      return false;
    }
    value ^= row->value;
    const unsigned zeros = TrailingZeros(turned);
    coefficients = turned >> zeros;
    row += zeros + 1;
    return true;
  }

 private:
  static constexpr unsigned kBits = 8 * sizeof(Word);
};

template <typename Word>
class BumpedLane {
 public:
  explicit BumpedLane(const BumpedLayer& layer) : layer_(layer) {}

  // Begins with a part, whose first key goes to *moving; false if it has none.
  // REQUIRES: `digests` are those of the part, ascending; stay until the end
  bool Start(std::uint64_t part, std::span<const std::uint64_t> digests,
             MovingKey<Word>* moving);

  // After the key's last step: gives it the row, or bumps it, and exchanges it
  // for the next.
  // False: there is none, the part is done.
  bool Settle(MovingKey<Word>* moving);

  // Once done.
  std::span<const BumpedRow<Word>> rows() const noexcept { return rows_; }
  // By bucket.
  std::span<const std::uint16_t> levels() const noexcept { return levels_; }
  std::uint64_t first_bucket() const noexcept { return first_bucket_; }
  std::span<const std::uint64_t> bumped() const noexcept { return bumped_; }

 private:
  struct Placed {
    unsigned start;  // row of the bucket
    BumpedRow<Word>* row;
  };

  bool TakeNext(MovingKey<Word>* moving);
  void Bump();
  std::uint32_t FingerprintMask(std::size_t row) const noexcept {
    return row < wide_rows_ ? wide_mask_ : mask_;
  }

  const BumpedLayer& layer_;
  std::vector<BumpedRow<Word>> rows_;
  std::vector<std::uint16_t> levels_;
  std::vector<std::uint64_t> bumped_;
  std::vector<Placed> placed_;  // of this bucket, in order

  std::span<const std::uint64_t> digests_;
  std::uint64_t first_bucket_ = 0;
  std::uint64_t bucket_ = 0;  // of the layer
  std::size_t bucket_begin_ = 0;
  std::size_t bucket_end_ = 0;
  std::size_t next_ = 0;  // keys of the bucket from here on are settled
  std::size_t wide_rows_ = 0;
  std::uint32_t mask_ = 0;
  std::uint32_t wide_mask_ = 0;

  unsigned start_ = 0;  // of the key in hand, in its bucket
};

}  // namespace tamis
