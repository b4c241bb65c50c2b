// SPDX-License-Identifier: Apache-2.0
// tamis/store_settings.h -- the table options that a store remembers.
//
// They are in a separate file, TAMIS, which LevelDB ignores
// (docs/formats/store.md).  A store remembers the options it was created with;
// those of later openings only with StoreOptions::remember_settings.  Opening
// does not apply remembered options by itself: they are for programs that have
// no options of their own.

#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "tamis/env.h"
#include "tamis/export.h"
#include "tamis/result.h"
#include "tamis/store_options.h"

namespace tamis {

// A member without a value is not remembered, or is in `not_understood`.
struct StoreSettings {
  std::optional<std::string> filter = {};  // as in StoreOptions; "": none
  // The name of StoreOptions::filter_policy if that was set: `filter` then has
  // no value, and only a program with that policy can write such filters.
  std::optional<std::string> filter_policy = {};
  // As in StoreOptions; empty: `filter` is that of all levels.
  std::optional<std::vector<std::string>> filter_per_level = {};
  // As in StoreOptions; no value: there is no limit, too.
  std::optional<std::uint64_t> filter_memory_bytes = {};
  // As in StoreOptions; no value: it is the default.
  std::optional<std::uint64_t> filter_parts_above = {};
  std::optional<unsigned> leveldb_filter_bits = {};
  std::optional<unsigned> block_filter_bits = {};  // no value: none, too
  std::optional<unsigned> range_filter_bits = {};  // likewise
  // As in StoreOptions; no value: none, too.
  std::optional<std::string> prefix_extractor = {};
  // The name of StoreOptions::custom_prefix_extractor if that was set: only a
  // program with that extractor can use its prefixes.
  std::optional<std::string> custom_prefix_extractor = {};
  std::optional<Compression> compression = {};
  std::optional<int> zstd_level = {};
  std::optional<std::size_t> block_bytes = {};
  std::optional<unsigned> restart_interval = {};
  std::optional<std::uint64_t> table_bytes = {};
  // The store's own seed: see FilterSeed::kRandomPerStore.
  std::optional<std::uint64_t> filter_seed = {};
  // Lines whose value this version cannot use, as "compression = lz4".
  std::vector<std::string> not_understood = {};

  // Overwrites the members of *options that are remembered, except
  // filter_policy and custom_prefix_extractor, of which only the names are
  // known.
  TAMIS_EXPORT void ApplyTo(StoreOptions* options) const;
};

// NotFound: the store remembers nothing.  Corruption: its file is damaged.
// NotSupported: it is not such a file, or of another version.  If `env` is
// null, DefaultEnv() is used.
TAMIS_EXPORT Result<StoreSettings> ReadStoreSettings(const std::string& dir,
                                                     Env* env = nullptr);

}  // namespace tamis
