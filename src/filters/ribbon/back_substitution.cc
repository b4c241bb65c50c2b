// SPDX-License-Identifier: Apache-2.0
#include "filters/ribbon/back_substitution.h"

#include <algorithm>
#include <array>
#include <cstring>
#include <limits>
#include <utility>

#include "base/coding.h"

namespace tamis {
namespace {

// A row of the table is a Cell.  Rows are solved from the last to the first:
// all other rows that a row's key selects are known by then.  Rows come in
// blocks of eight, and once a block is solved, the sums of all 256 selections
// from it are put into a table: a row then adds eight (or sixteen) numbers
// instead of some thirty (or sixty).
template <typename Word, typename Cell>
class RowSolver {
 public:
  // Cells that `rows` need.
  static std::size_t CellsFor(std::size_t rows) {
    return (rows + kBlockRows - 1) / kBlockRows * kBlockRows;
  }

  // REQUIRES: CellsFor(rows.count) cells
  static void Solve(const BumpedRows<Word>& rows, Cell* cells) {
    std::fill_n(cells, CellsFor(rows.count), Cell{0});
    std::array<Sums, kRing> ring{};
    for (std::size_t block = CellsFor(rows.count) / kBlockRows; block-- > 0;) {
      std::array<const Cell*, kLater> later;
      for (std::size_t i = 0; i < kLater; ++i) {
        later[i] = ring[(block + 1 + i) % kRing].data();
      }
      const std::size_t first = block * kBlockRows;
      SolveBlock({rows.coefficients + first, rows.values, rows.count - first},
                 later, cells + first, std::make_index_sequence<kBlockRows>());
      AddUp(cells + first, &ring[block % kRing]);
    }
  }

 private:
  static constexpr std::size_t kBlockRows = 8;
  static constexpr std::size_t kLater = sizeof(Word);  // blocks of a window
  static constexpr std::size_t kRing = 2 * kLater;
  using Sums = std::array<Cell, 256>;  // by the rows selected

  template <std::size_t... kFromEnd>
  static void SolveBlock(const BumpedRows<Word>& rows,
                         const std::array<const Cell*, kLater>& later,
                         Cell* cells, std::index_sequence<kFromEnd...>) {
    const auto solve =
        [&]<std::size_t kRow>(std::integral_constant<std::size_t, kRow>) {
          // The last block may have fewer.
          if (kRow < rows.count) SolveRow<kRow>(rows, later, cells);
        };
    (solve(std::integral_constant<std::size_t, kBlockRows - 1 - kFromEnd>()),
     ...);
  }

  template <std::size_t kRow>
  static void SolveRow(const BumpedRows<Word>& rows,
                       const std::array<const Cell*, kLater>& later,
                       Cell* cells) {
    Word selected = rows.coefficients[kRow] >> 1;
    auto sum = static_cast<Cell>(rows.coefficients[kRow + rows.values]);
    for (std::size_t i = kRow + 1; i < kBlockRows; ++i, selected >>= 1) {
      const auto mask = static_cast<Cell>(
          std::uint64_t{0} - (static_cast<std::uint64_t>(selected) & 1));
      sum = static_cast<Cell>(sum ^ (cells[i] & mask));
    }
    for (const Cell* sums : later) {
      sum = static_cast<Cell>(
          sum ^ sums[static_cast<std::uint64_t>(selected) & 0xff]);
      selected >>= 8;
    }
    cells[kRow] = sum;
  }

