// filter_args.h -- the options that say which filter to make, and the text
// for MakePolicy() that they amount to.

#pragma once

#include <string>

#include "tamis/result.h"

namespace CLI {
class App;
}

namespace tamis::tools {

// As typed; empty: not given.
struct FilterArgs {
  std::string format;  // "tamis", "cassandra:ka"
  std::string kind;
  std::string fpr;
  std::string bits_per_key;
  std::string seed;
  std::string sizing;
};

inline constexpr double kDefaultBitsPerKey = 10;

// Adds --format, --kind, --fpr, --bits-per-key.
void AddSizingOptions(CLI::App* app, FilterArgs* args);
void AddSeedOption(CLI::App* app, FilterArgs* args);
void AddSizingRuleOption(CLI::App* app, FilterArgs* args);

// The spec, with `format` in place of args.format where that is empty.
// InvalidArgument: a number that is none, a format nobody knows, an option
// that the format does not have.
Result<std::string> SpecFrom(const FilterArgs& args,
                             const std::string& format = "tamis");

// "tamis, leveldb, cassandra, ...": what --format takes.
std::string FormatNames();

}  // namespace tamis::tools
