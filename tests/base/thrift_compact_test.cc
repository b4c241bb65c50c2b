// SPDX-License-Identifier: Apache-2.0
#include "base/thrift_compact.h"

#include <limits>
#include <string>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "tests/support/golden.h"

namespace tamis {
namespace {

using testing::FromHex;

using IdsAndValues = std::vector<std::pair<int, std::int64_t>>;

// A struct that has only integers.
IdsAndValues Integers(std::string_view hex) {
  const std::string bytes = FromHex(hex);
  ThriftCompactReader in(bytes);
  IdsAndValues seen;
  in.ReadStruct([&](ThriftField field) {
    seen.emplace_back(field.id, in.ReadInteger(field.type));
    return true;
  });
  EXPECT_TRUE(in.ok()) << hex;
  EXPECT_EQ(in.position(), bytes.size()) << hex;
  return seen;
}

bool ReadsIntegers(std::string_view hex) {
  const std::string bytes = FromHex(hex);
  ThriftCompactReader in(bytes);
  in.ReadStruct([&](ThriftField field) {
    static_cast<void>(in.ReadInteger(field.type));
    return true;
  });
  return in.ok();
}

// Is this one struct that can be passed over, up to its last byte?
bool Skips(std::string_view bytes) {
  ThriftCompactReader in(bytes);
  in.SkipField(ThriftType::kStruct);
  return in.ok() && in.position() == bytes.size();
}

TEST(ThriftCompact, ReadsIntegersOfEveryWidth) {
  EXPECT_EQ(Integers("00"), IdsAndValues{});
  EXPECT_EQ(Integers("13ff1403158010160200"),
            (IdsAndValues{{1, -1}, {2, -2}, {3, 1024}, {4, 1}}));
  EXPECT_EQ(Integers("16ffffffffffffffffff0100"),
            (IdsAndValues{{1, std::numeric_limits<std::int64_t>::min()}}));
  EXPECT_EQ(Integers("16feffffffffffffffff0100"),
            (IdsAndValues{{1, std::numeric_limits<std::int64_t>::max()}}));
  EXPECT_EQ(Integers("15feffffff0f15ffffffff0f00"),
            (IdsAndValues{{1, std::numeric_limits<std::int32_t>::max()},
                          {2, std::numeric_limits<std::int32_t>::min()}}));
}

TEST(ThriftCompact, ReadsFieldIdsInBothForms) {
  EXPECT_EQ(
      Integers("f502"            // 15 above nothing
               "050204"          // 1, in full
               "05820006"        // 1 again, padded
               "050308"          // -2
               "f502"            // 15 above -2
               "05feff030a00"),  // the largest
      (IdsAndValues{{15, 1}, {1, 2}, {1, 3}, {-2, 4}, {13, 1}, {32767, 5}}));
}

TEST(ThriftCompact, RefusesNumbersThatTheirTypeCannotHold) {
  EXPECT_TRUE(ReadsIntegers("14feff0300"));                   // i16: 32767
  EXPECT_FALSE(ReadsIntegers("1480800400"));                  // i16: 32768
  EXPECT_TRUE(ReadsIntegers("15feffffff0f00"));               // i32: 2^31 - 1
  EXPECT_FALSE(ReadsIntegers("15808080801000"));              // i32: 2^31
  EXPECT_FALSE(ReadsIntegers("16ffffffffffffffffff0200"));    // 65 bits
  EXPECT_FALSE(ReadsIntegers("16ffffffffffffffffffff0000"));  // 11 bytes
  EXPECT_FALSE(ReadsIntegers("058080040200"));                // id 32768
  EXPECT_FALSE(ReadsIntegers("05feff0302150200"));            // 1 above 32767
  EXPECT_FALSE(ReadsIntegers("180000"));                      // text
}

TEST(ThriftCompact, ReadsTextWithinItsBytes) {
  const std::string bytes = FromHex("0361626304616263");
  ThriftCompactReader in(bytes);
  EXPECT_EQ(in.ReadBinary(), "abc");
  EXPECT_EQ(in.position(), 4u);
  EXPECT_EQ(in.ReadBinary(), "");  // says four bytes, has three
  EXPECT_FALSE(in.ok());
}

TEST(ThriftCompact, AfterAFaultEverythingIsNothing) {
  const std::string bytes = FromHex("180515020000");
  ThriftCompactReader in(bytes);
  unsigned fields = 0;
  in.ReadStruct([&](ThriftField) {
    ++fields;
    EXPECT_EQ(in.ReadBinary(), "");
    return true;
  });
  EXPECT_FALSE(in.ok());
  EXPECT_EQ(fields, 1u);
  EXPECT_EQ(in.ReadInteger(ThriftType::kI32), 0);
  in.ReadList([&](ThriftType) -> bool {
    ADD_FAILURE() << "there is no list";
    return false;
  });
}

TEST(ThriftCompact, ReadsListsShortAndLong) {
  for (const char* hex : {"35020406", "f503020406"}) {
    const std::string bytes = FromHex(hex);
    ThriftCompactReader in(bytes);
    std::vector<std::int64_t> seen;
    in.ReadList([&](ThriftType type) {
      if (type != ThriftType::kI32) return false;
      seen.push_back(in.ReadInteger(type));
      return true;
    });
    EXPECT_EQ(seen, (std::vector<std::int64_t>{1, 2, 3})) << hex;
    EXPECT_TRUE(in.ok()) << hex;
    EXPECT_EQ(in.position(), bytes.size()) << hex;
  }
}

// One value of each type, as the hexadecimal of field 1.
const std::vector<const char*> kValues = {
    "11",
    "12",    // true, false
    "1380",  // i8
    "14ff03",
    "15ff03",
    "16ff03",              // i16, i32, i64
    "170102030405060708",  // double
    "18026162",
    "1800",                                // text
    "1d000102030405060708090a0b0c0d0e0f",  // UUID
    "1900",
    "19350204ff03",  // lists: empty, of i32
    "19210100",
    "19220002",            // of truth values
    "19f501ff03",          // its count in the long form
    "192c15020000",        // of structs
    "1a28016100",          // set of text
    "1b00",                // map: empty
    "1b0258020161040162",  // map: i32 to text
    "1c00",
    "1c15021c110000",  // structs
};

TEST(ThriftCompact, PassesOverEveryType) {
  for (const char* value : kValues) {
    EXPECT_TRUE(Skips(FromHex(std::string(value) + "150200"))) << value;
  }
}

TEST(ThriftCompact, NoticesACutAnywhere) {
  for (const char* value : kValues) {
    const std::string whole = FromHex(std::string(value) + "00");
    for (std::size_t size = 0; size < whole.size(); ++size) {
      EXPECT_FALSE(Skips(whole.substr(0, size))) << value << " to " << size;
    }
  }
}

TEST(ThriftCompact, RefusesWhatIsNoType) {
  for (const char* hex : {"1e00", "1f00",          // types 14 and 15
                          "19100000", "191f0000",  // lists of them
                          "1b01050200"}) {
    EXPECT_FALSE(Skips(FromHex(hex))) << hex;
  }
}

// Ended at once, not by counting to 2^60.
TEST(ThriftCompact, CountsBeyondTheBytesAreDamage) {
  for (const char* hex :
       {"19f5ffffffffffffffff0f0202", "1afcffffffffffffffff0f0000",
        "1bffffffffffffffff0f550202", "18ffffffffffffffff7f6161"}) {
    EXPECT_FALSE(Skips(FromHex(hex))) << hex;
  }
}

TEST(ThriftCompact, NestsToItsLimitAndNoFurther) {
  const auto structs = [](std::size_t depth) {
    return std::string(depth, '\x1c') + std::string(depth + 1, '\0');
  };
  EXPECT_TRUE(Skips(structs(kMaxThriftDepth - 1)));
  EXPECT_FALSE(Skips(structs(kMaxThriftDepth)));
  EXPECT_FALSE(Skips(structs(1'000'000)));  // the stack would not hold it
  // Lists of one list each, and maps from a truth value to a map.
  EXPECT_FALSE(Skips("\x19" + std::string(1'000'000, '\x19')));
  std::string maps = "\x1b";
  for (int i = 0; i < 1'000'000; ++i) maps += "\x01\x1b\x01";
  EXPECT_FALSE(Skips(maps));
}

}  // namespace
}  // namespace tamis
