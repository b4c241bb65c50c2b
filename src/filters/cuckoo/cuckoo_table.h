// SPDX-License-Identifier: Apache-2.0
// filters/cuckoo/cuckoo_table.h -- the cuckoo filter: a key is a fingerprint of
// a few bits in one of two buckets, and a full bucket makes room by moving one
// of its fingerprints to that fingerprint's other bucket.
//
// (Fan, Andersen, Kaminsky, Mitzenmacher, "Cuckoo Filter: Practically Better
// Than Bloom", 2014.)  Buckets have four slots; a slot is 0 if it is empty.
// The buckets have a lower and an upper half, and every key has a bucket in
// each:
//
//   lower       (hash * half) >> 64
//   fingerprint 1 + ((hash mod 2^32) * (2^f - 1) >> 32)
//   upper       half + (sum - lower) mod half,
//               sum = (SplitMix64(fingerprint) * half) >> 64
//
// So lower = (sum - (upper - half)) mod half: a fingerprint and one of its
// buckets determine the other, for any number of buckets.  The two are never
// the same.  A fingerprint of an absent key is found in them exactly if some
// key in the filter has the same fingerprint and the same lower bucket.
//
// Slot s of bucket i is the f bits from bit (4 i + s) f on, bit b being bit
// b mod 8, least significant first, of byte b / 8.

#pragma once

#include <cstddef>
#include <cstdint>

#include "base/coding.h"
#include "base/wide_math.h"
#include "hash/splitmix64.h"

namespace tamis {

inline constexpr unsigned kCuckooSlots = 4;  // of a bucket
inline constexpr unsigned kMinFingerprintBits = 4;
inline constexpr unsigned kMaxFingerprintBits = 32;
// Zero bytes after the slots, so that a bucket can be loaded as 16 bytes.
inline constexpr std::size_t kCuckooPaddingBytes = 16;

// Where a key is, if it is present.
struct CuckooPlace {
  std::uint64_t lower;
  std::uint64_t upper;
  std::uint32_t fingerprint;
};

class CuckooTable {
 public:
  // REQUIRES: an even number of buckets, at least 2; bits within the limits;
  // the slots take at most 2^62 bits
  CuckooTable(std::uint64_t buckets, unsigned bits) noexcept
      : half_(buckets / 2),
        bits_(bits),
        largest_(static_cast<std::uint32_t>((std::uint64_t{1} << bits) - 1)),
        ones_(OnesOf(bits)),
        highest_(ones_ << (bits - 1)) {}

  std::uint64_t buckets() const noexcept { return 2 * half_; }
  unsigned bits() const noexcept { return bits_; }

  CuckooPlace PlaceOf(std::uint64_t hash) const noexcept {
    CuckooPlace place;
    place.lower = MultiplyHigh(hash, half_);
    place.fingerprint =
        1 + static_cast<std::uint32_t>((hash & 0xffffffff) * largest_ >> 32);
    place.upper = half_ + Partner(place.lower, place.fingerprint);
    return place;
  }

  // REQUIRES, for all below: `slots` has the bytes of all slots and
  // kCuckooPaddingBytes more, of any alignment

  [[gnu::always_inline]] void Prefetch(
      const unsigned char* slots, const CuckooPlace& place) const noexcept {
    __builtin_prefetch(slots + ByteOf(place.lower), 0, 2);
    __builtin_prefetch(slots + ByteOf(place.upper), 0, 2);
  }
  bool Check(const unsigned char* slots,
             const CuckooPlace& place) const noexcept {
    // Checks both buckets, without a branch: neither is likelier to have it.
    if (bits_ <= kMaxBitsOfWord) {
      const auto ones = static_cast<std::uint64_t>(ones_);
      return (MatchesIn(LoadShort(slots, place.lower), ones, place) |
              MatchesIn(LoadShort(slots, place.upper), ones, place)) != 0;
    }
    return (MatchesIn(LoadLong(slots, place.lower), ones_, place) |
            MatchesIn(LoadLong(slots, place.upper), ones_, place)) != 0;
  }

  // False: full for this key; nothing was changed.  Which fingerprints move
  // depends on the table's contents alone.
  bool Insert(unsigned char* slots, const CuckooPlace& place) const noexcept;

  // False: the key is absent; nothing was changed.
  bool Erase(unsigned char* slots, const CuckooPlace& place) const noexcept;

