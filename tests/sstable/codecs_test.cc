// SPDX-License-Identifier: Apache-2.0
// Hostile claims of size; tests/peers/ has blocks that RocksDB compressed.

#include "sstable/codecs.h"

#include <string>

#include <gtest/gtest.h>

namespace tamis {
namespace {

constexpr BlockCodec kCodecs[] = {BlockCodec::kSnappy, BlockCodec::kRawDeflate,
                                  BlockCodec::kZlib, BlockCodec::kLz4,
                                  BlockCodec::kZstd};

TEST(BlockCodecs, AClaimThatNoBytesCanMeetIsRefusedBeforeMemoryIsTaken) {
  for (const BlockCodec codec : kCodecs) {
    if (!HasCodec(codec)) continue;
    std::string raw;
    const Status status = DecompressBlock(
        codec, "abc", {.bytes = std::uint64_t{1} << 32, .dictionary = {}},
        &raw);
    EXPECT_FALSE(status.ok()) << NameOfCodec(codec);
    EXPECT_LT(raw.capacity(), 1u << 20) << NameOfCodec(codec);
  }
}

TEST(BlockCodecs, LeaveNothingUnsaidAboutOtherBytes) {
  for (const BlockCodec codec : kCodecs) {
    if (!HasCodec(codec)) continue;
    std::string raw;
    const std::string noise(64, '\xa7');
    EXPECT_EQ(
        DecompressBlock(codec, noise, {.bytes = 100, .dictionary = {}}, &raw)
            .code(),
        StatusCode::kCorruption)
        << NameOfCodec(codec);
  }
}

TEST(BlockCodecs, Lz4MustGiveTheSizeThatIsClaimed) {
  if (!HasCodec(BlockCodec::kLz4)) GTEST_SKIP() << "no LZ4 in this build";
  const std::string hello = "\x50hello";
  std::string raw;
  EXPECT_TRUE(DecompressBlock(BlockCodec::kLz4, hello,
                              {.bytes = 5, .dictionary = {}}, &raw)
                  .ok());
  EXPECT_EQ(raw, "hello");
  for (const std::uint64_t wrong : {std::uint64_t{4}, std::uint64_t{6}}) {
    EXPECT_FALSE(DecompressBlock(BlockCodec::kLz4, hello,
                                 {.bytes = wrong, .dictionary = {}}, &raw)
                     .ok());
  }
}

}  // namespace
}  // namespace tamis
