// SPDX-License-Identifier: Apache-2.0
#include "command_line.h"

#include <fstream>
#include <iterator>
#include <string>

#include <gtest/gtest.h>

#include "tamis/kernels.h"
#include "tests/tools/in_process.h"
#include "tests/tools/process.h"
#include "version.h"

namespace tamis::tools {
namespace {

const char* const kCommands[] = {"size",  "build",  "query", "inspect",
                                 "merge", "dedupe", "db"};

TEST(CommandLine, TellsItsVersionWhichIsTheProjects) {
  const RunResult run = Tamis({"--version"});
  EXPECT_EQ(run.code, kExitOk);
  EXPECT_TRUE(run.out.starts_with("tamis " + std::string(kVersion) + "\n"))
      << run.out;
  std::ifstream in(TAMIS_SOURCE_DIR "/CMakeLists.txt");
  const std::string cmake(std::istreambuf_iterator<char>(in), {});
  // The first VERSION behind project( is the project's.
  const std::size_t at = cmake.find(" VERSION ", cmake.find("\nproject("));
  ASSERT_NE(at, std::string::npos);
  EXPECT_TRUE(cmake.substr(at + 9).starts_with(std::string(kVersion) + "\n"));
}

TEST(CommandLine, TheVersionNamesTheKernelsInUse) {
  const RunResult run = Tamis({"--version"});
  const std::string line =
      "\nkernels: " + std::string(ActiveKernelsName()) + " (of portable";
  EXPECT_TRUE(Contains(run.out, line)) << run.out;
  for (const std::string_view name : RunnableKernelsNames()) {
    EXPECT_TRUE(Contains(run.out, name)) << run.out;
  }
  TempDir dir;
  const ProcessResult forced =
      Shell(dir.path(), "TAMIS_KERNELS=portable tamis --version");
  EXPECT_TRUE(Contains(forced.out, "\nkernels: portable (of portable"))
      << forced.out;
}

TEST(CommandLine, HelpListsEveryCommandWithAnExample) {
  for (const auto& args : {std::vector<std::string>{"--help"}, {"help"}}) {
    const RunResult run = Tamis(args);
    EXPECT_EQ(run.code, kExitOk);
    EXPECT_EQ(run.err, "");
    EXPECT_TRUE(Contains(run.out, "Example:"));
    for (const char* name : kCommands) EXPECT_TRUE(Contains(run.out, name));
  }
}

TEST(CommandLine, EveryCommandHasHelpWithAnExampleOfItself) {
  for (const std::string name : kCommands) {
    const RunResult run = Tamis({name, "--help"});
    EXPECT_EQ(run.code, kExitOk) << name;
    EXPECT_TRUE(Contains(run.out, "Usage: tamis " + name)) << run.out;
    EXPECT_TRUE(Contains(run.out, "Example:\n  ")) << name;
    EXPECT_TRUE(Contains(run.out, "tamis " + name + " ")) << name;
    EXPECT_TRUE(Contains(run.out, "--json")) << name;
    EXPECT_EQ(Tamis({"help", name}).out, run.out);
  }
}

TEST(CommandLine, WrongUseIsOneLineAndCode2) {
  const std::vector<std::string> kWrong[] = {
      {"biuld"},
      {"--nope"},
      {"size"},
      {"size", "--keys"},
      {"size", "--keys", "1", "--fpr", "0.1", "--bits-per-key", "8"},
      {"build", "--nope", "-o", "x"},
      {"build"},
      {"rotate", "a", "b"},
      {"build", "a", "-o", "c", "--json=yes"},
      {"build", "a", "-o", "c", "--fpr", "0.1", "--fpr", "0.2"},
      {"query"},
      {"query", "f", "--only", "perhaps"},
      {"inspect"},
      {"merge", "a", "b"},
      {"merge", "a", "-o", "c"},
      {"help", "nothing"},
  };
  for (const auto& args : kWrong) {
    const RunResult run = Tamis(args);
    const std::string shown = ::testing::PrintToString(args);
    EXPECT_EQ(run.code, kExitError) << shown;
    EXPECT_EQ(run.out, "") << shown;
    EXPECT_TRUE(run.err.starts_with("tamis")) << shown;
    EXPECT_EQ(run.err.find('\n'), run.err.size() - 1) << run.err;
  }
}

TEST(CommandLine, WithoutACommandListsThemAndFails) {
  const RunResult whole = Tamis({});
  EXPECT_EQ(whole.code, kExitError);
  EXPECT_EQ(whole.out, "");
  EXPECT_EQ(whole.err, Tamis({"--help"}).out);
  const RunResult store = Tamis({"db"});
  EXPECT_EQ(store.code, kExitError);
  EXPECT_EQ(store.out, "");
  EXPECT_EQ(store.err, Tamis({"db", "--help"}).out);
}

TEST(CommandLine, ANearMissIsAnsweredWithWhatWasMeant) {
  const struct {
    std::vector<std::string> args;
    std::string meant;
  } kRows[] = {
      {{"biuld"}, "'build'"},
      {{"qeury", "f"}, "'query'"},
      {{"insp", "f"}, "'inspect'"},
      {{"get", "dir", "key"}, "'db get'"},
      {{"db", "gte", "dir", "key"}, "'db get'"},
      {{"build", "-o", "x", "--fbr", "1%"}, "'--fpr'"},
      {{"build", "-o", "x", "--bits", "10"}, "'--bits-per-key'"},
      {{"build", "-o", "x", "--kind", "blom"}, "'bloom'"},
      {{"db", "load", "x", "--compression", "ztsd"}, "'zstd'"},
      {{"--verison"}, "'--version'"},
  };
  for (const auto& row : kRows) {
    const RunResult run = Tamis(row.args);
    EXPECT_EQ(run.code, kExitError);
    EXPECT_TRUE(Contains(run.err, " (did you mean " + row.meant + "?)"))
        << run.err;
  }
  for (const std::vector<std::string>& args :
       {std::vector<std::string>{"xyzzy"}, {"build", "-o", "x", "--xyzzy"}}) {
    EXPECT_FALSE(Contains(Tamis(args).err, "did you mean")) << args.back();
  }
}

TEST(CommandLine, LettersStandForTheirWords) {
  EXPECT_EQ(Tamis({"-V"}).out, Tamis({"--version"}).out);
  EXPECT_EQ(Tamis({"-h"}).out, Tamis({"--help"}).out);
  EXPECT_EQ(Tamis({"db", "get", "-h"}).out, Tamis({"db", "get", "--help"}).out);
}

TEST(CommandLine, AFileNamedLikeAListIsOneFile) {
  const RunResult run = Tamis({"inspect", "[a,b]"});
  EXPECT_EQ(run.err, "tamis inspect: [a,b]: no such file or directory\n");
}

}  // namespace
}  // namespace tamis::tools
