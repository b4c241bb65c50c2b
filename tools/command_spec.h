// SPDX-License-Identifier: Apache-2.0
// command_spec.h -- the command line as plain data: the commands, their options
// and operands, and their help.  The parser, --help, the manual pages and the
// shell completions are all generated from it.

#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace tamis::tools {

// The type of a value, for completions and for values that can be listed.
enum class ValueKind {
  kText,
  kFile,
  kDirectory,
  kFormat,  // the known names, and more: "cassandra:nb", "leveldb:10"
  kPolicy,  // as MakePolicy() takes it
  // Exactly the values that ValuesOf() lists.
  kFilterKind,
  kKeyType,
  kAnswer,
  kCompression,
  kSizingRule,
  kVerdict,
  kRedisAction,
};

struct OptionSpec {
  std::string_view name;        // "--output"
  char letter = 0;              // 'o'; 0: none
  std::string_view value = {};  // "FILE", as in the help; empty: a flag
  std::string_view help = {};
  ValueKind kind = ValueKind::kText;
  bool required = false;
  bool repeatable = false;
  bool may_be_empty = false;
  // Options that exclude it, separated by spaces; it is enough that one of two
  // names the other.
  std::string_view excludes = {};
};

struct OperandSpec {
  std::string_view name;  // "FILE"
  std::string_view help = {};
  ValueKind kind = ValueKind::kText;
  bool required = true;
  bool many = false;  // only the last may be
};

struct CommandSpec {
  std::string_view name;     // "build", "db get"
  std::string_view summary;  // one line without a full stop
  std::span<const OperandSpec> operands = {};
  std::span<const OptionSpec> options = {};  // without those of CommonOptions()
  std::string_view notes = {};               // paragraphs; may be empty
  std::string_view examples = {};            // lines
};

// Commands that share the first word of their names.
struct GroupSpec {
  std::string_view name;  // "db"; empty: the whole command
  std::string_view summary;
  std::string_view notes;
  std::string_view examples;
};

// In the order in which they are shown.
std::span<const CommandSpec> FilterCommands();
std::span<const CommandSpec> StoreCommands();  // those of `tamis db`
std::vector<CommandSpec> AllCommands();

const GroupSpec& WholeCommand();
const GroupSpec& StoreGroup();

// Options that every command has.
std::span<const OptionSpec> CommonOptions();
// The command's own options, then the common ones.
std::vector<OptionSpec> AllOptionsOf(const CommandSpec& command);
// Options in place of a command.
std::span<const OptionSpec> TopLevelOptions();

// Returns the values that an option or operand of that kind accepts, or some of
// them; empty: they cannot be listed.
std::vector<std::string_view> ValuesOf(ValueKind kind);
// Returns true if it accepts no others.
bool TakesOnlyListedValues(ValueKind kind);

// "-o, --output FILE".
std::string OptionTitle(const OptionSpec& option);
// "tamis build [OPTIONS] -o FILE [KEYS...]".
std::string UsageOf(const CommandSpec& command);
// Returns the help of an option, including its possible values, and whether it
// is required.
std::string FullHelp(const OptionSpec& option);

}  // namespace tamis::tools
