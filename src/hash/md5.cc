// SPDX-License-Identifier: Apache-2.0
#include "hash/md5.h"

#include <bit>
#include <cstddef>
#include <cstring>

#include "base/coding.h"

namespace tamis {
namespace {

constexpr std::size_t kMd5Block = 64;
constexpr std::size_t kLengthAt = 56;  // where the padding's length begins

using State = std::array<std::uint32_t, 4>;

// RFC 1321, section 3.3.
constexpr State kStart = {0x67452301, 0xefcdab89, 0x98badcfe, 0x10325476};

// RFC 1321, section 3.4: T[i] = floor(2^32 * abs(sin(i + 1))), i in radians.
constexpr std::array<std::uint32_t, 64> kSines = {
    0xd76aa478, 0xe8c7b756, 0x242070db, 0xc1bdceee, 0xf57c0faf, 0x4787c62a,
    0xa8304613, 0xfd469501, 0x698098d8, 0x8b44f7af, 0xffff5bb1, 0x895cd7be,
    0x6b901122, 0xfd987193, 0xa679438e, 0x49b40821, 0xf61e2562, 0xc040b340,
    0x265e5a51, 0xe9b6c7aa, 0xd62f105d, 0x02441453, 0xd8a1e681, 0xe7d3fbc8,
    0x21e1cde6, 0xc33707d6, 0xf4d50d87, 0x455a14ed, 0xa9e3e905, 0xfcefa3f8,
    0x676f02d9, 0x8d2a4c8a, 0xfffa3942, 0x8771f681, 0x6d9d6122, 0xfde5380c,
    0xa4beea44, 0x4bdecfa9, 0xf6bb4b60, 0xbebfbc70, 0x289b7ec6, 0xeaa127fa,
    0xd4ef3085, 0x04881d05, 0xd9d4d039, 0xe6db99e5, 0x1fa27cf8, 0xc4ac5665,
    0xf4292244, 0x432aff97, 0xab9423a7, 0xfc93a039, 0x655b59c3, 0x8f0ccc92,
    0xffeff47d, 0x85845dd1, 0x6fa87e4f, 0xfe2ce6e0, 0xa3014314, 0x4e0811a1,
    0xf7537e82, 0xbd3af235, 0x2ad7d2bb, 0xeb86d391,
};

// Rotations of the four rounds; each round repeats its four.
constexpr std::array<std::array<int, 4>, 4> kRotations = {{
    {7, 12, 17, 22},
    {5, 9, 14, 20},
    {4, 11, 16, 23},
    {6, 10, 15, 21},
}};

// The auxiliary functions F, G, H and I.
std::uint32_t RoundFunction(std::size_t round, std::uint32_t x, std::uint32_t y,
                            std::uint32_t z) noexcept {
  if (round == 0) return (x & y) | (~x & z);
  if (round == 1) return (x & z) | (y & ~z);
  if (round == 2) return x ^ y ^ z;
  return y ^ (x | ~z);
}

// Returns which of the block's sixteen words a step uses.
std::size_t WordOfStep(std::size_t round, std::size_t step) noexcept {
  constexpr std::array<std::size_t, 4> kFactor = {1, 5, 3, 7};
  constexpr std::array<std::size_t, 4> kOffset = {0, 1, 5, 0};
  return (kFactor[round] * step + kOffset[round]) % 16;
}

void TakeBlock(const char* block, State& state) noexcept {
  auto [a, b, c, d] = state;
  for (std::size_t step = 0; step < 64; ++step) {
    const std::size_t round = step / 16;
    const std::uint32_t word =
        LoadLittle32(block + 4 * WordOfStep(round, step));
    const std::uint32_t sum =
        a + RoundFunction(round, b, c, d) + word + kSines[step];
    a = d;
    d = c;
    c = b;
    b += std::rotl(sum, kRotations[round][step % 4]);
  }
  state = {state[0] + a, state[1] + b, state[2] + c, state[3] + d};
}

}  // namespace

std::array<std::uint8_t, 16> Md5(Slice data) noexcept {
  const std::uint64_t bits = std::uint64_t{data.size()} * 8;  // mod 2^64
  State state = kStart;
  for (; data.size() >= kMd5Block; data.remove_prefix(kMd5Block)) {
    TakeBlock(data.data(), state);
  }

  // The rest, a bit of 1, zeros, and the length: one block or two.
  std::array<char, 2 * kMd5Block> last{};
  if (!data.empty()) std::memcpy(last.data(), data.data(), data.size());
  last[data.size()] = static_cast<char>(0x80);
  const std::size_t end = data.size() < kLengthAt ? kMd5Block : 2 * kMd5Block;
  StoreLittle(last.data() + end - 8, bits);
  for (std::size_t at = 0; at < end; at += kMd5Block) {
    TakeBlock(last.data() + at, state);
  }

  std::array<std::uint8_t, 16> digest;
  for (std::size_t i = 0; i < 4; ++i) StoreLittle(&digest[4 * i], state[i]);
  return digest;
}

}  // namespace tamis
