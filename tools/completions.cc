// SPDX-License-Identifier: Apache-2.0
#include "completions.h"

#include <string_view>
#include <vector>

#include "command_spec.h"

namespace tamis::tools {
namespace {

std::string Joined(const std::vector<std::string_view>& words) {
  std::string joined;
  for (const std::string_view word : words) {
    if (!joined.empty()) joined += ' ';
    joined += word;
  }
  return joined;
}

// "get" of "db get".
std::string_view LastWord(std::string_view name) {
  return name.substr(name.rfind(' ') + 1);
}

std::vector<std::string_view> NamesOf(std::span<const CommandSpec> commands) {
  std::vector<std::string_view> names;
  for (const CommandSpec& command : commands) {
    names.push_back(LastWord(command.name));
  }
  return names;
}

// Quotes `text` in single quotes for a shell.
std::string Quoted(std::string_view text) {
  std::string out = "'";
  for (const char c : text) {
    if (c == '\'') {
      out += "'\\''";
    } else {
      out += c;
    }
  }
  return out + "'";
}

// Whether the first operand is one of some words, and others follow it.
bool BeginsWithAction(const CommandSpec& command) {
  return command.operands.size() > 1 &&
         TakesOnlyListedValues(command.operands[0].kind);
}

// --- bash ---

// Returns the line that completes values of that kind; empty: none.
std::string BashValues(ValueKind kind) {
  if (kind == ValueKind::kFile) return "_tamis_files -f";
  if (kind == ValueKind::kDirectory) return "_tamis_files -d";
  const auto values = ValuesOf(kind);
  return values.empty() ? "" : "_tamis_words " + Quoted(Joined(values));
}

// Returns one arm of the `case` over commands: completes the value of the
// option before the cursor, or options, or operands.
std::string BashArm(const CommandSpec& command) {
  std::string arm = "    " + Quoted(command.name) + ")\n";
  std::string names;
  arm += "      case $previous in\n";
  for (const OptionSpec& option : AllOptionsOf(command)) {
    names += (names.empty() ? "" : " ") + std::string(option.name);
    if (option.value.empty()) continue;
    const std::string values = BashValues(option.kind);
    arm += "        ";
    if (option.letter != 0) arm += std::string("-") + option.letter + "|";
    arm += std::string(option.name) + ") " + (values.empty() ? ":" : values) +
           "; return ;;\n";
  }
  arm += "      esac\n      options=" + Quoted(names) + "\n";
  // The first of several kinds decides: a directory, then keys.
  if (!command.operands.empty()) {
    const std::string values = BashValues(command.operands[0].kind);
    if (!values.empty()) arm += "      operand=" + Quoted(values) + "\n";
    if (BeginsWithAction(command)) {
      arm += "      ((COMP_CWORD == 2)) || operand=" +
             Quoted(BashValues(command.operands[1].kind)) + "\n";
    }
  }
  return arm + "      ;;\n";
}

constexpr std::string_view kBashStart =
    R"(# Completion of tamis for bash; made from the description of its commands.

_tamis_words() { mapfile -t COMPREPLY < <(compgen -W "$1" -- "$current"); }

_tamis_files() {
  compopt -o filenames 2>/dev/null
  mapfile -t COMPREPLY < <(compgen "$1" -- "$current")
}

_tamis() {
  local current=${COMP_WORDS[COMP_CWORD]}
  local previous=${COMP_WORDS[COMP_CWORD - 1]}
  local command=${COMP_WORDS[1]} options='' operand=''
  COMPREPLY=()
)";

constexpr std::string_view kBashEnd = R"(  esac
  if [[ $current == -* ]]; then
    _tamis_words "$options"
  elif [[ -n $operand ]]; then
    eval "$operand"
  fi
}

complete -F _tamis tamis
)";

// --- zsh ---

// Returns what _arguments expects after the last colon.
std::string ZshAction(ValueKind kind) {
  if (kind == ValueKind::kFile) return "_files";
  if (kind == ValueKind::kDirectory) return "_files -/";
  const auto values = ValuesOf(kind);
  return values.empty() ? " " : "(" + Joined(values) + ")";
}

// Escapes colons and brackets, which are special to _arguments.
std::string ZshEscape(std::string_view text) {
  std::string out;
  for (const char c : text) {
    if (c == ':' || c == '[' || c == ']' || c == '\\') out += '\\';
    out += c;
  }
  return out;
}

std::string ZshOption(const OptionSpec& option) {
  const std::string tail =
      "[" + ZshEscape(FullHelp(option)) + "]" +
      (option.value.empty() ? ""
                            : ":" + ZshEscape(option.value) + ":" +
                                  ZshEscape(ZshAction(option.kind)));
  const std::string again = option.repeatable ? "*" : "";
  std::string lines;
  if (option.letter != 0) {
    lines = "        " +
            Quoted(again + "-" + std::string(1, option.letter) + tail) +
            " \\\n";
  }
  return lines + "        " + Quoted(again + std::string(option.name) + tail) +
         " \\\n";
}

std::string ZshArm(const CommandSpec& command) {
  std::string arm = "    " + Quoted(command.name) + ")\n      _arguments \\\n";
  for (const OptionSpec& option : AllOptionsOf(command))
    arm += ZshOption(option);
  for (const OperandSpec& operand : command.operands) {
    const std::string count = operand.many ? "*" : operand.required ? "" : ":";
    arm += "        " +
           Quoted(count + ":" + std::string(operand.name) + ":" +
                  ZshEscape(ZshAction(operand.kind))) +
           " \\\n";
  }
  arm.erase(arm.size() - 3);  // the last backslash
  return arm + "\n      ;;\n";
}

