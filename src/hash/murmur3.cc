// SPDX-License-Identifier: Apache-2.0
// Specification: MurmurHash3_x64_128 by Austin Appleby (public domain); for
// the other reading of the tail, MurmurHash.hash3_x64_128 of Cassandra.

#include "hash/murmur3.h"

#include <bit>
#include <cstddef>

#include "base/coding.h"

namespace tamis {
namespace {

constexpr std::uint64_t kC1 = 0x87c37b91114253d5;
constexpr std::uint64_t kC2 = 0x4cf5ad432745937f;
constexpr std::size_t kMurmurBlock = 16;

std::uint64_t Scramble1(std::uint64_t k) noexcept {
  return std::rotl(k * kC1, 31) * kC2;
}

std::uint64_t Scramble2(std::uint64_t k) noexcept {
  return std::rotl(k * kC2, 33) * kC1;
}

void TakeBlock(const char* block, Hash128& h) noexcept {
  h.h1 ^= Scramble1(LoadLittle64(block));
  h.h1 = (std::rotl(h.h1, 27) + h.h2) * 5 + 0x52dce729;
  h.h2 ^= Scramble2(LoadLittle64(block + 8));
  h.h2 = (std::rotl(h.h2, 31) + h.h1) * 5 + 0x38495ab5;
}

// Up to eight bytes as a little-endian word.  A sign-extended byte affects the
// bytes above it, hence the exclusive or.
template <typename TailByte>
std::uint64_t TailWord(Slice bytes) noexcept {
  std::uint64_t word = 0;
  for (std::size_t i = 0; i < bytes.size(); ++i) {
    const auto byte = static_cast<TailByte>(bytes[i]);
    word ^= static_cast<std::uint64_t>(byte) << (8 * i);
  }
  return word;
}

std::uint64_t Finish(std::uint64_t k) noexcept {
  k ^= k >> 33;
  k *= 0xff51afd7ed558ccd;
  k ^= k >> 33;
  k *= 0xc4ceb9fe1a85ec53;
  return k ^ k >> 33;
}

// `TailByte`: std::uint8_t is the standard, std::int8_t Cassandra's reading.
template <typename TailByte>
Hash128 Hash(Slice data, std::uint32_t seed) noexcept {
  const std::size_t size = data.size();
  Hash128 h{seed, seed};
  for (; data.size() >= kMurmurBlock; data.remove_prefix(kMurmurBlock)) {
    TakeBlock(data.data(), h);
  }
  // Without a tail the word is 0 and changes nothing.
  h.h1 ^= Scramble1(TailWord<TailByte>(data.substr(0, 8)));
  if (data.size() > 8) h.h2 ^= Scramble2(TailWord<TailByte>(data.substr(8)));

  h.h1 ^= size;
  h.h2 ^= size;
  h.h1 += h.h2;
  h.h2 += h.h1;
  h.h1 = Finish(h.h1);
  h.h2 = Finish(h.h2);
  h.h1 += h.h2;
  h.h2 += h.h1;
  return h;
}

}  // namespace

Hash128 Murmur3(Slice data, std::uint32_t seed) noexcept {
  return Hash<std::uint8_t>(data, seed);
}

Hash128 Murmur3Cassandra(Slice data) noexcept {
  return Hash<std::int8_t>(data, 0);
}

}  // namespace tamis
