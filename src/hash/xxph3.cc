// SPDX-License-Identifier: Apache-2.0
// Specification: util/xxph3.h of RocksDB, which froze the XXH3 of xxHash
// 0.7.2; the rule for empty input is RocksDB's own.  Each function below is
// one range of lengths of that specification, with the seed fixed at 0.

#include "hash/xxph3.h"

#include <array>
#include <cstddef>

#include "base/coding.h"

namespace tamis {
namespace {

constexpr std::uint32_t kPrime32A = 0x9E3779B1;
constexpr std::uint32_t kPrime32B = 0x85EBCA77;
constexpr std::uint32_t kPrime32C = 0xC2B2AE3D;
constexpr std::uint64_t kPrime64A = 0x9E3779B185EBCA87;
constexpr std::uint64_t kPrime64B = 0xC2B2AE3D27D4EB4F;
constexpr std::uint64_t kPrime64C = 0x165667B19E3779F9;
constexpr std::uint64_t kPrime64D = 0x85EBCA77C2B2AE63;
constexpr std::uint64_t kPrime64E = 0x27D4EB2F165667C5;

// The default secret, the same as that of the final XXH3.
constexpr std::array<unsigned char, 192> kSecret = {
    0xb8, 0xfe, 0x6c, 0x39, 0x23, 0xa4, 0x4b, 0xbe, 0x7c, 0x01, 0x81, 0x2c,
    0xf7, 0x21, 0xad, 0x1c, 0xde, 0xd4, 0x6d, 0xe9, 0x83, 0x90, 0x97, 0xdb,
    0x72, 0x40, 0xa4, 0xa4, 0xb7, 0xb3, 0x67, 0x1f, 0xcb, 0x79, 0xe6, 0x4e,
    0xcc, 0xc0, 0xe5, 0x78, 0x82, 0x5a, 0xd0, 0x7d, 0xcc, 0xff, 0x72, 0x21,
    0xb8, 0x08, 0x46, 0x74, 0xf7, 0x43, 0x24, 0x8e, 0xe0, 0x35, 0x90, 0xe6,
    0x81, 0x3a, 0x26, 0x4c, 0x3c, 0x28, 0x52, 0xbb, 0x91, 0xc3, 0x00, 0xcb,
    0x88, 0xd0, 0x65, 0x8b, 0x1b, 0x53, 0x2e, 0xa3, 0x71, 0x64, 0x48, 0x97,
    0xa2, 0x0d, 0xf9, 0x4e, 0x38, 0x19, 0xef, 0x46, 0xa9, 0xde, 0xac, 0xd8,
    0xa8, 0xfa, 0x76, 0x3f, 0xe3, 0x9c, 0x34, 0x3f, 0xf9, 0xdc, 0xbb, 0xc7,
    0xc7, 0x0b, 0x4f, 0x1d, 0x8a, 0x51, 0xe0, 0x4b, 0xcd, 0xb4, 0x59, 0x31,
    0xc8, 0x9f, 0x7e, 0xc9, 0xd9, 0x78, 0x73, 0x64, 0xea, 0xc5, 0xac, 0x83,
    0x34, 0xd3, 0xeb, 0xc3, 0xc5, 0x81, 0xa0, 0xff, 0xfa, 0x13, 0x63, 0xeb,
    0x17, 0x0d, 0xdd, 0x51, 0xb7, 0xf0, 0xda, 0x49, 0xd3, 0x16, 0x55, 0x26,
    0x29, 0xd4, 0x68, 0x9e, 0x2b, 0x16, 0xbe, 0x58, 0x7d, 0x47, 0xa1, 0xfc,
    0x8f, 0xf8, 0xb8, 0xd1, 0x7a, 0xd0, 0x31, 0xce, 0x45, 0xcb, 0x3a, 0x8f,
    0x95, 0x16, 0x04, 0x28, 0xaf, 0xd7, 0xfb, 0xca, 0xbb, 0x4b, 0x40, 0x7e,
};

constexpr std::size_t kStripe = 64;  // bytes taken in by all lanes at once
constexpr std::size_t kStripesPerBlock = 16;
constexpr std::size_t kBlock = kStripe * kStripesPerBlock;
constexpr std::size_t kLanes = 8;

std::uint32_t Secret32(std::size_t at) noexcept {
  return LoadLittle32(&kSecret[at]);
}

std::uint64_t Secret64(std::size_t at) noexcept {
  return LoadLittle64(&kSecret[at]);
}

std::uint64_t Data64(Slice data, std::size_t at) noexcept {
  return LoadLittle64(data.data() + at);
}

// Both halves of the 128-bit product, exclusive-ored.
std::uint64_t Fold(std::uint64_t a, std::uint64_t b) noexcept {
  __extension__ using Wide = unsigned __int128;
  const Wide product = static_cast<Wide>(a) * b;
  return static_cast<std::uint64_t>(product) ^
         static_cast<std::uint64_t>(product >> 64);
}

std::uint64_t Avalanche(std::uint64_t h) noexcept {
  h ^= h >> 37;
  h *= kPrime64C;  // the final XXH3 has another constant here
  return h ^ h >> 32;
}

// Sixteen bytes of the input with sixteen of the secret.
std::uint64_t Mix16(Slice data, std::size_t at, std::size_t secret) noexcept {
  return Fold(Data64(data, at) ^ Secret64(secret),
              Data64(data, at + 8) ^ Secret64(secret + 8));
}

std::uint64_t Hash1To3(Slice data) noexcept {
  const std::size_t n = data.size();
  const auto byte = [data](std::size_t i) -> std::uint32_t {
    return static_cast<unsigned char>(data[i]);
  };
  const std::uint32_t combined = byte(0) | byte(n / 2) << 8 |
                                 byte(n - 1) << 16 |
                                 static_cast<std::uint32_t>(n) << 24;
  return Avalanche((combined ^ Secret32(0)) * kPrime64A);
}

std::uint64_t Hash4To8(Slice data) noexcept {
  const std::size_t n = data.size();
  const std::uint64_t low = LoadLittle32(data.data());
  const std::uint64_t high = LoadLittle32(data.data() + n - 4);
  const std::uint64_t keyed = (low | high << 32) ^ Secret64(0);
  const std::uint64_t mixed = n + (keyed ^ keyed >> 51) * kPrime32A;
  return Avalanche((mixed ^ mixed >> 47) * kPrime64B);
}

std::uint64_t Hash9To16(Slice data) noexcept {
  const std::size_t n = data.size();
  const std::uint64_t low = Data64(data, 0) ^ Secret64(0);
  const std::uint64_t high = Data64(data, n - 8) ^ Secret64(8);
  return Avalanche(n + low + high + Fold(low, high));
}

// Pairs of sixteen bytes, from both ends towards the middle.
std::uint64_t Hash17To128(Slice data) noexcept {
  const std::size_t n = data.size();
  std::uint64_t sum = n * kPrime64A;
  for (std::size_t pair = 0; pair <= (n - 1) / 32; ++pair) {
    sum += Mix16(data, 16 * pair, 32 * pair);
    sum += Mix16(data, n - 16 * (pair + 1), 32 * pair + 16);
  }
  return Avalanche(sum);
}

std::uint64_t Hash129To240(Slice data) noexcept {
  constexpr std::size_t kFirstRound = 8;
  constexpr std::size_t kSecondRoundSecret = 3;
  constexpr std::size_t kLastSecret = 136 - 17;
  const std::size_t n = data.size();
  std::uint64_t sum = n * kPrime64A;
  for (std::size_t i = 0; i < kFirstRound; ++i) {
    sum += Mix16(data, 16 * i, 16 * i);
  }
  sum = Avalanche(sum);
  for (std::size_t i = kFirstRound; i < n / 16; ++i) {
    sum += Mix16(data, 16 * i, 16 * (i - kFirstRound) + kSecondRoundSecret);
  }
  sum += Mix16(data, n - 16, kLastSecret);
  return Avalanche(sum);
}

// The state of the loop over long input.
class Lanes {
 public:
  void TakeStripe(const char* data, std::size_t secret) noexcept {
    for (std::size_t i = 0; i < kLanes; ++i) {
      const std::uint64_t value = LoadLittle64(data + 8 * i);
      const std::uint64_t keyed = value ^ Secret64(secret + 8 * i);
      // The final XXH3 adds `value` to the neighbouring lane instead.
      lanes_[i] += value + (keyed & 0xffffffff) * (keyed >> 32);
    }
  }

