// SPDX-License-Identifier: Apache-2.0
// Who holds only a reader cannot change the filter.
// REFUSED: .*no member named .*Insert

#include "tamis/filter.h"

tamis::Status Use(tamis::FilterReader& reader, tamis::MutableFilter& mutable_) {
#ifdef TAMIS_MISUSE
  (void)mutable_;
  return reader.Insert("key");
#else
  return reader.MayContain("key") ? tamis::Status() : mutable_.Insert("key");
#endif
}
