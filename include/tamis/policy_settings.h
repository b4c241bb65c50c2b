// SPDX-License-Identifier: Apache-2.0
// tamis/policy_settings.h -- what the text of a policy says, as data: for
// programs that have a size as a number, and for those that look at a text
// before they use it.

#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "tamis/export.h"
#include "tamis/filter.h"

namespace tamis {

// A kind of filter or a format, and how its filters are made.  Each member but
// the name is an argument of the text (docs/policies.md), and may be absent.
struct PolicySettings {
  // A kind ("ribbon"), a format ("leveldb"; of "tamis", the default kind), or
  // "fpr": the kind that costs least at a rate.
  std::string name = "tamis";
  // The size, by one of the three.  None of them: the one that is usual for the
  // name.
  std::optional<double> bits_per_key = {};
  std::optional<double> rate = {};         // of false positives
  std::optional<std::uint64_t> bits = {};  // "m": whatever the number of keys
  std::optional<unsigned> probes = {};     // "k"
  // The size is rounded up to a multiple of this, so that it can be folded.
  std::optional<std::uint64_t> fold = {};
  std::optional<std::uint64_t> seed = {};    // of the hash
  std::optional<std::string> version = {};   // of Cassandra's sstables: "nb"
  std::optional<bool> textbook_sizing = {};  // not Cassandra's own table
  std::optional<unsigned> arity = {};        // cells per key of a fuse filter
  std::optional<unsigned> generations = {};  // of a rotating filter
  // What "fpr" weighs: FilterNeed (tamis/advice.h) says more.
  std::optional<double> lifetime_seconds = {};
  std::optional<double> queries_per_key = {};
  // Of "prefix:...": the extractor whose prefixes go in, too, as
  // MakePrefixExtractor() takes it; the other members are those of the keys.
  std::optional<std::string> prefix_extractor = {};
};

// Reads the text of a policy.  A random seed is drawn here.
// InvalidArgument: as MakePolicy(text), but for sizes that the kind itself
// refuses.
TAMIS_EXPORT Result<PolicySettings> ParsePolicy(std::string_view text);

// Makes the policy that MakePolicy() makes of a text with these settings.
// InvalidArgument: an unknown name, a setting that is out of its limits, or one
// that the name does not have.
TAMIS_EXPORT Result<std::unique_ptr<const FilterPolicy>> MakePolicy(
    const PolicySettings& settings);

}  // namespace tamis
