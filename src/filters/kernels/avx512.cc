// SPDX-License-Identifier: Apache-2.0
// AVX-512 (F, BW, VL): a line is one register, and one permutation selects the
// words of all probes.  The rules of filters/kernels/avx2.cc apply here, too.

#include "filters/kernels/avx512_lines.h"
#include "filters/kernels/kernels.h"

#if defined(__x86_64__)

// GCC 12 warns of the deliberately undefined registers in its own header (GCC
// bug 105593).
#if defined(__GNUC__) && !defined(__clang__)
#pragma GCC diagnostic ignored "-Wmaybe-uninitialized"
#pragma GCC diagnostic ignored "-Wuninitialized"
#endif
#include <immintrin.h>

namespace tamis {
namespace {

constexpr unsigned kLanes = 16;

// LanesBelow() loads a part of this.
constexpr std::uint32_t kOnesThenZeros[2 * kLanes] = {1, 1, 1, 1, 1, 1, 1, 1,
                                                      1, 1, 1, 1, 1, 1, 1, 1};

const std::uint32_t* LanesBelow(unsigned count) noexcept {
  return kOnesThenZeros + kLanes - count;
}

__m256i LoadEight(const std::uint32_t* p) noexcept {
  return _mm256_loadu_si256(reinterpret_cast<const __m256i*>(p));
}

// Up to sixteen probes of a line: those whose lane in `ones` is 1.
bool CheckSixteen(const unsigned char* line, __m512i bits, __m512i factors,
                  __m512i ones) noexcept {
  const __m512i products = _mm512_mullo_epi32(bits, factors);
  const __m512i held = _mm512_permutexvar_epi32(_mm512_srli_epi32(products, 28),
                                                _mm512_loadu_si512(line));
  // A rotation counts modulo 32: the word's number need not be masked off.
  const __m512i mask = _mm512_rolv_epi32(ones, _mm512_srli_epi32(products, 23));
  return _mm512_test_epi32_mask(_mm512_andnot_si512(held, mask),
                                _mm512_set1_epi32(-1)) == 0;
}

// The same with at most eight probes, in half a register: a narrow
// multiplication is cheaper, and most filters need no more.
bool CheckEight(const unsigned char* line, __m256i bits, __m256i factors,
                __m256i ones) noexcept {
  const __m256i products = _mm256_mullo_epi32(bits, factors);
  const __m512i words = _mm512_castsi256_si512(_mm256_srli_epi32(products, 28));
  const __m256i held = _mm512_castsi512_si256(
      _mm512_permutexvar_epi32(words, _mm512_loadu_si512(line)));
  const __m256i mask = _mm256_rolv_epi32(ones, _mm256_srli_epi32(products, 23));
  return _mm256_testc_si256(held, mask) != 0;
}

bool LineHasAll(const unsigned char* line, std::uint32_t bits,
                const LineProbes& probes) noexcept {
  if (probes.count <= kLanes / 2) {
    return CheckEight(line, _mm256_set1_epi32(static_cast<int>(bits)),
                      LoadEight(probes.factors),
                      LoadEight(LanesBelow(probes.count)));
  }
  const __m512i wide = _mm512_set1_epi32(static_cast<int>(bits));
  const std::uint32_t* factors = probes.factors;
  unsigned left = probes.count;
  bool all = true;
  for (; left > kLanes; left -= kLanes, factors += kLanes) {
    all &= CheckSixteen(line, wide, _mm512_loadu_si512(factors),
                        _mm512_loadu_si512(LanesBelow(kLanes)));
  }
  return CheckSixteen(line, wide, _mm512_loadu_si512(factors),
                      _mm512_loadu_si512(LanesBelow(left))) &&
         all;
}

void LinesHaveAll(const BlockQuery* queries, std::size_t count,
                  const LineProbes& probes, bool* out) noexcept {
  if (probes.count > kLanes / 2) {
    for (std::size_t i = 0; i < count; ++i) {
      out[i] = LineHasAll(queries[i].block, queries[i].bits, probes);
    }
    return;
  }
  const __m256i factors = LoadEight(probes.factors);
  const __m256i ones = LoadEight(LanesBelow(probes.count));
  for (std::size_t i = 0; i < count; ++i) {
    out[i] = CheckEight(queries[i].block,
                        _mm256_set1_epi32(static_cast<int>(queries[i].bits)),
                        factors, ones);
  }
}

bool RunsOn(const Cpu& cpu) noexcept {
  return kAvx2Kernels.runs_on(cpu) && cpu.avx512f && cpu.avx512bw &&
         cpu.avx512vl;
}

// Intel's first CPUs with AVX-512 lower their clock for milliseconds after an
// instruction on 512 bits, for all that the core runs: Skylake-SP and -X,
// Cascade Lake and Cooper Lake (one model), and Cannon Lake.  A cycle or two
// per key is not worth that.
bool PaysOffOn(const Cpu& cpu) noexcept {
  constexpr unsigned kSkylakeServer = 0x55;
  constexpr unsigned kCannonLake = 0x66;
  return cpu.vendor != CpuVendor::kIntel || cpu.family != 6 ||
         (cpu.model != kSkylakeServer && cpu.model != kCannonLake);
}

// A block is 256 bits, and marking is dominated by loads and stores: AVX2 does
// both as well.
bool BlockHasAll(const unsigned char* block, std::uint32_t bits) noexcept {
  return kAvx2Kernels.check_split_block(block, bits);
}

void BlocksHaveAll(const BlockQuery* queries, std::size_t count,
                   bool* out) noexcept {
  kAvx2Kernels.check_split_blocks(queries, count, out);
}

void MarkLinesAll(const BlockMark* marks, std::size_t count,
                  const LineProbes& probes) noexcept {
  kAvx2Kernels.mark_lines(marks, count, probes);
}

void MarkBlocksAll(const BlockMark* marks, std::size_t count) noexcept {
  kAvx2Kernels.mark_split_blocks(marks, count);
}

void FindWindowsAll(const std::uint64_t* hashes, std::size_t count,
                    const WindowLayer& layer, WindowQueries* queries) noexcept {
  kAvx2Kernels.find_windows(hashes, count, layer, queries);
}

std::uint64_t CheckWindowsAll(const WindowQueries& queries, std::size_t count,
                              const WindowLayer& layer, bool* out) noexcept {
  return kAvx2Kernels.check_windows(queries, count, layer, out);
}

WindowAnswer CheckOneWindow(std::uint64_t hash,
                            const WindowLayer& layer) noexcept {
  return kAvx2Kernels.check_window(hash, layer);
}

std::size_t Walk(WalkingKey<std::uint64_t>* keys, std::size_t values) noexcept {
  return kAvx2Kernels.walk(keys, values);
}

}  // namespace

bool avx512::CheckHash(const unsigned char* lines, std::uint64_t count,
                       std::uint64_t hash,
                       const WideLineProbes& probes) noexcept {
  unsigned long long number;
  (void)_mulx_u64(hash, count, &number);
  return CheckEight(lines + number * kLineBytes,
                    _mm256_set1_epi32(static_cast<int>(hash)),
                    LoadEight(probes.factors), LoadEight(probes.ones));
}

const Kernels kAvx512Kernels = {
    .name = "avx512",
    .runs_on = RunsOn,
    .pays_off_on = PaysOffOn,
    .check_line = LineHasAll,
    .check_split_block = BlockHasAll,
    .check_hash = avx512::CheckHash,
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
