// SPDX-License-Identifier: Apache-2.0
// tamis add, remove and rotate.

#include <algorithm>
#include <chrono>
#include <filesystem>
#include <future>
#include <string>
#include <vector>

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "tamis/filter_file.h"
#include "tests/tools/in_process.h"
#include "tests/tools/process.h"

namespace tamis::tools {
namespace {

// A filter of `kind` over Lines("key", count), planned for 2,000 keys.
std::string BuildIn(const TempDir& dir, const std::string& kind, int count,
                    const std::string& name = "f.tamis") {
  const RunResult run = Tamis({"build", "-o", dir.File(name), "--kind", kind,
                               "--plan-keys", "2000", "--force"},
                              {.input = Lines("key", count)});
  EXPECT_EQ(run.code, kExitOk) << run.err;
  return dir.File(name);
}

bool IsIn(const std::string& filter, const std::string& key) {
  return Tamis({"query", filter, "-k", key}).code == kExitOk;
}

class AddToEveryKind : public ::testing::TestWithParam<const char*> {};

TEST_P(AddToEveryKind, KeysOfBothTimesAreInAndTheFileIsReplaced) {
  TempDir dir;
  const std::string filter = BuildIn(dir, GetParam(), 500);
  const RunResult run = Tamis({"add", filter}, {.input = Lines("more", 500)});
  EXPECT_EQ(run.code, kExitOk) << run.err;
  EXPECT_TRUE(IsOneLineFrom("add", run.err)) << run.err;
  EXPECT_TRUE(run.err.starts_with("tamis add: 500 keys added; ")) << run.err;
  EXPECT_TRUE(Contains(run.err, ", expected rate ")) << run.err;
  const RunResult all =
      Tamis({"query", filter, "--only", "no"},
            {.input = Lines("key", 500) + Lines("more", 500)});
  EXPECT_EQ(all.out, "");
  EXPECT_EQ(dir.Count(), 1u);
}

INSTANTIATE_TEST_SUITE_P(Kinds, AddToEveryKind,
                         ::testing::Values("bloom", "splitblock", "classic",
                                           "counting", "cuckoo", "scalable",
                                           "rotating"));

TEST(AddCommand, ANewFileLeavesTheOldOneAlone) {
  TempDir dir;
  const std::string filter = BuildIn(dir, "bloom", 10);
  const std::string before = dir.Read("f.tamis");
  EXPECT_EQ(Tamis({"add", filter, "-k", "x", "-o", dir.File("new")}).code,
            kExitOk);
  EXPECT_EQ(dir.Read("f.tamis"), before);
  EXPECT_TRUE(IsIn(dir.File("new"), "x"));
  EXPECT_TRUE(IsIn(dir.File("new"), "key3"));
  const RunResult again =
      Tamis({"add", filter, "-k", "x", "-o", dir.File("new")});
  EXPECT_EQ(again.code, kExitError);
  EXPECT_TRUE(Contains(again.err, "--force")) << again.err;
  const RunResult piped =
      Tamis({"add", "-", "-k", "x", "-o", "-"}, {.input = before});
  EXPECT_EQ(piped.out, dir.Read("new"));
}

TEST(AddCommand, AKindThatCannotGrowSaysWhichCan) {
  TempDir dir;
  for (const std::string kind : {"ribbon", "fuse8"}) {
    ASSERT_EQ(Tamis({"build", "-o", dir.File("f"), "--kind", kind, "-f"},
                    {.input = "a\n"})
                  .code,
              kExitOk);
    const std::string before = dir.Read("f");
    const RunResult run = Tamis({"add", dir.File("f"), "-k", "b"});
    EXPECT_EQ(run.code, kExitError);
    EXPECT_EQ(run.err, "tamis add: " + dir.File("f") + ": is a " + kind +
                           " filter; keys can be added to bloom, splitblock, "
                           "classic, counting, cuckoo, scalable and "
                           "rotating\n");
    EXPECT_EQ(dir.Read("f"), before);
  }
}

TEST(AddCommand, OnAnyErrorTheFileIsAsItWas) {
  TempDir dir;
  const std::string filter = BuildIn(dir, "cuckoo", 100);
  const std::string before = dir.Read("f.tamis");
  const auto error = [&](const std::vector<std::string>& args,
                         const std::string& input) {
    const RunResult run = Tamis(args, {.input = input});
    EXPECT_EQ(run.code, kExitError) << run.err;
    EXPECT_TRUE(IsOneLineFrom(args[0], run.err)) << run.err;
    EXPECT_EQ(dir.Read("f.tamis"), before);
    EXPECT_EQ(dir.Count(), 1u);
    return run.err;
  };
  // A thousand times one key is more than its two buckets take.
  std::string same;
  for (int i = 0; i < 1000; ++i) same += "same\n";
  EXPECT_TRUE(Contains(error({"add", filter}, same), "the file is as it was"));
  EXPECT_TRUE(Contains(error({"add", filter, "--hex"}, "61\n6\n"), "line 2"));
  error({"remove", filter, "--hex"}, "6b657930\nx\n");
  error({"add", filter, dir.File("nowhere")}, "");
  error({"add", filter, filter}, "");
  error({"rotate", filter}, "");
}

TEST(AddCommand, DamagedAndForeignFiltersAreNotTouched) {
  TempDir dir;
  const std::string filter = BuildIn(dir, "counting", 100);
  std::string bytes = dir.Read("f.tamis");
  bytes[200] = static_cast<char>(bytes[200] ^ 1);
  dir.Write("f.tamis", bytes);
  for (const char* command : {"add", "remove"}) {
    const RunResult run = Tamis({command, filter, "-k", "key1"});
    EXPECT_EQ(run.code, kExitError);
    EXPECT_TRUE(IsOneLineFrom(command, run.err)) << run.err;
    EXPECT_EQ(dir.Read("f.tamis"), bytes);
  }
  ASSERT_EQ(Tamis({"build", "-o", dir.File("f.leveldb"), "--format", "leveldb"},
                  {.input = "a\n"})
                .code,
            kExitOk);
  const RunResult run = Tamis({"add", dir.File("f.leveldb"), "-k", "b"});
  EXPECT_EQ(run.code, kExitError);
  EXPECT_TRUE(IsOneLineFrom("add", run.err)) << run.err;
}

class RemoveFromEveryKind : public ::testing::TestWithParam<const char*> {};

TEST_P(RemoveFromEveryKind, TakesKeysOutAndCountsAbsentOnes) {
  TempDir dir;
  const std::string filter = BuildIn(dir, GetParam(), 1000);
  const RunResult some =
      Tamis({"remove", filter}, {.input = Lines("key", 500)});
  EXPECT_EQ(some.code, kExitOk) << some.err;
  EXPECT_TRUE(
      some.err.starts_with("tamis remove: 500 keys removed; 500 keys in it, "))
      << some.err;
  const RunResult left = Tamis({"query", filter, "--only", "maybe"},
                               {.input = Lines("key", 1000)});
  for (int i = 500; i < 1000; ++i) {
    ASSERT_TRUE(Contains(left.out, "\tkey" + std::to_string(i) + "\n")) << i;
  }
  const RunResult gone =
      Tamis({"query", filter, "--only", "maybe"}, {.input = Lines("key", 500)});
  EXPECT_LT(std::count(gone.out.begin(), gone.out.end(), '\n'), 25);

  const RunResult json =
      Tamis({"remove", filter, "--json", "-k", "key700", "-k", "never added"});
  EXPECT_EQ(json.code, kExitNegative);
  EXPECT_EQ(json.err, "");
  const auto object = nlohmann::json::parse(json.out);
  EXPECT_EQ(object["removed"], 1);
  EXPECT_EQ(object["absent"], 1);
  EXPECT_EQ(object["keys"], 499);
  EXPECT_EQ(object["kind"], GetParam());
}

INSTANTIATE_TEST_SUITE_P(Kinds, RemoveFromEveryKind,
                         ::testing::Values("counting", "cuckoo"));

TEST(RemoveCommand, AKindThatCannotSaysWhichCan) {
  TempDir dir;
  const std::string filter = BuildIn(dir, "bloom", 10);
  const RunResult run = Tamis({"remove", filter, "-k", "key1"});
  EXPECT_EQ(run.code, kExitError);
  EXPECT_EQ(run.err,
            "tamis remove: " + filter +
                ": is a bloom filter; keys can be removed from counting and "
                "cuckoo\n");
}

TEST(RotateCommand, KeysExpireAfterAsManyRotationsAsGenerations) {
  TempDir dir;
  const std::string filter = BuildIn(dir, "rotating", 100);
  for (int i = 1; i <= 3; ++i) {
    const RunResult run = Tamis({"rotate", filter});
    EXPECT_EQ(run.code, kExitOk) << run.err;
    EXPECT_TRUE(Contains(run.err, "rotation " + std::to_string(i) +
                                      " (4 generations); 100 keys in it"))
        << run.err;
    EXPECT_TRUE(IsIn(filter, "key7"));
  }
  EXPECT_TRUE(Contains(Tamis({"inspect", filter}).out,
                       "generations:   4, rotated 3 times\n"));
  const RunResult last = Tamis({"rotate", filter, "--json"});
  EXPECT_EQ(nlohmann::json::parse(last.out)["rotations"], 4);
  EXPECT_FALSE(IsIn(filter, "key7"));
  EXPECT_EQ(dir.Count(), 1u);
}

TEST(RotateCommand, OnlyRotatingFiltersHaveGenerations) {
  TempDir dir;
  const RunResult run = Tamis({"rotate", BuildIn(dir, "bloom", 10)});
  EXPECT_EQ(run.code, kExitError);
  EXPECT_TRUE(Contains(run.err, "is a bloom filter; only rotating has "))
      << run.err;
}

TEST(MutableFilterCommands, WrongUseIsCode2) {
  TempDir dir;
  const std::string filter = BuildIn(dir, "counting", 10);
  const std::vector<std::string> kWrong[] = {
      {"add"},
      {"add", dir.File("no"), "-k", "a"},
      {"add", "-", "-k", "a"},
      {"add", "-", "-o", "-"},
      {"add", filter, "-k", "a", "-o", "-", "--json"},
      {"add", filter, ""},
      {"remove", filter, "--hex", "-k", "x"},
      {"remove", dir.path(), "-k", "x"},
      {"rotate", "-"},
      {"rotate", filter, "keys"},
  };
  for (const auto& args : kWrong) {
    const RunResult run = Tamis(args);
    EXPECT_EQ(run.code, kExitError) << ::testing::PrintToString(args);
    EXPECT_TRUE(IsOneLineFrom(args[0], run.err)) << run.err;
  }
}

class AddToABloomFilter : public ::testing::TestWithParam<const char*> {};

TEST_P(AddToABloomFilter, CountsNoKeyTwice) {
  TempDir dir;
  const std::string filter = BuildIn(dir, GetParam(), 500);
  const std::string before = dir.Read("f.tamis");
  const RunResult again = Tamis({"add", filter}, {.input = Lines("key", 500)});
  EXPECT_TRUE(again.err.starts_with(
      "tamis add: 0 keys added, 500 maybe in it before; 500 keys in it, "))
      << again.err;
  EXPECT_EQ(dir.Read("f.tamis"), before);
  const RunResult run =
      Tamis({"add", filter, "--json"}, {.input = "new\nnew\nkey7\nnew\n"});
  const auto json = nlohmann::json::parse(run.out);
  EXPECT_EQ(json["lines"], 4);
  EXPECT_EQ(json["added"], 1);
  EXPECT_EQ(json["known"], 3);
  EXPECT_EQ(json["keys"], 501);
  EXPECT_TRUE(IsIn(filter, "new"));
}

INSTANTIATE_TEST_SUITE_P(Kinds, AddToABloomFilter,
                         ::testing::Values("bloom", "splitblock", "classic"));

class ManyAtOnce : public ::testing::TestWithParam<const char*> {};

TEST_P(ManyAtOnce, AddToOneFileAndNoneIsLost) {
  TempDir dir;
  BuildIn(dir, GetParam(), 1);
  const ProcessResult run =
      Shell(dir.path(),
            "for i in 0 1 2 3 4 5 6 7; do\n"
            "  seq $((i * 100)) $((i * 100 + 99)) | tamis add f.tamis &\n"
            "done\nwait");
  EXPECT_EQ(run.code, 0) << run.err;
  const ProcessResult asked =
      Shell(dir.path(), "seq 0 799 | tamis query f.tamis --only no");
  EXPECT_EQ(asked.out, "");
}

INSTANTIATE_TEST_SUITE_P(Kinds, ManyAtOnce,
                         ::testing::Values("cuckoo", "scalable", "bloom"));

// In place, whether by leaving -o out or by naming the file there, and where
// another filter takes the file's place.
TEST(MutableFilterCommands, WaitForWhoeverChangesTheFile) {
  TempDir dir;
  const std::string filter = BuildIn(dir, "bloom", 10);
  const std::string other = dir.File("other.tamis");
  std::filesystem::copy(filter, other);
  const std::vector<std::vector<std::string>> commands = {
      {"add", other, "-k", "x", "-o", filter, "--force"},
      {"add", filter, "-k", "x"},
      {"add", filter, "-k", "x", "-o", filter, "--force"},
      {"fold", filter, "--divisor", "1", "-o", filter, "--force"},
      {"merge", filter, filter, "-o", filter, "--force"},
      {"build", "-o", filter, "--force"}};
  for (const auto& args : commands) {
    auto lock = LockFilterFile(filter, std::chrono::milliseconds(0));
    ASSERT_TRUE(lock.ok()) << lock.status().message();
    auto waiting = std::async(std::launch::async,
                              [&] { return Tamis(args, {.input = "key\n"}); });
    EXPECT_EQ(waiting.wait_for(std::chrono::milliseconds(50)),
              std::future_status::timeout)
        << args[0];
    lock.value().reset();
    EXPECT_EQ(waiting.get().code, kExitOk) << args[0];
  }
}

}  // namespace
}  // namespace tamis::tools
