// SPDX-License-Identifier: Apache-2.0
// AVX-512 with VPOPCNTDQ, which counts the ones of eight words at once, as
// checking windows requires.  All else is the kernel set of
// filters/kernels/avx512.cc, and the rules of filters/kernels/avx2.cc apply
// here, too.

#include "filters/kernels/avx512_lines.h"
#include "filters/kernels/find_one_window.h"
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

constexpr unsigned kColumns = 8;  // of a register

__m512i Everywhere(std::uint64_t word) noexcept {
  return _mm512_set1_epi64(static_cast<std::int64_t>(word));
}

// Products of the lower 32 bits of both.
__m512i ShortProduct(__m512i a, __m512i b) noexcept {
  return _mm512_mul_epu32(a, b);
}
__m512i LowProduct(__m512i a, std::uint64_t b) noexcept {
  return _mm512_mullo_epi64(a, Everywhere(b));
}

// FindFour() of filters/kernels/avx2_windows.cc, for eight.
[[gnu::always_inline]] inline void FindEight(__m512i hashes,
                                             const WindowLayer& layer,
                                             std::size_t i,
                                             WindowQueries* queries) noexcept {
  const __m512i one = Everywhere(1);
  const __m512i buckets = Everywhere(layer.buckets);
  const __m512i lower = ShortProduct(hashes, buckets);
  const __m512i upper =
      _mm512_add_epi64(ShortProduct(_mm512_srli_epi64(hashes, 32), buckets),
                       _mm512_srli_epi64(lower, 32));
  const __m512i bucket = _mm512_srli_epi64(upper, 32);
  const __m512i next = _mm512_add_epi64(bucket, one);
  const auto ends = static_cast<__mmask8>(
      _mm512_testn_epi64_mask(next, Everywhere(layer.part_mask)) |
      _mm512_cmpeq_epi64_mask(next, buckets));
  const __m512i starts =
      _mm512_mask_blend_epi64(ends, Everywhere(127), Everywhere(127 - 63));
  // The lower half of the product, as a fraction of the bucket.
  const __m512i row = _mm512_srli_epi64(
      _mm512_add_epi64(ShortProduct(upper, starts),
                       _mm512_srli_epi64(ShortProduct(lower, starts), 32)),
      32);

  __m512i mixed = LowProduct(hashes, 0x9e3779b97f4a7c15);
  mixed = _mm512_xor_si512(mixed, _mm512_srli_epi64(mixed, 32));
  const __m512i coefficients =
      _mm512_or_si512(LowProduct(mixed, 0xd6e8feb86659fd93), one);
  _mm512_storeu_si512(
      queries->fingerprints + i,
      _mm512_srli_epi64(LowProduct(mixed, 0xff51afd7ed558ccd), 32));
  _mm512_storeu_si512(queries->rows + i, row);

  const __m512i second = _mm512_srli_epi64(row, 6);
  const __m512i start = _mm512_and_si512(row, Everywhere(63));
  _mm512_storeu_si512(
      queries->masks[0] + i,
      _mm512_and_si512(
          _mm512_sllv_epi64(coefficients, start),
          _mm512_srlv_epi64(Everywhere(~std::uint64_t{0}), second)));
  const __m512i fall =
      _mm512_sub_epi64(Everywhere(63), _mm512_add_epi64(second, start));
  _mm512_storeu_si512(
      queries->masks[1] + i,
      _mm512_srli_epi64(_mm512_srlv_epi64(coefficients, fall), 1));

  const __m512i segment =
      _mm512_add_epi64(_mm512_add_epi64(bucket, bucket), second);
  const __m512i columns = Everywhere(layer.least_columns);
  __m512i words = _mm512_mullo_epi64(segment, columns);
  __m512i stride = _mm512_slli_epi64(columns, 3);
  if (layer.columns == 0) {
    const __m512i wide = Everywhere(layer.wide_segments);
    words = _mm512_add_epi64(words, _mm512_min_epu64(segment, wide));
    const __mmask8 is_wide = _mm512_cmplt_epu64_mask(segment, wide);
    const __mmask8 next_is_wide =
        _mm512_cmplt_epu64_mask(_mm512_add_epi64(segment, one), wide);
    stride = _mm512_slli_epi64(
        _mm512_mask_add_epi64(columns, is_wide, columns, one), 3);
    _mm512_storeu_si512(queries->strides + i, stride);
    _mm512_storeu_si512(
        queries->columns + i,
        _mm512_mask_add_epi64(columns, next_is_wide, columns, one));
  }
  const __m512i here = _mm512_add_epi64(
      Everywhere(reinterpret_cast<std::uintptr_t>(layer.bytes)),
      _mm512_slli_epi64(words, 3));
  _mm512_storeu_si512(queries->words + i, here);
  // One segment further, if this is the first of its pair.
  _mm512_storeu_si512(
      queries->levels + i,
      _mm512_mask_add_epi64(here, _mm512_testn_epi64_mask(second, second), here,
                            stride));
}

