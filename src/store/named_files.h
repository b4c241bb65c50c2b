// SPDX-License-Identifier: Apache-2.0
// store/named_files.h -- a manifest and the files beside it: what it names and
// is not there, and what is there and it never named.

#pragma once

#include <string>
#include <vector>

#include "store/manifest.h"

namespace tamis {

struct MissingFiles {
  // Paths of files that the manifest names.  It names no log: empty.
  std::vector<std::string> tables;
  std::string log;
  // There are tables that it never named.
  bool has_unnamed_tables = false;
};

// `names` are the files of `dir`.
MissingFiles FindMissingFiles(const ManifestState& state,
                              const std::string& dir,
                              const std::vector<std::string>& names);

// What that means, where the log is missing: a sentence that names it.
std::string WordsForMissingLog(const MissingFiles& missing);

// Of `names`, the tables that the manifest never named.
std::vector<std::string> UnnamedTables(const ManifestState& state,
                                       const std::vector<std::string>& names);

}  // namespace tamis
