// SPDX-License-Identifier: Apache-2.0
// policy/no_throw_policy.h -- a policy at the public interface: std::bad_alloc
// becomes a Status.

#pragma once

#include <memory>

#include "tamis/filter.h"

namespace tamis {

// Does what `policy` does, with the same bytes; but every function that returns
// a Status or a Result returns ResourceExhausted instead of throwing
// std::bad_alloc.
Result<std::unique_ptr<const FilterPolicy>> ThrowingNothing(
    Result<std::unique_ptr<const FilterPolicy>> policy);

}  // namespace tamis
