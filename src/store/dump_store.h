// SPDX-License-Identifier: Apache-2.0
// store/dump_store.h -- lists the files of a store's directory, and what each
// of them is.

#pragma once

#include <string>

#include "tamis/env.h"
#include "tamis/store_dump.h"
#include "tamis/store_options.h"

namespace tamis {

// Reports each file of the directory, in the order of their names.  Filters
// beside tables are verified; other files are only named.
Status DumpStoreDirectory(Env& env, const std::string& dir,
                          const StoreOptions& options,
                          const DumpVisitor& visit);

}  // namespace tamis
