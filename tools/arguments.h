// SPDX-License-Identifier: Apache-2.0
// arguments.h -- the arguments of a command, parsed into options and operands.

#pragma once

#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "command_spec.h"
#include "tamis/result.h"

namespace tamis::tools {

// The parsed arguments.  Options are identified by their long names.
class Arguments {
 public:
  // Parses the words for the command.  Options and operands may come in any
  // order; "--" ends the options, and "-" is an operand. "--name=value",
  // "--name value", "-xvalue" and "-x value" mean the same, and flags of one
  // letter may be combined.  The word after an option that takes a value is its
  // value, whatever it looks like.  InvalidArgument: an option is unknown,
  // lacks its value, is repeated, or is excluded by another; a value is not one
  // of the choices; or there are too few or too many operands.
  static Result<Arguments> Parse(const CommandSpec& command,
                                 std::span<const std::string> words);

  // True if --help is among the words; nothing after it was parsed.
  bool wants_help() const { return Has("--help"); }

  bool Has(std::string_view option) const { return options_.contains(option); }
  // Returns the value, or `otherwise` if the option was not given.
  std::string Text(std::string_view option,
                   std::string_view otherwise = {}) const;
  std::optional<std::string> TextIfGiven(std::string_view option) const;
  // All the values of an option that may be repeated.
  std::vector<std::string> Texts(std::string_view option) const;

  // Returns the operand of that index; empty if there are fewer.
  std::string Operand(std::size_t index) const;
  std::vector<std::string> OperandsFrom(std::size_t index) const;

 private:
  friend class ArgumentParser;
  std::map<std::string, std::vector<std::string>, std::less<>> options_;
  std::vector<std::string> operands_;
};

// Returns " (did you mean '--fpr'?)" with the item of `known` that is most
// similar to `word`; empty if none is similar.
std::string DidYouMean(std::string_view word,
                       std::span<const std::string_view> known);

}  // namespace tamis::tools
