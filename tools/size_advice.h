// SPDX-License-Identifier: Apache-2.0
// size_advice.h -- the advice of `tamis size` on which kind to use.

#pragma once

#include <string>

#include "commands.h"
#include "json.h"
#include "tamis/advice.h"

namespace tamis::tools {

// Returns true if the user said what the filter is for.
bool AsksForAdvice(const SizeArgs& args);

// Returns the need that `args` describe, at that rate.  InvalidArgument: an
// option is not a number; the message names it.
Result<FilterNeed> NeedFrom(const SizeArgs& args, std::uint64_t keys,
                            double rate);

// Return a paragraph, and the same for programs.
std::string AdviceText(const FilterAdvice& advice);
Json AdviceJson(const FilterNeed& need, const FilterAdvice& advice);

}  // namespace tamis::tools
