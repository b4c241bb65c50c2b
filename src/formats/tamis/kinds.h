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

// How large a filter shall be, and how its keys are hashed.  A kind ignores
// what it does not have.
struct TamisSettings {
  BloomSizing sizing;
  std::uint64_t seed = 0;
  unsigned arity = FuseSettings().arity;
  unsigned generations = RotatingSettings().generations;
};

// What the bits of a Bloom filter are a number of.
struct BloomUnit {
  std::string_view name;            // in the plural: "lines"
  std::uint64_t bits = 0;           // of one unit; 0: this is no Bloom filter
  std::optional<BlockKind> blocks;  // nothing: a key's bits lie anywhere
};

// A pointer that is null says that the kind cannot do it.
struct TamisKindRow {
  TamisKind kind;
  std::string_view name;  // as MakePolicy() spells it

  // A policy that sizes and builds filters of this kind, and reads them alone.
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
  // *dst may have grown.  REQUIRES: make() takes the settings
  Status (*append)(const TamisSettings&, const HashedKeys&, const BuildOptions&,
                   std::string* dst) = nullptr;
  // The bytes of a Bloom filter, taken apart; unit.bits != 0 goes with it.
  Result<ParsedBloom> (*parse_bloom)(Slice bytes) = nullptr;
  BloomUnit unit = {};
  // The bits of a key where there are few to choose from: what a rate or a
  // number of bits comes down to; 0: none does.
  double (*bits_of)(const BloomSizing&) = nullptr;

  bool grows() const noexcept {
    return load != nullptr || load_erasable != nullptr ||
           load_rotating != nullptr;
  }
};

// In the order of their codes: that of TamisKind.
std::span<const TamisKindRow> TamisKinds() noexcept;

const TamisKindRow& RowOf(TamisKind kind) noexcept;

// The row of the kind that the bytes claim to be of, unchecked; null: there is
// no such kind, or the bytes are no .tamis filter.
const TamisKindRow* RowOfBytes(Slice bytes) noexcept;

}  // namespace tamis
