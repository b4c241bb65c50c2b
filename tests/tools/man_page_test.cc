// SPDX-License-Identifier: Apache-2.0
// Manual pages: each says all that the description of the commands says, and
// groff takes it without complaint.  completions_test.cc has the completions.

#include "man_page.h"

#include <string>
#include <string_view>
#include <vector>

#include <gtest/gtest.h>

#include "command_spec.h"
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

}  // namespace
}  // namespace tamis::tools
