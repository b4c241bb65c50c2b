// SPDX-License-Identifier: Apache-2.0
// policy/registry.h -- which policies there are, and what their text means:
// docs/policies.md.  MakePolicy() is the door for everybody else.

#pragma once

#include <string>
#include <string_view>

#include "formats/tamis/kinds.h"
#include "tamis/result.h"

namespace tamis {

// What a text asks of a kind of the .tamis container.
struct KindOrder {
  std::string name;                   // as the text has it
  const TamisKindRow* row = nullptr;  // null: it names something else
  TamisSettings settings;  // with the usual size where none was given
};

// InvalidArgument: as MakePolicy(), but for sizes that the kind itself refuses.
Result<KindOrder> ReadKindOrder(std::string_view text);

}  // namespace tamis
