// SPDX-License-Identifier: Apache-2.0
// What only the real executable can show: streams, pipes, signals, codes.

#include "tests/tools/process.h"

#include <string>

#include <gtest/gtest.h>

#include "tests/base/temp_dir.h"

namespace tamis::tools {
namespace {

TEST(Executable, BuildsFromAPipeAndAnswersThroughAPipe) {
  TempDir dir;
  const ProcessResult built =
      Shell(dir.path(), "seq 1000 | tamis build -o f.tamis --bits-per-key 40");
  EXPECT_EQ(built.code, 0) << built.err;
  EXPECT_EQ(built.out, "");
  EXPECT_TRUE(built.err.starts_with("tamis build: 1,000 keys")) << built.err;
  // No bar and no colours where nobody watches.
  EXPECT_EQ(built.err.find_first_of("\r\x1b"), std::string::npos);
  const ProcessResult asked =
      Shell(dir.path(), "printf '7\\nx\\n' | tamis query f.tamis");
  EXPECT_EQ(asked.code, 0);
  EXPECT_EQ(asked.out, "maybe\t7\nno\tx\n");
}

TEST(Executable, ExitCodesAreZeroOneAndTwo) {
  TempDir dir;
  ASSERT_EQ(Shell(dir.path(), "seq 9 | tamis build -o f.tamis").code, 0);
  EXPECT_EQ(Shell(dir.path(), "tamis query f.tamis -k 1").code, 0);
  EXPECT_EQ(Shell(dir.path(), "tamis query f.tamis -k one-that-is-not").code,
            1);
  EXPECT_EQ(Shell(dir.path(), "tamis query missing.tamis -k 1").code, 2);
  EXPECT_EQ(Shell(dir.path(), "tamis").code, 2);
  EXPECT_EQ(Shell(dir.path(), "tamis --help").code, 0);
}

TEST(Executable, AReaderThatLeavesEndsItQuietly) {
  TempDir dir;
  ASSERT_EQ(Shell(dir.path(), "seq 9 | tamis build -o f.tamis").code, 0);
  const ProcessResult run =
      Shell(dir.path(), "seq 1000000 | tamis query f.tamis | head -n 1");
  EXPECT_EQ(run.out, "maybe\t1\n");
  EXPECT_EQ(run.err, "");
  // The same where the parent had switched the signal off.
  const ProcessResult ignored = Shell(
      dir.path(),
      "trap '' PIPE; (seq 1000000 2>/dev/null) | tamis dedupe | head -n 1");
  EXPECT_EQ(ignored.out, "1\n");
  EXPECT_EQ(ignored.err, "");
}

TEST(Executable, AFullDiskIsAnErrorAndNotASilentLoss) {
  TempDir dir;
  for (const char* line :
       {"seq 10 | tamis dedupe > /dev/full", "tamis --help > /dev/full",
        "seq 1000000 | tamis dedupe > /dev/full",
        "tamis size --keys 10 > /dev/full",
        "seq 10 | tamis build -o - > /dev/full"}) {
    const ProcessResult run = Shell(dir.path(), line);
    EXPECT_EQ(run.code, 2) << line;
    EXPECT_NE(run.err.find("No space left"), std::string::npos) << run.err;
  }
}

TEST(Executable, DedupeShowsLinesWhileItsInputPauses) {
  TempDir dir;
  // The first line must be out before the writer goes on, else the writer
  // waits for ever and the time limit ends it.
  const ProcessResult run =
      Shell(dir.path(),
            "mkfifo in out\n"
            "tamis dedupe -q < in > out &\n"
            "exec 5> in 6< out\n"
            "echo a >&5; read -r -t 20 -u 6 first || exit 9\n"
            "echo a >&5; echo b >&5; read -r -t 20 -u 6 second || exit 9\n"
            "exec 5>&-; wait\n"
            "echo \"$first $second\"");
  EXPECT_EQ(run.code, 0);
  EXPECT_EQ(run.out, "a b\n");
}

TEST(Executable, QueryTakesAFilterFromAPipe) {
  TempDir dir;
  const ProcessResult run = Shell(
      dir.path(),
      "tamis query --format tamis <(seq 9 | tamis build -o - 2>/dev/null) "
      "-k 5");
  EXPECT_EQ(run.code, 0) << run.err;
  EXPECT_EQ(run.out, "maybe\t5\n");
}

TEST(Executable, WritesIntoADeviceAndLeavesItADevice) {
  TempDir dir;
  const ProcessResult run =
      Shell(dir.path(),
            "seq 9 | tamis build -o /dev/null --force; test -c /dev/null");
  EXPECT_EQ(run.code, 0) << run.err;
}

}  // namespace
}  // namespace tamis::tools
