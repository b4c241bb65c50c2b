// SPDX-License-Identifier: Apache-2.0
// policy/kinds.h -- what this folder adds to the kinds of the .tamis container
// (formats/tamis/kinds.h), one row each: how a spec names and sizes a kind, and
// what its filters cost.

#pragma once

#include <array>
#include <span>
#include <string>
#include <string_view>

#include "formats/tamis/container.h"
#include "policy/kind_costs.h"
#include "tamis/formats.h"

namespace tamis {

// A name that implies the size: "fuse16".
struct SizedName {
  std::string_view name;
  double bits = 0;
};

struct KindRow {
  TamisKind kind;
  std::string_view summary;
  KindStorage storage;
  double usual_bits;    // as KindEntry has it; of the kind's own name
  unsigned max_probes;  // that a spec may request
  unsigned fixed_probes = 0;
  unsigned per_m = 0;
  bool unbounded = false;
  std::array<SizedName, 3> sized_names = {};  // beside the kind's own name
  std::array<unsigned, 2> arities = {};       // to choose from; 0: no such
  KindSpeed speed = {};

  bool has_arity() const noexcept { return arities.front() != 0; }
  // All arities; of a kind without them, a single 0.
  std::span<const unsigned> arity_choices() const noexcept {
    return {arities.data(), has_arity() ? arities.size() : 1};
  }
};

// In the order of KnownKinds(), which is that of preference where costs are
// equal.
std::span<const KindRow> KindRows() noexcept;

// Returns the row of the entry.  REQUIRES: it is one of KnownKinds()
const KindRow& RowOfEntry(const KindEntry& entry) noexcept;

// Returns "counting and cuckoo": the kinds for which `has` is true.
std::string NamesOfKinds(bool (*has)(const KindEntry&));

}  // namespace tamis
