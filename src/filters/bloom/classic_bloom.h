// SPDX-License-Identifier: Apache-2.0
// filters/bloom/classic_bloom.h -- the unblocked Bloom filter (Bloom, 1970):
// each key sets k bits anywhere in the array, and is "maybe" in if all are set.
//
// Positions come from a probe sequence (filters/bloom/probe_sequences.h).  Bit
// p is bit p mod 8, least significant first, of byte p / 8 -- or, if a format
// stores its 64-bit words in the opposite byte order, of byte (p / 8) XOR 7.

#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <span>

namespace tamis {

struct ClassicShape {
  std::uint64_t bits = 1;
  unsigned probes = 1;
  unsigned byte_flip = 0;  // 0, or 7: the bytes of every word are reversed
  // What the probe sequence computes once per filter, not once per key.
  std::uint64_t prepared = 0;
};

template <typename Probes>
ClassicShape MakeClassicShape(std::uint64_t bits, unsigned probes,
                              unsigned byte_flip = 0) noexcept {
  return {.bits = bits,
          .probes = probes,
          .byte_flip = byte_flip,
          .prepared = Probes::Prepare(bits)};
}

// More probes than any sizing rule requires, but few enough for the stack.
inline constexpr unsigned kMaxClassicProbes = 255;

inline std::size_t ClassicByteOf(const ClassicShape& shape,
                                 std::uint64_t position) noexcept {
  return static_cast<std::size_t>((position >> 3) ^ shape.byte_flip);
}

inline unsigned char ClassicMaskOf(std::uint64_t position) noexcept {
  return static_cast<unsigned char>(1u << (position & 7));
}

// REQUIRES, for all below: the shape comes from MakeClassicShape<Probes>(),
// `bytes` holds every byte that it can name, and shape.probes <=
// kMaxClassicProbes.

template <typename Probes, typename Hash>
void MarkClassic(unsigned char* bytes, const ClassicShape& shape,
                 Hash hash) noexcept {
  Probes probes(hash, shape.bits, shape.prepared);
  for (unsigned i = 0; i < shape.probes; ++i) {
    const std::uint64_t position = probes.Next();
    unsigned char& byte = bytes[ClassicByteOf(shape, position)];
    byte = static_cast<unsigned char>(byte | ClassicMaskOf(position));
  }
}

template <typename Probes, typename Hash>
bool CheckClassic(const unsigned char* bytes, const ClassicShape& shape,
                  Hash hash) noexcept {
  Probes probes(hash, shape.bits, shape.prepared);
  for (unsigned i = 0; i < shape.probes; ++i) {
    const std::uint64_t position = probes.Next();
    if ((bytes[ClassicByteOf(shape, position)] & ClassicMaskOf(position)) ==
        0) {
      return false;
    }
  }
  return true;
}

// Prefetches the memory of the first probe: most absent keys need no other.
template <typename Probes, typename Hash>
[[gnu::always_inline]] inline void PrefetchClassic(const unsigned char* bytes,
                                                   const ClassicShape& shape,
                                                   Hash hash) noexcept {
  Probes probes(hash, shape.bits, shape.prepared);
  __builtin_prefetch(&bytes[ClassicByteOf(shape, probes.Next())]);
}

// MarkClassic() for many hashes, a few at a time, so that their memory
// accesses overlap.
template <typename Probes, typename Hash>
void MarkClassicMany(unsigned char* bytes, const ClassicShape& shape,
                     std::span<const Hash> hashes) noexcept {
  constexpr std::size_t kGroup = 8;  // 8 keys x 7 probes fill the line buffers
  std::array<std::uint64_t, kGroup * kMaxClassicProbes> positions;
  for (std::size_t first = 0; first < hashes.size(); first += kGroup) {
    const std::size_t keys = std::min(kGroup, hashes.size() - first);
    std::size_t count = 0;
    for (std::size_t key = 0; key < keys; ++key) {
      Probes probes(hashes[first + key], shape.bits, shape.prepared);
      for (unsigned i = 0; i < shape.probes; ++i) {
        const std::uint64_t position = probes.Next();
        __builtin_prefetch(&bytes[ClassicByteOf(shape, position)], 1);
        positions[count++] = position;
      }
    }
    for (std::size_t i = 0; i < count; ++i) {
      unsigned char& byte = bytes[ClassicByteOf(shape, positions[i])];
      byte = static_cast<unsigned char>(byte | ClassicMaskOf(positions[i]));
    }
  }
}

}  // namespace tamis
