// SPDX-License-Identifier: Apache-2.0
#include "plain_value.h"

#include <string>

#include <gtest/gtest.h>

#include "text.h"

namespace tamis::tools {
namespace {

// The bytes in hex, or "-" if the text is refused.
std::string Plain(ValueType type, std::string_view text) {
  std::string out = "before";
  if (!AppendPlain(type, text, &out)) {
    EXPECT_EQ(out, "before") << text;
    return "-";
  }
  EXPECT_TRUE(out.starts_with("before"));
  return ToHex(out.substr(6));
}

TEST(PlainValue, IntegersAreLittleEndianSignedOrUnsigned) {
  EXPECT_EQ(Plain(ValueType::kInt32, "0"), "00000000");
  EXPECT_EQ(Plain(ValueType::kInt32, "258"), "02010000");
  EXPECT_EQ(Plain(ValueType::kInt32, "-1"), "ffffffff");
  EXPECT_EQ(Plain(ValueType::kInt32, "4294967295"), "ffffffff");
  EXPECT_EQ(Plain(ValueType::kInt32, "-2147483648"), "00000080");
  EXPECT_EQ(Plain(ValueType::kInt64, "-2"), "feffffffffffffff");
  EXPECT_EQ(Plain(ValueType::kInt64, "18446744073709551615"),
            "ffffffffffffffff");
}

TEST(PlainValue, FloatsAreTheirBits) {
  EXPECT_EQ(Plain(ValueType::kFloat, "1.5"), "0000c03f");
  EXPECT_EQ(Plain(ValueType::kFloat, "-0"), "00000080");
  EXPECT_EQ(Plain(ValueType::kDouble, "1.5"), "000000000000f83f");
  EXPECT_EQ(Plain(ValueType::kDouble, "1e-3"), "fca9f1d24d62503f");
  EXPECT_EQ(Plain(ValueType::kDouble, "inf"), "000000000000f07f");
}

TEST(PlainValue, BytesAreAsTheyAre) {
  EXPECT_EQ(Plain(ValueType::kBytes, "12"), "3132");
  EXPECT_EQ(Plain(ValueType::kBytes, ""), "");
}

TEST(PlainValue, WhatIsNoValueOfTheTypeIsRefused) {
  for (const char* text : {"", " 1", "1 ", "+1", "x", "1.0", "0x1", "1\r",
                           "4294967296", "-2147483649", "--1"}) {
    EXPECT_EQ(Plain(ValueType::kInt32, text), "-") << text;
  }
  EXPECT_EQ(Plain(ValueType::kInt64, "18446744073709551616"), "-");
  EXPECT_EQ(Plain(ValueType::kInt64, "-9223372036854775809"), "-");
  for (const char* text : {"", "x", "1,5", "1e999", "nan", "1.5 "}) {
    EXPECT_EQ(Plain(ValueType::kDouble, text), "-") << text;
    EXPECT_EQ(Plain(ValueType::kFloat, text), "-") << text;
  }
}

TEST(PlainValue, TheProblemNamesTextAndType) {
  EXPECT_EQ(PlainProblem(ValueType::kInt32, "1\r"), "'1\\x0d' is not an int32");
  EXPECT_EQ(PlainProblem(ValueType::kDouble, std::string(99, '9') + "x"),
            "'" + std::string(40, '9') + "...' is not a double");
}

TEST(PlainValue, EveryTypeHasItsNameAndParquetsOwn) {
  for (const std::string_view name : ValueTypeNames()) {
    const auto type = ValueTypeNamed(name);
    ASSERT_TRUE(type.has_value()) << name;
    EXPECT_EQ(NameOf(*type), name);
  }
  EXPECT_FALSE(ValueTypeNamed("int96").has_value());
  EXPECT_EQ(ValueTypeOf("INT32"), ValueType::kInt32);
  EXPECT_EQ(ValueTypeOf("FLOAT"), ValueType::kFloat);
  EXPECT_EQ(ValueTypeOf("FIXED_LEN_BYTE_ARRAY"), ValueType::kBytes);
  EXPECT_FALSE(ValueTypeOf("INT96").has_value());
  EXPECT_FALSE(ValueTypeOf("unknown").has_value());
}

}  // namespace
}  // namespace tamis::tools
