// SPDX-License-Identifier: Apache-2.0
#include "man_page.h"

#include <algorithm>
#include <string_view>

#include "version.h"

namespace tamis::tools {
namespace {

// Escapes what is special to troff.
std::string Escape(std::string_view text) {
  std::string out;
  for (const char c : text) {
    if (c == '\\') {
      out += "\\e";
    } else if (c == '-') {
      out += "\\-";
    } else if (c == '\'' || c == '.') {
      // At the start of a line these would be requests.
      if (out.empty() || out.back() == '\n') out += "\\&";
      out += c == '\'' ? "\\(aq" : ".";
    } else {
      out += c;
    }
  }
  return out;
}

std::string Bold(std::string_view text) {
  return "\\fB" + Escape(text) + "\\fR";
}

std::string Italic(std::string_view text) {
  return "\\fI" + Escape(text) + "\\fR";
}

void AppendHeader(const std::string& name, std::string_view summary,
                  std::string* out) {
  std::string title = name;
  std::transform(title.begin(), title.end(), title.begin(), [](char c) {
    return c >= 'a' && c <= 'z' ? static_cast<char>(c - 'a' + 'A') : c;
  });
  *out += ".TH \"" + title + "\" \"1\" \"\" \"tamis " + std::string(kVersion) +
          "\" \"Tamis\"\n.SH NAME\n";
  *out += Escape(name) + " \\- " + Escape(summary) + "\n";
}

// Each line is a paragraph.
void AppendParagraphs(std::string_view text, std::string* out) {
  while (!text.empty()) {
    const std::size_t end = std::min(text.find('\n'), text.size());
    *out += ".PP\n" + Escape(text.substr(0, end)) + "\n";
    text.remove_prefix(std::min(end + 1, text.size()));
  }
}

void AppendExamples(std::string_view examples, std::string* out) {
  *out += ".SH EXAMPLES\n.PP\n.EX\n" + Escape(examples) + "\n.EE\n";
}

void AppendOption(const OptionSpec& option, std::string* out) {
  *out += ".TP\n";
  if (option.letter != 0) *out += Bold(std::string("-") + option.letter) + ", ";
  *out += Bold(option.name);
  if (!option.value.empty()) *out += " " + Italic(option.value);
  *out += "\n" + Escape(FullHelp(option)) + ".\n";
}

std::string Dashed(std::string_view name) {
  std::string dashed(name);
  std::replace(dashed.begin(), dashed.end(), ' ', '-');
  return "tamis-" + dashed;
}

void AppendCommands(std::span<const CommandSpec> commands, std::string* out) {
  for (const CommandSpec& command : commands) {
    *out += ".TP\n" + Bold(command.name) + "\n" + Escape(command.summary) +
            ".\nSee " + Bold(Dashed(command.name)) + "(1).\n";
  }
}

}  // namespace

std::string ManPageName(const CommandSpec& command) {
  return Dashed(command.name);
}

std::string ManPageOf(const CommandSpec& command) {
  std::string out;
  AppendHeader(ManPageName(command), command.summary, &out);
  out += ".SH SYNOPSIS\n.PP\n" + Escape(UsageOf(command)) + "\n";
  out += ".SH DESCRIPTION\n.PP\n" + Escape(command.summary) + ".\n";
  AppendParagraphs(command.notes, &out);
  if (!command.operands.empty()) out += ".SH ARGUMENTS\n";
  for (const OperandSpec& operand : command.operands) {
    out += ".TP\n" + Italic(operand.name) + "\n" + Escape(operand.help) + ".\n";
  }
  out += ".SH OPTIONS\n";
  for (const OptionSpec& option : command.options) AppendOption(option, &out);
  for (const OptionSpec& option : CommonOptions()) AppendOption(option, &out);
  AppendExamples(command.examples, &out);
  out += ".SH SEE ALSO\n.PP\n" + Bold("tamis") + "(1)\n";
  return out;
}

std::string ManPageOfWhole() {
  const GroupSpec& whole = WholeCommand();
  const GroupSpec& store = StoreGroup();
  std::string out;
  AppendHeader("tamis", whole.summary, &out);
  out += ".SH SYNOPSIS\n.PP\n" + Escape("tamis COMMAND [OPTIONS] ...") + "\n";
  out += ".SH DESCRIPTION\n.PP\n" + Escape(whole.summary) + ".\n";
  AppendParagraphs(whole.notes, &out);
  out += ".SH COMMANDS AROUND FILTERS\n";
  AppendCommands(FilterCommands(), &out);
  out += ".SH COMMANDS AROUND STORES\n.PP\n" + Escape(store.summary) + ".\n";
  AppendParagraphs(store.notes, &out);
  AppendCommands(StoreCommands(), &out);
  out += ".SH OPTIONS\n";
  for (const OptionSpec& option : TopLevelOptions()) AppendOption(option, &out);
  AppendExamples(
      std::string(whole.examples) + "\n" + std::string(store.examples), &out);
  return out;
}

}  // namespace tamis::tools
