// SPDX-License-Identifier: Apache-2.0
#include <string>

#include <gtest/gtest.h>

#include "formats/parquet/header.h"
#include "tests/support/golden.h"

namespace tamis {
namespace {

using testing::FromHex;
using testing::ToHex;

constexpr const char* kThousand = "1580101c1c00001c1c00001c1c000000";

std::string Stored(std::uint64_t bitset_bytes) {
  std::string header(ParquetHeaderBytes(bitset_bytes), '?');
  StoreParquetHeader(header.data(), bitset_bytes);
  return header;
}

StatusCode CodeOfHeader(std::string_view hex) {
  return ParseParquetHeader(FromHex(hex)).status().code();
}

TEST(ParquetHeader, IsWrittenAsParquetWritesIt) {
  const nlohmann::json golden = testing::LoadGolden("parquet_sbbf.json");
  ASSERT_GE(golden["filters"].size(), 5u);
  for (const auto& row : golden["filters"]) {
    EXPECT_EQ(ToHex(Stored(row["num_bytes"])),
              row["header"].get<std::string>());
  }
}

TEST(ParquetHeader, ReadsWhatItWrites) {
  for (const std::uint64_t bytes :
       {std::uint64_t{32}, std::uint64_t{64}, std::uint64_t{8192},
        std::uint64_t{1} << 20, std::uint64_t{1} << 27,
        (std::uint64_t{1} << 31) - 32}) {
    const std::string stored = Stored(bytes);
    const auto header = ParseParquetHeader(stored + "bits");
    ASSERT_TRUE(header.ok()) << bytes;
    EXPECT_EQ(header->header_bytes, stored.size());
    EXPECT_EQ(header->bitset_bytes, static_cast<std::int64_t>(bytes));
    EXPECT_EQ(header->reserved, "");
  }
  EXPECT_EQ(Stored(32).size(), 15u);
  EXPECT_EQ(Stored(std::uint64_t{1} << 27).size(), 19u);
}

TEST(ParquetHeader, ReadsOtherEncodingsOfTheSameFields) {
  for (const char* hex :
       {kThousand,
        // every field id in full
        "05028010"
        "0c04"
        "0c020000"
        "0c06"
        "0c020000"
        "0c08"
        "0c020000"
        "00",
        // the size padded to five bytes; as an i64
        "158090808000"
        "1c1c0000"
        "1c1c0000"
        "1c1c0000"
        "00",
        "168010"
        "1c1c0000"
        "1c1c0000"
        "1c1c0000"
        "00",
        // the size last
        "2c1c0000"
        "1c1c0000"
        "1c1c0000"
        "05028010"
        "00",
        // later fields: in the header (5: text) and in a member (1: i32)
        "158010"
        "1c1c0000"
        "1c1c0000"
        "1c1c0000"
        "18026869"
        "00",
        "158010"
        "1c1c15020000"
        "1c1c0000"
        "1c1c0000"
        "00"}) {
    const std::string bytes = FromHex(hex);
    const auto header = ParseParquetHeader(bytes);
    ASSERT_TRUE(header.ok()) << hex;
    EXPECT_EQ(header->header_bytes, bytes.size()) << hex;
    EXPECT_EQ(header->bitset_bytes, 1024) << hex;
    EXPECT_EQ(header->reserved, "") << hex;
  }
}

TEST(ParquetHeader, OtherMembersAreReserved) {
  const std::pair<const char*, const char*> cases[] = {
      {"1580101c2c00001c1c00001c1c000000", "filter algorithm 2"},
      {"1580101c1c00001c2c00001c1c000000", "hash function 2"},
      {"1580101c1c00001c1c00001c3c000000", "compression 3"},
      {"1580101c2802686900"  // a member that is a text
       "1c1c00001c1c000000",
       "filter algorithm 2"}};
  for (const auto& [hex, reason] : cases) {
    const auto header = ParseParquetHeader(FromHex(hex));
    ASSERT_TRUE(header.ok()) << hex;
    EXPECT_TRUE(header->reserved.starts_with(reason)) << header->reserved;
  }
}

TEST(ParquetHeader, RefusesWhatNoWriterMeans) {
  for (const char* hex :
       {"", "00", "1c1c0000",
        "2c1c00001c1c00001c1c000000",            // no size
        "1580102c1c00001c1c000000",              // no algorithm
        "1580101c1c00002c1c000000",              // no hash
        "1580101c1c00001c1c000000",              // no compression
        "1580101c001c1c00001c1c000000",          // a union without member
        "1580101c1c001c00001c1c00001c1c000000",  // with two
        "1580101c1502001c1c00001c1c000000",      // member 1 is a number
        "15801015021c1c00001c1c000000",          // the algorithm is
        "180161"                                 // the size is a text
        "1c1c00001c1c00001c1c000000",
        "15808080808001"  // the size is 2^34
        "1c1c00001c1c00001c1c000000"}) {
    EXPECT_EQ(CodeOfHeader(hex), StatusCode::kCorruption) << hex;
  }
  const std::string whole = FromHex(kThousand);
  for (std::size_t size = 0; size < whole.size(); ++size) {
    EXPECT_FALSE(ParseParquetHeader(whole.substr(0, size)).ok()) << size;
  }
}

TEST(ParquetHeader, BitsAreWholeBlocksThatAreThere) {
  const auto code = [](std::int64_t bitset, std::uint64_t available) {
    ParquetHeader header;
    header.bitset_bytes = bitset;
    return CheckParquetBitset(header, available).code();
  };
  EXPECT_EQ(code(32, 32), StatusCode::kOk);
  EXPECT_EQ(code(96, 1000), StatusCode::kOk);
  for (const std::int64_t bad : {0, -32, 31, 33, 48, 1056}) {
    EXPECT_EQ(code(bad, 1024), StatusCode::kCorruption) << bad;
  }
}

TEST(ParquetHeader, TheObsoleteFormIsToldByItsFirstByte) {
  const std::string obsolete = FromHex("000400000000000000000000");
  EXPECT_TRUE(IsObsoleteParquet(obsolete));
  EXPECT_FALSE(ParseParquetHeader(obsolete).ok());
  EXPECT_FALSE(IsObsoleteParquet(FromHex(kThousand)));
  EXPECT_FALSE(IsObsoleteParquet(obsolete.substr(0, 11)));
  EXPECT_FALSE(IsObsoleteParquet(""));

  const auto header = ParseObsoleteParquetHeader(obsolete);
  ASSERT_TRUE(header.ok());
  EXPECT_EQ(header->header_bytes, 12u);
  EXPECT_EQ(header->bitset_bytes, 1024);
  EXPECT_EQ(header->reserved, "");
  std::string stored(kObsoleteParquetHeaderBytes, '?');
  StoreObsoleteParquetHeader(stored.data(), 1024);
  EXPECT_EQ(ToHex(stored), ToHex(obsolete));
}

TEST(ParquetHeader, TheObsoleteFormHasAPowerOfTwoAndKnownKinds) {
  EXPECT_FALSE(
      ParseObsoleteParquetHeader(FromHex("0004000000000000000000")).ok());
  for (const char* hex :
       {"000000000000000000000000", "600000000000000000000000"}) {
    EXPECT_EQ(ParseObsoleteParquetHeader(FromHex(hex)).status().code(),
              StatusCode::kCorruption);
  }
  for (const char* hex :
       {"000400000100000000000000", "000400000000000001000000"}) {
    const auto header = ParseObsoleteParquetHeader(FromHex(hex));
    ASSERT_TRUE(header.ok());
    EXPECT_NE(header->reserved, "");
  }
}

}  // namespace
}  // namespace tamis
