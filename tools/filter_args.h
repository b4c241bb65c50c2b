// SPDX-License-Identifier: Apache-2.0
// filter_args.h -- the options that say which filter to make, and the settings
// of a policy that they amount to.

#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "tamis/filter.h"
#include "tamis/formats.h"
#include "tamis/policy_settings.h"

namespace tamis::tools {

// As typed; empty: not given.
struct FilterArgs {
  std::string policy;  // all of it as one text: "ribbon:8"
  std::string format;  // "tamis", "cassandra:ka"; or a policy: "leveldb:10"
  std::string kind;    // of the tamis format: "splitblock"
  std::string fpr;
  std::string bits_per_key;
  std::string seed;  // a number, or "random"
  std::string sizing;
};

inline constexpr double kDefaultBitsPerKey = 10;

// Returns "counting and cuckoo": the kinds that can do something.
std::string KindsThat(bool KindEntry::*can);

// Returns the same, with a --format that is a whole policy ("leveldb:10",
// "ribbon:8") moved to `policy`.  InvalidArgument: an unknown format or policy,
// or options that conflict with a whole policy.
Result<FilterArgs> Sorted(const FilterArgs& args);

// Returns the values of --kind, the default first.
std::vector<std::string_view> KindNames();

// Returns the settings, with `format` instead of args.format if that is empty.
// REQUIRES: the arguments are Sorted()
// InvalidArgument: an option is not a number, the format is unknown, or does
// not have an option.
Result<PolicySettings> SettingsFrom(const FilterArgs& args,
                                    const std::string& format = "tamis");

// Returns the settings of the filter that SettingsFrom() describes, but of
// exactly that size, for any number of keys.  REQUIRES: SettingsFrom(args) is
// ok InvalidArgument: the format or kind has no filters of a fixed size.
Result<PolicySettings> FixedSettings(const FilterArgs& args,
                                     const Estimate& size);

// Returns the format to read bytes in, as a spec for MakePolicy(): "leveldb"
// for "leveldb:10", "tamis" for "ribbon:8", "cassandra:nb" unchanged.
// InvalidArgument: it is unknown.
Result<std::string> FormatToRead(std::string_view format);

// Returns "tamis, leveldb, cassandra, ...": the values of --format.
std::string FormatNames();

}  // namespace tamis::tools
