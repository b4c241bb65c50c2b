// SPDX-License-Identifier: Apache-2.0
// policy/settings.h -- what the arguments of a policy's text say, whatever the
// policy.

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
  BloomSizing sizing;  // all 0 where no size was given
  std::optional<std::uint64_t> seed;
  std::optional<std::string> version;
  std::optional<bool> textbook;
  std::optional<unsigned> arity;
  std::optional<unsigned> generations;
  std::optional<double> lifetime;  // in seconds
  std::optional<double> queries;   // per key
};

// InvalidArgument: one that is unknown, given twice or out of its limits, or
// that contradicts another; the message names it.
Result<Settings> ReadSettings(const PolicySpec& spec);

// What they say to a kind of the .tamis container.
TamisSettings ForKind(const Settings& settings) noexcept;

bool HasSize(const BloomSizing& sizing) noexcept;

// The refusal of an argument.
Status BadArgument(std::string_view argument, std::string_view what);

}  // namespace tamis
