// SPDX-License-Identifier: Apache-2.0
#include "command_spec.h"

#include <array>

#include "filter_args.h"
#include "plain_value.h"
#include "tamis/formats.h"

namespace tamis::tools {
namespace {

constexpr std::array<std::string_view, 2> kAnswers = {"maybe", "no"};
constexpr std::array<std::string_view, 3> kCompressions = {"none", "snappy",
                                                           "zstd"};
constexpr std::array<std::string_view, 8> kVerdicts = {
    "ok",      "saturated",   "oversized", "missing",
    "damaged", "legacy-hash", "not-used",  "unreadable"};
constexpr std::array<std::string_view, 3> kRedisActions = {"push", "pull",
                                                           "query"};
constexpr std::array<std::string_view, 2> kSizingRules = {"textbook",
                                                          "cassandra"};
constexpr std::array<std::string_view, 6> kPolicies = {
    "bloom:10",      "fpr:0.01",   "ribbon:fpr=0.01",
    "splitblock:10", "leveldb:10", "rocksdb:10"};

constexpr OptionSpec kCommonOptions[] = {
    {.name = "--quiet",
     .letter = 'q',
     .help = "Say nothing on standard error but errors and warnings"},
    {.name = "--help", .letter = 'h', .help = "Print this help"},
};

constexpr OptionSpec kTopLevelOptions[] = {
    {.name = "--version",
     .letter = 'V',
     .help = "Print the version, and which kernels run here"},
    {.name = "--help", .letter = 'h', .help = "Print this help"},
};

std::vector<std::string_view> FormatNameList() {
  std::vector<std::string_view> names;
  for (const FormatEntry& entry : KnownFormats()) names.push_back(entry.name);
  return names;
}

template <typename List>
std::vector<std::string_view> Copy(const List& list) {
  return {list.begin(), list.end()};
}

}  // namespace

std::vector<CommandSpec> AllCommands() {
  std::vector<CommandSpec> commands(FilterCommands().begin(),
                                    FilterCommands().end());
  commands.insert(commands.end(), StoreCommands().begin(),
                  StoreCommands().end());
  return commands;
}

std::span<const OptionSpec> CommonOptions() { return kCommonOptions; }

std::vector<OptionSpec> AllOptionsOf(const CommandSpec& command) {
  std::vector<OptionSpec> options(command.options.begin(),
                                  command.options.end());
  options.insert(options.end(), CommonOptions().begin(), CommonOptions().end());
  return options;
}

std::span<const OptionSpec> TopLevelOptions() { return kTopLevelOptions; }

std::vector<std::string_view> ValuesOf(ValueKind kind) {
  switch (kind) {
    case ValueKind::kFormat:
      return FormatNameList();
    case ValueKind::kPolicy:
      return Copy(kPolicies);
    case ValueKind::kFilterKind:
      return KindNames();
    case ValueKind::kKeyType:
      return Copy(ValueTypeNames());
    case ValueKind::kAnswer:
      return Copy(kAnswers);
    case ValueKind::kCompression:
      return Copy(kCompressions);
    case ValueKind::kSizingRule:
      return Copy(kSizingRules);
    case ValueKind::kVerdict:
      return Copy(kVerdicts);
    case ValueKind::kRedisAction:
      return Copy(kRedisActions);
    case ValueKind::kText:
    case ValueKind::kFile:
    case ValueKind::kDirectory:
      break;
  }
  return {};
}

bool TakesOnlyListedValues(ValueKind kind) {
  return kind >= ValueKind::kFilterKind;
}

std::string OptionTitle(const OptionSpec& option) {
  std::string title;
  if (option.letter != 0) title = std::string("-") + option.letter + ", ";
  title += option.name;
  if (!option.value.empty()) title += " " + std::string(option.value);
  return title;
}

std::string UsageOf(const CommandSpec& command) {
  std::string usage = "tamis " + std::string(command.name) + " [OPTIONS]";
  for (const OptionSpec& option : command.options) {
    if (!option.required) continue;
    usage += " ";
    usage += option.letter != 0 ? std::string("-") + option.letter
                                : std::string(option.name);
    usage += " " + std::string(option.value);
  }
  for (const OperandSpec& operand : command.operands) {
    std::string shown(operand.name);
    if (operand.many) shown += "...";
    usage += operand.required ? " " + shown : " [" + shown + "]";
  }
  return usage;
}

std::string FullHelp(const OptionSpec& option) {
  std::string help(option.help);
  std::string values;
  if (TakesOnlyListedValues(option.kind)) {
    for (const std::string_view value : ValuesOf(option.kind)) {
      values += values.empty() ? ": " : ", ";
      values += value;
    }
  }
  help += values;
  if (option.required) help += " (required)";
  return help;
}

}  // namespace tamis::tools
