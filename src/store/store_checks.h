// SPDX-License-Identifier: Apache-2.0
// store/store_checks.h -- what is looked at before anything in a directory is
// touched.  All of it reads only: who is refused here finds the directory as it
// was, without a LOCK, and LOG not rotated.

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
// but tables or logs are there.  IoError: it cannot be read.  An absent
// directory, or one without a store, is no error.
Result<StoreDirectory> LookAtDirectory(Env& env, const std::string& dir);

// The Status for a directory without a store.
Status NoStoreHere(const std::string& dir);

// ReadManifest() for a store whose keys `comparator` orders.  InvalidArgument:
// another one does.  NotSupported: it is not understood because another engine
// wrote it.
Result<ManifestState> ReadManifestFor(Env& env, const std::string& dir,
                                      const Comparator& comparator);

// For CheckStore(), before anything else.  NotFound: there is no store.
// Corruption: CURRENT is missing.  NotSupported: it is another engine's.
Status CheckIsStore(const std::string& dir, const StoreOptions& options);

// For RepairStore() and DestroyStore(), before anything else: repairing what is
// not ours destroys it.  NotSupported: it is another engine's. InvalidArgument:
// some manifest, as far as it can be read, says that another comparator orders
// the keys.
Status CheckMayRepair(const std::string& dir, const StoreOptions& options);

}  // namespace tamis
