// SPDX-License-Identifier: Apache-2.0
// store/check_files.h -- reads one table or one log of a store to its end and
// says what is wrong with it: for CheckStore() and RepairStore().  Reads, never
// maps: a sector that cannot be read is a problem, not a signal.

#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "store/version_edit.h"
#include "table/internal_key.h"
#include "table/table_reader.h"
#include "tamis/env.h"
#include "tamis/result.h"

namespace tamis {

// The table of that number, by its name or, where there is none, by its old
// one; *path is then the name.  NotFound: there is neither.
Result<std::unique_ptr<ReadableFile>> OpenTableFile(Env& env,
                                                    const std::string& dir,
                                                    std::uint64_t number,
                                                    std::string* path);

struct TableFileCheck {
  Status opened;  // NotFound: there is no such file
  // Not ok: the file could not be opened or read for a reason that is no damage
  // (see base/damage.h).  It names the file; the rest says nothing then.
  Status unread;
  std::string path;
  std::uint64_t bytes = 0;  // of the file
  TableCheck table;
  bool is_whole = false;              // the table itself is well
  std::vector<std::string> problems;  // each names the file
};

// The table, and whether it is what the manifest says.
TableFileCheck CheckTableFile(Env& env, const std::string& dir,
                              const TableReadContext& context,
                              const FileMetadata& metadata);
// The same of a table that no manifest speaks of.
TableFileCheck CheckUnknownTableFile(Env& env, const std::string& dir,
                                     const TableReadContext& context,
                                     std::uint64_t number);

}  // namespace tamis
