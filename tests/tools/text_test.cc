// SPDX-License-Identifier: Apache-2.0
#include "text.h"

#include <chrono>
#include <cstdint>
#include <string>
#include <thread>

#include <gtest/gtest.h>

#include "console.h"
#include "progress.h"

namespace tamis::tools {
namespace {

TEST(Text, GroupsDigitsByThree) {
  EXPECT_EQ(Grouped(0), "0");
  EXPECT_EQ(Grouped(999), "999");
  EXPECT_EQ(Grouped(1000), "1,000");
  EXPECT_EQ(Grouped(UINT64_MAX), "18,446,744,073,709,551,615");
}

TEST(Text, BytesAndCountsCarryTheFittingUnit) {
  EXPECT_EQ(HumanBytes(1023), "1023 B");
  EXPECT_EQ(HumanBytes(1024), "1.00 KiB");
  EXPECT_EQ(HumanBytes(1'250'064), "1.19 MiB");
  EXPECT_EQ(HumanBytes((std::uint64_t{1} << 30) - 1), "1.00 GiB");
  EXPECT_EQ(HumanBytes(UINT64_MAX), "16.00 EiB");
  EXPECT_EQ(SizeText(1), "1 byte");
  EXPECT_EQ(SizeText(1810), "1.77 KiB (1,810 bytes)");
  EXPECT_EQ(HumanCount(999), "999");
  EXPECT_EQ(HumanCount(999.7), "1.00 k");
  EXPECT_EQ(HumanCount(1'234'567), "1.23 M");
  EXPECT_EQ(HumanCount(999'999), "1.00 M");
}

TEST(Text, ARateAboveZeroNeverReadsAsZero) {
  EXPECT_EQ(Percent(0), "0 %");
  EXPECT_EQ(Percent(0.00819), "0.819 %");
  EXPECT_EQ(Percent(0.01), "1 %");
  EXPECT_EQ(Percent(0.138), "13.8 %");
  EXPECT_EQ(Percent(1), "100 %");
  EXPECT_EQ(Percent(6.7e-7), "0.000067 %");
  for (double rate = 0.5; rate > 1e-300; rate /= 3) {
    EXPECT_NE(Percent(rate).find_first_of("123456789"), std::string::npos);
  }
}

TEST(Text, PrintableHidesControlsOnly) {
  EXPECT_EQ(Printable("a\x1b[31m\n\x7f\xc3\xa9"),
            "a\\x1b[31m\\x0a\\x7f\xc3\xa9");
}

TEST(Text, Utf8IsJudgedByTheLetterOfTheStandard) {
  for (const char* good : {"", "abc", "\xc3\xa9", "\xe2\x82\xac",
                           "\xf0\x9f\x98\x80", "\xf4\x8f\xbf\xbf"}) {
    EXPECT_TRUE(IsUtf8(good)) << ToHex(good);
  }
  for (const char* bad :
       {"\x80", "\xc3", "\xc0\x80", "\xe0\x80\x80", "\xed\xa0\x80",
        "\xf0\x80\x80\x80", "\xf4\x90\x80\x80", "\xff", "\xe2\x82", "a\xc3z"}) {
    EXPECT_FALSE(IsUtf8(bad)) << ToHex(bad);
  }
}

TEST(Text, ATableAlignsAndARemarkRunsOn) {
  Table table({"format", "size", "k"});
  table.AddRow({"x", "1234567", "7"});
  table.AddRow({"longer", "12", "10"});
  table.AddRow({"y", "cannot do that at all"});
  EXPECT_EQ(table.ToString(),
            "format     size   k\n"
            "x       1234567   7\n"
            "longer       12  10\n"
            "y       cannot do that at all\n");
}

TEST(ProgressLine, ShowsABarRateAndTimeLeftWhereTheTotalIsKnown) {
  EXPECT_EQ(
      ProgressLine(
          {.keys = 1'000'000, .bytes = 50, .total_bytes = 100, .seconds = 75}),
      "[###############...............]  50 %  1.00 M keys, 13.33 k/s, "
      "1:15 left");
  EXPECT_EQ(ProgressLine({.keys = 1, .bytes = 2, .seconds = 1}), "1 key, 1/s");
}

TEST(ProgressLine, StaysWithinItsColumnsWhateverComes) {
  const std::uint64_t values[] = {0, 1, 999, 123'456'789, UINT64_MAX};
  for (const std::uint64_t keys : values) {
    for (const std::uint64_t bytes : values) {
      for (const std::uint64_t total : values) {
        for (const double seconds : {0.0, 1e-9, 3.0, 1e5, 1e12}) {
          const std::string line = ProgressLine({.keys = keys,
                                                 .bytes = bytes,
                                                 .total_bytes = total,
                                                 .seconds = seconds});
          EXPECT_LT(line.size(), 90u) << line;
        }
      }
    }
  }
}

TEST(Progress, IsCutToTheTerminalAndNeverMoreThanALine) {
  std::string text;
  Output err(&text);
  Console console;
  console.err = &err;
  console.err_is_terminal = true;
  console.columns = 20;
  {
    Progress progress(console, 1000);
    std::this_thread::sleep_for(std::chrono::milliseconds(120));
    progress.Update(1'000'000, 500);
    progress.Say("writing a name that is far too long for it");
  }
  // "\r", the code that wipes the line, and 19 columns; at last only wiped.
  EXPECT_EQ(text,
            "\r\x1b[K[###############..."
            "\r\x1b[Kwriting a name that"
            "\r\x1b[K");
}

TEST(Progress, SaysNothingWhereNobodyWatches) {
  std::string text;
  Output err(&text);
  Console console;
  console.err = &err;
  {
    Progress progress(console);
    std::this_thread::sleep_for(std::chrono::milliseconds(120));
    progress.Update(1, 1);
    progress.Say("writing");
  }
  EXPECT_EQ(text, "");
}

TEST(Output, HoldsNothingBackForLong) {
  std::string text;
  Output out(&text);
  out.Write("a");
  out.FlushOld();
  EXPECT_EQ(text, "");
  std::this_thread::sleep_for(std::chrono::milliseconds(120));
  out.Write("b");
  out.FlushOld();
  EXPECT_EQ(text, "ab");
}

TEST(Console, AnErrorLineCannotSteerTheTerminal) {
  std::string text;
  {
    Output err(&text);
    Console console;
    console.err = &err;
    EXPECT_EQ(Fail(console, "query", "\x1b[2J: gone\nfile"), kExitError);
  }
  EXPECT_EQ(text, "tamis query: \\x1b[2J: gone\\x0afile\n");
}

TEST(Console, ColoursOnlyWhereWanted) {
  Console console;
  EXPECT_EQ(Painted(console, Colour::kRed, "x"), "x");
  console.colour = true;
  EXPECT_EQ(Painted(console, Colour::kRed, "x"), "\x1b[31mx\x1b[0m");
}

}  // namespace
}  // namespace tamis::tools
