// SPDX-License-Identifier: Apache-2.0
#include "command_line.h"

#include <algorithm>
#include <new>
#include <span>
#include <string_view>

#include <fmt/core.h>

#include "arguments.h"
#include "command_spec.h"
#include "help_text.h"
#include "run_command.h"
#include "tamis/kernels.h"
#include "version.h"

namespace tamis::tools {
namespace {

using Words = std::span<const std::string>;

// Returns "tamis 1.2.3" and the kernel set in use, for reports of faults and
// speed.
std::string VersionText() {
  std::string text =
      fmt::format("tamis {}\nkernels: {} (of", kVersion, ActiveKernelsName());
  std::string_view separator = " ";
  for (const std::string_view name : RunnableKernelsNames()) {
    text += fmt::format("{}{}", separator, name);
    separator = ", ";
  }
  return text + ")\n";
}

int Print(const Console& console, const std::string& text) {
  console.out->Write(text);
  return Finish(console, "", kExitOk);
}

std::string HelpOfGroup(bool is_store) {
  return is_store ? HelpOf(StoreGroup(), StoreCommands())
                  : HelpOf(WholeCommand(), FilterCommands());
}

// Without a command, lists the commands and fails: a script that lost the name
// must not continue.
int NoCommand(const Console& console, bool is_store) {
  console.err->Write(HelpOfGroup(is_store));
  console.err->Flush();
  return kExitError;
}

int WrongUse(const Console& console, std::string_view command,
             std::string_view what) {
  return Fail(console, command,
              fmt::format("{}; see 'tamis {}{}--help'", what, command,
                          command.empty() ? "" : " "));
}

// Returns the command of that name, or null.
const CommandSpec* CommandNamed(std::span<const CommandSpec> commands,
                                std::string_view name) {
  for (const CommandSpec& command : commands) {
    if (command.name == name) return &command;
  }
  return nullptr;
}

// Reports a first or, after `tamis db`, second word that is not a command.
int UnknownCommand(const Console& console, const std::string& name) {
  std::vector<std::string_view> known = {"help", StoreGroup().name};
  for (const CommandSpec& command : FilterCommands()) {
    known.push_back(command.name);
  }
  const std::string in_store = fmt::format("{} {}", StoreGroup().name, name);
  std::string hint;
  if (name.starts_with("db ")) known.clear();
  for (const CommandSpec& command : StoreCommands()) {
    if (name.starts_with("db ")) known.push_back(command.name);
    if (command.name == in_store) {
      hint = fmt::format(" (did you mean '{}'?)", in_store);
    }
  }
  if (hint.empty()) hint = DidYouMean(name, known);
  return WrongUse(console, "", fmt::format("no command '{}'{}", name, hint));
}

// Handles an option in place of a command of `tamis` or `tamis db`.
int TopLevelOption(const std::string& word, bool is_store,
                   const Console& console) {
  const std::string_view group = is_store ? StoreGroup().name : "";
  if (word == "--help" || word == "-h") {
    return Print(console, HelpOfGroup(is_store));
  }
  if (!is_store && (word == "--version" || word == "-V")) {
    return Print(console, VersionText());
  }
  std::vector<std::string_view> names;
  for (const OptionSpec& option : TopLevelOptions()) {
    names.push_back(option.name);
  }
  return WrongUse(
      console, group,
      fmt::format("unknown option '{}'{}", word, DidYouMean(word, names)));
}

int ParseAndRun(const CommandSpec& command, Words words,
                const Console& console) {
  auto arguments = Arguments::Parse(command, words);
  if (!arguments.ok()) {
    return WrongUse(console, command.name, arguments.status().message());
  }
  if (arguments->wants_help()) return Print(console, HelpOf(command));
  return RunCommand(command.name, *arguments, console);
}

int Dispatch(Words words, const Console& console) {
  if (words.empty()) return NoCommand(console, false);
  const bool is_store = words[0] == StoreGroup().name;
  const std::size_t at = is_store ? 1 : 0;
  if (words.size() == at) return NoCommand(console, is_store);
  if (words[at].starts_with('-')) {
    return TopLevelOption(words[at], is_store, console);
  }
  const std::string name =
      is_store ? fmt::format("{} {}", words[0], words[1]) : words[0];
  const CommandSpec* command =
      CommandNamed(is_store ? StoreCommands() : FilterCommands(), name);
  if (command == nullptr) return UnknownCommand(console, name);
  return ParseAndRun(*command, words.subspan(at + 1), console);
}

// `tamis help`, `tamis help build` and `tamis help db get` are other words for
// --help.
std::vector<std::string> WithoutHelpCommand(std::vector<std::string> args) {
  if (args.empty() || args.front() != "help") return args;
  args.erase(args.begin());
  const std::size_t words =
      !args.empty() && args.front() == StoreGroup().name ? 2 : 1;
  args.resize(std::min(args.size(), words));
  args.emplace_back("--help");
  return args;
}

}  // namespace

int RunTamis(const std::vector<std::string>& args, const Console& console) {
  try {
    return Dispatch(WithoutHelpCommand(args), console);
  } catch (const std::bad_alloc&) {
    return Fail(console, "", "not enough memory");
  } catch (const std::exception& error) {
    return Fail(console, "", error.what());
  }
}

}  // namespace tamis::tools
