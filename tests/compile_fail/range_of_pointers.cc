// SPDX-License-Identifier: Apache-2.0
// The ends of a range are keys, not pointers to them.
// REFUSED: (could not convert|no viable conversion|no matching)

#include "tamis/store.h"

tamis::Status Compact(tamis::Store& store, tamis::Slice start) {
#ifdef TAMIS_MISUSE
  return store.Compact(tamis::KeyRange{&start});
#else
  return store.Compact(tamis::KeyRange{start});
#endif
}
