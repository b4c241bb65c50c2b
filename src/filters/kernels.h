// filters/kernels.h -- the inner loops, once per kind of CPU.
//
// A row is a set of functions that give exactly the answers of the portable
// ones (line_bloom.h, split_block.h,
// bumped_query.h, bumped_walk.h).  Each row stands in a file of its own,
// which alone is compiled for its CPU; so nothing that is not the row's may be
// defined there but `static` or in an unnamed namespace.

#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>

#include "filters/line_bloom.h"

namespace tamis {

// One key to be looked up, its memory already asked for.
struct BlockQuery {
  const unsigned char* block;  // its line of 64 bytes, or its block of 32
  std::uint32_t bits;
};

// One key to be added.
struct BlockMark {
  unsigned char* block;
  std::uint32_t bits;
};

// One key of a bumped ribbon (bumped_shape.h) in windows of 64 rows to be
// looked up, its memory already asked for.
struct WindowQuery {
  const unsigned char* words;  // of the segment where the window starts
  std::uint64_t masks[2];      // rows selected there, and in the segment behind
  std::uint32_t fingerprint;
  std::uint16_t stride;  // bytes from that segment to the one behind
  std::uint8_t columns;  // 3 to 32
  std::uint8_t row;      // where the window starts in its pair
  bool second;           // the segment is the second of its pair
};

// What levels say: keys of a level's bucket that start before row
// level * step, in the last level before `rows`, are bumped.
struct WindowLevels {
  unsigned bits;  // at most 7, and at most the columns
  unsigned step;
  unsigned rows;
};

enum class WindowAnswer : unsigned char { kAbsent, kMaybe, kBumped };

// A key of a bumped ribbon on its way to a row of its own: the coefficients
// that are left of it, the first being that of the row that `row` points to.
// See bumped_walk.h.
template <typename Word>
struct WalkingKey {
  Word coefficients = 0;
  std::uint64_t value = 0;
  Word* row = nullptr;
};
inline constexpr std::size_t kWalkers = 4;

struct Kernels {
  std::string_view name;
  bool (*runs_here)() noexcept;

  // CheckLine() and CheckSplitBlock(), for one key ...
  bool (*check_line)(const unsigned char* line, std::uint32_t bits,
                     const LineProbes& probes) noexcept;
  bool (*check_split_block)(const unsigned char* block,
                            std::uint32_t bits) noexcept;
  // ... and for each of `count`: out[i] is the answer to queries[i].
  void (*check_lines)(const BlockQuery* queries, std::size_t count,
                      const LineProbes& probes, bool* out) noexcept;
  void (*check_split_blocks)(const BlockQuery* queries, std::size_t count,
                             bool* out) noexcept;
  // MarkLine() and MarkSplitBlock(), for each of `count`.
  void (*mark_lines)(const BlockMark* marks, std::size_t count,
                     const LineProbes& probes) noexcept;
  void (*mark_split_blocks)(const BlockMark* marks, std::size_t count) noexcept;
  // The answers of a layer of a bumped ribbon to each of `count`.
  void (*check_windows)(const WindowQuery* queries, std::size_t count,
                        const WindowLevels& levels, WindowAnswer* out) noexcept;
  // WalkTogether() of kWalkers keys.
  std::size_t (*walk)(WalkingKey<std::uint64_t>* keys,
                      std::size_t values) noexcept;
};

// The rows of this architecture, the portable one first, the best last.
std::span<const Kernels* const> AllKernels() noexcept;

// The best row that runs here, or the one that the environment variable
// TAMIS_KERNELS names, if it runs here.  Chosen once.
const Kernels& ActiveKernels() noexcept;

// The row of that name, or null where it is unknown or does not run here.
const Kernels* FindKernels(std::string_view name) noexcept;

// The row that ActiveKernels() takes where the environment says `wanted`
// (empty: nothing).  An unknown name, or one that does not run here, counts
// as nothing: a filter must answer on every machine.
const Kernels& ChooseKernels(std::string_view wanted) noexcept;

// One per file; the list that AllKernels() shows has those of its machine.
extern const Kernels kPortableKernels;
extern const Kernels kAvx2Kernels;
extern const Kernels kAvx512Kernels;
extern const Kernels kNeonKernels;

}  // namespace tamis
