// SPDX-License-Identifier: Apache-2.0
#include <cstdint>
#include <limits>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "base/coding.h"

namespace tamis {
namespace {

// Every length of a varint, from both ends.
std::vector<std::uint64_t> Numbers(unsigned bits) {
  std::vector<std::uint64_t> numbers = {0, 300};
  for (unsigned bit = 0; bit < bits; ++bit) {
    const std::uint64_t power = std::uint64_t{1} << bit;
    numbers.insert(numbers.end(), {power, power - 1, power | (power >> 1)});
  }
  numbers.push_back(std::numeric_limits<std::uint64_t>::max() >> (64 - bits));
  return numbers;
}

TEST(Varint, HasSevenBitsToAByteLowestFirst) {
  std::string bytes;
  AppendVarint32(&bytes, 300);
  EXPECT_EQ(bytes, "\xac\x02");
  bytes.clear();
  AppendVarint64(&bytes, std::numeric_limits<std::uint64_t>::max());
  EXPECT_EQ(bytes, "\xff\xff\xff\xff\xff\xff\xff\xff\xff\x01");
}

TEST(Varint, ReadsWhatItAppendedAndLeavesWhatFollows) {
  for (const std::uint64_t number : Numbers(64)) {
    std::string bytes;
    AppendVarint64(&bytes, number);
    ASSERT_LE(bytes.size(), kMaxVarint64Bytes);
    bytes += "rest";
    Slice in = bytes;
    std::uint64_t value = 0;
    ASSERT_TRUE(ReadVarint64(&in, &value));
    EXPECT_EQ(value, number);
    EXPECT_EQ(in, "rest");
  }
  for (const std::uint64_t number : Numbers(32)) {
    std::string bytes;
    AppendVarint32(&bytes, static_cast<std::uint32_t>(number));
    ASSERT_LE(bytes.size(), kMaxVarint32Bytes);
    bytes += "rest";
    Slice in = bytes;
    std::uint32_t value = 0;
    ASSERT_TRUE(ReadVarint32(&in, &value));
    EXPECT_EQ(value, number);
    EXPECT_EQ(in, "rest");
  }
}

TEST(Varint, EveryCutIsNoticedAndChangesNothing) {
  for (const std::uint64_t number : Numbers(64)) {
    std::string bytes;
    AppendVarint64(&bytes, number);
    for (std::size_t size = 0; size < bytes.size(); ++size) {
      Slice in = Slice(bytes).substr(0, size);
      std::uint64_t wide = 17;
      std::uint32_t narrow = 17;
      EXPECT_FALSE(ReadVarint64(&in, &wide));
      EXPECT_FALSE(ReadVarint32(&in, &narrow));
      EXPECT_EQ(in.size(), size);
      EXPECT_EQ(wide, 17u);
      EXPECT_EQ(narrow, 17u);
    }
  }
}

TEST(Varint, ANumberTooLargeForItsTypeIsMalformed) {
  std::string bytes;
  AppendVarint64(&bytes, std::uint64_t{1} << 32);
  Slice in = bytes;
  std::uint32_t narrow = 0;
  EXPECT_FALSE(ReadVarint32(&in, &narrow));
  // 65 bits, and a varint that never ends.
  const std::string too_large = std::string(9, '\xff') + '\x02';
  const std::string endless(40, '\x80');
  for (const Slice malformed : {Slice(too_large), Slice(endless)}) {
    in = malformed;
    std::uint64_t wide = 0;
    EXPECT_FALSE(ReadVarint64(&in, &wide));
    EXPECT_FALSE(ReadVarint32(&in, &narrow));
    EXPECT_EQ(in, malformed);
  }
}

TEST(Varint, NothingIsReadBeyondTheEnd) {
  const std::vector<char> bytes(3, '\x80');  // the heap's end, for sanitizers
  std::uint32_t value = 0;
  EXPECT_EQ(DecodeVarint32(bytes.data(), bytes.data() + 3, &value), nullptr);
  EXPECT_EQ(DecodeVarint32(bytes.data(), bytes.data(), &value), nullptr);
  Slice nothing;
  EXPECT_FALSE(ReadVarint32(&nothing, &value));
}

TEST(Varint, EncodingByPointerGivesTheSameBytes) {
  for (const std::uint64_t number : Numbers(32)) {
    char here[kMaxVarint32Bytes];
    const auto narrow = static_cast<std::uint32_t>(number);
    const char* const end = EncodeVarint32(here, narrow);
    std::string appended;
    AppendVarint32(&appended, narrow);
    EXPECT_EQ(Slice(here, static_cast<std::size_t>(end - here)), appended);
  }
}

TEST(LengthPrefixed, ReadsWhatItAppended) {
  const std::string strings[] = {"", "a", std::string(127, 'x'),
                                 std::string(128, '\0'),
                                 std::string(20'000, '\xff')};
  std::string bytes;
  for (const std::string& s : strings) AppendLengthPrefixed(&bytes, s);
  Slice in = bytes;
  for (const std::string& s : strings) {
    Slice value;
    ASSERT_TRUE(ReadLengthPrefixed(&in, &value));
    EXPECT_EQ(value, s);
  }
  EXPECT_TRUE(in.empty());
}

TEST(LengthPrefixed, ALengthBeyondTheEndIsNoticed) {
  std::string bytes;
  AppendLengthPrefixed(&bytes, "four");
  bytes.pop_back();
  Slice in = bytes;
  Slice value = "before";
  EXPECT_FALSE(ReadLengthPrefixed(&in, &value));
  EXPECT_EQ(in, bytes);
  EXPECT_EQ(value, "before");
}

TEST(Fixed, AppendsTheLowestByteFirst) {
  std::string bytes = "x";
  AppendFixed32(&bytes, 0x04030201);
  AppendFixed64(&bytes, 0x0c0b0a0908070605);
  EXPECT_EQ(bytes, "x\x01\x02\x03\x04\x05\x06\x07\x08\x09\x0a\x0b\x0c");
}

}  // namespace
}  // namespace tamis