  void Scramble() noexcept {
    constexpr std::size_t kScrambleSecret = 128;
    for (std::size_t i = 0; i < kLanes; ++i) {
      lanes_[i] ^= lanes_[i] >> 47;
      lanes_[i] ^= Secret64(kScrambleSecret + 8 * i);
      lanes_[i] *= kPrime32A;
    }
  }

  std::uint64_t Merge(std::uint64_t sum) const noexcept {
    constexpr std::size_t kMergeSecret = 11;
    for (std::size_t i = 0; i < kLanes; i += 2) {
      sum += Fold(lanes_[i] ^ Secret64(kMergeSecret + 8 * i),
                  lanes_[i + 1] ^ Secret64(kMergeSecret + 8 * i + 8));
    }
    return Avalanche(sum);
  }

 private:
  std::array<std::uint64_t, kLanes> lanes_ = {kPrime32C, kPrime64A, kPrime64B,
                                              kPrime64C, kPrime64D, kPrime32B,
                                              kPrime64E, kPrime32A};
};

std::uint64_t HashLong(Slice data) noexcept {
  constexpr std::size_t kLastSecret = 192 - kStripe - 7;
  const std::size_t n = data.size();
  Lanes lanes;
  Slice rest = data;
  for (; rest.size() >= kBlock; rest.remove_prefix(kBlock)) {
    for (std::size_t i = 0; i < kStripesPerBlock; ++i) {
      lanes.TakeStripe(rest.data() + kStripe * i, 8 * i);
    }
    lanes.Scramble();
  }
  for (std::size_t i = 0; i < rest.size() / kStripe; ++i) {
    lanes.TakeStripe(rest.data() + kStripe * i, 8 * i);
  }
  if (n % kStripe != 0) {
    lanes.TakeStripe(data.data() + n - kStripe, kLastSecret);
  }
  return lanes.Merge(n * kPrime64A);
}

}  // namespace

std::uint64_t Xxph3(Slice data) noexcept {
  const std::size_t n = data.size();
  if (n == 0) return Fold(Secret64(0), kPrime64B);
  if (n <= 3) return Hash1To3(data);
  if (n <= 8) return Hash4To8(data);
  if (n <= 16) return Hash9To16(data);
  if (n <= 128) return Hash17To128(data);
  if (n <= 240) return Hash129To240(data);
  return HashLong(data);
}

}  // namespace tamis
