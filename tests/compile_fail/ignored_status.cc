// SPDX-License-Identifier: Apache-2.0
// A Status must be looked at: an error nobody reads is an error lost.
// REFUSED: (ignoring return(ed)? value|nodiscard)

#include <string>

#include "tamis/filter.h"

bool Finish(tamis::FilterBuilder& builder, std::string* dst) {
#ifdef TAMIS_MISUSE
  builder.Finish(dst);
  return true;
#else
  return builder.Finish(dst).ok();
#endif
}
