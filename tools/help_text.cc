// SPDX-License-Identifier: Apache-2.0
#include "help_text.h"

#include <algorithm>
#include <string_view>

namespace tamis::tools {
namespace {

constexpr std::size_t kColumns = 80;
constexpr std::size_t kTitleColumns = 26;  // with the two spaces before it

// Removes the words that fit into `room` from the front.
std::string_view TakeLine(std::string_view* text, std::size_t room) {
  std::size_t end = text->size();
  if (end > room) {
    end = text->rfind(' ', room);
    if (end == std::string_view::npos) end = text->find(' ');
    end = std::min(end, text->size());
  }
  std::string_view line = text->substr(0, end);
  while (line.ends_with(' ')) line.remove_suffix(1);
  text->remove_prefix(end);
  while (text->starts_with(' ')) text->remove_prefix(1);
  return line;
}

// Appends the text wrapped, with every line but the first indented by `indent`
// columns.
void AppendWrapped(std::string_view text, std::size_t indent,
                   std::string* out) {
  bool first = true;
  while (!text.empty()) {
    if (!first) out->append(indent, ' ');
    first = false;
    *out += TakeLine(&text, kColumns - indent);
    *out += '\n';
  }
}

void AppendEntry(const std::string& title, std::string_view help,
                 std::string* out) {
  std::string line = "  " + title;
  if (line.size() + 2 > kTitleColumns) {
    *out += line + "\n";
    line.clear();
  }
  line.resize(kTitleColumns, ' ');
  *out += line;
  AppendWrapped(help, kTitleColumns, out);
}

template <typename Use>
void ForEachLine(std::string_view text, Use use) {
  while (!text.empty()) {
    const std::size_t end = std::min(text.find('\n'), text.size());
    use(text.substr(0, end));
    text.remove_prefix(std::min(end + 1, text.size()));
  }
}

void AppendNotes(std::string_view notes, std::string* out) {
  if (!notes.empty()) *out += '\n';
  ForEachLine(notes,
              [out](std::string_view line) { AppendWrapped(line, 0, out); });
}

void AppendExamples(std::string_view examples, std::string* out) {
  *out += "\nExample:\n";
  ForEachLine(examples, [out](std::string_view line) {
    *out += "  " + std::string(line) + "\n";
  });
}

void AppendOptions(std::span<const OptionSpec> options, std::string* out) {
  for (const OptionSpec& option : options) {
    // Options without a letter are aligned with those that have one.
    AppendEntry((option.letter == 0 ? "    " : "") + OptionTitle(option),
                FullHelp(option), out);
  }
}

// "build", or the last word of "db get".
std::string LastWord(const CommandSpec& command) {
  const std::size_t space = command.name.rfind(' ');
  return std::string(space == std::string_view::npos
                         ? command.name
                         : command.name.substr(space + 1));
}

}  // namespace

std::string HelpOf(const CommandSpec& command) {
  std::string out = "Usage: " + UsageOf(command) + "\n\n";
  out += std::string(command.summary) + ".\n";
  if (!command.operands.empty()) out += "\nArguments:\n";
  for (const OperandSpec& operand : command.operands) {
    AppendEntry(std::string(operand.name), operand.help, &out);
  }
  out += "\nOptions:\n";
  AppendOptions(command.options, &out);
  AppendOptions(CommonOptions(), &out);
  AppendNotes(command.notes, &out);
  AppendExamples(command.examples, &out);
  return out;
}

std::string HelpOf(const GroupSpec& group,
                   std::span<const CommandSpec> commands) {
  const std::string name =
      group.name.empty() ? "tamis" : "tamis " + std::string(group.name);
  const bool is_whole = group.name.empty();
  std::string out = "Usage: " + name + " COMMAND [OPTIONS] ...\n\n";
  AppendWrapped(std::string(group.summary) + ".", 0, &out);
  out += "\nCommands:\n";
  for (const CommandSpec& command : commands) {
    AppendEntry(LastWord(command), command.summary, &out);
  }
  if (is_whole) {
    AppendEntry(std::string(StoreGroup().name), StoreGroup().summary, &out);
    out += "\nOptions:\n";
    AppendOptions(TopLevelOptions(), &out);
  }
  AppendNotes(group.notes, &out);
  AppendExamples(group.examples, &out);
  return out + "\n'" + name + " COMMAND --help' tells more about one.\n";
}

}  // namespace tamis::tools
