// SPDX-License-Identifier: Apache-2.0
// NEON (every 64-bit ARM has it): table lookups of 64 bytes select the bytes
// that hold the probes.

#include "filters/kernels/kernels.h"

#if defined(__aarch64__)

#include <arm_neon.h>

#include "filters/bloom/split_block.h"
#include "math/fast_range.h"

namespace tamis {
namespace {

constexpr unsigned kLanes = 4;

// Four probes of a line: a probe misses if its lane of the result is 0 in the
// lowest byte.
uint8x16_t CheckFour(uint8x16x4_t line, uint32x4_t products) noexcept {
  const uint32x4_t positions = vshrq_n_u32(products, 23);
  // The byte's number in the lowest byte of each lane; the others name byte
  // 64, for which a table lookup returns 0.
  const uint32x4_t bytes =
      vorrq_u32(vshrq_n_u32(positions, 3), vdupq_n_u32(0x40404000));
  const uint8x16_t held = vqtbl4q_u8(line, vreinterpretq_u8_u32(bytes));
  const uint32x4_t mask =
      vshlq_u32(vdupq_n_u32(1),
                vreinterpretq_s32_u32(vandq_u32(positions, vdupq_n_u32(7))));
  return vtstq_u8(held, vreinterpretq_u8_u32(mask));
}

bool LineHasAll(const unsigned char* at, std::uint32_t bits,
                const LineProbes& probes) noexcept {
  const uint8x16x4_t line = {vld1q_u8(at), vld1q_u8(at + 16), vld1q_u8(at + 32),
                             vld1q_u8(at + 48)};
  uint32x4_t missing = vdupq_n_u32(0);
  for (unsigned first = 0; first < probes.count; first += kLanes) {
    const uint32x4_t products =
        vmulq_n_u32(vld1q_u32(probes.factors + first), bits);
    const uint8x16_t found = CheckFour(line, products);
    // Lanes beyond the number of probes do not count.
    const uint32x4_t lanes = {0, 1, 2, 3};
    const uint32x4_t counts =
        vcltq_u32(lanes, vdupq_n_u32(probes.count - first));
    const uint32x4_t lowest =
        vandq_u32(vreinterpretq_u32_u8(vmvnq_u8(found)), vdupq_n_u32(0xff));
    missing = vorrq_u32(missing, vandq_u32(lowest, counts));
  }
  return vmaxvq_u32(missing) == 0;
}

// The lowest byte of each lane that is below `count`, which may be negative.
uint32x4_t LanesBelow(int count) noexcept {
  const int32x4_t lanes = {0, 1, 2, 3};
  return vandq_u32(vcltq_s32(lanes, vdupq_n_s32(count)), vdupq_n_u32(0xff));
}

// Up to eight probes of each line, as nearly all filters have, without a loop
// over them.
void LinesHaveEight(const BlockQuery* queries, std::size_t count,
                    const LineProbes& probes, bool* out) noexcept {
  const uint32x4_t factors[2] = {vld1q_u32(probes.factors),
                                 vld1q_u32(probes.factors + kLanes)};
  const auto probe_count = static_cast<int>(probes.count);
  const uint32x4_t counts[2] = {LanesBelow(probe_count),
                                LanesBelow(probe_count - int{kLanes})};
  for (std::size_t i = 0; i < count; ++i) {
    const unsigned char* at = queries[i].block;
    const uint8x16x4_t line = {vld1q_u8(at), vld1q_u8(at + 16),
                               vld1q_u8(at + 32), vld1q_u8(at + 48)};
    const auto missing = [&](unsigned half) {
      const uint8x16_t found =
          CheckFour(line, vmulq_n_u32(factors[half], queries[i].bits));
      return vbicq_u32(counts[half], vreinterpretq_u32_u8(found));
    };
    out[i] = vmaxvq_u32(vorrq_u32(missing(0), missing(1))) == 0;
  }
}

void LinesHaveAll(const BlockQuery* queries, std::size_t count,
                  const LineProbes& probes, bool* out) noexcept {
  if (probes.count <= 2 * kLanes) {
    LinesHaveEight(queries, count, probes, out);
    return;
  }
  for (std::size_t i = 0; i < count; ++i) {
    out[i] = LineHasAll(queries[i].block, queries[i].bits, probes);
  }
}

bool HashHasAll(const unsigned char* lines, std::uint64_t count,
                std::uint64_t hash, const WideLineProbes& probes) noexcept {
  const BlockQuery query = {lines + FastRange(hash, count) * kLineBytes,
                            static_cast<std::uint32_t>(hash)};
  bool out = false;
  LinesHaveEight(&query, 1, {probes.factors, probes.count}, &out);
  return out;
}

// One bit in each of four words: the first four, or the last.
uint32x4_t MaskOfWords(std::uint32_t bits, unsigned half) noexcept {
  const uint32x4_t products =
      vmulq_n_u32(vld1q_u32(kSplitBlockSalts.data() + 4 * half), bits);
  return vshlq_u32(vdupq_n_u32(1),
                   vreinterpretq_s32_u32(vshrq_n_u32(products, 27)));
}

bool BlockHasAll(const unsigned char* block, std::uint32_t bits) noexcept {
  uint32x4_t missing = vdupq_n_u32(0);
  for (unsigned half = 0; half < 2; ++half) {
    const uint32x4_t words = vreinterpretq_u32_u8(vld1q_u8(block + 16 * half));
    missing = vorrq_u32(missing, vbicq_u32(MaskOfWords(bits, half), words));
  }
  return vmaxvq_u32(missing) == 0;
}

void BlocksHaveAll(const BlockQuery* queries, std::size_t count,
                   bool* out) noexcept {
  for (std::size_t i = 0; i < count; ++i) {
    out[i] = BlockHasAll(queries[i].block, queries[i].bits);
  }
}

void MarkLinesAll(const BlockMark* marks, std::size_t count,
                  const LineProbes& probes) noexcept {
  kPortableKernels.mark_lines(marks, count, probes);
}

void MarkBlocksAll(const BlockMark* marks, std::size_t count) noexcept {
  for (std::size_t i = 0; i < count; ++i) {
    for (unsigned half = 0; half < 2; ++half) {
      unsigned char* at = marks[i].block + 16 * half;
      const uint32x4_t mask = MaskOfWords(marks[i].bits, half);
      vst1q_u8(at, vorrq_u8(vld1q_u8(at), vreinterpretq_u8_u32(mask)));
    }
  }
}

void FindWindowsAll(const std::uint64_t* hashes, std::size_t count,
                    const WindowLayer& layer, WindowQueries* queries) noexcept {
  kPortableKernels.find_windows(hashes, count, layer, queries);
}

std::uint64_t CheckWindowsAll(const WindowQueries& queries, std::size_t count,
                              const WindowLayer& layer, bool* out) noexcept {
  return kPortableKernels.check_windows(queries, count, layer, out);
}

WindowAnswer CheckOneWindow(std::uint64_t hash,
                            const WindowLayer& layer) noexcept {
  return kPortableKernels.check_window(hash, layer);
}

std::size_t Walk(WalkingKey<std::uint64_t>* keys, std::size_t values) noexcept {
  return kPortableKernels.walk(keys, values);
}

bool RunsOn(const Cpu& /*cpu*/) noexcept { return true; }

}  // namespace

const Kernels kNeonKernels = {
    .name = "neon",
    .runs_on = RunsOn,
    .pays_off_on = RunsOn,
    .check_line = LineHasAll,
    .check_split_block = BlockHasAll,
    .check_hash = HashHasAll,
    .check_lines = LinesHaveAll,
    .check_split_blocks = BlocksHaveAll,
    .mark_lines = MarkLinesAll,
    .mark_split_blocks = MarkBlocksAll,
    .find_windows = FindWindowsAll,
    .check_windows = CheckWindowsAll,
    .check_window = CheckOneWindow,
    .walk = Walk,
};

}  // namespace tamis

#endif
