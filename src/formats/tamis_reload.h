// formats/tamis_reload.h -- the Bloom filters of the .tamis container (kinds 1
// to 3) from their bytes: to grow on, or for work on the bits themselves.

#pragma once

#include <memory>

#include "formats/bloom_facts.h"
#include "formats/tamis_container.h"
#include "tamis/filter.h"

namespace tamis {

// As LoadMutable().
Result<std::unique_ptr<MutableFilter>> LoadTamisBloom(Slice bytes);

struct TamisBloom {
  TamisKind kind = TamisKind::kClassicBloom;  // one of the three
  ParsedBloom parsed;                         // may be probed
};

// Corruption: damaged.  NotSupported: another kind, or reserved.  REQUIRES:
// `bytes` outlives the result
Result<TamisBloom> ParseTamisBloom(Slice bytes);

}  // namespace tamis
