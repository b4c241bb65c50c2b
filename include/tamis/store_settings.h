// SPDX-License-Identifier: Apache-2.0
// tamis/store_settings.h -- what a store remembers of how its tables are to
// be written.
//
// It does so in a file of its own, TAMIS, at which LevelDB does not look
// (docs/formats/store.md).  A store that is created remembers the options it
// was created with; later ones only where StoreOptions::remember_settings says
// so.  What is remembered changes no opening by itself: a program's options
// are what it gives, and these are for programs that were given none.

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

// Nothing: it is not remembered, or `not_understood` has it.
struct StoreSettings {
  std::optional<std::string> filter = {};  // as in StoreOptions; empty: none
  // The name of StoreOptions::filter_policy, where that was given: `filter` is
  // then nothing, and only a program with that policy can write such filters.
  std::optional<std::string> filter_policy = {};
  std::optional<unsigned> leveldb_filter_bits = {};
  std::optional<Compression> compression = {};
  std::optional<int> zstd_level = {};
  std::optional<std::size_t> block_bytes = {};
  std::optional<unsigned> restart_interval = {};
  std::optional<std::uint64_t> table_bytes = {};
  // The store's own: see FilterSeed::kRandomPerStore.
  std::optional<std::uint64_t> filter_seed = {};
  // Lines whose value this version cannot use, as "compression = lz4".
  std::vector<std::string> not_understood = {};

  // Those that are known take the place of what *options says, but for
  // filter_policy, of which only the name is.
  TAMIS_EXPORT void ApplyTo(StoreOptions* options) const;
};

// NotFound: the store remembers nothing.  Corruption: its file is damaged.
// NotSupported: it is no such file, or of another version.  `env` null:
// DefaultEnv().
TAMIS_EXPORT Result<StoreSettings> ReadStoreSettings(const std::string& dir,
                                                     Env* env = nullptr);

}  // namespace tamis