  // Returns how many slots of the key's buckets have its fingerprint.
  unsigned Count(const unsigned char* slots,
                 const CuckooPlace& place) const noexcept;

  std::uint64_t CountOccupied(const unsigned char* slots) const noexcept;

 private:
  class Search;

  // Up to this size a bucket, at bit 0 or 4 of a byte, is within 8 bytes.
  static constexpr unsigned kMaxBitsOfWord = 16;

  static Uint128 OnesOf(unsigned bits) noexcept {
    const Uint128 two = 1 | Uint128{1} << bits;
    return two | two << (2 * bits);
  }

  // Returns the other bucket of that fingerprint; both are indexes within their
  // half.
  std::uint64_t Partner(std::uint64_t index,
                        std::uint32_t fingerprint) const noexcept {
    const std::uint64_t sum = MultiplyHigh(SplitMix64(fingerprint), half_);
    return sum - index + (sum < index ? half_ : 0);
  }
  // The same for buckets of the whole table.
  std::uint64_t OtherBucket(std::uint64_t bucket,
                            std::uint32_t fingerprint) const noexcept {
    return bucket < half_ ? half_ + Partner(bucket, fingerprint)
                          : Partner(bucket - half_, fingerprint);
  }

  // A bucket has f / 2 bytes: it begins at a byte or in the middle of one.
  std::uint64_t ByteOf(std::uint64_t bucket) const noexcept {
    return bucket * bits_ / 2;
  }
  unsigned ShiftOf(std::uint64_t bucket) const noexcept {
    return static_cast<unsigned>(bucket * bits_ % 2 * 4);
  }
  // Returns the four slots from bit 0 on; the bits above them are undefined.
  std::uint64_t LoadShort(const unsigned char* slots,
                          std::uint64_t bucket) const noexcept {
    return LoadLittle64(slots + ByteOf(bucket)) >> ShiftOf(bucket);
  }
  Uint128 LoadLong(const unsigned char* slots,
                   std::uint64_t bucket) const noexcept {
    const unsigned char* at = slots + ByteOf(bucket);
    const unsigned shift = ShiftOf(bucket);
    const std::uint64_t high = LoadLittle64(at + 8);
    // In halves: a 128-bit shift would branch on whether it is by 64 or more.
    const std::uint64_t from_high = high << 1 << (63 - shift);
    const std::uint64_t low = LoadLittle64(at) >> shift | from_high;
    return low | Uint128{high >> shift} << 64;
  }

  // Returns a number that is not 0 exactly if a slot equals the fingerprint:
  // such a slot is 0 after the exclusive or, and only then does subtracting 1
  // set a highest bit that was clear (slots above it may be wrong, but none
  // below).
  template <typename Word>
  Word MatchesIn(Word bucket, Word ones,
                 const CuckooPlace& place) const noexcept {
    const Word differing = bucket ^ (ones * place.fingerprint);
    return (differing - ones) & ~differing & static_cast<Word>(highest_);
  }

  std::uint32_t SlotOf(const unsigned char* slots, std::uint64_t bucket,
                       unsigned slot) const noexcept {
    const std::uint64_t bit = (bucket * kCuckooSlots + slot) * bits_;
    return static_cast<std::uint32_t>(LoadLittle64(slots + bit / 8) >>
                                      (bit % 8)) &
           largest_;
  }
  void SetSlot(unsigned char* slots, std::uint64_t bucket, unsigned slot,
               std::uint32_t fingerprint) const noexcept {
    const std::uint64_t bit = (bucket * kCuckooSlots + slot) * bits_;
    const std::uint64_t mask = std::uint64_t{largest_} << (bit % 8);
    unsigned char* at = slots + bit / 8;
    StoreLittle(at, (LoadLittle64(at) & ~mask) | std::uint64_t{fingerprint}
                                                     << (bit % 8));
  }
  // Returns the first slot with that fingerprint (0: an empty one), or
  // kCuckooSlots.
  unsigned FindIn(const unsigned char* slots, std::uint64_t bucket,
                  std::uint32_t fingerprint) const noexcept;
  unsigned EmptyIn(const unsigned char* slots,
                   std::uint64_t bucket) const noexcept;

  std::uint64_t half_;
  unsigned bits_;
  std::uint32_t largest_;  // the largest fingerprint, 2^f - 1
  Uint128 ones_;           // the lowest bit of each slot
  Uint128 highest_;        // and the highest
};

}  // namespace tamis
