#include "command_line.h"

#include <algorithm>
#include <array>
#include <new>
#include <string_view>

#include <CLI/CLI.hpp>
#include <fmt/format.h>

#include "commands.h"
#include "tamis/kernels.h"
#include "version.h"

namespace tamis::tools {
namespace {

constexpr std::string_view kExamples =
    "Example:\n"
    "  tamis build words.txt -o words.tamis --fpr 1%\n"
    "  tamis query words.tamis -k apple\n"
    "  tamis inspect words.tamis\n\n"
    "Exit code: 0 fine, 1 a negative answer or verdict, 2 wrong use or\n"
    "unreadable input.  'tamis COMMAND --help' tells more.";

// "tamis 1.2.3", and the loops that would run: who reports a fault or a speed
// should not need to look for them.
std::string VersionText() {
  std::string text =
      fmt::format("tamis {}\nkernels: {} (of", kVersion, ActiveKernelsName());
  std::string_view separator = " ";
  for (const std::string_view name : RunnableKernelsNames()) {
    text += fmt::format("{}{}", separator, name);
    separator = ", ";
  }
  return text + ")";
}

void Declare(CLI::App* app, const Console& console, int* exit_code) {
  app->name("tamis");
  app->set_version_flag("--version", VersionText());
  app->require_subcommand(1);
  app->footer(std::string(kExamples));
  AddSize(app, console, exit_code);
  AddBuild(app, console, exit_code);
  AddQuery(app, console, exit_code);
  AddInspect(app, console, exit_code);
  AddMerge(app, console, exit_code);
  AddAdd(app, console, exit_code);
  AddRemove(app, console, exit_code);
  AddRotate(app, console, exit_code);
  AddFold(app, console, exit_code);
  AddDedupe(app, console, exit_code);
  AddDb(app, console, exit_code);
}

// `tamis help`, `tamis help build` and `tamis help db get` are other words for
// --help.
std::vector<std::string> WithoutHelpCommand(std::vector<std::string> args) {
  if (args.empty() || args.front() != "help") return args;
  args.erase(args.begin());
  const std::size_t words = !args.empty() && args.front() == "db" ? 2 : 1;
  args.resize(std::min(args.size(), words));
  args.push_back("--help");
  return args;
}

// CLI11 takes "[a,b]" for two values where an option takes many.  Where these
// are files, another name of the same file is none of its business.
std::vector<std::string> WithoutLists(std::vector<std::string> args) {
  // Keys and values, not files.
  constexpr std::array kTakeKeys = {"query", "add", "remove", "db"};
  if (args.empty() || std::find(kTakeKeys.begin(), kTakeKeys.end(),
                                args.front()) != kTakeKeys.end()) {
    return args;
  }
  for (std::string& arg : args) {
    if (arg.starts_with('[') && arg.ends_with(']')) arg.insert(0, "./");
  }
  return args;
}

// CLI11 takes "--key=" for an option without its value and looks for it in the
// next argument.  Apart they are understood.
std::vector<std::string> WithEmptyValues(const std::vector<std::string>& args) {
  std::vector<std::string> out;
  bool options = true;  // until "--"
  for (const std::string& arg : args) {
    options = options && arg != "--";
    // What follows -k is a key, whatever it looks like.
    const bool is_key =
        !out.empty() && (out.back() == "-k" || out.back() == "--key");
    if (options && !is_key && arg.starts_with("--") &&
        arg.find('=') + 1 == arg.size()) {
      out.push_back(arg.substr(0, arg.size() - 1));
      out.emplace_back();
    } else {
      out.push_back(arg);
    }
  }
  return out;
}

// "query", "db get", "".
std::string CommandOf(const CLI::App& app) {
  const auto chosen = app.get_subcommands();
  if (chosen.empty()) return "";
  const std::string rest = CommandOf(*chosen.front());
  return chosen.front()->get_name() + (rest.empty() ? "" : " ") + rest;
}

int WrongUse(const Console& console, const std::string& command,
             std::string_view what) {
  // Some of CLI11's messages have several lines.
  std::string message(what);
  std::replace(message.begin(), message.end(), '\n', ' ');
  return Fail(console, command,
              fmt::format("{}; see 'tamis {}{}--help'", message, command,
                          command.empty() ? "" : " "));
}

// "no command 'biuld'" if the first words are no command; else "".  CLI11 would
// only say that one is needed.
std::string UnknownCommand(CLI::App* app,
                           const std::vector<std::string>& args) {
  std::string path;
  for (const std::string& word : args) {
    const auto named = app->get_subcommands(
        [&word](CLI::App* command) { return command->get_name() == word; });
    if (word.starts_with('-')) return "";
    if (named.empty()) return fmt::format("no command '{}{}'", path, word);
    app = named.front();
    path += word + " ";
    if (app->get_subcommands([](CLI::App*) { return true; }).empty()) return "";
  }
  return "";
}

int Parse(std::vector<std::string> args, const Console& console) {
  int exit_code = kExitOk;
  CLI::App app("Filters for storage engines: build, query and inspect them.");
  Declare(&app, console, &exit_code);
  if (args.empty()) return WrongUse(console, "", "a command is needed");
  const std::string unknown = UnknownCommand(&app, args);
  if (!unknown.empty()) return WrongUse(console, "", unknown);
  std::reverse(args.begin(), args.end());  // as CLI11 wants them
  try {
    app.parse(args);
  } catch (const CLI::CallForHelp&) {
    console.out->Write(app.help());
    return Finish(console, "", kExitOk);
  } catch (const CLI::CallForVersion& version) {
    console.out->Write(fmt::format("{}\n", version.what()));
    return Finish(console, "", kExitOk);
  } catch (const CLI::ParseError& error) {
    return WrongUse(console, CommandOf(app), error.what());
  }
  return exit_code;
}

}  // namespace

int RunTamis(const std::vector<std::string>& args, const Console& console) {
  try {
    return Parse(WithEmptyValues(WithoutLists(WithoutHelpCommand(args))),
                 console);
  } catch (const std::bad_alloc&) {
    return Fail(console, "", "not enough memory");
  } catch (const std::exception& error) {
    return Fail(console, "", error.what());
  }
}

}  // namespace tamis::tools
