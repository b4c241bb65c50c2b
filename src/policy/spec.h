// SPDX-License-Identifier: Apache-2.0
// policy/spec.h -- parses the text form of a policy:
//   NAME[:ARGUMENT[,ARGUMENT...]]     ARGUMENT = WORD or WORD=VALUE
// The meaning of the words is in registry.cc and docs/policies.md.

#pragma once

#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

#include "tamis/result.h"

namespace tamis {

struct SpecArgument {
  std::string_view name;   // empty for a bare word
  std::string_view value;  // the bare word itself, or what follows '='
};

// Views of the text that it was parsed from, which must outlive it.
struct PolicySpec {
  std::string_view name;
  std::vector<SpecArgument> arguments;
};

// InvalidArgument: an empty name, argument or value.
Result<PolicySpec> ParseSpec(std::string_view text);

// Parse the whole text as a number; nothing if any of it is something else, or
// the number is out of range.  The double is finite.
std::optional<double> ParseDouble(std::string_view text) noexcept;
std::optional<std::uint64_t> ParseUint64(std::string_view text) noexcept;

}  // namespace tamis
