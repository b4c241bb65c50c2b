// SPDX-License-Identifier: Apache-2.0
#include "store/file_names.h"

#include <cerrno>
#include <string>
#include <string_view>
#include <utility>

#include <gtest/gtest.h>

#include "tests/support/memory_env.h"

namespace tamis::testing {
namespace {

void ExpectParses(std::string_view name, FileType type, std::uint64_t number) {
  const auto parsed = ParseFileName(name);
  ASSERT_TRUE(parsed.has_value()) << name;
  EXPECT_EQ(parsed->type, type) << name;
  EXPECT_EQ(parsed->number, number) << name;
}

TEST(FileNames, HaveSixDigitsOrMore) {
  EXPECT_EQ(LogFileName("/db", 7), "/db/000007.log");
  EXPECT_EQ(TableFileName("/db", 123456), "/db/123456.ldb");
  EXPECT_EQ(OldTableFileName("/db", 1234567), "/db/1234567.sst");
  EXPECT_EQ(ManifestFileName("/db", 0), "/db/MANIFEST-000000");
  EXPECT_EQ(TemporaryFileName("/db", ~std::uint64_t{0}),
            "/db/18446744073709551615.dbtmp");
}

TEST(FileNames, AreParsedAsTheyAreMade) {
  constexpr std::size_t kSkip = 2;  // "d/"
  for (const std::uint64_t n : {std::uint64_t{0}, std::uint64_t{999'999},
                                std::uint64_t{1'000'000}, ~std::uint64_t{0}}) {
    ExpectParses(LogFileName("d", n).substr(kSkip), FileType::kLog, n);
    ExpectParses(TableFileName("d", n).substr(kSkip), FileType::kTable, n);
    ExpectParses(OldTableFileName("d", n).substr(kSkip), FileType::kTable, n);
    ExpectParses(ManifestFileName("d", n).substr(kSkip), FileType::kManifest,
                 n);
    ExpectParses(TemporaryFileName("d", n).substr(kSkip), FileType::kTemporary,
                 n);
  }
  ExpectParses(CurrentFileName("d").substr(kSkip), FileType::kCurrent, 0);
  ExpectParses(LockFileName("d").substr(kSkip), FileType::kLock, 0);
  ExpectParses(InfoLogFileName("d").substr(kSkip), FileType::kInfoLog, 0);
  ExpectParses(OldInfoLogFileName("d").substr(kSkip), FileType::kInfoLog, 0);
  ExpectParses("0.log", FileType::kLog, 0);
  ExpectParses("MANIFEST-5", FileType::kManifest, 5);
}

TEST(FileNames, WhatIsNotAStoresNameIsLeftAlone) {
  for (const std::string_view name : {"",
                                      "foo",
                                      "foo-dx-100.log",
                                      ".log",
                                      "100",
                                      "100.",
                                      "100.lop",
                                      "100.log2",
                                      "+1.log",
                                      "-1.log",
                                      " 1.log",
                                      "1 .log",
                                      "000013.flt",
                                      "README",
                                      "MANIFEST",
                                      "MANIFEST-",
                                      "MANIFEST-3x",
                                      "MANIFEST-+3",
                                      "XMANIFEST-3",
                                      "CURRENTX",
                                      "CURREN",
                                      "LOCKX",
                                      "LOGX",
                                      "LOG.old2",
                                      "18446744073709551616.log",
                                      "184467440737095516150.log",
                                      "100.LOG"}) {
    EXPECT_FALSE(ParseFileName(name).has_value()) << name;
  }
}

TEST(Current, NamesTheManifestThatWasSet) {
  MemoryEnv env;
  ASSERT_TRUE(env.CreateDirectory("/db").ok());
  ASSERT_TRUE(env.SyncDirectory("/").ok());
  EXPECT_EQ(ReadCurrent(env, "/db").status().code(), StatusCode::kNotFound);
  for (const std::uint64_t number : {5u, 12u}) {
    const Status set = SetCurrent(env, "/db", number);
    ASSERT_TRUE(set.ok()) << set.ToString();
    EXPECT_EQ(*ReadCurrent(env, "/db"), ManifestFileName("/db", number));
  }
  EXPECT_EQ(env.Contents("/db/CURRENT"), "MANIFEST-000012\n");
  EXPECT_EQ(env.List("/db").value().size(), 1u);
  ASSERT_TRUE(env.SyncDirectory("/").ok());
  env.Crash(CrashMode::kDropUnsynced);
  env.Restart();
  EXPECT_EQ(*ReadCurrent(env, "/db"), "/db/MANIFEST-000012");
}

TEST(Current, NamesTheOldManifestOrTheNewWhateverFails) {
  for (std::uint64_t n = 1;; ++n) {
    MemoryEnv env;
    ASSERT_TRUE(env.CreateDirectory("/db").ok());
    ASSERT_TRUE(env.SyncDirectory("/").ok());
    ASSERT_TRUE(SetCurrent(env, "/db", 1).ok());
    env.FailCall(n, EIO);
    const Status set = SetCurrent(env, "/db", 2);
    const bool failed = env.failures() > 0;
    EXPECT_EQ(set.ok(), !failed);
    env.Heal();
    env.Crash(CrashMode::kKeepRandomPrefix, n);
    env.Restart();
    const auto current = ReadCurrent(env, "/db");
    ASSERT_TRUE(current.ok()) << current.status().ToString();
    EXPECT_TRUE(*current == ManifestFileName("/db", 2) ||
                (failed && *current == ManifestFileName("/db", 1)))
        << n << ": " << *current;
    if (!failed) break;
    ASSERT_LT(n, 20u);
  }
}

TEST(Current, AFailureLeavesNoTemporaryFile) {
  MemoryEnv env;
  ASSERT_TRUE(env.CreateDirectory("/db").ok());
  env.FailCall(1, EIO, false, kSyncCalls);
  EXPECT_EQ(SetCurrent(env, "/db", 2).code(), StatusCode::kIoError);
  EXPECT_TRUE(env.List("/db").value().empty());
}

TEST(Current, WhatDoesNotNameAManifestIsCorruption) {
  MemoryEnv env;
  for (const std::string& content :
       {std::string(), std::string("\n"), std::string("MANIFEST-000001"),
        std::string("MANIFEST-\n"), std::string("000001.log\n"),
        std::string("../x/MANIFEST-000001\n"),
        std::string("MANIFEST-000001\n\n"),
        "MANIFEST-" + std::string(100, '0') + "1\n",
        std::string("MANIFEST-000001\0\n", 17)}) {
    env.SetContents("./CURRENT", content);
    const auto current = ReadCurrent(env, ".");
    EXPECT_EQ(current.status().code(), StatusCode::kCorruption) << content;
    EXPECT_TRUE(current.status().message().starts_with("./CURRENT"));
  }
}

TEST(FileNames, TheDirectoryADirectoryIsIn) {
  const std::pair<const char*, const char*> kCases[] = {
      {"a", "."},     {"/a", "/"},   {"a/b", "a"},   {"a/b/", "a"},
      {"/a/b", "/a"}, {"a//b", "a"}, {"//a", "/"},   {".", "."},
      {"/", "/"},     {"./a", "."},  {"../a", ".."},
  };
  for (const auto& [dir, parent] : kCases) {
    EXPECT_EQ(ParentDirectory(dir), parent) << dir;
  }
}

}  // namespace
}  // namespace tamis::testing
