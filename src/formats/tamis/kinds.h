// SPDX-License-Identifier: Apache-2.0
// formats/tamis/kinds.h -- the kinds of filter in the .tamis container, one row
// each: how a kind is made, opened and changed.  A new kind is an enumerator of
// TamisKind, files of its own and a row here, and another row in
// policy/kinds.cc; nothing else names kinds (scripts/check_kinds.sh).

#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "formats/bloom_parameters.h"
#include "formats/tamis/container.h"
#include "formats/tamis/fuse.h"
#include "formats/tamis/rotating.h"
#include "formats/tamis/solved_builder.h"
#include "math/blocked_bloom.h"
#include "tamis/filter.h"
#include "tamis/mutable_filter.h"

namespace tamis {

// The size of a filter, and how its keys are hashed.  A kind ignores what does
// not apply to it.
struct TamisSettings {
  BloomSizing sizing;
  std::uint64_t seed = 0;
  unsigned arity = FuseSettings().arity;
  unsigned generations = RotatingSettings().generations;
};

// The unit in which the size of a Bloom filter is measured.
struct BloomUnit {
  std::string_view name;            // in the plural: "lines"
  std::uint64_t bits = 0;           // of one unit; 0: not a Bloom filter
  std::optional<BlockKind> blocks;  // nothing: a key's bits are anywhere
};

// A null pointer means that the kind cannot do it.
struct TamisKindRow {
  TamisKind kind;
  std::string_view name;  // as MakePolicy() spells it

  // Returns a policy that builds filters of this kind, and reads only those.
  // InvalidArgument: the kind has no such size.
  Result<std::unique_ptr<const FilterPolicy>> (*make)(const TamisSettings&);
  // As FilterPolicy::Open(), for bytes of this kind.
  Result<std::unique_ptr<const FilterReader>> (*open)(Slice bytes);

  // As FilterPolicy::Combine(), for at least one filter.
  Status (*combine)(std::span<const Slice> filters, SetOperation operation,
                    std::string* dst) = nullptr;
  // As LoadMutable(), LoadErasable() and LoadRotating(): a kind has one of
  // them, or none if it needs all its keys at once.
  Result<std::unique_ptr<MutableFilter>> (*load)(Slice bytes) = nullptr;
  Result<std::unique_ptr<ErasableFilter>> (*load_erasable)(Slice bytes) =
      nullptr;
  Result<std::unique_ptr<RotatingFilter>> (*load_rotating)(Slice bytes) =
      nullptr;
  // As NewErasable() and NewRotating().
  Result<std::unique_ptr<ErasableFilter>> (*new_erasable)(
      const TamisSettings&, std::uint64_t planned_keys) = nullptr;
  Result<std::unique_ptr<RotatingFilter>> (*new_rotating)(
      const TamisSettings&, std::uint64_t planned_keys) = nullptr;
  // Appends the filter that the policy of these settings would build.  On error
  // *dst may have grown.  REQUIRES: make() accepts the settings
  Status (*append)(const TamisSettings&, const HashedKeys&, const BuildOptions&,
                   std::string* dst) = nullptr;
  // Parses the bytes of a Bloom filter; set if and only if unit.bits != 0.
  Result<ParsedBloom> (*parse_bloom)(Slice bytes) = nullptr;
  BloomUnit unit = {};
  // For kinds with few possible sizes: returns the bits per key for a rate or a
  // number of bits; 0: none fits.
  double (*bits_of)(const BloomSizing&) = nullptr;

  // MayContainRange() of its readers rules ranges out.
  bool answers_ranges = false;

  bool grows() const noexcept {
    return load != nullptr || load_erasable != nullptr ||
           load_rotating != nullptr;
  }
};

// In the order of their codes: that of TamisKind.
std::span<const TamisKindRow> TamisKinds() noexcept;

const TamisKindRow& RowOf(TamisKind kind) noexcept;

// Returns the row of the kind that the bytes claim to be, unchecked; null:
// there is no such kind, or the bytes are not a .tamis filter.
const TamisKindRow* RowOfBytes(Slice bytes) noexcept;

}  // namespace tamis
