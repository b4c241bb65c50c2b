// SPDX-License-Identifier: Apache-2.0
// The real executable in a live pipeline: nothing is held back, and a signal
// ends it with its work done or its traces gone.

#include <string>

#include <gtest/gtest.h>

#include "tests/base/temp_dir.h"
#include "tests/tools/process.h"

namespace tamis::tools {
namespace {

// Each writes whole lines and a part of one into a pipe that stays open, and
// must see all whole lines come out.  The time limits only end a failure.
constexpr const char* kPause =
    "mkfifo in out\n"
    "$COMMAND < in > out 2> err &\n"
    "exec 5> in 6< out\n"
    "printf 'a\\nb\\npar' >&5\n"
    "read -r -t 20 -u 6 first || exit 9\n"
    "read -r -t 20 -u 6 second || exit 9\n"
    "printf 'tial\\nlast' >&5\n"
    "read -r -t 20 -u 6 third || exit 9\n"
    "exec 5>&-; wait\n"
    "read -r -t 20 -u 6 fourth || exit 9\n"
    "echo \"$first|$second|$third|$fourth\"";

TEST(Stream, DedupeHoldsNoWholeLineBackWhilePartOfOneWaits) {
  TempDir dir;
  const ProcessResult run =
      Shell(dir.path(), std::string("COMMAND='tamis dedupe'\n") + kPause);
  EXPECT_EQ(run.code, 0) << run.err;
  EXPECT_EQ(run.out, "a|b|partial|last\n");
}

TEST(Stream, QueryHoldsNoAnswerBackWhilePartOfAKeyWaits) {
  TempDir dir;
  ASSERT_EQ(Shell(dir.path(),
                  "printf 'a\\nlast\\n' | tamis build -o f.tamis "
                  "--bits-per-key 40")
                .code,
            0);
  const ProcessResult run = Shell(
      dir.path(), std::string("COMMAND='tamis query f.tamis'\n") + kPause);
  EXPECT_EQ(run.code, 0) << run.err;
  EXPECT_EQ(run.out, "maybe\ta|no\tb|no\tpartial|maybe\tlast\n");
}

// Input without a pause, of which only the first line passes.
TEST(Stream, DedupeHoldsNothingBackWhereTheInputNeverPauses) {
  TempDir dir;
  const ProcessResult run = Shell(dir.path(),
                                  "tamis dedupe -q < <(exec yes) > out &\n"
                                  "for i in {1..200}; do\n"
                                  "  [[ ! -s out ]] || break; sleep 0.1\n"
                                  "done\n"
                                  "cat out; kill $!; wait $!");
  EXPECT_EQ(run.out, "y\n");
  EXPECT_EQ(run.code, 143);
}

// Background jobs of a script ignore SIGINT unless it has job control.
std::string SignalDedupe(const std::string& signal) {
  return "set -m; mkfifo in\n"
         "tamis dedupe < in > out 2> err &\n"
         "exec 5> in; printf 'a\\nb\\na\\nhalf a li' >&5\n"
         "for i in {1..200}; do [[ ! -s out ]] || break; sleep 0.1; done\n"
         "kill -" +
         signal +
         " $!; wait $!; code=$?\n"
         "cat out err; exit $code";
}

TEST(Stream, ASignalEndsDedupeWithItsLinesAndItsCount) {
  const struct {
    const char* signal;
    int code;
  } kRows[] = {{"INT", 130}, {"TERM", 143}, {"HUP", 129}};
  for (const auto& row : kRows) {
    TempDir dir;
    const ProcessResult run = Shell(dir.path(), SignalDedupe(row.signal));
    EXPECT_EQ(run.code, row.code) << run.err;
    EXPECT_EQ(run.out,
              "a\nb\ntamis dedupe: 3 lines in, 2 out, 1 dropped; fewer than 1 "
              "of them expected to be new (planned: 1,000,000 lines at rate "
              "0.1 %)\n");
  }
}

// Its output is full and nobody reads: it cannot finish, and must not stay.
TEST(Stream, ASecondSignalEndsDedupeAtOnce) {
  TempDir dir;
  const ProcessResult run =
      Shell(dir.path(),
            "set -m; mkfifo out\n"
            "tamis dedupe -q < <(exec seq 10000000) > out &\n"
            "exec 6< out; read -r -u 6 first; sleep 0.3\n"
            "kill -TERM $!; sleep 0.3; kill -0 $! || exit 9\n"
            "kill -TERM $!; wait $!");
  EXPECT_EQ(run.code, 143) << run.err;
}

TEST(Stream, ASignalLeavesNoTemporaryFileOfABuild) {
  TempDir dir;
  // 125 MB, so that there is time to see the temporary file; where it was over
  // all the same before the signal came, once more.
  const ProcessResult run =
      Shell(dir.path(),
            "for try in 1 2 3 4 5; do\n"
            "  rm -f f.tamis\n"
            "  seq 9 | tamis build -o f.tamis --plan-keys 100M 2> told &\n"
            "  until compgen -G '.tamis-tmp-*' > seen; do\n"
            "    kill -0 $! 2> dead || break\n"
            "  done\n"
            "  kill -TERM $! 2> dead; wait $!; code=$?\n"
            "  if [ $code -ne 0 ]; then break; fi\n"
            "done\n"
            "rm -f seen dead told; ls -A; exit $code");
  EXPECT_EQ(run.code, 143) << run.err;
  EXPECT_EQ(run.out, "");
}

TEST(Stream, ALimitOnTheSizeOfFilesIsAnErrorThatLeavesNothing) {
  TempDir dir;
  const ProcessResult run =
      Shell(dir.path(),
            "ulimit -f 8; seq 9 | tamis build -o f.tamis --plan-keys 1M; "
            "code=$?; ls -A; exit $code");
  EXPECT_EQ(run.code, 2);
  EXPECT_EQ(run.out, "");
  EXPECT_EQ(run.err, "tamis build: f.tamis: File too large\n");
}

// script(1) gives the command a terminal of its own.
TEST(Stream, ProgressOnATerminalIsOneLineThatTellsEveryStep) {
  TempDir dir;
  if (Shell(dir.path(), "script -qec true /dev/null").code != 0) {
    GTEST_SKIP() << "no pseudo-terminal can be had here (is /dev/pts mounted?)";
  }
  const ProcessResult run =
      Shell(dir.path(),
            "seq 3000000 > keys\n"
            "script -qec 'stty cols 24; tamis build keys -o f.tamis' /dev/null "
            "> shown; tr '\\r' '\\n' < shown > lines\n"
            "grep -c 'making the filter' lines; grep -c 'writing 3' lines\n"
            "sed 's/\\x1b\\[K//g' lines | grep -v '^tamis build' |\n"
            "  awk 'length > 23' | wc -l");
  EXPECT_EQ(run.out, "1\n1\n0\n") << run.err;
}

}  // namespace
}  // namespace tamis::tools
