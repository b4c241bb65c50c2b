// SPDX-License-Identifier: Apache-2.0
// filters/ribbon/kernel_types.h -- the types that the bumped ribbon passes to
// its kernels (filters/kernels/kernels.h): windows to be looked up, and keys
// during elimination.

#pragma once

#include <cstddef>
#include <cstdint>

namespace tamis {

// The maximum number of windows that are looked up at once.
inline constexpr std::size_t kMaxWindows = 16;

// Keys of a bumped ribbon (filters/ribbon/layout.h) in windows of 64 rows.  Key
// i is element i of each array.
struct WindowQueries {
  const unsigned char* words[kMaxWindows];   // of the window's first segment
  std::uint64_t masks[2][kMaxWindows];       // rows selected there, and next
  std::uint64_t fingerprints[kMaxWindows];   // its lower 32 bits
  const unsigned char* levels[kMaxWindows];  // of the pair's second segment
  std::uint64_t rows[kMaxWindows];  // where the window starts in its pair
  // Set only if segments differ in size:
  std::uint64_t strides[kMaxWindows];  // bytes from this segment to the next
  std::uint64_t columns[kMaxWindows];  // 3 to 32
};

// The answer of a layer to one key.
enum class WindowAnswer {
  kAbsent,
  kMaybe,
  kBumped,  // another layer has the answer
};

class BumpedLayer;

// What all queries of a layer share.
struct WindowLayer {
  const BumpedLayer* layer = nullptr;  // the source of all this
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

// A key of a bumped ribbon, before or after its elimination.  See
// filters/ribbon/elimination.h.
template <typename Word>
struct QueuedKey {
  Word coefficients = 0;
  std::uint64_t value = 0;
  Word* row = nullptr;    // the first of its window
  Word* owned = nullptr;  // the one assigned to it, if any
};

// A key during its elimination: its remaining coefficients, the first of which
// is that of the row that `row` points to.
template <typename Word>
struct WalkingKey {
  Word coefficients = 0;
  std::uint64_t value = 0;
  Word* row = nullptr;
  QueuedKey<Word>* self = nullptr;   // in a queue, which is taken from its end
  QueuedKey<Word>* queue = nullptr;  // its start: keys before `self` wait
};
inline constexpr std::size_t kWalkers = 4;

}  // namespace tamis
