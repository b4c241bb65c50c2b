// SPDX-License-Identifier: Apache-2.0
// Completions: the real bash, zsh and fish are asked what they offer where the
// cursor stands behind the last letter, and all offer the same.

#include "completions.h"

#include <filesystem>
#include <ostream>
#include <set>
#include <sstream>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "command_spec.h"
#include "tests/base/temp_dir.h"
#include "tests/tools/process.h"

namespace tamis::tools {
namespace {

using Offers = std::set<std::string>;

// Each script reads the lines of ./queries; for each it prints what is offered,
// one per line, then "=".
constexpr std::string_view kAskBash = R"(
. ./completion
while IFS= read -r line; do
  read -ra COMP_WORDS <<<"$line"
  [[ $line != *' ' ]] || COMP_WORDS+=('')
  COMP_CWORD=$((${#COMP_WORDS[@]} - 1))
  _tamis
  printf '%s\n' "${COMPREPLY[@]}" =
done <queries
)";

constexpr std::string_view kAskFish = R"(
source ./completion
while read --local --delimiter \n line
  complete -C "$line" | string split --fields 1 \t
  echo =
end <queries
)";

// zsh completes only where somebody types.  So one zsh, which notes what is
// passed to compadd, is typed to by another through a pseudo-terminal: a tab
// completes, and ^G says that the line is done.
constexpr std::string_view kZshAtTerminal = R"(
PS1= PS2= RPS1=
setopt no_beep no_list_beep no_always_last_prompt
fpath=($PWD/functions $fpath)
autoload -Uz compinit
compinit -u -D
zstyle ':completion:*' menu no
LISTMAX=100000
bindkey '^I' complete-word
compadd() {
  local argument
  for argument; do
    [[ $argument != (-|--) ]] || break
    if [[ $argument == -[OAD]* ]]; then
      builtin compadd "$@"
      return
    fi
  done
  local -a offered
  builtin compadd -O offered "$@"
  (($#offered == 0)) || print -rl -- "$offered[@]" >>offers
  builtin compadd "$@"
}
line-is-done() {
  print = >>offers
  BUFFER=
}
zle -N line-is-done
bindkey '^G' line-is-done
print ready >ready
)";
constexpr std::string_view kAskZsh = R"(
zmodload zsh/zpty zsh/zselect
: >offers
zpty terminal zsh -f -i
zpty -w terminal '. ./at_terminal'
until [[ -s ready ]]; do zpty -r -t terminal ignored; zselect -t 1; done
integer asked=0
while IFS= read -r line; do
  zpty -w -n terminal "$line"$'\t\a'
  ((++asked))
  until (($(grep -c '^=$' offers) >= asked)); do
    zpty -r -t terminal ignored
    zselect -t 1
  done
done <queries
zpty -d terminal
cat offers
)";

struct ShellUnderTest {
  std::string name;
  std::string (*completion)();
  std::string_view ask;
};

void PrintTo(const ShellUnderTest& shell, std::ostream* out) {
  *out << shell.name;
}

class CompletionOf : public ::testing::TestWithParam<ShellUnderTest> {
 protected:
  void SetUp() override {
    TempDir dir;
    if (Shell(dir.path(), "command -v " + GetParam().name).code != 0) {
      GTEST_SKIP() << "no " << GetParam().name << " here";
    }
  }

  // Returns what is offered behind each of `lines`, in a directory that has the
  // file keys.txt and the folder db.
  static std::vector<Offers> Ask(const std::vector<std::string>& lines) {
    TempDir dir;
    std::string queries;
    for (const std::string& line : lines) queries += line + "\n";
    dir.Write("queries", queries);
    dir.Write("keys.txt", "");
    std::filesystem::create_directory(dir.File("db"));
    std::filesystem::create_directory(dir.File("functions"));
    dir.Write("completion", GetParam().completion());
    dir.Write("functions/_tamis", GetParam().completion());
    dir.Write("at_terminal", std::string(kZshAtTerminal));
    dir.Write("ask", std::string(GetParam().ask));
    const ProcessResult run =
        Shell(dir.path(),
              "HOME=$PWD TERM=dumb timeout 100 " + GetParam().name + " ./ask");
    EXPECT_EQ(run.code, 0) << run.out;
    EXPECT_EQ(run.err, "");
    return OffersIn(run.out);
  }
  static Offers Ask(const std::string& line) {
    const std::vector<Offers> offers = Ask(std::vector<std::string>{line});
    return offers.empty() ? Offers() : offers[0];
  }

 private:
  static std::vector<Offers> OffersIn(const std::string& text) {
    std::vector<Offers> all;
    Offers offers;
    std::istringstream in(text);
    for (std::string line; std::getline(in, line);) {
      if (line == "=") {
        all.push_back(std::move(offers));
        offers = Offers();
      } else {
        // Some shells show what a directory is.
        if (line.ends_with('/')) line.pop_back();
        offers.insert(line);
      }
    }
    return all;
  }
};

INSTANTIATE_TEST_SUITE_P(
    Shells, CompletionOf,
    ::testing::Values(ShellUnderTest{"bash", &BashCompletion, kAskBash},
                      ShellUnderTest{"zsh", &ZshCompletion, kAskZsh},
                      ShellUnderTest{"fish", &FishCompletion, kAskFish}),
    [](const auto& test) { return test.param.name; });

TEST_P(CompletionOf, OffersCommandsOptionsValuesAndFiles) {
  const std::vector<std::pair<std::string, Offers>> expected = {
      {"tamis bu", {"build"}},
      {"tamis d", {"dedupe", "db"}},
      {"tamis hel", {"help"}},
      {"tamis db ex", {"explain"}},
      {"tamis build --b", {"--bits-per-key"}},
      {"tamis build --kind fuse", {"fuse8", "fuse16", "fuse32"}},
      {"tamis query keys.txt --only ", {"maybe", "no"}},
      {"tamis redis p", {"push", "pull"}},
      {"tamis redis push ke", {"keys.txt"}},
      {"tamis db load db --compression z", {"zstd"}},
      {"tamis build -o ke", {"keys.txt"}},
      {"tamis build ke", {"keys.txt"}},
      {"tamis db get d", {"db"}},
      {"tamis db get --js", {"--json"}},
      // A number is nothing to be completed, least of all by files.
      {"tamis build --threads k", {}},
      {"tamis nonsense k", {}},
  };
  std::vector<std::string> lines;
  for (const auto& [line, offers] : expected) lines.push_back(line);
  const std::vector<Offers> offers = Ask(lines);
  ASSERT_EQ(offers.size(), expected.size());
  for (std::size_t i = 0; i < expected.size(); ++i) {
    EXPECT_EQ(offers[i], expected[i].second) << lines[i];
  }
}

TEST_P(CompletionOf, OffersEveryCommand) {
  Offers commands = Ask("tamis ");
  for (const CommandSpec& command : FilterCommands()) {
    EXPECT_EQ(commands.erase(std::string(command.name)), 1u) << command.name;
  }
  EXPECT_EQ(commands.erase("db"), 1u);
  EXPECT_EQ(commands.erase("help"), 1u);
  Offers store_commands = Ask("tamis db ");
  for (const CommandSpec& command : StoreCommands()) {
    const std::string word(command.name.substr(command.name.rfind(' ') + 1));
    EXPECT_EQ(store_commands.erase(word), 1u) << command.name;
  }
  // Besides, only options stand there.
  commands.merge(store_commands);
  for (const std::string& left : commands) {
    EXPECT_TRUE(left.starts_with('-')) << left;
  }
}

TEST_P(CompletionOf, OffersTheOptionsOfEveryCommandAndNoOthers) {
  std::vector<std::string> lines;
  for (const CommandSpec& command : AllCommands()) {
    lines.push_back("tamis " + std::string(command.name) + " --");
  }
  const std::vector<Offers> offers = Ask(lines);
  ASSERT_EQ(offers.size(), lines.size());
  for (std::size_t i = 0; i < lines.size(); ++i) {
    Offers expected;
    for (const auto options : {AllCommands()[i].options, CommonOptions()}) {
      for (const OptionSpec& option : options) {
        expected.insert(std::string(option.name));
      }
    }
    EXPECT_EQ(offers[i], expected) << lines[i];
  }
}

}  // namespace
}  // namespace tamis::tools
