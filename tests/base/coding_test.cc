// SPDX-License-Identifier: Apache-2.0
#include "base/coding.h"

#include <array>

#include <gtest/gtest.h>

namespace tamis {
namespace {

constexpr std::array<unsigned char, 9> kBytes = {0xff, 0x01, 0x02, 0x03, 0x84,
                                                 0x05, 0x06, 0x07, 0x88};

TEST(Coding, LoadsUnalignedBytesInTheNamedOrder) {
  const unsigned char* p = kBytes.data() + 1;
  EXPECT_EQ(LoadLittle<std::uint16_t>(p), 0x0201u);
  EXPECT_EQ(LoadLittle32(p), 0x84030201u);
  EXPECT_EQ(LoadLittle64(p), 0x8807060584030201u);
  EXPECT_EQ(LoadBig<std::uint16_t>(p), 0x0102u);
  EXPECT_EQ(LoadBig<std::uint32_t>(p), 0x01020384u);
  EXPECT_EQ(LoadBig<std::uint64_t>(p), 0x0102038405060788u);
}

TEST(Coding, StoresWhatItLoads) {
  std::array<unsigned char, 9> bytes{};
  StoreLittle<std::uint64_t>(bytes.data() + 1, 0x8807060584030201u);
  EXPECT_TRUE(std::equal(bytes.begin() + 1, bytes.end(), kBytes.begin() + 1));
  StoreBig<std::uint32_t>(bytes.data() + 1, 0xa1b2c3d4u);
  EXPECT_EQ(bytes[1], 0xa1);
  EXPECT_EQ(bytes[4], 0xd4);
  EXPECT_EQ(bytes[0], 0);
}

}  // namespace
}  // namespace tamis
