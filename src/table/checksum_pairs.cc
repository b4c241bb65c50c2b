// SPDX-License-Identifier: Apache-2.0
// Let Z(r) be the register after a zero byte, which is linear in r, and P(i)
// the register after i bytes, starting from zero.  A register that starts
// before byte `begin` differs from P by a value that only Z changes:
//
//   at begin          kCrc32cStart ^ P(begin)
//   at checksum_at    what is stored there ^ P(checksum_at)
//
// The checksum is right if the Z between them turn the first into the second,
// that is, if both are equal after all the Z up to the end of the bytes.  These
// two numbers are computed for each place; equal ones are found by hashing.
//
// From one place to the next, P changes by the contribution of the byte between
// them, which is the sum of those of its bits.

#include "table/checksum_pairs.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cstdint>
#include <utility>

#include "base/coding.h"
#include "base/crc32c.h"
#include "base/crc32c_walk.h"
#include "tamis/store_options.h"

namespace tamis {
namespace {

constexpr std::size_t kMaxPairs = 4096;
constexpr std::uint32_t kNone = UINT32_MAX;

// Returns whether a block may end before this place, and its checksum start.
// Uncompressed blocks end with their restarts, of which the first is 0.
bool MayEndAt(Slice bytes, std::size_t checksum_at) noexcept {
  const auto codec = static_cast<unsigned char>(bytes[checksum_at - 1]);
  if (codec > static_cast<unsigned>(Compression::kZstd)) return false;
  if (codec != static_cast<unsigned>(Compression::kNone)) return true;
  constexpr std::size_t kNumberBytes = 4;
  const std::size_t end = checksum_at - 1;
  if (end < 2 * kNumberBytes) return false;
  const std::uint64_t restarts =
      LoadLittle32(bytes.data() + end - kNumberBytes);
  if (restarts == 0 || restarts * kNumberBytes > end - kNumberBytes)
    return false;
  const std::size_t first =
      end - kNumberBytes - static_cast<std::size_t>(restarts) * kNumberBytes;
  return LoadLittle32(bytes.data() + first) == 0;
}

// Ends by their number: a hash table with chaining.
class Ends {
 public:
  explicit Ends(std::size_t expected)
      : heads_(std::bit_ceil(expected + 1), kNone) {}

  void Add(std::uint32_t number, std::size_t at) {
    std::uint32_t& head = heads_[number & (heads_.size() - 1)];
    ends_.push_back({number, static_cast<std::uint32_t>(at), head});
    head = static_cast<std::uint32_t>(ends_.size() - 1);
  }
  template <typename Visit>
  void ForEach(std::uint32_t number, Visit&& visit) const {
    // Long lists do not occur by chance.
    int left = 256;
    std::uint32_t i = heads_[number & (heads_.size() - 1)];
    for (; i != kNone && left > 0; i = ends_[i].next, --left) {
      if (ends_[i].number == number) visit(ends_[i].at);
    }
  }

 private:
  struct End {
    std::uint32_t number;
    std::uint32_t at;
    std::uint32_t next;
  };
  std::vector<std::uint32_t> heads_;
  std::vector<End> ends_;
};

// Goes through the bytes from their end.  All registers are those after the Z
// up to the end.
class Places {
 public:
  explicit Places(Slice bytes) noexcept {
    for (const char c : bytes) {
      prefix_ = Crc32cForward(prefix_, static_cast<std::uint8_t>(c));
    }
    for (unsigned i = 0; i < bits_.size(); ++i) {
      bits_[i] = Crc32cForward(0, static_cast<std::uint8_t>(1u << i));
    }
  }

  // Steps back over the byte `c`.
  void StepBack(char c) noexcept {
    const auto byte = static_cast<std::uint8_t>(c);
    for (unsigned i = 0; i < bits_.size(); ++i) {
      prefix_ ^= bits_[i] & (0 - (std::uint32_t{byte} >> i & 1));
      bits_[i] = Crc32cForward(bits_[i], 0);
    }
    start_ = Crc32cForward(start_, 0);
    power_ = Crc32cForward(power_, 0);
  }

  std::uint32_t NumberOfStart() const noexcept { return prefix_ ^ start_; }
  std::uint32_t NumberOfEnd(std::uint32_t stored) const noexcept {
    return prefix_ ^ Crc32cTimes(~stored, power_);
  }

 private:
  std::uint32_t prefix_ = 0;
  std::uint32_t start_ = kCrc32cStart;
  std::uint32_t power_ = kCrc32cOne;
  std::array<std::uint32_t, 8> bits_;  // what each bit of a byte contributes
};

}  // namespace

std::vector<ChecksumPair> FindChecksumPairs(Slice bytes) {
  std::vector<ChecksumPair> pairs;
  if (bytes.size() < 10 || bytes.size() >= kNone) return pairs;
  Places places(bytes);
  Ends ends(bytes.size() / 64);
  for (std::size_t i = bytes.size(); i-- > 0;) {
    places.StepBack(bytes[i]);
    if (i >= 1 && i + 4 <= bytes.size() && MayEndAt(bytes, i)) {
      const std::uint32_t stored = LoadLittle32(bytes.data() + i);
      ends.Add(places.NumberOfEnd(UnmaskCrc32c(stored)), i);
    }
    if (pairs.size() >= kMaxPairs) continue;
    ends.ForEach(places.NumberOfStart(), [&](std::size_t at) {
      if (at > i + 1) pairs.push_back({i, at});
    });
  }
  std::sort(pairs.begin(), pairs.end(), [](const auto& a, const auto& b) {
    return std::pair(a.begin, a.checksum_at) <
           std::pair(b.begin, b.checksum_at);
  });
  return pairs;
}

}  // namespace tamis
