// SPDX-License-Identifier: Apache-2.0
// store/named_files.h -- compares a manifest with the files beside it: which
// named files are missing, and which existing ones it never named.

#pragma once

#include <string>
#include <vector>

#include "store/manifest.h"

namespace tamis {

struct MissingFiles {
  // Paths of missing files that the manifest names.
  std::vector<std::string> tables;
  std::string log;
  // True: there are tables that it never named.
  bool has_unnamed_tables = false;
};

// `names` are the files of `dir`.
MissingFiles FindMissingFiles(const ManifestState& state,
                              const std::string& dir,
                              const std::vector<std::string>& names);

// Returns a sentence about the missing log, which names it.
std::string WordsForMissingLog(const MissingFiles& missing);

// Returns the tables among `names` that the manifest never named.
std::vector<std::string> UnnamedTables(const ManifestState& state,
                                       const std::vector<std::string>& names);

}  // namespace tamis
