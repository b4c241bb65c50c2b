// SPDX-License-Identifier: Apache-2.0
// AVX2: a line is two registers of eight words, and eight probes are one
// register.
//
// Compiled for CPUs that have AVX2, so this file uses only declarations and
// constants from headers: an inline function of a header, compiled here, might
// be the copy that the linker keeps for all callers.

#include "filters/kernels/avx2_windows.h"
#include "filters/kernels/kernels.h"

#if defined(__x86_64__)

#include <immintrin.h>
#include <utility>

namespace tamis {
namespace {

constexpr unsigned kLanes = 8;

// Parquet's salts again: filters/bloom/split_block.h must not be included here.
__m256i SplitBlockSalts() noexcept {
  return _mm256_setr_epi32(0x47b6137b, 0x44974d91, static_cast<int>(0x8824ad5b),
                           static_cast<int>(0xa2b7289d), 0x705495c7, 0x2df1424b,
                           static_cast<int>(0x9efc4947), 0x5c6bfb31);
}

__m256i Load(const void* p) noexcept {
  return _mm256_loadu_si256(static_cast<const __m256i*>(p));
}

// LanesBelow() loads a part of this.
constexpr std::uint32_t kOnesThenZeros[2 * kLanes] = {1, 1, 1, 1, 1, 1, 1, 1};

__m256i LanesBelow(unsigned count) noexcept {
  return Load(kOnesThenZeros + kLanes - count);
}

// Up to eight probes of a line: those whose lane in `ones` is 1.
bool CheckEight(const unsigned char* line, __m256i bits, __m256i factors,
                __m256i ones) noexcept {
  // A position's upper 4 bits name one of sixteen words, the lower 5 its bit.
  const __m256i products = _mm256_mullo_epi32(bits, factors);
  const __m256i words = _mm256_srli_epi32(products, 28);
  const __m256i low = _mm256_permutevar8x32_epi32(Load(line), words);
  const __m256i high = _mm256_permutevar8x32_epi32(Load(line + 32), words);
  // The product's sign selects the half: the numbers of words 8 to 15 start
  // with a 1.
  const __m256i held = _mm256_castps_si256(
      _mm256_blendv_ps(_mm256_castsi256_ps(low), _mm256_castsi256_ps(high),
                       _mm256_castsi256_ps(products)));
  const __m256i shifts = _mm256_srli_epi32(_mm256_slli_epi32(products, 4), 27);
  return _mm256_testc_si256(held, _mm256_sllv_epi32(ones, shifts)) != 0;
}

bool LineHasAll(const unsigned char* line, std::uint32_t bits,
                const LineProbes& probes) noexcept {
  const __m256i wide = _mm256_set1_epi32(static_cast<int>(bits));
  const std::uint32_t* factors = probes.factors;
  unsigned left = probes.count;
  bool all = true;
  for (; left > kLanes; left -= kLanes, factors += kLanes) {
    all &= CheckEight(line, wide, Load(factors), LanesBelow(kLanes));
  }
  return CheckEight(line, wide, Load(factors), LanesBelow(left)) && all;
}

bool HashHasAll(const unsigned char* lines, std::uint64_t count,
                std::uint64_t hash, const WideLineProbes& probes) noexcept {
  unsigned long long number;
  (void)_mulx_u64(hash, count, &number);
  return CheckEight(lines + number * kLineBytes,
                    _mm256_set1_epi32(static_cast<int>(hash)),
                    Load(probes.factors), Load(probes.ones));
}

void LinesHaveAll(const BlockQuery* queries, std::size_t count,
                  const LineProbes& probes, bool* out) noexcept {
  if (probes.count > kLanes) {
    for (std::size_t i = 0; i < count; ++i) {
      out[i] = LineHasAll(queries[i].block, queries[i].bits, probes);
    }
    return;
  }
  const __m256i factors = Load(probes.factors);
  const __m256i ones = LanesBelow(probes.count);
  for (std::size_t i = 0; i < count; ++i) {
    out[i] = CheckEight(queries[i].block,
                        _mm256_set1_epi32(static_cast<int>(queries[i].bits)),
                        factors, ones);
  }
}

// One bit in each of the eight words.
__m256i MaskOfWords(std::uint32_t bits, __m256i salts) noexcept {
  const __m256i products =
      _mm256_mullo_epi32(_mm256_set1_epi32(static_cast<int>(bits)), salts);
  return _mm256_sllv_epi32(_mm256_set1_epi32(1),
                           _mm256_srli_epi32(products, 27));
}

bool CheckWords(const unsigned char* block, std::uint32_t bits,
                __m256i salts) noexcept {
  return _mm256_testc_si256(Load(block), MaskOfWords(bits, salts)) != 0;
}

bool BlockHasAll(const unsigned char* block, std::uint32_t bits) noexcept {
  return CheckWords(block, bits, SplitBlockSalts());
}

void BlocksHaveAll(const BlockQuery* queries, std::size_t count,
                   bool* out) noexcept {
  const __m256i salts = SplitBlockSalts();
  for (std::size_t i = 0; i < count; ++i) {
    out[i] = CheckWords(queries[i].block, queries[i].bits, salts);
  }
}

// Marking is dominated by loads and stores, for which vectors do not help; what
// helps are constant numbers of probes and the shifts of BMI2, which take their
// count from any register.  Words have 32 bits, so that two probes of a key are
// seldom in the same word and wait for each other.
void SetBit(unsigned char* line, std::uint32_t product) noexcept {
  const std::uint32_t position = product >> 23;
  unsigned char* at = line + position / 32 * sizeof(std::uint32_t);
  std::uint32_t word;
  __builtin_memcpy(&word, at, sizeof(word));
  word |= std::uint32_t{1} << (position % 32);
  __builtin_memcpy(at, &word, sizeof(word));
}

// Written out probe by probe, because g++ at -O2 does not unroll loops.
template <std::size_t... kProbe>
void MarkLinesOf(const BlockMark* marks, std::size_t count,
                 const std::uint32_t* from,
                 std::index_sequence<kProbe...>) noexcept {
  // A copy: as far as the compiler knows, a store to a line might change what a
  // pointer points to.
  const std::uint32_t factors[] = {from[kProbe]...};
  for (std::size_t i = 0; i < count; ++i) {
    const BlockMark mark = marks[i];
    (SetBit(mark.block, mark.bits * factors[kProbe]), ...);
  }
}

template <std::size_t kCount>
void MarkLinesWith(const BlockMark* marks, std::size_t count,
                   const std::uint32_t* factors) noexcept {
  MarkLinesOf(marks, count, factors, std::make_index_sequence<kCount>());
}

void MarkLinesAll(const BlockMark* marks, std::size_t count,
                  const LineProbes& probes) noexcept {
  switch (probes.count) {
    case 5:
      return MarkLinesWith<5>(marks, count, probes.factors);
    case 6:
      return MarkLinesWith<6>(marks, count, probes.factors);
    case 7:
      return MarkLinesWith<7>(marks, count, probes.factors);
    case 8:
      return MarkLinesWith<8>(marks, count, probes.factors);
    case 9:
      return MarkLinesWith<9>(marks, count, probes.factors);
    default:
      break;
  }
  for (unsigned probe = 0; probe < probes.count; ++probe) {
    MarkLinesWith<1>(marks, count, probes.factors + probe);
  }
}

void MarkBlocksAll(const BlockMark* marks, std::size_t count) noexcept {
  const __m256i salts = SplitBlockSalts();
  for (std::size_t i = 0; i < count; ++i) {
    const __m256i mask = MaskOfWords(marks[i].bits, salts);
    _mm256_storeu_si256(reinterpret_cast<__m256i*>(marks[i].block),
                        _mm256_or_si256(Load(marks[i].block), mask));
  }
}

bool RunsOn(const Cpu& cpu) noexcept {
  return cpu.popcnt && cpu.bmi && cpu.bmi2 && cpu.avx2;
}

bool PaysOffOn(const Cpu& /*cpu*/) noexcept { return true; }

}  // namespace

const Kernels kAvx2Kernels = {
    .name = "avx2",
    .runs_on = RunsOn,
    .pays_off_on = PaysOffOn,
    .check_line = LineHasAll,
    .check_split_block = BlockHasAll,
    .check_hash = HashHasAll,
    .check_lines = LinesHaveAll,
    .check_split_blocks = BlocksHaveAll,
    .mark_lines = MarkLinesAll,
    .mark_split_blocks = MarkBlocksAll,
    .find_windows = avx2::FindWindows,
    .check_windows = avx2::CheckWindows,
    .check_window = avx2::CheckWindow,
    .walk = avx2::Walk,
};

}  // namespace tamis

#endif
