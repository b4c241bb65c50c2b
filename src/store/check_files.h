// SPDX-License-Identifier: Apache-2.0
// store/check_files.h -- checks one whole table or log of a store, for
// CheckStore() and RepairStore().  Reads instead of mapping: a bad sector is a
// problem, not a signal.

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

// Opens the table of that number by its name or, if there is no such file, by
// its old name; sets *path.  NotFound: there is neither.
Result<std::unique_ptr<ReadableFile>> OpenTableFile(Env& env,
                                                    const std::string& dir,
                                                    std::uint64_t number,
                                                    std::string* path);

struct TableFileCheck {
  Status opened;  // NotFound: there is no such file
  // Not ok: the file could not be opened or read for a reason other than damage
  // (see base/damage.h).  The message names the file; the other members are
  // then meaningless.
  Status unread;
  std::string path;
  std::uint64_t bytes = 0;  // of the file
  TableCheck table;
  bool is_whole = false;              // the table itself is intact
  std::vector<std::string> problems;  // each names the file
  // Of the filter beside the table; empty: there is none, or all is well.
  std::string filter_problem;  // it is of no use, or hides keys
  std::string filter_note;     // it cannot be judged here
};

// Checks the table, and whether it is what the manifest says.
TableFileCheck CheckTableFile(Env& env, const std::string& dir,
                              const TableReadContext& context,
                              const FileMetadata& metadata);
// The same for a table that no manifest names.
TableFileCheck CheckUnknownTableFile(Env& env, const std::string& dir,
                                     const TableReadContext& context,
                                     std::uint64_t number);

}  // namespace tamis
