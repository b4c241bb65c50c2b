// SPDX-License-Identifier: Apache-2.0
// AVX2 for bumped ribbons: a register holds one number of each of four keys, or
// four words of one key.  See filters/kernels/avx2.cc for what may not be used
// here.

#include "filters/kernels/avx2_windows.h"

#if defined(__x86_64__)

#include <immintrin.h>

namespace tamis {
namespace {

__m256i Load(const void* p) noexcept {
  return _mm256_loadu_si256(static_cast<const __m256i*>(p));
}

// Lane i is all ones if i < count, for a count up to 4; more count as 4.
__m256i FirstOfFour(std::size_t count) noexcept {
  static constexpr std::int64_t kWindow[8] = {-1, -1, -1, -1};
  return Load(kWindow + 4 - (count < 4 ? count : 4));
}

__m256i LoadFour(const void* words, __m256i lanes) noexcept {
  return _mm256_maskload_epi64(static_cast<const long long*>(words), lanes);
}

__m256i Everywhere(std::uint64_t word) noexcept {
  return _mm256_set1_epi64x(static_cast<std::int64_t>(word));
}

// Four products, of the lower 32 bits of both ...
__m256i ShortProduct(__m256i a, __m256i b) noexcept {
  return _mm256_mul_epu32(a, b);
}
// ... and the lower 64 bits of those of 64 bits.
__m256i LowProduct(__m256i a, std::uint64_t b) noexcept {
  const __m256i upper =
      _mm256_add_epi64(ShortProduct(_mm256_srli_epi64(a, 32), Everywhere(b)),
                       ShortProduct(a, Everywhere(b >> 32)));
  return _mm256_add_epi64(ShortProduct(a, Everywhere(b)),
                          _mm256_slli_epi64(upper, 32));
}

void Store(void* to, __m256i four) noexcept {
  _mm256_storeu_si256(static_cast<__m256i*>(to), four);
}

// FindWindow() of filters/ribbon/query.h for four keys from place i on, with
// its steps: a place, coefficients and a fingerprint, and the coefficients in
// each of two segments.  REQUIRES: there are fewer than 2^32 buckets
void FindFour(__m256i hashes, const WindowLayer& layer, std::size_t i,
              WindowQueries* queries) noexcept {
  const __m256i one = Everywhere(1);
  const __m256i buckets = Everywhere(layer.buckets);
  const __m256i lower = ShortProduct(hashes, buckets);
  const __m256i upper =
      _mm256_add_epi64(ShortProduct(_mm256_srli_epi64(hashes, 32), buckets),
                       _mm256_srli_epi64(lower, 32));
  const __m256i bucket = _mm256_srli_epi64(upper, 32);
  const __m256i next = _mm256_add_epi64(bucket, one);
  const __m256i ends = _mm256_or_si256(
      _mm256_cmpeq_epi64(_mm256_and_si256(next, Everywhere(layer.part_mask)),
                         _mm256_setzero_si256()),
      _mm256_cmpeq_epi64(next, buckets));
  const __m256i starts =
      _mm256_sub_epi64(Everywhere(127), _mm256_and_si256(ends, Everywhere(63)));
  // The lower half of the product, as a fraction of the bucket.
  const __m256i row = _mm256_srli_epi64(
      _mm256_add_epi64(ShortProduct(upper, starts),
                       _mm256_srli_epi64(ShortProduct(lower, starts), 32)),
      32);

  __m256i mixed = LowProduct(hashes, 0x9e3779b97f4a7c15);
  mixed = _mm256_xor_si256(mixed, _mm256_srli_epi64(mixed, 32));
  const __m256i coefficients =
      _mm256_or_si256(LowProduct(mixed, 0xd6e8feb86659fd93), one);
  Store(queries->fingerprints + i,
        _mm256_srli_epi64(LowProduct(mixed, 0xff51afd7ed558ccd), 32));
  Store(queries->rows + i, row);

  const __m256i second = _mm256_srli_epi64(row, 6);
  const __m256i start = _mm256_and_si256(row, Everywhere(63));
  Store(queries->masks[0] + i,
        _mm256_and_si256(
            _mm256_sllv_epi64(coefficients, start),
            _mm256_srlv_epi64(Everywhere(~std::uint64_t{0}), second)));
  const __m256i fall =
      _mm256_sub_epi64(Everywhere(63), _mm256_add_epi64(second, start));
  Store(queries->masks[1] + i,
        _mm256_srli_epi64(_mm256_srlv_epi64(coefficients, fall), 1));

  const __m256i segment =
      _mm256_add_epi64(_mm256_add_epi64(bucket, bucket), second);
  // A product of 33 bits by few.
  const __m256i columns = Everywhere(layer.least_columns);
  __m256i words = _mm256_add_epi64(
      ShortProduct(segment, columns),
      _mm256_slli_epi64(ShortProduct(_mm256_srli_epi64(segment, 32), columns),
                        32));
  __m256i stride = _mm256_slli_epi64(columns, 3);
  if (layer.columns == 0) {
    // All of these numbers are small: signs do not matter.
    const __m256i wide = Everywhere(layer.wide_segments);
    const __m256i is_wide = _mm256_cmpgt_epi64(wide, segment);
    const __m256i next_is_wide =
        _mm256_cmpgt_epi64(wide, _mm256_add_epi64(segment, one));
    words = _mm256_add_epi64(words, _mm256_blendv_epi8(wide, segment, is_wide));
    // True is -1.
    stride = _mm256_slli_epi64(_mm256_sub_epi64(columns, is_wide), 3);
    Store(queries->strides + i, stride);
    Store(queries->columns + i, _mm256_sub_epi64(columns, next_is_wide));
  }
  const __m256i here = _mm256_add_epi64(
      Everywhere(reinterpret_cast<std::uintptr_t>(layer.bytes)),
      _mm256_slli_epi64(words, 3));
  Store(queries->words + i, here);
  // One segment further, if this is the first of its pair.
  Store(queries->levels + i,
        _mm256_add_epi64(here, _mm256_andnot_si256(
                                   _mm256_cmpeq_epi64(second, one), stride)));
}

// Eight words of 64 bits, of each of which the parity is computed.
struct Eight {
  __m256i low;
  __m256i high;
};

// Loads the first `count` words and reads nothing after them; the others are 0.
Eight LoadSome(const unsigned char* words, std::size_t count) noexcept {
  return {LoadFour(words, FirstOfFour(count)),
          LoadFour(words + 32, FirstOfFour(count < 4 ? 0 : count - 4))};
}

// One of the queries.
struct OneWindow {
  const unsigned char* words;
  std::size_t stride;
  __m256i masks[2];

