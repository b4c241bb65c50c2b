// SPDX-License-Identifier: Apache-2.0
// store/foreign_store.h -- recognises databases of other engines that look like
// ours: RocksDB began as a copy of LevelDB and still uses its file names, its
// log format and its first manifest tags.  Nothing here writes or maps.

#pragma once

#include <string>
#include <vector>

#include "tamis/env.h"

namespace tamis {

// NotSupported: `names`, the files of `dir`, include one that RocksDB makes and
// LevelDB does not (OPTIONS-NNNNNN, IDENTITY), or a LOG that starts like
// RocksDB's.
Status RefuseForeignNames(Env& env, const std::string& dir,
                          const std::vector<std::string>& names);

// NotSupported: a record of a manifest has a tag, or a table ends in a number,
// that RocksDB or some other engine writes.  Reads the start of each manifest
// and the end of each table, so it is meant for directories whose manifest is
// missing or not understood.  A file that cannot be read proves nothing.
Status RefuseForeignFiles(Env& env, const std::string& dir,
                          const std::vector<std::string>& names);

}  // namespace tamis
