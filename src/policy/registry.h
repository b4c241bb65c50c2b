// SPDX-License-Identifier: Apache-2.0
// policy/registry.h -- the known policies, and the meaning of their specs:
// docs/policies.md.  Callers outside this folder use MakePolicy().

#pragma once

#include <string>
#include <string_view>

#include "formats/tamis/kinds.h"
#include "tamis/result.h"

namespace tamis {

// What a spec requests of a kind of the .tamis container.
struct KindOrder {
  std::string name;                   // as in the spec
  const TamisKindRow* row = nullptr;  // null: not such a kind
  TamisSettings settings;             // with the default size if none was given
};

// InvalidArgument: as MakePolicy(), except for sizes that the kind itself
// refuses.
Result<KindOrder> ReadKindOrder(std::string_view text);

}  // namespace tamis
