// filters/kernels.h -- the inner loops, once per kind of CPU.
//
// A row is a set of functions that give exactly the answers of the portable
// ones (line_bloom.h, split_block.h, bumped_query.h, bumped_walk.h).  Each row
// stands in a file of its own, or two, which alone are compiled for its CPU; so
// nothing that is not the row's may be defined there but `static` or in an
// unnamed namespace.
//
// What takes many keys works on a group of them, whose memory was prefetched,
// several keys to a vector: it is the second stage of a batch, and the loop
// over groups is batch_loop.h's.

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

// As many windows of a bumped ribbon as are looked up at once, at most.
inline constexpr std::size_t kMostWindows = 64;

// Keys of a bumped ribbon (bumped_shape.h) in windows of 64 rows.  Key i has
// the i-th of each array.
struct WindowQueries {
  const unsigned char* words[kMostWindows];   // of the window's first segment
  std::uint64_t masks[2][kMostWindows];       // rows selected there, and behind
  std::uint64_t fingerprints[kMostWindows];   // its lower 32 bits
  const unsigned char* levels[kMostWindows];  // of the pair's second segment
  std::uint64_t rows[kMostWindows];  // where the window starts in its pair
  // Where segments differ in size, and only there:
  std::uint64_t strides[kMostWindows];  // bytes from this segment to the next
  std::uint64_t columns[kMostWindows];  // 3 to 32
};

class BumpedLayer;

// What all queries of a layer share.
struct WindowLayer {
  const BumpedLayer* layer = nullptr;  // from which all this comes
  const unsigned char* bytes = nullptr;
  std::uint64_t buckets = 0;
  std::uint64_t part_mask = 0;      // buckets of a part, less one
  unsigned least_columns = 0;       // that every segment has
  std::uint64_t wide_segments = 0;  // the first ones, which have one more
  unsigned columns = 0;             // of all keys; 0: they differ
  unsigned level_bits = 0;          // at most 7, and at most the columns
  // By level: keys that start before that row of their pair are bumped.
  std::uint8_t thresholds[128] = {};
  bool levels_are_rows = false;  // level_bits is 7, and thresholds[i] is i
};

// A key of a bumped ribbon, waiting for its turn or after it.  See
// bumped_walk.h.
template <typename Word>
struct QueuedKey {
  Word coefficients = 0;
  std::uint64_t value = 0;
  Word* row = nullptr;    // the first of its window
  Word* owned = nullptr;  // the one that it got, if it did
};

// One on its way to a row of its own: the coefficients that are left of it, the
// first being that of the row that `row` points to.
template <typename Word>
struct WalkingKey {
  Word coefficients = 0;
  std::uint64_t value = 0;
  Word* row = nullptr;
  QueuedKey<Word>* self = nullptr;   // in a queue, the last of which went first
  QueuedKey<Word>* queue = nullptr;  // its start: those before `self` wait
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
  // FindWindow() for each of `count` digests, at most kMostWindows.  What lies
  // behind them in *queries is undefined then.
  void (*find_windows)(const std::uint64_t* digests, std::size_t count,
                       const WindowLayer& layer,
                       WindowQueries* queries) noexcept;
  // Looks these up, their memory being asked for already.  Bit i of the result
  // says that key i is bumped; if it is not, out[i] says whether it may be
  // there.
  std::uint64_t (*check_windows)(const WindowQueries& queries,
                                 std::size_t count, const WindowLayer& layer,
                                 bool* out) noexcept;
  // WalkTogether() of kWalkers queues.
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
extern const Kernels kAvx512PopcntKernels;
extern const Kernels kNeonKernels;

}  // namespace tamis
