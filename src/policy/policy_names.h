// SPDX-License-Identifier: Apache-2.0
// policy/policy_names.h -- policies by the name that is stored beside their
// filters.

#pragma once

#include <string_view>

#include "tamis/filter.h"

namespace tamis {

// Returns a policy whose Open() reads filters of that name; its own size is
// unspecified.  It exists until the process ends.  Null: the name is unknown.
const FilterPolicy* FindPolicyByName(std::string_view name);

}  // namespace tamis
