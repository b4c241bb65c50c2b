// SPDX-License-Identifier: Apache-2.0
// The kernel set that runs everywhere, and defines the answers of the others.

#include <utility>

#include "base/coding.h"
#include "filters/bloom/line_bloom.h"
#include "filters/bloom/split_block.h"
#include "filters/kernels/kernels.h"
#include "filters/ribbon/coefficients.h"
#include "filters/ribbon/elimination.h"
#include "filters/ribbon/layout.h"
#include "filters/ribbon/query.h"
#include "math/fast_range.h"

namespace tamis {
namespace {

bool RunsOn(const Cpu& /*cpu*/) noexcept { return true; }

// The common numbers of probes are written out, because g++ at -O2 does not
// unroll loops.  Calls work(probes), or for a common number work(probes,
// indices).
template <typename Work>
void WithProbes(const LineProbes& probes, const Work& work) noexcept {
  switch (probes.count) {
    case 5:
      return work(probes, std::make_index_sequence<5>());
    case 6:
      return work(probes, std::make_index_sequence<6>());
    case 7:
      return work(probes, std::make_index_sequence<7>());
    case 8:
      return work(probes, std::make_index_sequence<8>());
    default:
      return work(probes);
  }
}

struct CheckEach {
  const BlockQuery* queries;
  std::size_t count;
  bool* out;

  template <std::size_t... kProbe>
  void operator()(const LineProbes& probes,
                  std::index_sequence<kProbe...>) const noexcept {
    for (std::size_t i = 0; i < count; ++i) {
      const BlockQuery query = queries[i];
      const unsigned all =
          (CheckProbe(query.block, probes.PositionOf(query.bits, kProbe)) &
           ...);
      out[i] = (all & 1) != 0;
    }
  }
  void operator()(const LineProbes& probes) const noexcept {
    for (std::size_t i = 0; i < count; ++i) {
      out[i] = CheckLine(queries[i].block, queries[i].bits, probes);
    }
  }
};

struct MarkEach {
  const BlockMark* marks;
  std::size_t count;

  template <std::size_t... kProbe>
  void operator()(const LineProbes& probes,
                  std::index_sequence<kProbe...>) const noexcept {
    for (std::size_t i = 0; i < count; ++i) {
      const BlockMark mark = marks[i];
      (MarkProbe(mark.block, probes.PositionOf(mark.bits, kProbe)), ...);
    }
  }
  void operator()(const LineProbes& probes) const noexcept {
    for (std::size_t i = 0; i < count; ++i) {
      MarkLine(marks[i].block, marks[i].bits, probes);
    }
  }
};

void CheckLines(const BlockQuery* queries, std::size_t count,
                const LineProbes& probes, bool* out) noexcept {
  WithProbes(probes, CheckEach{queries, count, out});
}

void MarkLines(const BlockMark* marks, std::size_t count,
               const LineProbes& probes) noexcept {
  WithProbes(probes, MarkEach{marks, count});
}

void MarkSplitBlocks(const BlockMark* marks, std::size_t count) noexcept {
  for (std::size_t i = 0; i < count; ++i) {
    MarkSplitBlock(marks[i].block, marks[i].bits);
  }
}

void CheckSplitBlocks(const BlockQuery* queries, std::size_t count,
                      bool* out) noexcept {
  for (std::size_t i = 0; i < count; ++i) {
    out[i] = CheckSplitBlock(queries[i].block, queries[i].bits);
  }
}

// One of the queries.
struct OneWindow {
  OneWindow(const WindowQueries& queries, std::size_t i,
            const WindowLayer& layer) noexcept
      : words(queries.words[i]),
        masks{queries.masks[0][i], queries.masks[1][i]},
        fingerprint(static_cast<std::uint32_t>(queries.fingerprints[i])),
        levels(queries.levels[i]),
        row(static_cast<unsigned>(queries.rows[i])),
        columns(layer.columns != 0 ? layer.columns
                                   : static_cast<unsigned>(queries.columns[i])),
        stride(layer.columns != 0 ? std::size_t{8} * layer.columns
                                  : queries.strides[i]) {}

  unsigned Level(unsigned bits) const noexcept {
    unsigned level = 0;
    for (unsigned i = 0; i < bits; ++i) {
      level |=
          static_cast<unsigned>(LoadLittle64(levels + std::size_t{8} * i) >> 63)
          << i;
    }
    return level;
  }

  bool Check() const noexcept {
    unsigned wrong = 0;
    for (unsigned i = 0; i < columns; ++i) {
      const unsigned char* word = words + std::size_t{8} * i;
      wrong |= Parity((LoadLittle64(word) & masks[0]) ^
                      (LoadLittle64(word + stride) & masks[1]) ^
                      (fingerprint >> i & 1));
    }
    return wrong == 0;
  }

  const unsigned char* words;
  std::uint64_t masks[2];
  std::uint32_t fingerprint;
  const unsigned char* levels;
  unsigned row;
  unsigned columns;
  std::size_t stride;
};

bool CheckHash(const unsigned char* lines, std::uint64_t count,
               std::uint64_t hash, const WideLineProbes& probes) noexcept {
  return CheckLine(lines + FastRange(hash, count) * kLineBytes,
                   static_cast<std::uint32_t>(hash),
                   {probes.factors, probes.count});
}

void FindWindows(const std::uint64_t* hashes, std::size_t count,
                 const WindowLayer& layer, WindowQueries* queries) noexcept {
  for (std::size_t i = 0; i < count; ++i) {
    FindWindow(hashes[i], layer, i, queries);
  }
}

std::uint64_t CheckWindows(const WindowQueries& queries, std::size_t count,
                           const WindowLayer& layer, bool* out) noexcept {
  std::uint64_t bumped = 0;
  for (std::size_t i = 0; i < count; ++i) {
    const OneWindow window(queries, i, layer);
    if (window.row < layer.thresholds[window.Level(layer.level_bits)]) {
      bumped |= std::uint64_t{1} << i;
    } else {
      out[i] = window.Check();
    }
  }
  return bumped;
}

WindowAnswer CheckOneWindow(std::uint64_t hash,
                            const WindowLayer& layer) noexcept {
  WindowQueries queries;
  FindWindow(hash, layer, 0, &queries);
  const OneWindow window(queries, 0, layer);
  if (window.row < layer.thresholds[window.Level(layer.level_bits)]) {
    return WindowAnswer::kBumped;
  }
  return window.Check() ? WindowAnswer::kMaybe : WindowAnswer::kAbsent;
}

}  // namespace

const Kernels kPortableKernels = {
    .name = "portable",
    .runs_on = RunsOn,
    .pays_off_on = RunsOn,
    .check_line = CheckLine,
    .check_split_block = CheckSplitBlock,
    .check_hash = CheckHash,
    .check_lines = CheckLines,
    .check_split_blocks = CheckSplitBlocks,
    .mark_lines = MarkLines,
    .mark_split_blocks = MarkSplitBlocks,
    .find_windows = FindWindows,
    .check_windows = CheckWindows,
    .check_window = CheckOneWindow,
    .walk = WalkTogether<std::uint64_t>,
};

}  // namespace tamis
