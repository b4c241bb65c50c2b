// SPDX-License-Identifier: Apache-2.0
// filters/kernels/kernels.h -- the inner loops, with an implementation per kind
// of CPU.
//
// A kernel set has functions that give exactly the answers of the portable
// ones (bloom/line_bloom.h, bloom/split_block.h, ribbon/query.h,
// ribbon/elimination.h).  Each set has one or two files, and only these are
// compiled for its CPU; so whatever does not belong to the set is `static`
// there or in an unnamed namespace.
//
// Functions for many keys work on a group whose memory was prefetched, with
// several keys in a vector: they are the second stage of a batch, and
// batch_loop.h has the loop over groups.

#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>

#include "base/cpu.h"
#include "filters/bloom/line_bloom.h"
#include "filters/ribbon/kernel_types.h"

namespace tamis {

// One key to be looked up; its memory is already prefetched.
struct BlockQuery {
  const unsigned char* block;  // its line of 64 bytes, or its block of 32
  std::uint32_t bits;
};

// One key to be added.
struct BlockMark {
  unsigned char* block;
  std::uint32_t bits;
};

struct Kernels {
  std::string_view name;
  // Whether a CPU has the instructions of the set ...
  bool (*runs_on)(const Cpu& cpu) noexcept;
  // ... and whether they are worth their use there.
  bool (*pays_off_on)(const Cpu& cpu) noexcept;

  // CheckLine() and CheckSplitBlock(), for one key ...
  bool (*check_line)(const unsigned char* line, std::uint32_t bits,
                     const LineProbes& probes) noexcept;
  bool (*check_split_block)(const unsigned char* block,
                            std::uint32_t bits) noexcept;
  // ... CheckLine() of the line of a hash among `count` lines
  // (LineFilter::LineOf), whole in one call.  REQUIRES: at most
  // WideLineProbes::kMax probes ...
  bool (*check_hash)(const unsigned char* lines, std::uint64_t count,
                     std::uint64_t hash, const WideLineProbes& probes) noexcept;
  // ... and for each of `count` keys: out[i] is the answer to queries[i].
  void (*check_lines)(const BlockQuery* queries, std::size_t count,
                      const LineProbes& probes, bool* out) noexcept;
  void (*check_split_blocks)(const BlockQuery* queries, std::size_t count,
                             bool* out) noexcept;
  // MarkLine() and MarkSplitBlock(), for each of `count`.
  void (*mark_lines)(const BlockMark* marks, std::size_t count,
                     const LineProbes& probes) noexcept;
  void (*mark_split_blocks)(const BlockMark* marks, std::size_t count) noexcept;
  // FindWindow() for each of `count` hashes, at most kMaxWindows.  Afterwards
  // the rest of *queries is undefined.
  void (*find_windows)(const std::uint64_t* hashes, std::size_t count,
                       const WindowLayer& layer,
                       WindowQueries* queries) noexcept;
  // Looks up these windows, whose memory is already prefetched.  Bit i of the
  // result is set if key i is bumped; if it is not, out[i] is the answer.
  std::uint64_t (*check_windows)(const WindowQueries& queries,
                                 std::size_t count, const WindowLayer& layer,
                                 bool* out) noexcept;
  // Both for one hash, whose memory need not be prefetched.
  WindowAnswer (*check_window)(std::uint64_t hash,
                               const WindowLayer& layer) noexcept;
  // WalkTogether() of kWalkers queues.
  std::size_t (*walk)(WalkingKey<std::uint64_t>* keys,
                      std::size_t values) noexcept;

  bool runs_here() const noexcept;
};

// Returns the kernel sets of this architecture, the portable one first, the
// best last.
std::span<const Kernels* const> AllKernels() noexcept;

// Returns the set that is used on a CPU: the best one that runs and pays off
// there.
const Kernels& BestKernels(const Cpu& cpu) noexcept;

// Returns BestKernels() of this CPU, or the set that the environment variable
// TAMIS_KERNELS names, if it runs here.  Chosen once.
const Kernels& ActiveKernels() noexcept;

// Returns the set of that name, or null if it is unknown or does not run here.
const Kernels* FindKernels(std::string_view name) noexcept;

// Returns the set that ActiveKernels() uses if the environment variable is
// `wanted` (empty: not set).  An unknown name, or one that does not run here,
// is ignored: a filter must answer on every machine.
const Kernels& ChooseKernels(std::string_view wanted) noexcept;

// One per file; AllKernels() lists those of its architecture.
extern const Kernels kPortableKernels;
extern const Kernels kAvx2Kernels;
extern const Kernels kAvx512Kernels;
extern const Kernels kAvx512PopcntKernels;
extern const Kernels kNeonKernels;

}  // namespace tamis
