// SPDX-License-Identifier: Apache-2.0
// A hash that was not taken is a key that the filter would hide.
// REFUSED: (ignoring return(ed)? value|nodiscard)

#include "tamis/filter.h"

void Add(tamis::FilterBuilder& builder, tamis::Slice key) {
#ifdef TAMIS_MISUSE
  builder.AddHash(tamis::HashKey(key));
#else
  if (!builder.AddHash(tamis::HashKey(key))) builder.Add(key);
#endif
}
