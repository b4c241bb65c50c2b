// SPDX-License-Identifier: Apache-2.0
#include "numbers.h"

#include <cstdint>
#include <string>

#include <gtest/gtest.h>

namespace tamis::tools {
namespace {

TEST(ParseCount, TakesTheWaysPeopleWriteWholeNumbers) {
  const struct {
    const char* text;
    std::uint64_t value;
  } kRows[] = {
      {"0", 0},
      {"1", 1},
      {"1000000", 1'000'000},
      {"1_000_000", 1'000'000},
      {"1e6", 1'000'000},
      {"1E+6", 1'000'000},
      {"1.5e3", 1500},
      {"10M", 10'000'000},
      {"1.5k", 1500},
      {"2K", 2000},
      {"3G", 3'000'000'000},
      {"4T", 4'000'000'000'000},
      {"1Ki", 1024},
      {"1.5Ki", 1536},
      {"2Gi", std::uint64_t{2} << 30},
      {"100e-2", 1},
      {"0e999", 0},
      {"18446744073709551615", UINT64_MAX},
  };
  for (const auto& row : kRows) {
    const auto parsed = ParseCount(row.text);
    ASSERT_TRUE(parsed.ok()) << row.text;
    EXPECT_EQ(*parsed, row.value) << row.text;
  }
}

TEST(ParseCount, RefusesWhatIsNotWholeOrDoesNotFit) {
  for (const char* text :
       {"",     " 1",        "1 ",   "-1",  "+1",    "1.5",
        ".5",   "5.",        "1e",   "1e+", "1e+-3", "1..2",
        "_1",   "1_",        "1__0", "1x",  "M",     "1Mi1",
        "1MM",  "0x10",      "nan",  "inf", "1e-1",  "18446744073709551616",
        "1e20", "99999999T", "1,000"}) {
    EXPECT_FALSE(ParseCount(text).ok()) << text;
  }
}

TEST(ParseRate, LiesStrictlyBetweenNoneAndAll) {
  EXPECT_EQ(*ParseRate("0.01"), 0.01);
  EXPECT_EQ(*ParseRate("1e-3"), 1e-3);
  EXPECT_EQ(*ParseRate("1%"), 0.01);
  EXPECT_EQ(*ParseRate("0.1%"), 0.001);
  for (const char* text : {"", "%", "0", "1", "100%", "-0.1", "2", "nan", "inf",
                           "0.1x", "1e-999", "0.1 "}) {
    EXPECT_FALSE(ParseRate(text).ok()) << text;
  }
}

TEST(ParsePositive, IsFiniteAndAboveZero) {
  EXPECT_EQ(*ParsePositive("9.6"), 9.6);
  for (const char* text : {"", "0", "-1", "inf", "nan", "1e999", "10 "}) {
    EXPECT_FALSE(ParsePositive(text).ok()) << text;
  }
}

TEST(ParseSeed, TakesAll64BitsInBothBases) {
  EXPECT_EQ(*ParseSeed("42"), 42u);
  EXPECT_EQ(*ParseSeed("0x2a"), 42u);
  EXPECT_EQ(*ParseSeed("0XFFFFFFFFFFFFFFFF"), UINT64_MAX);
  for (const char* text :
       {"", "0x", "-1", "18446744073709551616", "0x10000000000000000", "2a"}) {
    EXPECT_FALSE(ParseSeed(text).ok()) << text;
  }
}

TEST(Numbers, AnErrorQuotesTheTextAndShowsARightOne) {
  const Status status = ParseCount("many").status();
  EXPECT_EQ(status.code(), StatusCode::kInvalidArgument);
  EXPECT_EQ(status.message(),
            "'many' is not a whole number such as 1000000, 1e6 or 10M");
}

TEST(ParseCount, SaysSoWhereANumberIsTooLarge) {
  for (const char* text : {"1e30", "18446744073709551616", "1e99999", "1e19T",
                           "99999999999999999999999999", "99999999Ti"}) {
    const std::string message = ParseCount(text).status().message();
    EXPECT_NE(message.find("is too large; the most is 18,446,744,073"),
              std::string::npos)
        << text << ": " << message;
  }
  for (const char* text : {"1.5", "x", "-1", "1e-30"}) {
    const std::string message = ParseCount(text).status().message();
    EXPECT_NE(message.find("is not a whole number"), std::string::npos)
        << message;
  }
}

TEST(Numbers, SecondsHaveUnits) {
  EXPECT_EQ(*ParseSeconds("90"), 90);
  EXPECT_EQ(*ParseSeconds("90s"), 90);
  EXPECT_EQ(*ParseSeconds("1.5m"), 90);
  EXPECT_EQ(*ParseSeconds("10min"), 600);
  EXPECT_EQ(*ParseSeconds("1h"), 3600);
  EXPECT_EQ(*ParseSeconds("7d"), 7 * 86400);
  EXPECT_EQ(*ParseSeconds("0"), 0);
  for (const char* text : {"", "h", "-1s", "1w", "1hh", "inf", "1e308d"}) {
    EXPECT_FALSE(ParseSeconds(text).ok()) << text;
  }
}

}  // namespace
}  // namespace tamis::tools
