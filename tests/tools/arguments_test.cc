// SPDX-License-Identifier: Apache-2.0
#include "arguments.h"

#include <algorithm>
#include <set>
#include <sstream>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "help_text.h"
#include "run_command.h"
#include "tests/tools/in_process.h"

namespace tamis::tools {
namespace {

constexpr OperandSpec kOperands[] = {
    {.name = "FILE", .help = "", .kind = ValueKind::kFile},
    {.name = "KEYS", .help = "", .required = false, .many = true}};
constexpr OptionSpec kOptions[] = {
    {.name = "--key",
     .letter = 'k',
     .value = "KEY",
     .repeatable = true,
     .may_be_empty = true},
    {.name = "--output", .letter = 'o', .value = "FILE", .required = true},
    {.name = "--force", .letter = 'f'},
    {.name = "--null", .letter = '0'},
    {.name = "--only", .value = "ANSWER", .kind = ValueKind::kAnswer},
    {.name = "--raw", .excludes = "--force --only"},
};
constexpr CommandSpec kCommand = {
    .name = "test", .summary = "", .operands = kOperands, .options = kOptions};

Result<Arguments> Parse(const std::vector<std::string>& words) {
  return Arguments::Parse(kCommand, words);
}

// What is wrong with the words.
std::string Problem(const std::vector<std::string>& words) {
  return Parse(words).status().message();
}

TEST(Arguments, TakesEveryWayToWriteAnOption) {
  for (const std::vector<std::string>& words :
       {std::vector<std::string>{"-o", "x", "a", "-f", "-0"},
        {"a", "-ox", "--force", "--null"},
        {"--output=x", "-f0", "a"},
        {"-f0ox", "a"},
        {"-f0o", "x", "a"},
        {"--output", "x", "-0f", "--", "a"}}) {
    const auto given = Parse(words);
    ASSERT_TRUE(given.ok()) << given.status().message();
    EXPECT_EQ(given->Text("--output"), "x");
    EXPECT_TRUE(given->Has("--force"));
    EXPECT_TRUE(given->Has("--null"));
    EXPECT_FALSE(given->Has("--raw"));
    EXPECT_EQ(given->OperandsFrom(0), std::vector<std::string>{"a"});
  }
}

TEST(Arguments, WhatFollowsAnOptionWithAValueIsItsValue) {
  const auto given = Parse(
      {"a", "-o", "-f", "-k", "--", "-k=", "--key", "", "--key=", "--key=a=b"});
  ASSERT_TRUE(given.ok()) << given.status().message();
  EXPECT_EQ(given->Text("--output"), "-f");
  EXPECT_EQ(given->Texts("--key"),
            (std::vector<std::string>{"--", "=", "", "", "a=b"}));
  EXPECT_FALSE(given->Has("--force"));
}

TEST(Arguments, BehindTwoHyphensEverythingIsAnOperand) {
  const auto given = Parse({"-o", "x", "-", "--", "--force", "--", "-k"});
  ASSERT_TRUE(given.ok()) << given.status().message();
  EXPECT_EQ(given->Operand(0), "-");
  EXPECT_EQ(given->OperandsFrom(1),
            (std::vector<std::string>{"--force", "--", "-k"}));
  EXPECT_EQ(given->Operand(9), "");
}

TEST(Arguments, SaysWhatIsWrong) {
  EXPECT_EQ(Problem({"a"}), "-o, --output FILE is required");
  EXPECT_EQ(Problem({"-o", "x"}), "FILE is required");
  EXPECT_EQ(Problem({"a", "-o"}), "--output needs a value: -o, --output FILE");
  EXPECT_EQ(Problem({"a", "--output="}), "--output: no value is given");
  EXPECT_EQ(Problem({"a", "-ox", "-oy"}), "--output is given twice");
  EXPECT_EQ(Problem({"a", "-ox", "--force=1"}), "--force takes no value");
  EXPECT_EQ(Problem({"a", "-ox", "--only", "mabye"}),
            "--only: unknown value 'mabye' (did you mean 'maybe'?); known: "
            "maybe, no");
  EXPECT_EQ(Problem({"a", "-ox", "-f", "--raw"}),
            "--force and --raw exclude each other; give one");
  EXPECT_EQ(Problem({"a", "-ox", "--only", "no", "--raw"}),
            "--only and --raw exclude each other; give one");
  EXPECT_EQ(Problem({"a", "-ox", "--outptu", "y"}),
            "unknown option '--outptu' (did you mean '--output'?)");
  EXPECT_EQ(Problem({"a", "-ox", "-5"}),
            "unknown option '-5' (an argument that begins with '-' goes "
            "after '--')");
}

TEST(Arguments, HelpIsGivenWhateverElseIsWrong) {
  EXPECT_TRUE(Parse({"--help"}).value().wants_help());
  EXPECT_TRUE(Parse({"-h", "--no-such-option"}).value().wants_help());
  EXPECT_FALSE(Parse({"a", "-ox", "-k", "--help"}).value().wants_help());
}

TEST(CommandSpecs, HaveNoNameTwiceAndNoUnknownOneExcluded) {
  std::set<std::string_view> commands;
  for (const CommandSpec& command : AllCommands()) {
    EXPECT_TRUE(commands.insert(command.name).second) << command.name;
    std::set<std::string_view> names;
    std::set<char> letters;
    for (const OptionSpec& option : AllOptionsOf(command)) {
      EXPECT_TRUE(option.name.starts_with("--")) << option.name;
      EXPECT_TRUE(names.insert(option.name).second) << option.name;
      if (option.letter != 0) {
        EXPECT_TRUE(letters.insert(option.letter).second) << option.name;
      }
    }
    for (const OptionSpec& option : command.options) {
      std::istringstream excluded{std::string(option.excludes)};
      for (std::string name; excluded >> name;) {
        EXPECT_TRUE(names.contains(name)) << command.name << " " << name;
      }
    }
  }
}

TEST(CommandSpecs, EveryCommandCanBeRun) {
  for (const CommandSpec& command : AllCommands()) {
    EXPECT_TRUE(CanRun(command.name)) << command.name;
  }
}

TEST(CommandSpecs, HelpNamesEveryOptionAndFitsTheTerminal) {
  for (const CommandSpec& command : AllCommands()) {
    const std::string help = HelpOf(command);
    for (const OptionSpec& option : AllOptionsOf(command)) {
      EXPECT_TRUE(Contains(help, OptionTitle(option))) << help;
    }
    std::istringstream lines(help);
    for (std::string line; std::getline(lines, line);) {
      const bool is_example = line.starts_with("  tamis");
      EXPECT_TRUE(line.size() <= 80 || is_example) << line;
      EXPECT_FALSE(line.ends_with(' ')) << line;
    }
  }
}

// The words of a command within a line of an example, up to a pipe.
std::vector<std::string> WordsOf(const std::string& line,
                                 const std::string& command) {
  std::istringstream in(line.substr(line.find("tamis " + command)));
  std::vector<std::string> words;
  for (std::string word; in >> word && word != "|" && word != ">";) {
    words.push_back(word);
  }
  const auto of_command = std::count(command.begin(), command.end(), ' ') + 2;
  words.erase(words.begin(), words.begin() + of_command);
  return words;
}

TEST(CommandSpecs, ExamplesAreRightUseOfTheirCommand) {
  for (const CommandSpec& command : AllCommands()) {
    const std::string name(command.name);
    std::istringstream lines{std::string(command.examples)};
    std::size_t own = 0;
    for (std::string line; std::getline(lines, line);) {
      if (!Contains(line, "tamis " + name + " ")) continue;
      ++own;
      const auto given = Arguments::Parse(command, WordsOf(line, name));
      EXPECT_TRUE(given.ok()) << line << ": " << given.status().message();
    }
    EXPECT_GT(own, 0u) << name;
  }
}

}  // namespace
}  // namespace tamis::tools
