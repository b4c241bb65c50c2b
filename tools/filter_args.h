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

// "counting and cuckoo": the kinds that can do something.
std::string KindsThat(bool KindEntry::*can);

// The same with a --format that says more than a format ("leveldb:10",
// "ribbon:8") moved to `policy`.  InvalidArgument: a format or policy that
// nobody knows, or options beside one that says it all.
Result<FilterArgs> Sorted(const FilterArgs& args);

// What --kind takes, the default first.
std::vector<std::string_view> KindNames();

// The settings, with `format` in place of args.format where that is empty.
// REQUIRES: the arguments are Sorted()
// InvalidArgument: a number that is none, a format nobody knows, an option
// that the format does not have.
Result<PolicySettings> SettingsFrom(const FilterArgs& args,
                                    const std::string& format = "tamis");

// Those of the filter that SettingsFrom() describes, but of exactly that size,
// whatever the number of keys.  REQUIRES: SettingsFrom(args) is ok
// InvalidArgument: the format or kind has no filters of a fixed size.
Result<PolicySettings> FixedSettings(const FilterArgs& args,
                                     const Estimate& size);

// The format of bytes to be read, as MakePolicy() takes it: "leveldb" for
// "leveldb:10", "tamis" for "ribbon:8", "cassandra:nb" as it is.
// InvalidArgument: nobody knows it.
Result<std::string> FormatToRead(std::string_view format);

// "tamis, leveldb, cassandra, ...": what --format takes.
std::string FormatNames();

}  // namespace tamis::tools
