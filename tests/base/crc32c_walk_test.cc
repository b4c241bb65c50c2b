// SPDX-License-Identifier: Apache-2.0
// Registers of CRC-32C, a byte at a time.

#include "base/crc32c_walk.h"

#include <cstdint>
#include <random>
#include <string>

#include <gtest/gtest.h>

#include "base/crc32c.h"

namespace tamis {
namespace {

std::string WalkedBytes(std::size_t count) {
  std::mt19937_64 random(count);
  std::string bytes;
  for (std::size_t i = 0; i < count; ++i) {
    bytes.push_back(static_cast<char>(random()));
  }
  return bytes;
}

TEST(Crc32cWalk, ForwardsGivesTheChecksumAndBackwardsTheStart) {
  const std::string bytes = WalkedBytes(1000);
  std::uint32_t crc = kCrc32cStart;
  for (std::size_t i = 0; i < bytes.size(); ++i) {
    ASSERT_EQ(~crc, Crc32c(Slice(bytes).substr(0, i)));
    crc = Crc32cForward(crc, static_cast<std::uint8_t>(bytes[i]));
  }
  for (std::size_t i = bytes.size(); i-- > 0;) {
    crc = Crc32cBack(crc, static_cast<std::uint8_t>(bytes[i]));
    ASSERT_EQ(~crc, Crc32c(Slice(bytes).substr(0, i)));
  }
}

TEST(Crc32cWalk, TimesAPowerOfXIsAsManyZeroBytes) {
  std::uint32_t power = kCrc32cOne;
  std::uint32_t crc = 0x12345678;
  for (int i = 0; i < 100; ++i) {
    ASSERT_EQ(Crc32cTimes(0x12345678, power), crc) << i;
    ASSERT_EQ(Crc32cTimes(power, 0x12345678), crc) << i;
    power = Crc32cForward(power, 0);
    crc = Crc32cForward(crc, 0);
  }
}

}  // namespace
}  // namespace tamis
