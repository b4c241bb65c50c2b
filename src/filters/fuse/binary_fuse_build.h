// SPDX-License-Identifier: Apache-2.0
// filters/fuse/binary_fuse_build.h -- finds the cells of
// filters/fuse/binary_fuse.h by peeling: a cell that only one key has is
// reserved for that key, and the key is removed, so that other cells have only
// one key left, and so on.  In reverse order each key's own cell is then set to
// the value that makes its sum right.

#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "base/huge_pages.h"
#include "filters/fuse/binary_fuse.h"

namespace tamis {

// The keys of one array.  The position of a key is hash * scale, modulo
// 2^64.
struct FuseKeys {
  std::span<const std::uint64_t> hashes;
  std::uint64_t scale = 1;
};

// Peels one set of keys after the other in the same memory, for one thread.
class FusePeeler {
 public:
  static constexpr std::uint64_t kBytesPerCell = 13;

  // Allocates memory for that many cells.  False: no memory, or more than 2^32.
  bool Reserve(std::uint64_t cells) noexcept;

  // False: this seed does not work for these keys; none does if two of them are
  // equal.  Fast if positions ascend.  REQUIRES: memory for the shape's cells
  // is reserved; arity is 3 or 4
  bool Peel(const FuseKeys& keys, const FuseShape& shape, unsigned arity,
            std::uint64_t seed) noexcept;

  // Writes the cells, `cell_bits` each (8, 16 or 32), for the keys, the shape,
  // the arity and the seed of the last Peel().  REQUIRES: it returned true;
  // `out` is all zero
  void Assign(unsigned cell_bits, unsigned char* out) const noexcept;

 private:
  // Copies of members for the loops: as far as the compiler knows, their stores
  // of single bytes could change any member.
  struct Registers {
    FuseShape shape;
    std::uint64_t seed;
    std::uint64_t* sums;
    std::uint32_t* order;
    std::uint8_t* counts;
  };
  Registers InRegisters() const noexcept {
    return {shape_, seed_, sums_, order_, counts_};
  }

  template <unsigned kArity>
  bool Count(const FuseKeys& keys) noexcept;
  template <unsigned kArity>
  void TakeAll() noexcept;
  template <unsigned kArity>
  bool PeelAs(const FuseKeys& keys) noexcept;
  template <typename Cell, unsigned kArity>
  void AssignAs(unsigned char* out) const noexcept;
  template <typename Cell>
  void AssignCells(unsigned char* out) const noexcept;

  std::uint64_t room_ = 0;
  MemoryBlock<unsigned char> memory_;
  // All in memory_, one per cell: the sum of the positions of its keys; the
  // cells in the order in which they were left with one key; the number of its
  // keys.
  std::uint64_t* sums_ = nullptr;
  std::uint32_t* order_ = nullptr;
  std::uint8_t* counts_ = nullptr;

  // Of the last Peel().
  FuseShape shape_;
  unsigned arity_ = 3;
  std::uint64_t seed_ = 0;
  std::size_t taken_ = 0;  // of order_: cells that settle a key
};

// Seeds are tried in a fixed order, so that equal keys make equal cells.
inline constexpr std::uint64_t FuseSeed(unsigned attempt) noexcept {
  return SplitMix64(attempt);
}

// Far more attempts than good hashes ever need.
inline constexpr unsigned kMaxFuseAttempts = 40;

enum class FuseOutcome {
  kSolved,
  kUnsolved,  // with any seed that was tried
  kNoMemory,
};

struct FuseSolution {
  FuseOutcome outcome = FuseOutcome::kUnsolved;
  FuseShape shape;  // as planned, or somewhat larger
  std::uint64_t seed = 0;
};

// Searches for a seed, in increasingly large arrays from the planned one on,
// and leaves *peeler ready for Assign().
FuseSolution SolveFuse(const FuseKeys& keys, const FuseShape& planned,
                       unsigned arity, unsigned most_attempts,
                       FusePeeler* peeler) noexcept;

}  // namespace tamis
