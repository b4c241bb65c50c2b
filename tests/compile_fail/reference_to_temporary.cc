// SPDX-License-Identifier: Apache-2.0
// A temporary Result gives its value away; it is no lvalue that a reference
// could hold on to after it is gone.
// REFUSED: (cannot bind non-const lvalue reference|cannot bind to a temporary)

#include <string>

#include "tamis/result.h"

tamis::Result<std::string> Read();

std::size_t Use() {
#ifdef TAMIS_MISUSE
  std::string& text = *Read();
#else
  std::string text = *Read();
#endif
  return text.size();
}
