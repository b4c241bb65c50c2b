// SPDX-License-Identifier: Apache-2.0
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>
#include <cstdint>
#include <memory>
#include <random>
#include <string>

#include <gtest/gtest.h>

#include "base/coding.h"
#include "store/log_format.h"
#include "tests/base/temp_dir.h"
#include "tests/store/log_files.h"
#include "tests/support/golden.h"

namespace tamis::testing {
namespace {

std::string Record(std::size_t size, char c = 'r') {
  return std::string(size, c);
}

// The types of the fragments in a file without damage; 0 for zeros up to a
// block's end.
std::string TypesIn(const std::string& log) {
  std::string types;
  for (std::size_t at = 0; at < log.size();) {
    const std::size_t rest = kLogBlockBytes - at % kLogBlockBytes;
    if (rest < kLogHeaderBytes || log[at + 6] == '\0') {
      types += '0';
      at += rest;
      continue;
    }
    types += static_cast<char>('0' + log[at + 6]);
    at += kLogHeaderBytes + LoadLittle<std::uint16_t>(log.data() + at + 4);
  }
  return types;
}

TEST(LogWriter, WritesTheBytesLevelDbWrites) {
  // LevelDB 1.23's log after Put("k", "v"), Put("key2", three zeros) and
  // Delete("k").
  const std::string theirs = FromHex(
      "e75a4d0011000101000000000000000100000001016b01768305b40a1600"
      "0102000000000000000100000001046b65793203000000da2066dc0f0001"
      "03000000000000000100000000016b");
  const Records records = ReadLog(theirs).records;
  ASSERT_EQ(records.size(), 3u);
  EXPECT_EQ(ToHex(records[0]), "01000000000000000100000001016b0176");
  EXPECT_EQ(ToHex(LogOf(records)), ToHex(theirs));
}

TEST(LogWriter, AShortRecordIsNeverCut) {
  // 15 bytes of the block are left after the first.
  const std::size_t first = kLogBlockBytes - 2 * kLogHeaderBytes - 8;
  for (const std::size_t size : {8u, 9u, 100u, 4089u}) {
    const Records records = {Record(first), Record(size, 's'), ""};
    const std::string log = LogOf(records);
    EXPECT_EQ(TypesIn(log), size == 8 ? "111" : "1011") << size;
    ExpectClean(log, records);
  }
}

TEST(LogWriter, ALongRecordFillsTheBlock) {
  const std::size_t first = kLogBlockBytes - 2 * kLogHeaderBytes - 8;
  const Records records = {Record(first), Record(4090, 's'),
                           Record(100'000, 't'), Record(1)};
  const std::string log = LogOf(records);
  EXPECT_EQ(TypesIn(log), "12423341");
  ExpectClean(log, records);
}

TEST(LogWriter, NoFragmentIsEmptyAtTheEndOfABlock) {
  for (std::size_t left = 0; left <= 16; ++left) {
    const Records records = {Record(kLogBlockBytes - kLogHeaderBytes - left),
                             Record(40'000, 's'), Record(5)};
    const std::string log = LogOf(records);
    const bool has_room = left > kLogHeaderBytes;
    EXPECT_EQ(TypesIn(log), has_room    ? "12341"
                            : left == 0 ? "1241"
                                        : "10241")
        << left;
    ExpectClean(log, records);
  }
}

TEST(LogWriter, CutsARecordWhereItIsTold) {
  const std::vector<std::size_t> cuts = {1, 8, 9, 50, 4000, 4001};
  for (std::size_t left = 8; left <= 80; ++left) {
    for (const std::size_t size : {0u, 1u, 9u, 60u, 4085u, 40'000u}) {
      MemoryEnv env;
      LogWriter writer(*env.Create("log", WriteKind::kLog));
      const Records records = {Record(kLogBlockBytes - kLogHeaderBytes - left),
                               Record(size, 's'), Record(5)};
      ASSERT_TRUE(writer.Add(records[0]).ok());
      ASSERT_TRUE(writer.Add(records[1], cuts).ok());
      ASSERT_TRUE(writer.Add(records[2]).ok());
      ExpectClean(env.Contents("log"), records);
    }
  }
  MemoryEnv env;
  LogWriter writer(*env.Create("log", WriteKind::kLog));
  ASSERT_TRUE(writer.Add(Record(5000), cuts).ok());
  EXPECT_EQ(TypesIn(env.Contents("log")), "2333334");
}

TEST(LogWriter, GoesOnBehindWholeRecords) {
  const std::string before = LogOf({"one", Record(40'000)});
  const std::string log = LogOf({"three", Record(40'000), "five"}, before);
  EXPECT_EQ(log,
            LogOf({"one", Record(40'000), "three", Record(40'000), "five"}));
}

TEST(LogWriter, TellsOfAFileThatFails) {
  MemoryEnv env;
  LogWriter writer(*env.Create("log", WriteKind::kLog));
  ASSERT_TRUE(writer.Add("one").ok());
  const std::uint64_t bytes = writer.bytes();
  env.SetCapacity(20);
  EXPECT_EQ(writer.Add("record two").code(), StatusCode::kIoError);
  EXPECT_EQ(writer.bytes(), bytes);
  EXPECT_EQ(ReadLog(env.Contents("log")).records, Records{"one"});
}

TEST(Log, RecordsOfAnySizesComeBack) {
  std::mt19937_64 random(1);
  for (int round = 0; round < 30; ++round) {
    Records records;
    for (int i = 0; i < 60; ++i) {
      const std::size_t most = std::size_t{1} << (random() % 18);
      records.push_back(
          Record(random() % most, static_cast<char>('a' + i % 26)));
    }
    ExpectClean(LogOf(records), records);
  }
}

TEST(Log, EveryLengthAroundABlockComesBack) {
  for (std::size_t size = kLogBlockBytes - 20; size < kLogBlockBytes + 20;
       ++size) {
    const Records records = {Record(size), "", Record(size, 's'), "end"};
    ExpectClean(LogOf(records), records);
  }
}

TEST(Log, WhereverItIsCutTheWholeRecordsBeforeRemain) {
  const Records records = {"one", "", Record(40'000), "four", Record(300)};
  const std::string log = LogOf(records);
  std::vector<std::uint64_t> ends;
  LogReader reader(log);
  for (Slice record; reader.Next(&record);) {
    ends.push_back(reader.end_of_record());
  }
  ASSERT_EQ(ends.size(), records.size());
  const auto step_at = [](std::size_t size) -> std::size_t {
    const bool is_special =
        size < 100 || size > 40'000 || size % kLogBlockBytes < 9;
    return is_special ? 1 : 97;
  };
  for (std::size_t size = 0; size <= log.size(); size += step_at(size)) {
    const Found found = ReadLog(Slice(log).substr(0, size));
    std::size_t whole = 0;
    while (whole < ends.size() && ends[whole] <= size) ++whole;
    ASSERT_EQ(found.records,
              Records(records.begin(),
                      records.begin() + static_cast<std::ptrdiff_t>(whole)))
        << size;
    ASSERT_EQ(found.damage, "") << size;
    const std::uint64_t end = whole == 0 ? 0 : ends[whole - 1];
    ASSERT_EQ(found.end, end);
    ASSERT_EQ(found.ended_clean, end == size) << size;
  }
}

TEST(Log, EveryFlippedBitIsNoticedAndGivesNoRecordThatWasNotWritten) {
  const Records records = {"one", Record(50, '2'), "", "four"};
  const std::string log = LogOf(records);
  for (std::size_t bit = 0; bit < 8 * log.size(); ++bit) {
    std::string damaged = log;
    damaged[bit / 8] = static_cast<char>(damaged[bit / 8] ^ (1 << bit % 8));
    const Found found = ReadLog(damaged);
    EXPECT_FALSE(found.ended_clean) << bit;
    // One block: what follows the damage is dropped with it.
    ASSERT_LT(found.records.size(), records.size()) << bit;
    EXPECT_TRUE(
        std::equal(found.records.begin(), found.records.end(), records.begin()))
        << bit;
  }
}

// A log that is being written is killed at any time: what Add() finished is
// there, and nothing is damaged.
TEST(Log, AWriterThatIsKilledLeavesWholeRecords) {
  const tamis::TempDir dir;
  for (int round = 0; round < 8; ++round) {
    const std::string path = dir.File(std::to_string(round));
    int told[2];
    ASSERT_EQ(::pipe(told), 0);
    const pid_t child = ::fork();
    if (child == 0) {
      LogWriter writer(*DefaultEnv().Create(path, WriteKind::kLog));
      for (std::uint64_t i = 0;; ++i) {
        std::string record(i % 64 == 63 ? 70'000 : i * 131 % 4200, 'x');
        AppendFixed64(&record, i);
        const bool added = writer.Add(record).ok();
        if (!added || ::write(told[1], "x", 1) != 1) ::_exit(1);
      }
    }
    ::close(told[1]);
    std::string buffer(4096, '\0');
    std::uint64_t finished = 0;
    while (finished < 100u * static_cast<unsigned>(round + 1)) {
      const ssize_t got = ::read(told[0], buffer.data(), buffer.size());
      if (got <= 0) break;
      finished += static_cast<std::uint64_t>(got);
    }
    ::kill(child, SIGKILL);
    ASSERT_EQ(::waitpid(child, nullptr, 0), child);
    ::close(told[0]);

    const Found found = ReadLog(dir.Read(std::to_string(round)));
    EXPECT_EQ(found.damage, "");
    EXPECT_GE(found.records.size(), finished);
    for (std::size_t i = 0; i < found.records.size(); ++i) {
      const std::string& record = found.records[i];
      ASSERT_EQ(LoadLittle64(record.data() + record.size() - 8), i);
    }
  }
}

}  // namespace
}  // namespace tamis::testing