std::string ZshList(std::string_view name,
                    std::span<const CommandSpec> commands) {
  std::string list = "  local -a " + std::string(name) + "=(\n";
  for (const CommandSpec& command : commands) {
    list += "    " +
            Quoted(std::string(LastWord(command.name)) + ":" +
                   ZshEscape(command.summary)) +
            "\n";
  }
  if (name == "commands") {
    list += "    " +
            Quoted(std::string(StoreGroup().name) + ":" +
                   ZshEscape(StoreGroup().summary)) +
            "\n    'help:Print the help of a command'\n";
  }
  return list + "  )\n";
}

// --- fish ---

std::string FishValues(ValueKind kind) {
  if (kind == ValueKind::kFile) return " -r -F";
  if (kind == ValueKind::kDirectory) {
    return " -x -a '(__fish_complete_directories)'";
  }
  const auto values = ValuesOf(kind);
  return values.empty() ? " -x" : " -x -a " + Quoted(Joined(values));
}

// Returns a condition that is true while that command is being typed.
std::string FishCondition(const CommandSpec& command) {
  const std::string_view group = StoreGroup().name;
  const std::string word(LastWord(command.name));
  const bool is_store = command.name != word;
  const std::string first =
      is_store
          ? "__fish_seen_subcommand_from " + std::string(group) + "; and "
          : "not __fish_seen_subcommand_from " + std::string(group) + "; and ";
  return " -n " + Quoted(first + "__fish_seen_subcommand_from " + word);
}

std::string FishCommand(const CommandSpec& command) {
  const std::string word(LastWord(command.name));
  const bool is_store = command.name != word;
  const std::string before = is_store
                                 ? "__fish_seen_subcommand_from db; and not "
                                   "__fish_seen_subcommand_from " +
                                       Joined(NamesOf(StoreCommands()))
                                 : "__fish_use_subcommand";
  std::string lines = "complete -c tamis -f -n " + Quoted(before) + " -a " +
                      word + " -d " + Quoted(command.summary) + "\n";
  const std::string condition = FishCondition(command);
  for (const OptionSpec& option : AllOptionsOf(command)) {
    lines += "complete -c tamis" + condition;
    if (option.letter != 0) lines += std::string(" -s ") + option.letter;
    lines += " -l " + std::string(option.name.substr(2));
    if (!option.value.empty()) lines += FishValues(option.kind);
    lines += " -d " + Quoted(FullHelp(option)) + "\n";
  }
  if (!command.operands.empty() &&
      (command.operands[0].kind == ValueKind::kFile ||
       command.operands[0].kind == ValueKind::kDirectory)) {
    lines += "complete -c tamis" + condition + " -F\n";
  }
  if (BeginsWithAction(command)) {
    lines += "complete -c tamis" + condition + " -F -a " +
             Quoted(Joined(ValuesOf(command.operands[0].kind))) + "\n";
  }
  return lines;
}

}  // namespace

std::string BashCompletion() {
  const std::string group(StoreGroup().name);
  std::string out(kBashStart);
  out += "  if ((COMP_CWORD == 1)); then\n    _tamis_words " +
         Quoted(Joined(NamesOf(FilterCommands())) + " " + group +
                " help --help --version") +
         "\n    return\n  fi\n";
  out += "  if [[ $command == " + group +
         " ]]; then\n    if ((COMP_CWORD == 2)); then\n      _tamis_words " +
         Quoted(Joined(NamesOf(StoreCommands())) + " --help") +
         "\n      return\n    fi\n    command+=\" ${COMP_WORDS[2]}\"\n  fi\n";
  out += "  case $command in\n";
  for (const CommandSpec& command : AllCommands()) out += BashArm(command);
  return out.append(kBashEnd);
}

std::string ZshCompletion() {
  const std::string group(StoreGroup().name);
  std::string out =
      "#compdef tamis\n"
      "# Completion of tamis for zsh; made from the description of its "
      "commands.\n\n_tamis() {\n";
  out += ZshList("commands", FilterCommands());
  out += ZshList("store_commands", StoreCommands());
  out +=
      "  if ((CURRENT == 2)); then\n"
      "    _describe command commands\n    return\n  fi\n"
      "  local command=$words[2]\n"
      "  if [[ $command == " +
      group +
      " ]]; then\n    if ((CURRENT == 3)); then\n"
      "      _describe command store_commands\n      return\n    fi\n"
      "    command+=\" $words[3]\"\n    shift words\n    ((CURRENT--))\n  fi\n"
      "  shift words\n  ((CURRENT--))\n  case $command in\n";
  for (const CommandSpec& command : AllCommands()) out += ZshArm(command);
  return out + "  esac\n}\n\n_tamis \"$@\"\n";
}

std::string FishCompletion() {
  std::string out =
      "# Completion of tamis for fish; made from the description of its "
      "commands.\n\ncomplete -c tamis -f\n";
  for (const OptionSpec& option : TopLevelOptions()) {
    out += std::string("complete -c tamis -n __fish_use_subcommand -s ") +
           option.letter + " -l " + std::string(option.name.substr(2)) +
           " -d " + Quoted(option.help) + "\n";
  }
  out += "complete -c tamis -n __fish_use_subcommand -a " +
         std::string(StoreGroup().name) + " -d " +
         Quoted(StoreGroup().summary) + "\n";
  out +=
      "complete -c tamis -n __fish_use_subcommand -a help -d 'Print the help "
      "of a command'\n";
  for (const CommandSpec& command : AllCommands()) out += FishCommand(command);
  return out;
}

}  // namespace tamis::tools
