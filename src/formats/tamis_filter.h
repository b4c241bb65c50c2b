// formats/tamis_filter.h -- policies over the .tamis container: each builds
// one kind and reads all of them.

#pragma once

#include <memory>

#include "formats/bloom_facts.h"
#include "formats/tamis_container.h"
#include "tamis/filter.h"

namespace tamis {

// InvalidArgument: this kind has no such size.
// REQUIRES: not kFuse, kRotating
Result<std::unique_ptr<const FilterPolicy>> NewTamisPolicy(
    TamisKind kind, const BloomSizing& sizing, std::uint64_t seed);

// The same for kinds with settings of their own: `policy` builds, and the
// result reads every kind.
Result<std::unique_ptr<const FilterPolicy>> ReadingEveryKind(
    Result<std::unique_ptr<const FilterPolicy>> policy);

}  // namespace tamis
