// SPDX-License-Identifier: Apache-2.0
// AVX2 for one key of a bumped ribbon: the eight words of a line are two
// registers.  See filters/kernels/avx2.cc for what may not be used here.

#include "filters/kernels/avx2_windows.h"
#include "filters/kernels/find_one_window.h"

#if defined(__x86_64__)

#include <immintrin.h>

namespace tamis {
namespace {

__m256i Load(const unsigned char* p) noexcept {
  return _mm256_loadu_si256(reinterpret_cast<const __m256i*>(p));
}

__m256i Everywhere(std::uint64_t word) noexcept {
  return _mm256_set1_epi64x(static_cast<std::int64_t>(word));
}

// Returns the signs of eight words: bit i of word i.
unsigned SignsOf(const unsigned char* words) noexcept {
  const int low = _mm256_movemask_pd(_mm256_castsi256_pd(Load(words)));
  const int high = _mm256_movemask_pd(_mm256_castsi256_pd(Load(words + 32)));
  return static_cast<unsigned>(low | high << 4);
}

// Returns the parities of what a window of eight columns selects: bit i is that
// of column i.
unsigned ParitiesOf(const FoundWindow& window) noexcept {
  const __m256i here = Everywhere(window.masks[0]);
  const __m256i next = Everywhere(window.masks[1]);
  const unsigned char* behind = window.words + window.stride;
  const __m256 low = _mm256_castsi256_ps(
      _mm256_xor_si256(_mm256_and_si256(Load(window.words), here),
                       _mm256_and_si256(Load(behind), next)));
  const __m256 high = _mm256_castsi256_ps(
      _mm256_xor_si256(_mm256_and_si256(Load(window.words + 32), here),
                       _mm256_and_si256(Load(behind + 32), next)));
  // The two halves of each word are added up, and of the sum all bits, into
  // the highest.
  __m256i words = _mm256_castps_si256(_mm256_xor_ps(
      _mm256_shuffle_ps(low, high, 0x88), _mm256_shuffle_ps(low, high, 0xdd)));
  words = _mm256_xor_si256(words, _mm256_slli_epi32(words, 16));
  words = _mm256_xor_si256(words, _mm256_slli_epi32(words, 8));
  words = _mm256_xor_si256(words, _mm256_slli_epi32(words, 4));
  words = _mm256_xor_si256(words, _mm256_slli_epi32(words, 2));
  words = _mm256_xor_si256(words, _mm256_slli_epi32(words, 1));
  // They were in the order 0, 1, 4, 5, 2, 3, 6, 7.
  return static_cast<unsigned>(_mm256_movemask_ps(
      _mm256_castsi256_ps(_mm256_permute4x64_epi64(words, 0xd8))));
}

WindowAnswer AnswerOf(bool bumped, bool maybe) noexcept {
  if (bumped) return WindowAnswer::kBumped;
  return maybe ? WindowAnswer::kMaybe : WindowAnswer::kAbsent;
}

std::uint64_t WordAt(const unsigned char* p) noexcept {
  std::uint64_t word;
  __builtin_memcpy(&word, p, sizeof(word));  // little-endian, as AVX2 is
  return word;
}

// Any number of columns.  Not inlined, for it needs more registers.
[[gnu::noinline]] WindowAnswer CheckAnyWindow(
    std::uint64_t hash, const WindowLayer& layer) noexcept {
  const FoundWindow window = FindOneWindow<0>(hash, layer);
  std::uint64_t level = 0;
  for (unsigned i = 0; i < layer.level_bits; ++i) {
    level |= WordAt(window.levels + std::size_t{8} * i) >> 63 << i;
  }
  std::uint64_t wrong = 0;
  for (unsigned i = 0; i < window.columns; ++i) {
    const unsigned char* word = window.words + std::size_t{8} * i;
    const std::uint64_t selected =
        (WordAt(word) & window.masks[0]) ^
        (WordAt(word + window.stride) & window.masks[1]);
    wrong |= static_cast<std::uint64_t>(_mm_popcnt_u64(selected)) ^
             window.fingerprint >> i;
  }
  return AnswerOf(window.row < layer.thresholds[level], wrong % 2 == 0);
}

}  // namespace

namespace avx2 {

WindowAnswer CheckWindow(std::uint64_t hash,
                         const WindowLayer& layer) noexcept {
  if (layer.columns != 8 || !layer.levels_are_rows) {
    return CheckAnyWindow(hash, layer);
  }
  const FoundWindow window = FindOneWindow<8>(hash, layer);
  const std::uint64_t level = SignsOf(window.levels) & 0x7f;
  const std::uint64_t wrong = (ParitiesOf(window) ^ window.fingerprint) & 0xff;
  return AnswerOf(window.row < level, wrong == 0);
}

}  // namespace avx2
}  // namespace tamis

#endif
