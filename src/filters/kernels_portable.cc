// The row that runs everywhere, and that defines what the others must answer.

#include <utility>

#include "base/coding.h"
#include "filters/bumped_key.h"
#include "filters/bumped_walk.h"
#include "filters/kernels.h"
#include "filters/line_bloom.h"
#include "filters/split_block.h"

namespace tamis {
namespace {

bool RunsHere() noexcept { return true; }

// The common numbers of probes are written out, for at -O2 g++ leaves a loop
// a loop.  Calls work(probes), or for a common number work(probes, indices).
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

unsigned LevelOf(const WindowQuery& query, unsigned bits) noexcept {
  const unsigned char* words = query.words + (query.second ? 0 : query.stride);
  unsigned level = 0;
  for (unsigned i = 0; i < bits; ++i) {
    level |=
        static_cast<unsigned>(LoadLittle64(words + std::size_t{8} * i) >> 63)
        << i;
  }
  return level;
}

WindowAnswer CheckWindow(const WindowQuery& query) noexcept {
  const unsigned char* words = query.words;
  unsigned wrong = 0;
  for (unsigned i = 0; i < query.columns; ++i, words += 8) {
    wrong |= Parity((LoadLittle64(words) & query.masks[0]) ^
                    (LoadLittle64(words + query.stride) & query.masks[1]) ^
                    (query.fingerprint >> i & 1));
  }
  return wrong == 0 ? WindowAnswer::kMaybe : WindowAnswer::kAbsent;
}

void CheckWindows(const WindowQuery* queries, std::size_t count,
                  const WindowLevels& levels, WindowAnswer* out) noexcept {
  const unsigned last = (1u << levels.bits) - 1;
  for (std::size_t i = 0; i < count; ++i) {
    const unsigned level = LevelOf(queries[i], levels.bits);
    const unsigned threshold =
        level == last ? levels.rows : level * levels.step;
    out[i] = queries[i].row < threshold ? WindowAnswer::kBumped
                                        : CheckWindow(queries[i]);
  }
}

}  // namespace

const Kernels kPortableKernels = {
    .name = "portable",
    .runs_here = RunsHere,
    .check_line = CheckLine,
    .check_split_block = CheckSplitBlock,
    .check_lines = CheckLines,
    .check_split_blocks = CheckSplitBlocks,
    .mark_lines = MarkLines,
    .mark_split_blocks = MarkSplitBlocks,
    .check_windows = CheckWindows,
    .walk = WalkTogether<std::uint64_t>,
};

}  // namespace tamis
