// SPDX-License-Identifier: Apache-2.0
// A Result must be looked at, just as a Status.
// REFUSED: (ignoring return(ed)? value|nodiscard)

#include "tamis/filter.h"

bool Open(const tamis::FilterPolicy& policy, tamis::Slice bytes) {
#ifdef TAMIS_MISUSE
  policy.Open(bytes);
  return true;
#else
  return policy.Open(bytes).ok();
#endif
}
