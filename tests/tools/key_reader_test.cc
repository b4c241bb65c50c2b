// SPDX-License-Identifier: Apache-2.0
#include "key_reader.h"

#include <unistd.h>
#include <cstddef>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "tests/base/temp_dir.h"

namespace tamis::tools {
namespace {

using Strings = std::vector<std::string>;

struct AllKeys {
  Strings keys;
  Strings records;
  Status status;
};

AllKeys ReadAll(std::string_view bytes, KeySyntax syntax = {},
                std::size_t piece = SIZE_MAX) {
  MemorySource source(bytes, piece);
  KeyReader reader(&source, syntax);
  AllKeys all;
  for (;;) {
    all.status = reader.Next();
    if (!all.status.ok() || reader.keys().empty()) return all;
    all.keys.insert(all.keys.end(), reader.keys().begin(), reader.keys().end());
    all.records.insert(all.records.end(), reader.records().begin(),
                       reader.records().end());
  }
}

TEST(KeyReader, CutsLinesAndKeepsEveryOtherByte) {
  EXPECT_EQ(ReadAll("a\nbc\n").keys, (Strings{"a", "bc"}));
  EXPECT_EQ(ReadAll("a\r\n\xff\n").keys, (Strings{"a\r", "\xff"}));
  EXPECT_EQ(ReadAll(std::string("x\0y\n", 4)).keys,
            (Strings{std::string("x\0y", 3)}));
}

TEST(KeyReader, TheLastLineNeedsNoEndAndAnEndMakesNoLine) {
  EXPECT_EQ(ReadAll("a\nb").keys, (Strings{"a", "b"}));
  EXPECT_EQ(ReadAll("a\nb\n").keys, (Strings{"a", "b"}));
  EXPECT_EQ(ReadAll("").keys, Strings{});
}

TEST(KeyReader, AnEmptyLineIsTheEmptyKey) {
  EXPECT_EQ(ReadAll("\n").keys, Strings{""});
  EXPECT_EQ(ReadAll("a\n\nb\n\n").keys, (Strings{"a", "", "b", ""}));
}

TEST(KeyReader, NulEndsKeysThatHoldNewlines) {
  const KeySyntax nul = {.nul = true};
  EXPECT_EQ(ReadAll(std::string("a\nb\0\0c", 6), nul).keys,
            (Strings{"a\nb", "", "c"}));
}

TEST(KeyReader, HexIsDecodedAndTheTextKept) {
  const KeySyntax hex = {.hex = true};
  const AllKeys all = ReadAll("00ff\n\n6A6b\n", hex);
  EXPECT_EQ(all.keys, (Strings{std::string("\0\xff", 2), "", "jk"}));
  EXPECT_EQ(all.records, (Strings{"00ff", "", "6A6b"}));
}

TEST(KeyReader, WrongHexNamesItsLineAfterAllKeysBeforeIt) {
  const KeySyntax hex = {.hex = true};
  for (const std::string bad : {"0", "0g", "g0", "00\r", " 00", "0x00"}) {
    const AllKeys all = ReadAll("61\n62\n" + bad + "\n63\n", hex);
    EXPECT_EQ(all.keys, (Strings{"a", "b"})) << bad;
    EXPECT_EQ(all.status.code(), StatusCode::kInvalidArgument) << bad;
    EXPECT_TRUE(all.status.message().starts_with("line 3: "))
        << all.status.message();
  }
  EXPECT_TRUE(ReadAll("zz", hex).status.message().starts_with("line 1: "));
  const KeySyntax both = {.nul = true, .hex = true};
  EXPECT_TRUE(ReadAll("zz", both).status.message().starts_with("record 1: "));
}

TEST(KeyReader, WrongHexSaysWhatIsWrong) {
  EXPECT_EQ(HexProblem("00fF"), "");
  EXPECT_EQ(HexProblem(""), "");
  EXPECT_EQ(HexProblem("0x00"), "'x' is not a hexadecimal digit");
  EXPECT_EQ(HexProblem("0\xc3"), "'\\xc3' is not a hexadecimal digit");
  EXPECT_EQ(HexProblem("012"), "an odd number of hexadecimal digits (3)");
  EXPECT_TRUE(HexProblem("00\r").starts_with("ends in a carriage return"));
}

TEST(KeyReader, WrongKeysNameTheirFile) {
  TempDir dir;
  const std::string path = dir.Write("hex.txt", "61\n62\n6x\n");
  auto source = FileSource::Open(path, -1);
  ASSERT_TRUE(source.ok());
  KeyReader reader(source.value().get(), {.hex = true});
  ASSERT_TRUE(reader.Next().ok());
  EXPECT_EQ(reader.Next().message(),
            path + ": line 3: 'x' is not a hexadecimal digit");
}

TEST(KeyReader, TheLineNumberCountsAcrossBuffers) {
  std::string text;
  for (int i = 0; i < 300'000; ++i) text += "6161\n";
  text += "oops\n";
  const AllKeys all = ReadAll(text, {.hex = true});
  EXPECT_EQ(all.keys.size(), 300'000u);
  EXPECT_TRUE(all.status.message().starts_with("line 300001: "))
      << all.status.message();
}

TEST(KeyReader, ThePiecesThatBytesComeInChangeNothing) {
  std::string text;
  for (std::size_t i = 0; i < 500; ++i) {
    text += std::string(i * 7 % 40, static_cast<char>('a' + i % 26)) + "\n";
  }
  text += "end";
  const Strings whole = ReadAll(text).keys;
  ASSERT_EQ(whole.size(), 501u);
  for (const std::size_t piece : {1u, 2u, 3u, 7u, 64u, 1000u}) {
    EXPECT_EQ(ReadAll(text, {}, piece).keys, whole) << piece;
  }
}

TEST(KeyReader, AKeyMayBeLongerThanTheBuffer) {
  const std::string longest(3'000'000, 'k');
  EXPECT_EQ(ReadAll("a\n" + longest + "\nb\n", {}, 65'536).keys,
            (Strings{"a", longest, "b"}));
}

TEST(KeyReader, AKeyOf64MiBIsTheLongestAndALongerOneNamesItsLine) {
  const std::string most(RecordLimit().bytes, 'k');
  for (const char* end : {"", "\n", "\nb\n"}) {
    const AllKeys all = ReadAll("a\n" + most + end);
    ASSERT_TRUE(all.status.ok()) << all.status.message();
    ASSERT_GE(all.keys.size(), 2u);
    EXPECT_TRUE(all.keys[1] == most);
  }
  for (const char* end : {"", "\n"}) {
    const AllKeys all = ReadAll("a\n" + most + "k" + end);
    EXPECT_EQ(all.keys, Strings{"a"});
    EXPECT_TRUE(all.status.message().starts_with("line 2: longer than 64 MiB"))
        << all.status.message();
  }
}

// A source whose end came by a signal.
class CutSource final : public ByteSource {
 public:
  explicit CutSource(std::string_view bytes) : bytes_(bytes) {}
  Result<std::size_t> Read(char* out, std::size_t size) override {
    return bytes_.Read(out, size);
  }
  bool was_cut() const override { return true; }

 private:
  MemorySource bytes_;
};

TEST(KeyReader, RefusesARecordThatIsLongerThanItsLimitAndSaysWhichOne) {
  for (const std::size_t size : {100u, 101u}) {
    const std::string bytes = "short\n" + std::string(size, 'x') + "\n";
    MemorySource source(bytes);
    KeyReader reader(&source, {}, 16, {100, "a hundred, the most of this"});
    ASSERT_TRUE(reader.Next().ok());
    ASSERT_EQ(reader.records().size(), 1u);
    const Status read = reader.Next();
    EXPECT_EQ(read.ok(), size == 100) << read.message();
    if (size == 100) continue;
    EXPECT_EQ(read.message(),
              "line 2: longer than a hundred, the most of this");
  }
}

TEST(KeyReader, HalfALineThatASignalCutIsNoKey) {
  CutSource source("whole\nhal");
  KeyReader reader(&source, {});
  ASSERT_TRUE(reader.Next().ok());
  ASSERT_EQ(reader.keys().size(), 1u);
  EXPECT_EQ(reader.keys()[0], "whole");
  ASSERT_TRUE(reader.Next().ok());
  EXPECT_TRUE(reader.keys().empty());
}

TEST(FileSource, ReadsAFileAndKnowsItsLength) {
  TempDir dir;
  auto source = FileSource::Open(dir.Write("keys", "a\nb\n"), -1);
  ASSERT_TRUE(source.ok()) << source.status().message();
  EXPECT_EQ(source->total_bytes(), 4u);
  KeyReader reader(source.value().get(), {});
  ASSERT_TRUE(reader.Next().ok());
  EXPECT_EQ(reader.keys().size(), 2u);
  EXPECT_EQ(reader.bytes_read(), 4u);
}

TEST(FileSource, AMissingFileOrADirectoryIsAnErrorWithItsName) {
  TempDir dir;
  const Status missing = FileSource::Open(dir.File("no"), -1).status();
  EXPECT_EQ(missing.code(), StatusCode::kNotFound);
  EXPECT_TRUE(missing.message().starts_with(dir.File("no")));
  EXPECT_FALSE(FileSource::Open(dir.path(), -1).ok());
  EXPECT_TRUE(FileSource::Open("-", -1).status().message().starts_with(
      "standard input"));
}

TEST(FileSource, TellsAPauseOfAPipe) {
  int ends[2];
  ASSERT_EQ(::pipe(ends), 0);
  auto source = FileSource::Open("-", ends[0]);
  ASSERT_TRUE(source.ok());
  EXPECT_TRUE(source->WouldWait());
  ASSERT_EQ(::write(ends[1], "a\n", 2), 2);
  EXPECT_FALSE(source->WouldWait());
  ::close(ends[1]);
  ::close(ends[0]);
}

}  // namespace
}  // namespace tamis::tools
