// The row that runs everywhere, and that defines what the others must answer.

#include "filters/kernels.h"
#include "filters/line_bloom.h"
#include "filters/split_block.h"

namespace tamis {
namespace {

bool RunsHere() noexcept { return true; }

// The common numbers of probes as constants: their loops then vanish.
template <typename Do>
void WithFixedCount(const LineProbes& probes, const Do& work) noexcept {
  switch (probes.count) {
    case 5:
      return work(LineProbes{probes.factors, 5});
    case 6:
      return work(LineProbes{probes.factors, 6});
    case 7:
      return work(LineProbes{probes.factors, 7});
    case 8:
      return work(LineProbes{probes.factors, 8});
    default:
      return work(probes);
  }
}

void CheckLines(const BlockQuery* queries, std::size_t count,
                const LineProbes& probes, bool* out) noexcept {
  WithFixedCount(probes, [=](const LineProbes& fixed) {
    for (std::size_t i = 0; i < count; ++i) {
      out[i] = CheckLine(queries[i].block, queries[i].bits, fixed);
    }
  });
}

void MarkLines(const BlockMark* marks, std::size_t count,
               const LineProbes& probes) noexcept {
  WithFixedCount(probes, [=](const LineProbes& fixed) {
    for (std::size_t i = 0; i < count; ++i) {
      MarkLine(marks[i].block, marks[i].bits, fixed);
    }
  });
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
};

}  // namespace tamis
