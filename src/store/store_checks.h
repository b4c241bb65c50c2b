// SPDX-License-Identifier: Apache-2.0
// store/store_checks.h -- checks before anything in a directory is changed.
// All of them only read: if one refuses, the directory is unchanged, without a
// LOCK, and LOG is not rotated.

#pragma once

#include <string>
#include <vector>

#include "store/manifest.h"
#include "tamis/comparator.h"
#include "tamis/env.h"
#include "tamis/store_options.h"

namespace tamis {

struct StoreDirectory {
  std::vector<std::string> names;
  bool exists = false;       // the directory
  bool has_current = false;  // and a store in it
};

// NotSupported: the directory is RocksDB's.  Corruption: CURRENT is missing,
// but tables or logs are there.  IoError: it cannot be read.  A missing
// directory, or one without a store, is not an error.
Result<StoreDirectory> LookAtDirectory(Env& env, const std::string& dir);

// Returns the Status for a directory without a store.
Status NoStoreHere(const std::string& dir);

// ReadManifest() for a store with that comparator.  InvalidArgument: it has
// another one.  NotSupported: another engine wrote the manifest.
Result<ManifestState> ReadManifestFor(Env& env, const std::string& dir,
                                      const Comparator& comparator);

// For CheckStore(), before anything else.  NotFound: there is no store.
// Corruption: CURRENT is missing.  NotSupported: it is another engine's.
Status CheckIsStore(const std::string& dir, const StoreOptions& options);

// For RepairStore() and DestroyStore(), before anything else: repairing a
// foreign database would destroy it.  NotSupported: it is another engine's.
// InvalidArgument: some manifest, as far as it can be read, names another
// comparator.
Status CheckMayRepair(const std::string& dir, const StoreOptions& options);

}  // namespace tamis
