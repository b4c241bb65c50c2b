// SPDX-License-Identifier: Apache-2.0
// policy/settings.h -- the arguments of a spec, for any policy.

#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "formats/bloom_parameters.h"
#include "formats/tamis/kinds.h"
#include "policy/spec.h"
#include "tamis/result.h"

namespace tamis {

struct Settings {
  BloomSizing sizing;  // all 0 if no size was given
  std::optional<std::uint64_t> seed;
  std::optional<std::string> version;
  std::optional<bool> textbook;
  std::optional<unsigned> arity;
  std::optional<unsigned> generations;
  std::optional<double> lifetime;  // in seconds
  std::optional<double> queries;   // per key
};

// InvalidArgument: an argument is unknown, repeated, out of range, or
// contradicts another; the message names it.
Result<Settings> ReadSettings(const PolicySpec& spec);

// Returns the settings of a kind of the .tamis container.
TamisSettings ForKind(const Settings& settings) noexcept;

bool HasSize(const BloomSizing& sizing) noexcept;

// Returns the error for an argument.
Status BadArgument(std::string_view argument, std::string_view what);

}  // namespace tamis
