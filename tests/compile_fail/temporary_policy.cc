// SPDX-License-Identifier: Apache-2.0
// A builder must not outlive its policy, so none comes from a temporary.
// REFUSED: (use of deleted function|overload resolution selected deleted)

#include <memory>

#include "tamis/filter.h"

std::unique_ptr<tamis::FilterBuilder> Make(
    const tamis::Result<std::unique_ptr<const tamis::FilterPolicy>>& policy) {
#ifdef TAMIS_MISUSE
  return tamis::MakePolicy("bloom:10")->NewBuilder();
#else
  return policy->NewBuilder();
#endif
}
