// SPDX-License-Identifier: Apache-2.0
// policy/settings.h -- from the arguments of a policy's text to its settings,
// and from those to what formats take.

#pragma once

#include <string>
#include <string_view>

#include "formats/bloom_parameters.h"
#include "formats/tamis/kinds.h"
#include "policy/spec.h"
#include "tamis/policy_settings.h"
#include "tamis/result.h"

namespace tamis {

// InvalidArgument: an argument is unknown, repeated, or not a number; the
// message names it.  Otherwise fails as CheckSettings() does.
Result<PolicySettings> ReadSettings(const PolicySpec& spec);

// InvalidArgument: a setting is out of range, or contradicts another; the
// message names it.
Status CheckSettings(const PolicySettings& settings);

// Returns the size; all 0 if no size was given.
BloomSizing SizingOf(const PolicySettings& settings) noexcept;
bool HasSize(const PolicySettings& settings) noexcept;

// Returns the settings of a kind of the .tamis container.
TamisSettings ForKind(const PolicySettings& settings) noexcept;

// The shortest text that is read as the same number.
std::string NumberText(double number);

// Returns the error for an argument.
Status BadArgument(std::string_view argument, std::string_view what);

}  // namespace tamis
