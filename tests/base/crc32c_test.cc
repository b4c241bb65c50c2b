// SPDX-License-Identifier: Apache-2.0
#include "base/crc32c.h"

#include <sys/mman.h>
#include <unistd.h>
#include <algorithm>
#include <cstring>
#include <memory>
#include <random>
#include <string>

#include <gtest/gtest.h>

#include "tests/hash/golden_rows.h"

namespace tamis {
namespace {

using testing::ExpectGoldenColumn;
using testing::FromHex;

using Function = std::uint32_t (*)(Slice, std::uint32_t) noexcept;

// The bit-by-bit definition of RFC 3720: no table, nothing to be shared with
// the code under test.
std::uint32_t BitByBit(Slice data) {
  std::uint32_t crc = 0xffffffff;
  for (const char c : data) {
    crc ^= static_cast<unsigned char>(c);
    for (int i = 0; i < 8; ++i) {
      crc = (crc >> 1) ^ (0x82f63b78 & (0 - (crc & 1)));
    }
  }
  return ~crc;
}

std::string RandomBytes(std::size_t size) {
  std::mt19937_64 random(size);
  std::string bytes(size, '\0');
  for (char& c : bytes) c = static_cast<char>(random());
  return bytes;
}

class EveryCrc32c : public ::testing::TestWithParam<Function> {};

TEST_P(EveryCrc32c, GivesTheGoldenValues) {
  const Function crc32c = GetParam();
  ExpectGoldenColumn("crc32c", [=](Slice data) { return crc32c(data, 0); });
  ExpectGoldenColumn("crc32c_masked",
                     [=](Slice data) { return MaskCrc32c(crc32c(data, 0)); });
}

TEST_P(EveryCrc32c, GivesTheValuesOfTheRfc) {
  const Function crc32c = GetParam();
  // RFC 3720, appendix B.4, and the usual check value.
  std::string ascending(32, '\0');
  for (std::size_t i = 0; i < 32; ++i) ascending[i] = static_cast<char>(i);
  const std::string descending(ascending.rbegin(), ascending.rend());
  EXPECT_EQ(crc32c(std::string(32, '\0'), 0), 0x8a9136aau);
  EXPECT_EQ(crc32c(std::string(32, '\xff'), 0), 0x62a8ab43u);
  EXPECT_EQ(crc32c(ascending, 0), 0x46dd794eu);
  EXPECT_EQ(crc32c(descending, 0), 0x113fdb5cu);
  EXPECT_EQ(crc32c(FromHex("01c00000000000000000000000000000"
                           "14000000000004000000001400000018"
                           "28000000000000000200000000000000"),
                   0),
            0xd9963a56u);
  EXPECT_EQ(crc32c("123456789", 0), 0xe3069283u);
}

TEST_P(EveryCrc32c, FollowsTheDefinitionAtEveryLengthAndAlignment) {
  const Function crc32c = GetParam();
  const std::string bytes = RandomBytes(300);
  for (std::size_t n = 0; n <= bytes.size(); ++n) {
    const std::uint32_t expected = BitByBit(Slice(bytes).substr(0, n));
    for (std::size_t offset = 0; offset < 64; ++offset) {
      const auto buffer = std::make_unique<char[]>(offset + n);
      std::memcpy(buffer.get() + offset, bytes.data(), n);
      ASSERT_EQ(crc32c(Slice(buffer.get() + offset, n), 0), expected)
          << "length " << n << " at offset " << offset;
    }
  }
}

TEST_P(EveryCrc32c, ContinuesFromWhereAnotherStopped) {
  const Function crc32c = GetParam();
  const std::string bytes = RandomBytes(20000);
  const std::uint32_t whole = BitByBit(bytes);
  std::mt19937_64 random(7);
  for (int round = 0; round < 500; ++round) {
    Slice rest = bytes;
    std::uint32_t crc = 0;
    while (!rest.empty()) {
      const std::size_t n = std::min(rest.size(), random() % 3000);
      crc = crc32c(rest.substr(0, n), crc);
      rest.remove_prefix(n);
    }
    ASSERT_EQ(crc, whole);
  }
  EXPECT_EQ(crc32c(Slice(), whole), whole);
}

INSTANTIATE_TEST_SUITE_P(Crc32c, EveryCrc32c,
                         ::testing::Values(&Crc32c, &Crc32cPortable),
                         [](const auto& path) {
                           return path.index == 0 ? "Fastest" : "Portable";
                         });

TEST(Crc32c, UnmaskUndoesMask) {
  std::mt19937 random(3);
  for (int i = 0; i < 1000; ++i) {
    const auto crc = static_cast<std::uint32_t>(random());
    EXPECT_EQ(UnmaskCrc32c(MaskCrc32c(crc)), crc);
    EXPECT_NE(MaskCrc32c(crc), crc);
  }
  EXPECT_EQ(MaskCrc32c(0), 0xa282ead8u);
}

// More than 4 GiB of address space whose pages are a few megabytes of memory:
// a file without a name, mapped again and again.
class RepeatedMegabytes {
 public:
  static constexpr std::size_t kUnit = std::size_t{16} << 20;

  explicit RepeatedMegabytes(std::size_t units) : size_(units * kUnit) {
    const int fd = memfd_create("crc32c_test", 0);
    const std::string content = RandomBytes(kUnit);
    const bool written =
        write(fd, content.data(), kUnit) == static_cast<ssize_t>(kUnit);
    void* base = mmap(nullptr, size_, PROT_NONE,
                      MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (written && base != MAP_FAILED) base_ = static_cast<char*>(base);
    for (std::size_t i = 0; base_ != nullptr && i < units; ++i) {
      if (mmap(base_ + i * kUnit, kUnit, PROT_READ, MAP_SHARED | MAP_FIXED, fd,
               0) == MAP_FAILED) {
        base_ = nullptr;
      }
    }
    close(fd);
  }
  ~RepeatedMegabytes() {
    if (base_ != nullptr) munmap(base_, size_);
  }
  RepeatedMegabytes(const RepeatedMegabytes&) = delete;
  RepeatedMegabytes& operator=(const RepeatedMegabytes&) = delete;

  bool ok() const { return base_ != nullptr; }
  Slice bytes() const { return {base_, size_}; }

 private:
  std::size_t size_;
  char* base_ = nullptr;
};

TEST(Crc32cLarge, MoreThanFourGibibytesInOneCall) {
  const RepeatedMegabytes memory(260);  // 4 GiB and 64 MiB
  ASSERT_TRUE(memory.ok());
  const Slice all = memory.bytes().substr(3);  // no piece ends on a boundary
  ASSERT_GT(all.size(), std::size_t{1} << 32);
  const std::uint32_t expected = Crc32cPortable(all);
  EXPECT_EQ(Crc32c(all), expected);

  // The portable one is no better if it lost count; small pieces cannot.
  std::uint32_t crc = 0;
  for (Slice rest = all; !rest.empty();) {
    const std::size_t n = std::min<std::size_t>(rest.size(), 1000003);
    crc = Crc32c(rest.substr(0, n), crc);
    rest.remove_prefix(n);
  }
  EXPECT_EQ(crc, expected);
}

}  // namespace
}  // namespace tamis
