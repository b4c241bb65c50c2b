// SPDX-License-Identifier: Apache-2.0
// arguments.h -- the words behind a command, sorted into its options and
// operands.

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

// What was given.  Options go by their long names.
class Arguments {
 public:
  // Sorts the words as the command takes them.  Options and operands may come
  // in any order; "--" ends the options, and "-" is an operand. "--name=value",
  // "--name value", "-xvalue" and "-x value" mean the same, and flags of one
  // letter may stand together.  What follows an option that takes a value is
  // its value, whatever it looks like.
  // InvalidArgument: an option that the command does not have, or without its
  // value, or twice, or beside one that it excludes; a value that is not among
  // those to choose from; too few or too many operands.
  static Result<Arguments> Parse(const CommandSpec& command,
                                 std::span<const std::string> words);

  // True if --help is among the words; nothing behind it was looked at.
  bool wants_help() const { return Has("--help"); }

  bool Has(std::string_view option) const { return options_.contains(option); }
  // The value; `otherwise`, if the option was not given.
  std::string Text(std::string_view option,
                   std::string_view otherwise = {}) const;
  std::optional<std::string> TextIfGiven(std::string_view option) const;
  // All the values of an option that may be repeated.
  std::vector<std::string> Texts(std::string_view option) const;

  // The operand of that index; empty, if there are not so many.
  std::string Operand(std::size_t index) const;
  std::vector<std::string> OperandsFrom(std::size_t index) const;

 private:
  friend class ArgumentParser;
  std::map<std::string, std::vector<std::string>, std::less<>> options_;
  std::vector<std::string> operands_;
};

// " (did you mean '--fpr'?)" with that one of `known` that `word` is most
// likely a mistyped form of; empty, if none is near.
std::string DidYouMean(std::string_view word,
                       std::span<const std::string_view> known);

}  // namespace tamis::tools
