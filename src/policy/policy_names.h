// SPDX-License-Identifier: Apache-2.0
// policy/policy_names.h -- policies by the name that is stored beside their
// filters.

#pragma once

#include <string_view>

#include "tamis/filter.h"

namespace tamis {

// One whose Open() reads filters of that name; how it would size its own is
// not said.  Lives until the process ends.  Null: the name is not known.
const FilterPolicy* FindPolicyByName(std::string_view name);

}  // namespace tamis
