// SPDX-License-Identifier: Apache-2.0
// Manual pages and completions: each says all that the description of the
// commands says, and the programs they are for take them without complaint.

#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include <gtest/gtest.h>

#include "command_spec.h"
#include "completions.h"
#include "man_page.h"
#include "tests/base/temp_dir.h"
#include "tests/tools/in_process.h"
#include "tests/tools/process.h"

namespace tamis::tools {
namespace {

bool HasProgram(const std::string& name) {
  TempDir dir;
  return Shell(dir.path(), "command -v " + name).code == 0;
}

// As troff wants its hyphens.
std::string Hyphens(std::string_view text) {
  std::string out;
  for (const char c : text) {
    if (c == '-') out += '\\';
    out += c;
  }
  return out;
}

TEST(ManPage, OfEveryCommandHasItsOptionsArgumentsAndExamples) {
  for (const CommandSpec& command : AllCommands()) {
    const std::string page = ManPageOf(command);
    for (const OptionSpec& option : AllOptionsOf(command)) {
      EXPECT_TRUE(Contains(page, "\\fB" + Hyphens(option.name) + "\\fR"))
          << command.name << " " << option.name;
    }
    for (const OperandSpec& operand : command.operands) {
      EXPECT_TRUE(Contains(page, "\\fI" + std::string(operand.name) + "\\fR\n"))
          << command.name << " " << operand.name;
    }
    EXPECT_TRUE(Contains(page, ".SH EXAMPLES\n")) << command.name;
    EXPECT_TRUE(Contains(ManPageOfWhole(), Hyphens(ManPageName(command))))
        << command.name;
  }
}

TEST(ManPage, RendersWithoutAWarning) {
  if (!HasProgram("groff")) GTEST_SKIP() << "no groff here";
  TempDir dir;
  dir.Write("tamis.1", ManPageOfWhole());
  for (const CommandSpec& command : AllCommands()) {
    dir.Write(ManPageName(command) + ".1", ManPageOf(command));
  }
  const ProcessResult run = Shell(
      dir.path(), "for page in *.1; do groff -man -ww -Tascii -z $page; done");
  EXPECT_EQ(run.err, "");
  EXPECT_EQ(run.out, "");
  const ProcessResult page =
      Shell(dir.path(), "groff -man -Tascii -P-cbou tamis-build.1");
  EXPECT_TRUE(Contains(page.out, "-o, --output FILE")) << page.out;
  EXPECT_TRUE(Contains(page.out, "tamis build words.txt -o words.tamis"))
      << page.out;
}

// What bash offers where the cursor stands behind the last word.
std::string Completed(const std::string& words) {
  TempDir dir;
  dir.Write("completion", BashCompletion());
  dir.Write("keys.txt", "");
  std::filesystem::create_directory(dir.File("db"));
  const ProcessResult run =
      Shell(dir.path(), ". ./completion; COMP_WORDS=(" + words +
                            "); COMP_CWORD=$((${#COMP_WORDS[@]} - 1)); _tamis;"
                            " echo \"${COMPREPLY[*]}\"");
  EXPECT_EQ(run.err, "") << words;
  return run.out;
}

TEST(BashCompletion, OffersCommandsOptionsValuesAndFiles) {
  EXPECT_EQ(Completed("tamis bu"), "build\n");
  EXPECT_EQ(Completed("tamis d"), "dedupe db\n");
  EXPECT_EQ(Completed("tamis db ex"), "explain\n");
  EXPECT_EQ(Completed("tamis build --b"), "--bits-per-key\n");
  EXPECT_EQ(Completed("tamis build --kind fuse"), "fuse8 fuse16 fuse32\n");
  EXPECT_EQ(Completed("tamis query keys.txt --only ''"), "maybe no\n");
  EXPECT_EQ(Completed("tamis db load db --compression z"), "zstd\n");
  EXPECT_EQ(Completed("tamis build -o ke"), "keys.txt\n");
  EXPECT_EQ(Completed("tamis build ke"), "keys.txt\n");
  EXPECT_EQ(Completed("tamis db get d"), "db\n");
  EXPECT_EQ(Completed("tamis db get --js"), "--json\n");
  // A number is nothing to be completed, least of all by files.
  EXPECT_EQ(Completed("tamis build --threads k"), "\n");
  EXPECT_EQ(Completed("tamis nonsense k"), "\n");
}

TEST(BashCompletion, OffersEveryOptionOfEveryCommand) {
  for (const CommandSpec& command : AllCommands()) {
    const std::string offered =
        Completed("tamis " + std::string(command.name) + " --");
    for (const OptionSpec& option : AllOptionsOf(command)) {
      EXPECT_TRUE(Contains(" " + offered, " " + std::string(option.name)))
          << command.name << " " << option.name;
    }
  }
}

// The lines from the command's own on.
std::string_view From(std::string_view text, const std::string& start) {
  const std::size_t at = text.find(start);
  return at == std::string_view::npos ? std::string_view() : text.substr(at);
}

TEST(ZshCompletion, HasEveryOptionOfEveryCommand) {
  const std::string script = ZshCompletion();
  for (const CommandSpec& command : AllCommands()) {
    std::string_view arm =
        From(script, "    '" + std::string(command.name) + "')\n");
    arm = arm.substr(0, arm.find("\n      ;;"));
    for (const OptionSpec& option : AllOptionsOf(command)) {
      EXPECT_TRUE(Contains(arm, std::string(option.name) + "["))
          << command.name << " " << option.name;
    }
  }
  if (!HasProgram("zsh")) GTEST_SKIP() << "no zsh here to parse it";
  TempDir dir;
  dir.Write("_tamis", script);
  EXPECT_EQ(Shell(dir.path(), "zsh -n _tamis").code, 0);
}

TEST(FishCompletion, HasEveryOptionOfEveryCommand) {
  const std::string script = FishCompletion();
  for (const CommandSpec& command : AllCommands()) {
    const std::string word(command.name.substr(command.name.rfind(' ') + 1));
    for (const OptionSpec& option : AllOptionsOf(command)) {
      const bool is_store = command.name != word;
      std::string line =
          std::string("complete -c tamis -n '") + (is_store ? "" : "not ") +
          "__fish_seen_subcommand_from db; and __fish_seen_subcommand_from " +
          word + "'";
      if (option.letter != 0) line += std::string(" -s ") + option.letter;
      line += " -l " + std::string(option.name.substr(2)) + " ";
      EXPECT_TRUE(Contains(script, line)) << line;
    }
  }
  if (!HasProgram("fish")) GTEST_SKIP() << "no fish here to parse it";
  TempDir dir;
  dir.Write("tamis.fish", script);
  EXPECT_EQ(Shell(dir.path(), "fish --no-execute tamis.fish").code, 0);
}

}  // namespace
}  // namespace tamis::tools
