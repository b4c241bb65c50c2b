// SPDX-License-Identifier: Apache-2.0
// What is packed is unpacked; what claims too much is refused before memory is
// taken for it.

#include "table/compression.h"

#include <cstdint>
#include <string>

#include <gtest/gtest.h>

#include "base/coding.h"
#include "tests/support/tables.h"

namespace tamis::testing {
namespace {

constexpr std::uint64_t kMiB = std::uint64_t{1} << 20;
constexpr unsigned kZstd = static_cast<unsigned>(Compression::kZstd);
constexpr unsigned kSnappy = static_cast<unsigned>(Compression::kSnappy);

// A zstd frame of zeros, in blocks that repeat one byte; by default it does
// not say how long it is.
std::string ZerosInZstd(std::uint64_t bytes, bool says_so) {
  std::string frame("\x28\xb5\x2f\xfd", 4);
  if (says_so) {
    frame.push_back(static_cast<char>(0xe0));  // eight bytes of size, no window
    AppendFixed64(&frame, bytes);
  } else {
    frame.push_back('\0');
    frame.push_back(static_cast<char>(10 << 3));  // a window of 1 MiB
  }
  constexpr std::uint64_t kMax = 128 << 10;
  for (std::uint64_t left = bytes; left > 0;) {
    const std::uint64_t now = std::min(left, kMax);
    left -= now;
    const std::uint64_t head = now << 3 | 1 << 1 | (left == 0 ? 1 : 0);
    for (int i = 0; i < 3; ++i) {
      frame.push_back(static_cast<char>(head >> (8 * i)));
    }
    frame.push_back('\0');
  }
  return frame;
}

class Unpacking : public ::testing::Test {
 protected:
  void SetUp() override {
    if (!CanCompress(Compression::kZstd) ||
        !CanCompress(Compression::kSnappy)) {
      GTEST_SKIP() << "this build lacks a codec";
    }
  }
};

TEST_F(Unpacking, TakesWhatIsHarmlessHoweverMuchItGrows) {
  for (const bool says_so : {true, false}) {
    std::string raw;
    const Status done =
        Decompress(kZstd, ZerosInZstd(32 * kMiB, says_so), &raw);
    EXPECT_TRUE(done.ok()) << done.ToString();
    EXPECT_TRUE(raw == std::string(32 * kMiB, '\0'));
  }
}

TEST_F(Unpacking, RefusesWhatGrowsTooMuch) {
  for (const bool says_so : {true, false}) {
    const std::string frame = ZerosInZstd(33 * kMiB, says_so);
    std::string raw;
    const Status done = Decompress(kZstd, frame, &raw);
    EXPECT_EQ(done.code(), StatusCode::kResourceExhausted);
    for (const std::string& part :
         {std::to_string(frame.size()), std::string("max_block_growth"),
          says_so ? std::to_string(33 * kMiB) : std::string("33554433")}) {
      EXPECT_NE(done.message().find(part), std::string::npos)
          << done.ToString();
    }
    EXPECT_LE(raw.capacity(), says_so ? 64 : 64 * kMiB) << "by what came out";
    UnpackLimits trusting;
    trusting.growth = 1'000'000;
    EXPECT_TRUE(Decompress(kZstd, frame, &raw, trusting).ok());
    EXPECT_EQ(raw.size(), 33 * kMiB);
  }
}

TEST_F(Unpacking, RefusesMoreThanTheLimit) {
  const UnpackLimits limits{.bytes = 1000, .growth = 64};
  std::string packed;
  std::string raw;
  for (const Compression codec : {Compression::kSnappy, Compression::kZstd}) {
    Compressor compressor(codec, 1);
    for (const std::size_t bytes : {1000u, 1001u}) {
      ASSERT_EQ(compressor.Compress(std::string(bytes, 'x'), &packed), codec);
      const Status done =
          Decompress(static_cast<unsigned>(codec), packed, &raw, limits);
      EXPECT_EQ(done.ok(), bytes == 1000) << done.ToString();
      if (done.ok()) continue;
      EXPECT_EQ(done.code(), StatusCode::kResourceExhausted);
      EXPECT_NE(done.message().find("max_block_bytes is 1000"),
                std::string::npos);
    }
  }
}

TEST_F(Unpacking, DoesNotBelieveALongClaim) {
  std::string frame = ZerosInZstd(100, true);
  StoreLittle(frame.data() + 5, std::uint64_t{20 * kMiB});
  std::string raw;
  EXPECT_EQ(Decompress(kZstd, frame, &raw).code(), StatusCode::kCorruption);
  EXPECT_LE(raw.capacity(), kMiB);
  StoreLittle(frame.data() + 5, std::uint64_t{1} << 50);
  EXPECT_EQ(Decompress(kZstd, frame, &raw).code(),
            StatusCode::kResourceExhausted);
  // 2 MiB of Snappy that claim to be 40.
  std::string snappy;
  AppendVarint32(&snappy, 40 * kMiB);
  snappy.append(2 * kMiB, '\0');
  raw = {};
  EXPECT_EQ(Decompress(kSnappy, snappy, &raw).code(), StatusCode::kCorruption);
  EXPECT_LE(raw.capacity(), kMiB);
}

// Zeros by zstd would be refused: they are packed less.
TEST_F(Unpacking, TakesWhateverACompressorMakes) {
  const std::string zeros(40 * kMiB, '\0');
  for (const Compression codec : {Compression::kSnappy, Compression::kZstd}) {
    Compressor compressor(codec, 1);
    std::string packed;
    std::string raw;
    const Compression how = compressor.Compress(zeros, &packed);
    EXPECT_EQ(how, Compression::kSnappy);
    ASSERT_TRUE(Decompress(static_cast<unsigned>(how), packed, &raw).ok());
    EXPECT_TRUE(raw == zeros);
    Compressor limited(codec, 1, {.bytes = 39 * kMiB, .growth = 64});
    EXPECT_EQ(limited.Compress(zeros, &packed), Compression::kNone);
  }
}

TEST_F(Unpacking, OfATableThatWasJustWrittenIsNeverRefused) {
  TableWriteOptions options;
  options.compression = Compression::kZstd;
  const Entries entries = {
      {"zeros", 7, ValueType::kValue, std::string(34 * kMiB, '\0')}};
  const auto table = OpenTable(BuildTable(options, entries));
  EXPECT_EQ(Lookup(*table, "zeros", 7).size(), 34 * kMiB + 6);
}

}  // namespace
}  // namespace tamis::testing
