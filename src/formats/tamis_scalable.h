// formats/tamis_scalable.h -- kind 8 of the .tamis container: a filter that
// grows without knowing how many keys will come, and keeps the rate of false
// positives that it was asked for.
// Byte layout: docs/formats/tamis-scalable.md

#pragma once

#include <cstdint>
#include <memory>

#include "formats/bloom_facts.h"
#include "tamis/filter.h"

namespace tamis {

// sizing.rate bounds the rate of the whole, however many keys come;
// sizing.bits_per_key is what the first part takes, and later ones take more.
// Planned keys are those of the first part; a builder plans for all of its
// keys, and its filters grow on from there.  A key that the filter says "maybe"
// to is not inserted, nor counted: so repeats cost nothing. InvalidArgument:
// bits or probes are given, or no size reaches the rate.
Result<std::unique_ptr<const FilterPolicy>> NewTamisScalablePolicy(
    const BloomSizing& sizing, std::uint64_t seed);

// As FilterPolicy::Open(), for bytes of this kind.
Result<std::unique_ptr<const FilterReader>> OpenTamisScalable(Slice bytes);

// As LoadMutable().
Result<std::unique_ptr<MutableFilter>> LoadTamisScalable(Slice bytes);

}  // namespace tamis