  // Each row doubles the number of sums; works in whole words, once there is
  // one.
  static void AddUp(const Cell* cells, Sums* sums) {
    constexpr std::size_t kInWord = sizeof(std::uint64_t) / sizeof(Cell);
    constexpr std::uint64_t kEverywhere =
        ~std::uint64_t{0} / std::numeric_limits<Cell>::max();
    (*sums)[0] = 0;
    for (std::size_t i = 0; i < kBlockRows; ++i) {
      const std::size_t known = std::size_t{1} << i;
      Cell* const to = sums->data() + known;
      if (known < kInWord) {
        for (std::size_t j = 0; j < known; ++j) {
          to[j] = static_cast<Cell>((*sums)[j] ^ cells[i]);
        }
        continue;
      }
      const std::uint64_t all = cells[i] * kEverywhere;
      for (std::size_t j = 0; j < known; j += kInWord) {
        std::uint64_t word;
        std::memcpy(&word, sums->data() + j, sizeof(word));
        word ^= all;
        std::memcpy(to + j, &word, sizeof(word));
      }
    }
  }
};

// Transposes eight bytes as a square of bits: bit i of byte j goes to bit j of
// byte i.  Byte 0 is the least significant.
constexpr std::uint64_t Transposed(std::uint64_t square) noexcept {
  // Swaps the off-diagonal quarters of squares of 2, 4 and 8 bits.
  const auto swap = [&square](unsigned shift, std::uint64_t mask) {
    const std::uint64_t differ = (square ^ (square >> shift)) & mask;
    square ^= differ ^ (differ << shift);
  };
  swap(7, 0x00aa00aa00aa00aa);
  swap(14, 0x0000cccc0000cccc);
  swap(28, 0x00000000f0f0f0f0);
  return square;
}

// The words of a segment: bit i of column j is bit j of cells[i].
template <typename Cell>
void ToColumns(const Cell* cells, std::size_t rows,
               std::array<std::uint64_t, kMaxRibbonColumns>* columns) {
  columns->fill(0);
  for (std::size_t first = 0; first < rows; first += 8) {
    for (std::size_t byte = 0; byte < sizeof(Cell); ++byte) {
      std::uint64_t square = 0;
      for (std::size_t i = 0; i < std::min<std::size_t>(8, rows - first); ++i) {
        square |=
            (static_cast<std::uint64_t>(cells[first + i]) >> (8 * byte) & 0xff)
            << (8 * i);
      }
      square = Transposed(square);
      for (std::size_t i = 0; i < 8; ++i) {
        (*columns)[8 * byte + i] |= (square >> (8 * i) & 0xff) << first;
      }
    }
  }
}

}  // namespace

template <typename Word>
void BackSubstitution<Word>::Run(const BumpedElimination<Word>& lane,
                                 unsigned char* bytes) {
  const unsigned columns = layer_.shape().most_columns();
  if (columns <= 8) {
    RunWith<std::uint8_t>(lane, bytes);
  } else if (columns <= 16) {
    RunWith<std::uint16_t>(lane, bytes);
  } else {
    RunWith<std::uint32_t>(lane, bytes);
  }
}

template <typename Word>
template <typename Cell>
void BackSubstitution<Word>::RunWith(const BumpedElimination<Word>& lane,
                                     unsigned char* bytes) {
  using Solver = RowSolver<Word, Cell>;
  cells_.resize(Solver::CellsFor(lane.rows().count) * sizeof(Cell));
  // From operator new, and so aligned for any Cell.
  Cell* cells = reinterpret_cast<Cell*>(cells_.data());
  Solver::Solve(lane.rows(), cells);

  const BumpedLayout& shape = layer_.shape();
  const unsigned level_bits = shape.level_bits / shape.bucket_pairs;
  const std::uint64_t first_segment =
      2 * lane.first_bucket() * shape.bucket_pairs;
  std::array<std::uint64_t, kMaxRibbonColumns> columns;
  for (std::size_t i = 0; i < 2 * lane.levels().size() * shape.bucket_pairs;
       ++i) {
    const bool second = i % 2 == 1;
    const std::size_t rows = kSegmentRows - (second ? 1u : 0u);
    ToColumns(cells, rows, &columns);
    cells += rows;
    if (second) {
      const unsigned pair = static_cast<unsigned>(i / 2);
      const unsigned level = lane.levels()[pair / shape.bucket_pairs] >>
                             (pair % shape.bucket_pairs * level_bits);
      for (unsigned bit = 0; bit < level_bits; ++bit) {
        columns[bit] |= std::uint64_t{(level >> bit) & 1} << (kSegmentRows - 1);
      }
    }
    unsigned char* words = bytes + layer_.OffsetOf(first_segment + i);
    for (std::size_t j = 0; j < layer_.WordsIn(first_segment + i); ++j) {
      StoreLittle(words + 8 * j, columns[j]);
    }
  }
}

template class BackSubstitution<std::uint64_t>;
template class BackSubstitution<Uint128>;

}  // namespace tamis