  // Returns what the window selects from eight columns, from `first` on.
  Eight SelectEight(unsigned first) const noexcept {
    const unsigned char* here = words + std::size_t{8} * first;
    const unsigned char* behind = here + stride;
    return Select({Load(here), Load(here + 32)},
                  {Load(behind), Load(behind + 32)});
  }
  // The same for `count` columns; reads nothing else, and the others are 0.
  Eight SelectSome(unsigned first, unsigned count) const noexcept {
    const unsigned char* here = words + std::size_t{8} * first;
    return Select(LoadSome(here, count), LoadSome(here + stride, count));
  }

 private:
  Eight Select(const Eight& here, const Eight& behind) const noexcept {
    return {_mm256_xor_si256(_mm256_and_si256(here.low, masks[0]),
                             _mm256_and_si256(behind.low, masks[1])),
            _mm256_xor_si256(_mm256_and_si256(here.high, masks[0]),
                             _mm256_and_si256(behind.high, masks[1]))};
  }
};

// Returns window i.  All windows have kColumns columns, if that is not 0.
template <unsigned kColumns>
std::size_t StrideOf(const WindowQueries& queries, std::size_t i,
                     const WindowLayer& layer) noexcept {
  if constexpr (kColumns != 0) return std::size_t{8} * kColumns;
  return layer.columns != 0 ? std::size_t{8} * layer.columns
                            : queries.strides[i];
}
template <unsigned kColumns>
unsigned ColumnsOf(const WindowQueries& queries, std::size_t i,
                   const WindowLayer& layer) noexcept {
  if constexpr (kColumns != 0) return kColumns;
  return layer.columns != 0 ? layer.columns
                            : static_cast<unsigned>(queries.columns[i]);
}

template <unsigned kColumns>
OneWindow WindowAt(const WindowQueries& queries, std::size_t i,
                   const WindowLayer& layer) noexcept {
  return {queries.words[i],
          StrideOf<kColumns>(queries, i, layer),
          {Everywhere(queries.masks[0][i]), Everywhere(queries.masks[1][i])}};
}

// Reorders bytes, of which each half of the register has four of each key, so
// that the eight of the first key come first, and so on.
inline __m256i KeyByKey(__m256i fours) noexcept {
  return _mm256_permutevar8x32_epi32(fours,
                                     _mm256_setr_epi32(0, 4, 1, 5, 2, 6, 3, 7));
}

// Returns the upper or lower 32-bit halves of eight words, in the order 0, 1,
// 4, 5, 2, 3, 6, 7.
template <bool kUpper>
inline __m256i HalvesOf(const Eight& words) noexcept {
  return _mm256_castps_si256(_mm256_shuffle_ps(_mm256_castsi256_ps(words.low),
                                               _mm256_castsi256_ps(words.high),
                                               kUpper ? 0xdd : 0x88));
}

// Returns the parities of eight words of each of four keys: a byte for each
// key, in which bit i is that of word i.  Repeatedly adds the two halves of
// each word and packs two keys into one register, until one byte is left of
// each of the 32 words.
inline unsigned ParitiesOf(const Eight (&keys)[4]) noexcept {
  const auto words = [&keys](unsigned k) {  // of 32 bits
    return _mm256_xor_si256(HalvesOf<false>(keys[k]), HalvesOf<true>(keys[k]));
  };
  const auto halves = [](__m256i a, __m256i b) {  // of 16 bits, of two keys
    return _mm256_blend_epi16(_mm256_xor_si256(a, _mm256_srli_epi32(a, 16)),
                              _mm256_xor_si256(b, _mm256_slli_epi32(b, 16)),
                              0xaa);
  };
  const __m256i a = halves(words(0), words(1));
  const __m256i b = halves(words(2), words(3));
  __m256i bytes =
      _mm256_blendv_epi8(_mm256_xor_si256(a, _mm256_srli_epi16(a, 8)),
                         _mm256_xor_si256(b, _mm256_slli_epi16(b, 8)),
                         _mm256_set1_epi16(static_cast<std::int16_t>(0xff00)));
  // The highest bit of each byte becomes the sum of all its bits.
  bytes = _mm256_xor_si256(bytes, _mm256_slli_epi16(bytes, 4));
  bytes = _mm256_xor_si256(bytes, _mm256_slli_epi16(bytes, 2));
  bytes = _mm256_xor_si256(bytes, _mm256_slli_epi16(bytes, 1));
  // Puts columns in order, four by four; then keys, which are in the order 0,
  // 2, 1, 3.
  bytes = _mm256_permutevar8x32_epi32(
      bytes, _mm256_setr_epi32(0, 1, 4, 5, 2, 3, 6, 7));
  bytes = _mm256_shuffle_epi8(
      bytes, _mm256_broadcastsi128_si256(_mm_setr_epi8(
                 0, 4, 8, 12, 2, 6, 10, 14, 1, 5, 9, 13, 3, 7, 11, 15)));
  return static_cast<unsigned>(_mm256_movemask_epi8(KeyByKey(bytes)));
}

// Returns, for four keys, the numbers whose bits are the signs of the first
// seven of eight words.
inline __m256i NumbersOfSigns(const Eight (&keys)[4]) noexcept {
  const __m256i bytes = KeyByKey(_mm256_packs_epi16(
      _mm256_packs_epi32(HalvesOf<true>(keys[0]), HalvesOf<true>(keys[1])),
      _mm256_packs_epi32(HalvesOf<true>(keys[2]), HalvesOf<true>(keys[3]))));
  const __m256i worth = _mm256_setr_epi8(1, 2, 16, 32, 4, 8, 64, 0,  //
                                         1, 2, 16, 32, 4, 8, 64, 0,  //
                                         1, 2, 16, 32, 4, 8, 64, 0,  //
                                         1, 2, 16, 32, 4, 8, 64, 0);
  const __m256i zero = _mm256_setzero_si256();
  return _mm256_sad_epu8(
      _mm256_and_si256(_mm256_cmpgt_epi8(zero, bytes), worth), zero);
}

// Returns the lowest byte of each of four numbers.
inline unsigned BytesOf(__m256i numbers) noexcept {
  const __m256i bytes = _mm256_shuffle_epi8(
      numbers, _mm256_setr_epi8(0, 8, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1,
                                -1, -1, -1, -1, -1, -1, 0, 8, -1, -1, -1, -1,
                                -1, -1, -1, -1, -1, -1, -1, -1));
  return static_cast<unsigned>(_mm_cvtsi128_si32(_mm_or_si128(
      _mm256_castsi256_si128(bytes), _mm256_extracti128_si256(bytes, 1))));
}

// Returns which of four windows, from `at` on, are bumped: bit k for the k-th.
// All have kColumns columns, and layer.levels_are_rows is true; or kColumns is
// 0.
template <unsigned kColumns>
[[gnu::always_inline]] inline unsigned BumpedOf(
    const WindowQueries& queries, std::size_t at,
    const WindowLayer& layer) noexcept {
  const auto words_of = [&](std::size_t k) {
    const unsigned char* words = queries.levels[at + k];
    if constexpr (kColumns != 0) return Eight{Load(words), Load(words + 32)};
    return LoadSome(words, layer.level_bits);
  };
  const __m256i levels =
      NumbersOfSigns({words_of(0), words_of(1), words_of(2), words_of(3)});
  const __m256i rows = Load(queries.rows + at);
  if constexpr (kColumns != 0) {
    return static_cast<unsigned>(_mm256_movemask_pd(
        _mm256_castsi256_pd(_mm256_cmpgt_epi64(levels, rows))));
  }
  std::uint64_t level[4];
  Store(level, levels);
  unsigned bumped = 0;
  for (unsigned k = 0; k < 4; ++k) {
    const bool is_bumped = queries.rows[at + k] < layer.thresholds[level[k]];
    bumped |= unsigned{is_bumped} << k;
  }
  return bumped;
}

// Looks four windows up, from `at` on, whether bumped or not.  All have
// kColumns columns, 8 or a multiple; 0: any number.
//
// There is no loop over the four: compilers would not unroll it, and would keep
// in memory what belongs in registers.
template <unsigned kColumns>
[[gnu::always_inline]] inline void CheckFour(const WindowQueries& queries,
                                             std::size_t at,
                                             const WindowLayer& layer,
                                             bool* out) noexcept {
  const auto columns_of = [&](std::size_t k) {
    return ColumnsOf<kColumns>(queries, at + k, layer);
  };
  unsigned columns = columns_of(0);
  if constexpr (kColumns == 0) {
    for (unsigned k = 1; k < 4; ++k) {
      if (columns_of(k) > columns) columns = columns_of(k);
    }
  }
  unsigned wrong = 0;
  for (unsigned first = 0; first < columns; first += 8) {
    unsigned wanted =
        BytesOf(_mm256_srl_epi64(Load(queries.fingerprints + at),
                                 _mm_cvtsi32_si128(static_cast<int>(first))));
    const auto selected_by = [&](std::size_t k) {
      const OneWindow window = WindowAt<kColumns>(queries, at + k, layer);
      if constexpr (kColumns != 0) return window.SelectEight(first);
      const unsigned all = columns_of(k);
      const unsigned left = all > first ? all - first : 0;
      if (left < 8) wanted &= ~((0xffu & (0xffu << left)) << 8 * k);
      return window.SelectSome(first, left);
    };
    const unsigned sums = ParitiesOf(
        {selected_by(0), selected_by(1), selected_by(2), selected_by(3)});
    wrong |= sums ^ wanted;
  }
  const __m128i right = _mm_cmpeq_epi8(
      _mm_cvtsi32_si128(static_cast<int>(wrong)), _mm_setzero_si128());
  const int answers = _mm_cvtsi128_si32(_mm_and_si128(right, _mm_set1_epi8(1)));
  __builtin_memcpy(out, &answers, sizeof(answers));
}

// Returns 1 to 3 windows from `at` on, with the first repeated to make four.
WindowQueries FourOf(const WindowQueries& queries, std::size_t at,
                     std::size_t count, const WindowLayer& layer) noexcept {
  WindowQueries four;
  for (std::size_t k = 0; k < 4; ++k) {
    const std::size_t i = at + (k < count ? k : 0);
    four.words[k] = queries.words[i];
    four.masks[0][k] = queries.masks[0][i];
    four.masks[1][k] = queries.masks[1][i];
    four.fingerprints[k] = queries.fingerprints[i];
    four.levels[k] = queries.levels[i];
    four.rows[k] = queries.rows[i];
    if (layer.columns != 0) continue;
    four.strides[k] = queries.strides[i];
    four.columns[k] = queries.columns[i];
  }
  return four;
}

template <unsigned kColumns>
std::uint64_t CheckWindowsAs(const WindowQueries& queries, std::size_t count,
                             const WindowLayer& layer, bool* out) noexcept {
  std::uint64_t bumped = 0;
  std::size_t i = 0;
  for (; i + 4 <= count; i += 4) {
    bumped |= std::uint64_t{BumpedOf<kColumns>(queries, i, layer)} << i;
    CheckFour<kColumns>(queries, i, layer, out + i);
  }
  const std::size_t left = count - i;
  if (left > 0) {
    const WindowQueries four = FourOf(queries, i, left, layer);
    bumped |=
        std::uint64_t{BumpedOf<kColumns>(four, 0, layer) & ((1u << left) - 1)}
        << i;
    bool answers[4];
    CheckFour<kColumns>(four, 0, layer, answers);
    __builtin_memcpy(out + i, answers, left);
  }
  return bumped;
}

}  // namespace

namespace avx2 {

void FindWindows(const std::uint64_t* hashes, std::size_t count,
                 const WindowLayer& layer, WindowQueries* queries) noexcept {
  if (layer.buckets >> 32 != 0) {
    kPortableKernels.find_windows(hashes, count, layer, queries);
    return;
  }
  for (std::size_t i = 0; i < count; i += 4) {
    FindFour(LoadFour(hashes + i, FirstOfFour(count - i)), layer, i, queries);
  }
}

std::uint64_t CheckWindows(const WindowQueries& queries, std::size_t count,
                           const WindowLayer& layer, bool* out) noexcept {
  if (layer.columns == 8 && layer.levels_are_rows) {
    return CheckWindowsAs<8>(queries, count, layer, out);
  }
  if (layer.columns == 16 && layer.levels_are_rows) {
    return CheckWindowsAs<16>(queries, count, layer, out);
  }
  return CheckWindowsAs<0>(queries, count, layer, out);
}

}  // namespace avx2
}  // namespace tamis

#endif
