// SPDX-License-Identifier: Apache-2.0
// size_advice.h -- which kind of filter to take, as `tamis size` says it.

#pragma once

#include <string>

#include "commands.h"
#include "json.h"
#include "tamis/advice.h"

namespace tamis::tools {

// True if the user said what the filter is for.
bool AsksForAdvice(const SizeArgs& args);

// What `args` ask for, at that rate.  InvalidArgument: a number that is none;
// the message names the option.
Result<FilterNeed> NeedFrom(const SizeArgs& args, std::uint64_t keys,
                            double rate);

// A paragraph, and the same for programs.
std::string AdviceText(const FilterAdvice& advice);
Json AdviceJson(const FilterNeed& need, const FilterAdvice& advice);

}  // namespace tamis::tools