void FindWindowsAll(const std::uint64_t* hashes, std::size_t count,
                    const WindowLayer& layer, WindowQueries* queries) noexcept {
  if (layer.buckets >> 32 != 0) {
    kPortableKernels.find_windows(hashes, count, layer, queries);
    return;
  }
  std::size_t i = 0;
  for (; i + 8 <= count; i += 8) {
    FindEight(_mm512_loadu_si512(hashes + i), layer, i, queries);
  }
  if (i < count) {
    const auto some = static_cast<__mmask8>((1u << (count - i)) - 1);
    FindEight(_mm512_maskz_loadu_epi64(some, hashes + i), layer, i, queries);
  }
}

// One of the queries.
struct OneWindow {
  const unsigned char* words;
  std::size_t stride;
  __m512i masks[2];

  // Returns the parities of up to eight columns from `first` on.  Columns that
  // are not in `some` are not read, and are 0.
  unsigned Parities(unsigned first, __mmask8 some) const noexcept {
    const unsigned char* column = words + std::size_t{8} * first;
    const __m512i here = _mm512_maskz_loadu_epi64(some, column);
    const __m512i behind = _mm512_maskz_loadu_epi64(some, column + stride);
    const __m512i selected = _mm512_xor_si512(
        _mm512_and_si512(here, masks[0]), _mm512_and_si512(behind, masks[1]));
    return _mm512_test_epi64_mask(_mm512_popcnt_epi64(selected), Everywhere(1));
  }

  bool Check(std::uint32_t fingerprint, unsigned columns) const noexcept {
    unsigned wrong = 0;
    unsigned first = 0;
    for (; first + kColumns <= columns; first += kColumns) {
      wrong |= Parities(first, 0xff) ^ (fingerprint >> first & 0xff);
    }
    if (first < columns) {
      const unsigned some = (1u << (columns - first)) - 1;
      wrong |= Parities(first, static_cast<__mmask8>(some)) ^
               (fingerprint >> first & some);
    }
    return wrong == 0;
  }
};

// Returns the signs of the words of `some`: the bits of a level.
unsigned SignsOf(const unsigned char* words, __mmask8 some) noexcept {
  return _mm512_movepi64_mask(_mm512_maskz_loadu_epi64(some, words));
}

// All windows have kColumns columns, and their levels are rows: no branches and
// no look at the thresholds.
std::uint64_t CheckWholeLines(const WindowQueries& queries, std::size_t count,
                              bool* out) noexcept {
  constexpr __mmask8 kLevelWords = 0x7f;
  std::uint64_t bumped = 0;
  for (std::size_t i = 0; i < count; ++i) {
    const OneWindow window = {
        queries.words[i],
        std::size_t{8} * kColumns,
        {Everywhere(queries.masks[0][i]), Everywhere(queries.masks[1][i])}};
    const bool is_bumped =
        queries.rows[i] < SignsOf(queries.levels[i], kLevelWords);
    bumped |= std::uint64_t{is_bumped} << i;
    const auto wrong = static_cast<std::uint8_t>(
        window.Parities(0, 0xff) ^
        static_cast<unsigned>(queries.fingerprints[i]));
    out[i] = wrong == 0;
  }
  return bumped;
}

