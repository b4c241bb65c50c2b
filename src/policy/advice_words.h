// SPDX-License-Identifier: Apache-2.0
// policy/advice_words.h -- explains to people why a kind was chosen.

#pragma once

#include <span>
#include <string>

#include "tamis/advice.h"

namespace tamis {

// REQUIRES: `choices` are ranked, and the first is fit
std::string ReasonFor(const FilterNeed& need,
                      std::span<const FilterChoice> choices);

}  // namespace tamis
