// SPDX-License-Identifier: Apache-2.0
#include "pair_text.h"

#include <string>

#include <gtest/gtest.h>

#include "pair_reader.h"
#include "text.h"

namespace tamis::tools {
namespace {

TEST(PairText, EscapesWhatWouldBreakALine) {
  EXPECT_EQ(Escaped("plain text"), "plain text");
  EXPECT_EQ(Escaped("a\nb\tc\rd\\e"), "a\\nb\\tc\\rd\\\\e");
  EXPECT_EQ(Escaped(Slice("\0\x1b\x7f", 3)), "\\x00\\x1b\\x7f");
}

TEST(PairText, LeavesUtf8AloneAndEscapesWhatIsNot) {
  EXPECT_EQ(Escaped("Äpfel\n"), "Äpfel\\n");
  EXPECT_EQ(Escaped("\xc4pfel"), "\\xc4pfel");
}

TEST(PairText, EveryByteComesBackAlone) {
  for (int i = 0; i < 256; ++i) {
    const std::string bytes(1, static_cast<char>(i));
    std::string again;
    EXPECT_TRUE(Unescape(Escaped(bytes), &again)) << i;
    EXPECT_EQ(again, bytes) << i;
    EXPECT_TRUE(IsUtf8(Escaped(bytes))) << i;
  }
}

TEST(PairText, RefusesABackslashThatBeginsNoEscape) {
  const struct {
    const char* text;
    const char* shown;
  } kRows[] = {{"a\\q", "'\\q' is no escape"},  {"\\", "'\\' is no escape"},
               {"\\x4", "'\\x4' is no escape"}, {"\\xg0z", "'\\xg0' is no"},
               {"\\\\\\", "'\\' is no escape"}, {"\\N", "'\\N' is no escape"}};
  for (const auto& row : kRows) {
    std::string ignored;
    EXPECT_FALSE(Unescape(row.text, &ignored)) << row.text;
    EXPECT_TRUE(EscapeProblem(row.text).starts_with(row.shown))
        << EscapeProblem(row.text);
  }
  EXPECT_EQ(EscapeProblem("\\x41\\n"), "");
}

TEST(PairText, JsonHasBytesThatAreNotUtf8InHex) {
  Json object;
  SetBytes(&object, "key", "ä\n", false);
  SetBytes(&object, "value", "\xff", false);
  SetBytes(&object, "other", "a", true);
  EXPECT_EQ(object.Text(),
            "{\"key\":\"ä\\n\",\"value_hex\":\"ff\",\"other_hex\":\"61\"}");
}

// The pairs of `bytes` as "key=value;", and the error if there is one.
std::string PairsOf(PairReader* reader) {
  std::string all;
  for (;;) {
    Pair pair;
    const Result<bool> got = reader->Next(&pair);
    if (!got.ok()) return all + "!" + got.status().message();
    if (!*got) return all;
    all += std::string(pair.key) + "=" + std::string(pair.value) + ";";
  }
}

TEST(PairReader, TakesEverythingBehindTheFirstTabForTheValue) {
  MemorySource source("a\tb\tc\n\t\nlast\\t\tone");
  EXPECT_EQ(PairsOf(NewLinePairReader(&source, false).get()),
            "a=b\tc;=;last\t=one;");
}

// Longer than a key of a filter may be.
TEST(PairReader, TakesLinesAsLongAsAPairMakesThem) {
  const std::string value((std::size_t{1} << 26) + 1, 'v');
  const std::string line = "k\t" + value + "\n";
  MemorySource text(line);
  EXPECT_TRUE(PairsOf(NewLinePairReader(&text, false).get()) ==
              "k=" + value + ";");
  const std::string object = R"({"key":"k","value":")" + value + "\"}\n";
  MemorySource json(object);
  EXPECT_TRUE(PairsOf(NewJsonPairReader(&json).get()) == "k=" + value + ";");
}

TEST(PairReader, TellsTheLineThatIsNoPair) {
  MemorySource no_tab("a\tb\nc\n");
  EXPECT_EQ(PairsOf(NewLinePairReader(&no_tab, false).get()),
            "a=b;!line 2: no tab between a key and a value");
  MemorySource odd("61\t6\n");
  EXPECT_EQ(PairsOf(NewLinePairReader(&odd, true).get()),
            "!line 1: an odd number of hexadecimal digits (1)");
}

TEST(PairReader, ReadsBinaryPairsHoweverTheyAreCut) {
  const std::string bytes(
      "\1\0\0\0\2\0\0\0kvv\0\0\0\0\0\0\0\0\0\0\0\0\1\0\0\0x", 28);
  for (std::size_t piece = 1; piece < 30; ++piece) {
    MemorySource source(bytes, piece);
    EXPECT_EQ(PairsOf(NewBinaryPairReader(&source).get()), "k=vv;=;=x;");
  }
}

TEST(PairReader, ABinaryPairThatIsCutOffOrBoundlessIsAnError) {
  for (const std::size_t left : {1u, 7u, 8u, 10u}) {
    MemorySource source(
        std::string_view("\1\0\0\0\2\0\0\0kvv", 11).substr(0, left));
    EXPECT_TRUE(PairsOf(NewBinaryPairReader(&source).get())
                    .starts_with("!pair 1: cut off"));
  }
  // The longest take no such memory before they come.
  MemorySource longest(std::string_view("\0\0\0\x40\0\0\0\x80", 8));
  EXPECT_TRUE(PairsOf(NewBinaryPairReader(&longest).get())
                  .starts_with("!pair 1: cut off"));
  MemorySource boundless(
      std::string_view("\xff\xff\xff\xff\xff\xff\xff\xff", 8));
  EXPECT_TRUE(PairsOf(NewBinaryPairReader(&boundless).get())
                  .starts_with("!pair 1: a key of more than 1 GiB"));
}

}  // namespace
}  // namespace tamis::tools