std::uint64_t CheckWindowsAll(const WindowQueries& queries, std::size_t count,
                              const WindowLayer& layer, bool* out) noexcept {
  if (layer.columns == kColumns && layer.levels_are_rows) {
    return CheckWholeLines(queries, count, out);
  }
  const auto level_words = static_cast<__mmask8>((1u << layer.level_bits) - 1);
  std::uint64_t bumped = 0;
  for (std::size_t i = 0; i < count; ++i) {
    const bool even = layer.columns != 0;
    const OneWindow window = {
        queries.words[i],
        even ? std::size_t{8} * layer.columns : queries.strides[i],
        {Everywhere(queries.masks[0][i]), Everywhere(queries.masks[1][i])}};
    const unsigned level = SignsOf(queries.levels[i], level_words);
    const bool is_bumped = queries.rows[i] < layer.thresholds[level];
    bumped |= std::uint64_t{is_bumped} << i;
    out[i] = window.Check(
        static_cast<std::uint32_t>(queries.fingerprints[i]),
        even ? layer.columns : static_cast<unsigned>(queries.columns[i]));
  }
  return bumped;
}

WindowAnswer AnswerOf(bool bumped, bool maybe) noexcept {
  if (bumped) return WindowAnswer::kBumped;
  return maybe ? WindowAnswer::kMaybe : WindowAnswer::kAbsent;
}

OneWindow WindowOf(const FoundWindow& found) noexcept {
  return {found.words,
          found.stride,
          {Everywhere(found.masks[0]), Everywhere(found.masks[1])}};
}

// Any number of columns.  Not inlined, for it needs more registers.
[[gnu::noinline]] WindowAnswer CheckAnyWindow(
    std::uint64_t hash, const WindowLayer& layer) noexcept {
  const FoundWindow found = FindOneWindow<0>(hash, layer);
  const auto level_words = static_cast<__mmask8>((1u << layer.level_bits) - 1);
  const unsigned level = SignsOf(found.levels, level_words);
  return AnswerOf(
      found.row < layer.thresholds[level],
      WindowOf(found).Check(static_cast<std::uint32_t>(found.fingerprint),
                            found.columns));
}

WindowAnswer CheckOneWindow(std::uint64_t hash,
                            const WindowLayer& layer) noexcept {
  if (layer.columns != kColumns || !layer.levels_are_rows) {
    return CheckAnyWindow(hash, layer);
  }
  const FoundWindow found = FindOneWindow<kColumns>(hash, layer);
  const unsigned parities = WindowOf(found).Parities(0, 0xff);
  const auto wrong = static_cast<std::uint8_t>(
      parities ^ static_cast<unsigned>(found.fingerprint));
  return AnswerOf(found.row < SignsOf(found.levels, 0x7f), wrong == 0);
}

bool RunsOn(const Cpu& cpu) noexcept {
  return kAvx512Kernels.runs_on(cpu) && cpu.avx512dq && cpu.avx512vpopcntdq;
}

bool PaysOffOn(const Cpu& cpu) noexcept {
  return kAvx512Kernels.pays_off_on(cpu);
}

bool LineHasAll(const unsigned char* line, std::uint32_t bits,
                const LineProbes& probes) noexcept {
  return kAvx512Kernels.check_line(line, bits, probes);
}

void LinesHaveAll(const BlockQuery* queries, std::size_t count,
                  const LineProbes& probes, bool* out) noexcept {
  kAvx512Kernels.check_lines(queries, count, probes, out);
}

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

std::size_t Walk(WalkingKey<std::uint64_t>* keys, std::size_t values) noexcept {
  return kAvx2Kernels.walk(keys, values);
}

}  // namespace

const Kernels kAvx512PopcntKernels = {
    .name = "avx512popcnt",
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
